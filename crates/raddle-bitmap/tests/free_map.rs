//! Does the map answer what a map of plain booleans answers, on every small map and on many large?

mod naive;

use naive::Naive;
use proptest::prelude::*;
use raddle_bitmap::{Error, FreeMap};

/// The map with exactly these free blocks.
fn map_of(free: &[bool]) -> FreeMap {
    let mut map = FreeMap::new(free.len() as u32);
    for (block, _) in (0..).zip(free).filter(|(_, free)| !**free) {
        let plan = map.fit_at(block, 1).expect("the map was empty");
        assert_eq!(map.commit(plan), Ok(block));
    }
    map
}

fn same_questions(map: &FreeMap, naive: &Naive, from: usize, want: usize) {
    let found = map.first_fit_from(from as u32, want as u32);
    let found = found.map(|plan| (plan.start() as usize, plan.len() as usize));
    let expected = naive.first_fit_from(from, want).map(|start| (start, want));
    assert_eq!(found, expected, "{want} from {from} in {map:?}");
    let fits = naive.all(from, want, true);
    assert_eq!(map.fit_at(from as u32, want as u32).is_some(), fits, "{want} at {from} in {map:?}");
}

fn same_state(map: &FreeMap, naive: &Naive) {
    assert_eq!(map.free_blocks() as usize, naive.free_blocks(), "{map:?}");
    assert_eq!(map.longest_run() as usize, naive.longest_run(), "{map:?}");
    let free: Vec<bool> = (0..map.len()).map(|block| map.is_free(block)).collect();
    assert_eq!(free, naive.0);
    assert!(!map.is_free(map.len()) && !map.is_free(u32::MAX));
}

/// Releases a run on both; whether it was taken.
fn release(map: &mut FreeMap, naive: &mut Naive, start: usize, len: usize) {
    let taken = naive.all(start, len, false);
    let before = map.clone();
    let outcome = map.release(start as u32, len as u32);
    assert_eq!(outcome.is_ok(), taken, "{len} at {start} in {before:?}");
    if taken {
        naive.set(start, len, true);
    } else {
        assert_eq!(*map, before, "an error changes nothing");
    }
    same_state(map, naive);
}

#[test]
fn every_map_up_to_12_blocks() {
    for blocks in 0..=12usize {
        for code in 0..1u32 << blocks {
            let free: Vec<bool> = (0..blocks).map(|block| code >> block & 1 == 1).collect();
            let (map, naive) = (map_of(&free), Naive(free));
            same_state(&map, &naive);
            for from in 0..=blocks + 1 {
                for want in 0..=blocks + 1 {
                    same_questions(&map, &naive, from, want);
                    release(&mut map.clone(), &mut naive.clone(), from, want);
                }
            }
        }
    }
}

/// Runs of free and taken blocks in turn, with runs around the width of a word.
fn blocks() -> impl Strategy<Value = Vec<bool>> {
    let run = (any::<bool>(), prop_oneof![4 => 1usize..12, 1 => 50usize..80, 1 => 120usize..140]);
    prop::collection::vec(run, 0..40).prop_map(|runs| {
        let blocks = runs.into_iter().flat_map(|(free, len)| std::iter::repeat_n(free, len));
        blocks.collect()
    })
}

proptest! {
    #[test]
    fn questions_about_large_maps(free in blocks(), from in 0usize..1500, want in 0usize..200) {
        let (map, naive) = (map_of(&free), Naive(free));
        same_state(&map, &naive);
        for (from, want) in [(from, want), (0, want), (0, want % 8), (from % 70, want % 66)] {
            same_questions(&map, &naive, from, want);
        }
        release(&mut map.clone(), &mut naive.clone(), from, want % 16);
    }

    #[test]
    fn taking_and_releasing_in_any_order(
        blocks in 0u32..300,
        steps in prop::collection::vec((any::<bool>(), 0u32..80, 0u32..300), 1..80),
    ) {
        let mut map = FreeMap::new(blocks);
        let mut naive = Naive(vec![true; blocks as usize]);
        let mut held: Vec<(u32, u32)> = Vec::new();
        for (take, len, at) in steps {
            if take || held.is_empty() {
                same_questions(&map, &naive, 0, len as usize);
                if let Some(plan) = map.first_fit(len) {
                    let start = map.commit(plan).unwrap();
                    naive.set(start as usize, len as usize, false);
                    held.push((start, len));
                }
            } else {
                let (start, len) = held.swap_remove(at as usize % held.len());
                release(&mut map, &mut naive, start as usize, len as usize);
            }
            same_state(&map, &naive);
        }
        // Equal runs found one after the other without taking: as if each had been taken.
        let (mut from, mut taking) = (0, map.clone());
        while let Some(plan) = taking.first_fit(3) {
            let ahead = map.first_fit_from(from, 3).map(|plan| plan.start());
            prop_assert_eq!(ahead, Some(plan.start()));
            from = taking.commit(plan).unwrap() + 3;
        }
        prop_assert!(map.first_fit_from(from, 3).is_none());
    }
}

#[test]
fn a_stale_plan_is_refused_and_changes_nothing() {
    let mut map = FreeMap::new(100);
    let (first, second) = (map.first_fit(70).unwrap(), map.first_fit(5).unwrap());
    assert_eq!(map.commit(second), Ok(0));
    let before = map.clone();
    assert_eq!(map.commit(first), Err(Error::Taken { start: 0, len: 70 }));
    assert_eq!(map, before);
    assert_eq!(map.release(4, 2), Err(Error::NotTaken { start: 4, len: 2 }));
    let elsewhere = FreeMap::new(200).fit_at(90, 20).unwrap();
    let error = Error::OutOfRange { start: 90, len: 20, blocks: 100 };
    assert_eq!(map.commit(elsewhere), Err(error));
    let error = Error::OutOfRange { start: u32::MAX, len: u32::MAX, blocks: 100 };
    assert_eq!(map.release(u32::MAX, u32::MAX), Err(error));
    assert_eq!(map, before);
    assert!(map.first_fit_from(u32::MAX, 1).is_none());
    assert!(map.first_fit_from(u32::MAX, u32::MAX).is_none());
}

#[test]
fn no_blocks_wanted_are_at_0_and_take_nothing() {
    let mut map = FreeMap::new(3);
    let all = map.first_fit(3).unwrap();
    assert_eq!(map.commit(all), Ok(0));
    let none = map.first_fit(0).unwrap();
    assert!(none.is_empty());
    assert_eq!(map.commit(none), Ok(0));
    assert_eq!(map.release(0, 0), Ok(()));
    assert_eq!(map.free_blocks(), 0);
    let mut empty = FreeMap::new(0);
    assert!(empty.is_empty() && empty.first_fit(1).is_none() && empty.longest_run() == 0);
    let none = empty.first_fit(0).unwrap();
    assert_eq!(empty.commit(none), Ok(0));
}
