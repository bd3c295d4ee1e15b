//! Is bad input refused with what is wrong, and does nothing change then?

use raddle_bitmap::circuit::{
    Cost, Counting, FullTrace, GroupedTrace, MOST_BLOCKS, Masks, PeriodTrace, SampledTrace, Setup,
    Timing, Variant,
};
use raddle_bitmap::{Error, FreeMap, Grouped, Kind, Layout};
use raddle_bitmap::{Polarity, Sampled, Search, Shared};

#[test]
fn maps_without_blocks() {
    assert_eq!(FreeMap::new(0), Err(Error::NoBlocks));
    assert_eq!(FreeMap::from_digits("", Polarity::FreeIsOne), Err(Error::NoBlocks));
    assert_eq!(FreeMap::from_words(&[], 0, Polarity::FreeIsOne), Err(Error::NoBlocks));
}

#[test]
fn stale_plans_and_releases_of_what_is_free() {
    let mut map = FreeMap::new(100).unwrap();
    let (first, second) = (map.first_fit(70).unwrap(), map.first_fit(5).unwrap());
    assert_eq!(map.commit(second), Ok(0));
    let before = map.clone();
    assert_eq!(map.commit(first), Err(Error::Taken { start: 0, len: 70 }));
    assert_eq!(map.release(4, 2), Err(Error::NotTaken { start: 4, len: 2 }));
    // A plan is refused if it is of a map of another size, of one of the same size, or of a clone.
    for other in [FreeMap::new(200).unwrap(), FreeMap::new(100).unwrap(), map.clone()] {
        let elsewhere = other.fit_at(90, 10).unwrap();
        assert_eq!(map.commit(elsewhere), Err(Error::OtherMap { start: 90, len: 10 }));
    }
    let refusal = map.try_fit(96).unwrap_err();
    assert_eq!((refusal.want, refusal.free, refusal.longest), (96, 95, 95));
    let error = Error::OutOfRange { start: u32::MAX, len: u32::MAX, blocks: 100 };
    assert_eq!(map.release(u32::MAX, u32::MAX), Err(error));
    assert_eq!(map, before);
    assert!(map.first_fit_from(u32::MAX, 1).is_none());
    assert!(map.first_fit_from(u32::MAX, u32::MAX).is_none());
    assert!(map.fit_at(u32::MAX, 1).is_none() && map.fit_at(1, u32::MAX).is_none());
}

#[test]
fn nothing_wanted_is_there_always_and_takes_nothing() {
    let mut map = FreeMap::new(3).unwrap();
    let all = map.first_fit(3).unwrap();
    assert_eq!(map.commit(all), Ok(0));
    for none in [map.first_fit(0), map.best_fit(0), map.worst_fit(0)] {
        let none = none.unwrap();
        assert!(none.is_empty());
        assert_eq!(map.commit(none), Ok(0));
    }
    assert_eq!(map.release(0, 0), Ok(()));
    assert_eq!((map.free_blocks(), map.refusal(0)), (0, None));
}

#[test]
fn groups() {
    let count = |groups, blocks| Err(Error::GroupCount { groups, blocks });
    assert_eq!(Grouped::new(0, 1), Err(Error::NoBlocks));
    assert_eq!(Grouped::new(8, 0), count(0, 8));
    assert_eq!(Grouped::new(8, 8), count(8, 8));
    assert_eq!(Grouped::new(8, 9), count(9, 8));
    assert_eq!(Grouped::new(1, 1), count(1, 1));
    assert_eq!(Grouped::new(8, 3), Err(Error::UnevenGroups { groups: 3, blocks: 8 }));
    assert_eq!(Grouped::of_size(130, 4), Err(Error::GroupSize { size: 4, blocks: 130 }));
    assert_eq!(Grouped::of_size(130, 1), Err(Error::GroupSize { size: 1, blocks: 130 }));
    assert_eq!(Grouped::of_size(0, 4), Err(Error::NoBlocks));
    assert_eq!(Grouped::of_size(4, 4).map(|it| (it.groups(), it.size())), Ok((1, 4)));
}

#[test]
fn samples() {
    assert_eq!(Sampled::new(0, &[0]), Err(Error::NoBlocks));
    assert_eq!(Sampled::new(8, &[]), Err(Error::NoSamples));
    assert_eq!(Sampled::new(8, &[0, 3, 3]), Err(Error::SampleOrder { at: 2 }));
    assert_eq!(Sampled::new(8, &[4, 3]), Err(Error::SampleOrder { at: 1 }));
    assert_eq!(Sampled::new(8, &[0, 8]), Err(Error::SampleRange { at: 1, k: 8, blocks: 8 }));
    let most = Error::SampleRange { at: 0, k: u32::MAX, blocks: u32::MAX };
    assert_eq!(Sampled::new(u32::MAX, &[u32::MAX]), Err(most));
    assert_eq!(Sampled::steps(0), Err(Error::NoBlocks));
    assert_eq!(Sampled::excluding(8, |_| true), Err(Error::NoSamples));
}

#[test]
fn rounds() {
    let kind = |id, blocks| Kind { id, blocks };
    let new = |periods: &[Vec<Kind>], layout: &Layout| Shared::new(12, 12, periods, layout);
    let packed = |periods: &[Vec<Kind>]| new(periods, &Layout::Packed);
    let pair = vec![kind(0, 5), kind(1, 4)];
    assert_eq!(
        Shared::new(0, 0, std::slice::from_ref(&pair), &Layout::Packed),
        Err(Error::NoBlocks)
    );
    let bound = Shared::new(12, 13, std::slice::from_ref(&pair), &Layout::Packed);
    assert_eq!(bound, Err(Error::BoundAboveWidth { bound: 13, width: 12 }));
    assert_eq!(packed(&[]), Err(Error::PeriodCount { periods: 0, borders: 0 }));
    assert_eq!(packed(&[pair.clone(), vec![]]), Err(Error::EmptyPeriod { period: 1 }));
    assert_eq!(packed(&[pair.clone(), vec![kind(1, 2)]]), Err(Error::KindTwice { id: 1 }));
    assert_eq!(packed(&[vec![kind(0, 0)]]), Err(Error::NoBlocks));
    let above = Error::SumAboveBound { period: 0, sum: 13, bound: 12 };
    assert_eq!(packed(&[vec![kind(0, 6), kind(1, 7)]]), Err(above));
    let halves = new(&[vec![kind(0, 7), kind(1, 4)]], &Layout::Halves);
    assert_eq!(halves, Err(Error::SlotTooNarrow { period: 0, at: 0, blocks: 7, slot: 6 }));
    let three = new(&[vec![kind(0, 1), kind(1, 1), kind(2, 1)]], &Layout::Halves);
    assert_eq!(three, Err(Error::SlotCount { period: 0, slots: 2, kinds: 3 }));
    let borders = |ranges| new(std::slice::from_ref(&pair), &Layout::Borders(ranges));
    assert_eq!(borders(vec![]), Err(Error::PeriodCount { periods: 1, borders: 0 }));
    let few = Error::SlotCount { period: 0, slots: 0, kinds: 2 };
    assert_eq!(borders(vec![vec![]]), Err(few));
    let overlap = Error::BordersOverlap { period: 0, at: 1 };
    assert_eq!(borders(vec![vec![0..6, 5..10]]), Err(overlap));
    let end = 3;
    assert_eq!(borders(vec![vec![0..6, 8..end]]), Err(overlap));
    let exceed = Error::BordersExceed { period: 0, at: 1, width: 12 };
    assert_eq!(borders(vec![vec![0..6, 9..13]]), Err(exceed));
    let narrow = Error::SlotTooNarrow { period: 0, at: 1, blocks: 4, slot: 3 };
    assert_eq!(borders(vec![vec![0..6, 9..12]]), Err(narrow));
    assert!(borders(vec![vec![0..6, 8..12]]).is_ok());
}

#[test]
fn maps_that_a_search_was_not_made_for() {
    let map = FreeMap::new(8).unwrap();
    let other = Err(Error::OtherSize { search: 16, map: 8 });
    assert_eq!(Grouped::of_size(16, 4).unwrap().longest(map.view()), other);
    assert_eq!(Sampled::steps(16).unwrap().fits(map.view(), 1), other.map(|_| true));
    let kind = Kind { id: 0, blocks: 16 };
    let shared = Shared::new(16, 16, &[[kind]], &Layout::Packed).unwrap();
    assert_eq!(shared.find(0, &[map.view()]), other.map(|_| vec![]));
    assert_eq!(shared.round(|_| map.view()), other.map(|_| vec![]));
    let count = |slots, maps, period| Err(Error::MapCount { period, slots, maps });
    assert_eq!(shared.find(0, &[]), count(1, 0, 0));
    assert_eq!(shared.find(1, &[]), count(0, 0, 1));
    let trace = |period| PeriodTrace::new(&shared, period, &[], Setup::default(), Masks::All);
    assert_eq!(trace(0).map(|it| it.answers()), count(1, 0, 0));
    assert_eq!(trace(9).map(|it| it.answers()), count(0, 0, 9));
    let setup = Setup::default();
    let grouped = GroupedTrace::new(map.view(), &Grouped::of_size(16, 4).unwrap(), setup);
    assert_eq!(grouped.map(|it| it.answer()), other);
    let sampled = SampledTrace::new(map.view(), &Sampled::steps(16).unwrap(), setup);
    assert_eq!(sampled.map(|it| it.answer()), other);
}

#[test]
fn traces_and_counts_beyond_what_memory_and_time_allow() {
    fn many<T>(blocks: u64, most: u32) -> Result<T, Error> {
        Err(Error::TooManyBlocks { blocks, most })
    }
    let blocks = MOST_BLOCKS + 1;
    let map = FreeMap::new(blocks).unwrap();
    let setup = Setup::default();
    let trace = FullTrace::new(map.view(), setup).map(|it| it.answer());
    assert_eq!(trace, many(blocks.into(), MOST_BLOCKS));
    let wide = Shared::new(65_537, 9, &[[Kind { id: 0, blocks: 9 }]], &Layout::Packed).unwrap();
    let cost = Cost::of(Variant::Shared(&wide), Timing::OneClock, Counting::Drawn);
    assert_eq!(cost, many(65_537, 65_536));
    let cost = |blocks, timing| Cost::of(Variant::Full { blocks }, timing, Counting::Drawn);
    assert_eq!(cost(0, Timing::OneClock), Err(Error::NoBlocks));
    assert_eq!(cost(8, Timing::Reused), Err(Error::NoSuchTiming));
    let most = cost(u32::MAX, Timing::ThreeClocks).unwrap();
    assert_eq!((most.register_bits, most.gates()), (u64::MAX, u64::MAX), "counts stay at the end");
}
