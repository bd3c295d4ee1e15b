//! Does every search keep the laws of the trait?

use proptest::prelude::*;
use raddle_bitmap::{FreeMap, Full, Grouped, Kind, Layout, Polarity};
use raddle_bitmap::{Need, Sampled, Search, Shared};

/// Returns whether the blocks are free that a search needs, looked at block by block.
fn is_met(map: &FreeMap, need: Need) -> bool {
    let cells = map.blocks() / need.cell;
    let free = |cell: u32| (0..need.cell).all(|block| map.is_free(cell * need.cell + block));
    let starts = 0..=cells.saturating_sub(need.run);
    need.run <= cells && starts.into_iter().any(|at| (at..at + need.run).all(free))
}

/// Checks the numbered laws of [`Search`] for a search on one map.
fn laws(search: &dyn Search, map: &FreeMap) {
    let longest = map.longest();
    let answer = search.longest(map.view()).unwrap();
    assert!(answer <= longest, "law 1: {answer} of {longest} in {map:?}");
    if search.is_exact() {
        assert_eq!(answer, longest, "law 2: {map:?}");
    }
    for want in 0..=map.blocks() + 1 {
        let met = search.need(want).is_some_and(|need| is_met(map, need));
        assert_eq!(answer >= want, met, "law 3: {want} in {map:?}");
        assert_eq!(search.fits(map.view(), want), Ok(met), "law 3: {want} in {map:?}");
    }
    for block in 0..map.blocks() {
        let mut other = map.clone();
        let freed = other.release(block, 1).is_ok();
        if !freed {
            let plan = other.fit_at(block, 1).unwrap();
            other.commit(plan).unwrap();
        }
        let after = search.longest(other.view()).unwrap();
        assert!(if freed { after >= answer } else { after <= answer }, "law 4: {map:?} {other:?}");
    }
    let same = FreeMap::from_digits(&crate::digits(map), Polarity::FreeIsOne).unwrap();
    assert_eq!(search.longest(same.view()), Ok(answer), "law 5: {map:?}");
}

/// Returns searches of each method for maps of this many blocks.
fn searches(blocks: u32) -> Vec<Box<dyn Search>> {
    let kind = Kind { id: 7, blocks };
    let mut all: Vec<Box<dyn Search>> = vec![
        Box::new(Full),
        Box::new(Sampled::steps(blocks).unwrap()),
        Box::new(Sampled::new(blocks, &[blocks / 2]).unwrap()),
        Box::new(Shared::new(blocks + 5, blocks, &[[kind]], &Layout::Halves).unwrap()),
    ];
    let groups = (1..blocks).filter_map(|groups| Grouped::new(blocks, groups).ok());
    all.extend(groups.map(|search| Box::new(search) as Box<dyn Search>));
    all
}

#[test]
fn on_every_small_map() {
    for blocks in 1..=8 {
        let searches = searches(blocks);
        for map in crate::every_map(blocks) {
            searches.iter().for_each(|search| laws(&**search, &map));
        }
    }
}

proptest! {
    #![proptest_config(crate::cases(16))]

    #[test]
    fn on_large_maps(
        blocks in prop_oneof![Just(64_u32), Just(96), Just(128), Just(132), Just(192)],
        runs in prop::collection::vec((any::<bool>(), 1usize..70), 1..40),
    ) {
        let digits = runs.into_iter().flat_map(|(free, len)| {
            std::iter::repeat_n(if free { '1' } else { '0' }, len)
        });
        let digits: String = digits.chain(std::iter::repeat('0')).take(blocks as usize).collect();
        let map = crate::map(&digits);
        searches(blocks).iter().for_each(|search| laws(&**search, &map));
    }
}
