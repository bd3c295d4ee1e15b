//! Is bad input refused with what is wrong, and does nothing change then?

use raddle_bitmap::circuit::{
    Cost, Counting, FullTrace, GroupedTrace, MOST_BLOCKS, Masks, PeriodTrace, SampledTrace, Setup,
    Timing, Variant,
};
use raddle_bitmap::{FreeMap, Grouped, Kind, Layout};
use raddle_bitmap::{Polarity, Sampled, Search, Shared};

#[test]
fn maps_without_blocks() {
    assert_eq!(
        FreeMap::new(0).map_err(|error| error.to_string()),
        Err("there is no block: give at least 1".to_owned())
    );
    assert_eq!(
        FreeMap::from_digits("", Polarity::FreeIsOne).map_err(|error| error.to_string()),
        Err("there is no block: give at least 1".to_owned())
    );
    assert_eq!(
        FreeMap::from_words(&[], 0, Polarity::FreeIsOne).map_err(|error| error.to_string()),
        Err("there is no block: give at least 1".to_owned())
    );
}

#[test]
fn stale_plans_and_releases_of_what_is_free() {
    let mut map = FreeMap::new(100).unwrap();
    let (first, second) = (map.first_fit(70).unwrap(), map.first_fit(5).unwrap());
    assert_eq!(map.commit(second), Ok(0));
    let before = map.clone();
    assert_eq!(
        map.commit(first).map_err(|error| error.to_string()),
        Err("70 blocks from 0 are not all free any more: search again".to_owned())
    );
    assert_eq!(
        map.release(4, 2).map_err(|error| error.to_string()),
        Err("2 blocks from 4 are not all taken: release what was taken, once".to_owned())
    );
    // A plan is refused if it is of a map of another size, of one of the same size, or of a clone.
    for other in [FreeMap::new(200).unwrap(), FreeMap::new(100).unwrap(), map.clone()] {
        let elsewhere = other.fit_at(90, 10).unwrap();
        assert_eq!(
            map.commit(elsewhere).map_err(|error| error.to_string()),
            Err("a plan for 10 blocks from 90 is of another map: commit it where it was made"
                .to_owned())
        );
    }
    let refusal = map.try_fit(96).unwrap_err();
    assert_eq!((refusal.free(), refusal.longest()), (95, 95));
    let error =
        "4294967295 blocks from 4294967295 do not lie in a map of 100: use the map of the plan"
            .to_owned();
    assert_eq!(
        map.release(u32::MAX, u32::MAX).map_err(|error| error.to_string()),
        Err(error.clone())
    );
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
    let count = |groups, blocks| {
        Err(format!("{groups} groups of {blocks} blocks: give 1 to one less than the blocks"))
    };
    assert_eq!(
        Grouped::new(0, 1).map_err(|error| error.to_string()),
        Err("there is no block: give at least 1".to_owned())
    );
    assert_eq!(Grouped::new(8, 0).map_err(|error| error.to_string()), count(0, 8));
    assert_eq!(Grouped::new(8, 8).map_err(|error| error.to_string()), count(8, 8));
    assert_eq!(Grouped::new(8, 9).map_err(|error| error.to_string()), count(9, 8));
    assert_eq!(Grouped::new(1, 1).map_err(|error| error.to_string()), count(1, 1));
    assert_eq!(
        Grouped::new(8, 3).map_err(|error| error.to_string()),
        Err("3 groups do not divide 8 blocks evenly: give a divisor of 8".to_owned())
    );
    assert_eq!(
        Grouped::of_size(130, 4).map_err(|error| error.to_string()),
        Err("groups of 4 do not divide 130 blocks evenly: give a divisor of 130 from 2 on"
            .to_owned())
    );
    assert_eq!(
        Grouped::of_size(130, 1).map_err(|error| error.to_string()),
        Err("groups of 1 do not divide 130 blocks evenly: give a divisor of 130 from 2 on"
            .to_owned())
    );
    assert_eq!(
        Grouped::of_size(0, 4).map_err(|error| error.to_string()),
        Err("there is no block: give at least 1".to_owned())
    );
    assert_eq!(Grouped::of_size(4, 4).map(|it| (it.groups(), it.size())), Ok((1, 4)));
}

#[test]
fn samples() {
    assert_eq!(
        Sampled::new(0, &[0]).map_err(|error| error.to_string()),
        Err("there is no block: give at least 1".to_owned())
    );
    assert_eq!(
        Sampled::new(8, &[]).map_err(|error| error.to_string()),
        Err("no length is sampled: give at least one".to_owned())
    );
    assert_eq!(
        Sampled::new(8, &[0, 3, 3]).map_err(|error| error.to_string()),
        Err("sample 2 is not above the one before: give them strictly ascending".to_owned())
    );
    assert_eq!(
        Sampled::new(8, &[4, 3]).map_err(|error| error.to_string()),
        Err("sample 1 is not above the one before: give them strictly ascending".to_owned())
    );
    assert_eq!(
        Sampled::new(8, &[0, 8]).map_err(|error| error.to_string()),
        Err("sample 1 is 8, with 8 blocks: give values below that".to_owned())
    );
    let most = "sample 0 is 4294967295, with 4294967295 blocks: give values below that".to_owned();
    assert_eq!(
        Sampled::new(u32::MAX, &[u32::MAX]).map_err(|error| error.to_string()),
        Err(most.clone())
    );
    assert_eq!(
        Sampled::steps(0).map_err(|error| error.to_string()),
        Err("there is no block: give at least 1".to_owned())
    );
    assert_eq!(
        Sampled::excluding(8, |_| true).map_err(|error| error.to_string()),
        Err("no length is sampled: give at least one".to_owned())
    );
}

#[test]
fn rounds() {
    let kind = |id, blocks| Kind { id, blocks };
    let new = |periods: &[Vec<Kind>], layout: &Layout| Shared::new(12, 12, periods, layout);
    let packed = |periods: &[Vec<Kind>]| new(periods, &Layout::Packed);
    let pair = vec![kind(0, 5), kind(1, 4)];
    assert_eq!(
        Shared::new(0, 0, std::slice::from_ref(&pair), &Layout::Packed)
            .map_err(|error| error.to_string()),
        Err("there is no block: give at least 1".to_owned())
    );
    let bound = Shared::new(12, 13, std::slice::from_ref(&pair), &Layout::Packed);
    assert_eq!(
        bound.map_err(|error| error.to_string()),
        Err("a bound of 13 blocks is above the width of 12: lower it".to_owned())
    );
    assert_eq!(
        packed(&[]).map_err(|error| error.to_string()),
        Err("0 periods, borders for 0: give at least one period, and borders for each".to_owned())
    );
    assert_eq!(
        packed(&[pair.clone(), vec![]]).map_err(|error| error.to_string()),
        Err("period 1 serves nothing: give each period a kind of resource".to_owned())
    );
    assert_eq!(
        packed(&[pair.clone(), vec![kind(1, 2)]]).map_err(|error| error.to_string()),
        Err("kind 1 comes twice in a round: name each once".to_owned())
    );
    assert_eq!(
        packed(&[vec![kind(0, 0)]]).map_err(|error| error.to_string()),
        Err("there is no block: give at least 1".to_owned())
    );
    let above =
        "the kinds of period 0 have 13 blocks, the bound is 12: spread them over more periods"
            .to_owned();
    assert_eq!(
        packed(&[vec![kind(0, 6), kind(1, 7)]]).map_err(|error| error.to_string()),
        Err(above.clone())
    );
    let halves = new(&[vec![kind(0, 7), kind(1, 4)]], &Layout::Halves);
    assert_eq!(
        halves.map_err(|error| error.to_string()),
        Err("slot 0 of period 0 has 6 positions for 7 blocks: widen it".to_owned())
    );
    let three = new(&[vec![kind(0, 1), kind(1, 1), kind(2, 1)]], &Layout::Halves);
    assert_eq!(
        three.map_err(|error| error.to_string()),
        Err("period 0 has 2 slots for 3 kinds: give one each (halves are two)".to_owned())
    );
    let borders = |ranges| new(std::slice::from_ref(&pair), &Layout::Borders(ranges));
    assert_eq!(
        borders(vec![]).map_err(|error| error.to_string()),
        Err("1 periods, borders for 0: give at least one period, and borders for each".to_owned())
    );
    let few = "period 0 has 0 slots for 2 kinds: give one each (halves are two)".to_owned();
    assert_eq!(borders(vec![vec![]]).map_err(|error| error.to_string()), Err(few.clone()));
    let overlap =
        "slot 1 of period 0 begins before the one before it ends: give rising borders".to_owned();
    assert_eq!(
        borders(vec![vec![0..6, 5..10]]).map_err(|error| error.to_string()),
        Err(overlap.clone())
    );
    let end = 3;
    assert_eq!(
        borders(vec![vec![0..6, 8..end]]).map_err(|error| error.to_string()),
        Err(overlap.clone())
    );
    let exceed = "slot 1 of period 0 ends past the width of 12: move its borders in".to_owned();
    assert_eq!(
        borders(vec![vec![0..6, 9..13]]).map_err(|error| error.to_string()),
        Err(exceed.clone())
    );
    let narrow = "slot 1 of period 0 has 3 positions for 4 blocks: widen it".to_owned();
    assert_eq!(
        borders(vec![vec![0..6, 9..12]]).map_err(|error| error.to_string()),
        Err(narrow.clone())
    );
    assert!(borders(vec![vec![0..6, 8..12]]).is_ok());
}

#[test]
fn maps_that_a_search_was_not_made_for() {
    let map = FreeMap::new(8).unwrap();
    let other =
        || Err("the search is for 16 blocks, the map has 8: make one for its size".to_owned());
    assert_eq!(
        Grouped::of_size(16, 4).unwrap().longest(map.view()).map_err(|error| error.to_string()),
        other()
    );
    assert_eq!(
        Sampled::steps(16).unwrap().fits(map.view(), 1).map_err(|error| error.to_string()),
        other().map(|_| true)
    );
    let kind = Kind { id: 0, blocks: 16 };
    let shared = Shared::new(16, 16, &[[kind]], &Layout::Packed).unwrap();
    assert_eq!(
        shared.find(0, &[map.view()]).map_err(|error| error.to_string()),
        other().map(|_| vec![])
    );
    assert_eq!(
        shared.round(|_| map.view()).map_err(|error| error.to_string()),
        other().map(|_| vec![])
    );
    let count = |slots, maps, period| {
        Err(format!(
            "{maps} maps for the {slots} slots of period {period}: give one each, of a period of the round"
        ))
    };
    assert_eq!(shared.find(0, &[]).map_err(|error| error.to_string()), count(1, 0, 0));
    assert_eq!(shared.find(1, &[]).map_err(|error| error.to_string()), count(0, 0, 1));
    let trace = |period| PeriodTrace::new(&shared, period, &[], Setup::default(), Masks::All);
    assert_eq!(trace(0).map(|it| it.answers()).map_err(|error| error.to_string()), count(1, 0, 0));
    assert_eq!(trace(9).map(|it| it.answers()).map_err(|error| error.to_string()), count(0, 0, 9));
    let setup = Setup::default();
    let grouped = GroupedTrace::new(map.view(), &Grouped::of_size(16, 4).unwrap(), setup);
    assert_eq!(grouped.map(|it| it.answer()).map_err(|error| error.to_string()), other());
    let sampled = SampledTrace::new(map.view(), &Sampled::steps(16).unwrap(), setup);
    assert_eq!(sampled.map(|it| it.answer()).map_err(|error| error.to_string()), other());
}

#[test]
fn traces_and_counts_beyond_what_memory_and_time_allow() {
    fn many<T>(blocks: u64, most: u32) -> Result<T, String> {
        Err(format!("{blocks} blocks are too many here: give at most {most}"))
    }
    let blocks = MOST_BLOCKS + 1;
    let map = FreeMap::new(blocks).unwrap();
    let setup = Setup::default();
    let trace = FullTrace::new(map.view(), setup).map(|it| it.answer());
    assert_eq!(trace.map_err(|error| error.to_string()), many(blocks.into(), MOST_BLOCKS));
    let wide = Shared::new(65_537, 9, &[[Kind { id: 0, blocks: 9 }]], &Layout::Packed).unwrap();
    let cost = Cost::of(Variant::Shared(&wide), Timing::OneClock, Counting::Drawn);
    assert_eq!(cost.map_err(|error| error.to_string()), many(65_537, 65_536));
    let cost = |blocks, timing| Cost::of(Variant::Full { blocks }, timing, Counting::Drawn);
    assert_eq!(
        cost(0, Timing::OneClock).map_err(|error| error.to_string()),
        Err("there is no block: give at least 1".to_owned())
    );
    assert_eq!(cost(8, Timing::Reused).map_err(|error| error.to_string()), Err("the seed has one set of gates for all steps in the grouped search only: ask for one or three clocks".to_owned()));
    let most = cost(u32::MAX, Timing::ThreeClocks).unwrap();
    assert_eq!((most.register_bits, most.gates()), (u64::MAX, u64::MAX), "counts stay at the end");
}
