//! Does a bank know the longest run of each of its maps?

use proptest::prelude::*;
use raddle_bitmap::{Bank, Error, FreeMap, Map, Map128, WordStore};

type Steps = Vec<(usize, u32, bool, bool)>;

fn steps(maps: usize) -> impl Strategy<Value = Steps> {
    let long = prop_oneof![4 => 0u32..40, 1 => 200u32..330];
    prop::collection::vec((0..maps, long, any::<bool>(), any::<bool>()), 1..120)
}

/// A bank and maps on their own, with the same done to both.
fn as_if_each_map_were_asked<S: WordStore>(maps: usize, blocks: u32, steps: Steps) {
    let mut bank: Bank<Map<S>> = Bank::new(maps, blocks).unwrap();
    let mut alone: Vec<FreeMap> = vec![FreeMap::new(blocks).unwrap(); maps];
    let mut held: Vec<(usize, u32, u32)> = Vec::new();
    let mut touched = std::collections::BTreeSet::new();
    for (at, want, take, refresh) in steps {
        if take {
            let plan = bank.map(at).unwrap().best_fit(want);
            let other = alone[at].best_fit(want);
            assert_eq!(&plan, &other);
            if let (Some(plan), Some(other)) = (plan, other) {
                let start = bank.commit(at, plan).unwrap();
                alone[at].commit(other).unwrap();
                held.push((at, start, want));
                touched.extend((want > 0).then_some(at));
            }
        } else if let Some((at, start, len)) = held.pop() {
            bank.release(at, start, len).unwrap();
            alone[at].release(start, len).unwrap();
            touched.extend((len > 0).then_some(at));
        }
        if refresh {
            // As many as were changed, each once.
            assert_eq!(bank.refresh(), touched.len());
            touched.clear();
            let longest: Vec<u32> =
                alone.iter().map(|map| crate::naive(map).longest() as u32).collect();
            assert!((0..maps).map(|at| bank.longest(at).unwrap()).eq(longest.iter().copied()));
            assert!(
                bank.bytes()
                    .iter()
                    .zip(&longest)
                    .all(|(&byte, &run)| u32::from(byte) == run.min(255))
            );
            for want in [want, 255, 256, 300] {
                let fitting: Vec<usize> = (0..maps).filter(|&at| longest[at] >= want).collect();
                assert!(bank.with_run(want).eq(fitting), "{want}");
            }
        }
    }
}

proptest! {
    #![proptest_config(crate::cases(48))]

    #[test]
    fn a_few_maps(steps in steps(5)) {
        as_if_each_map_were_asked::<[u64; 2]>(5, 100, steps);
    }

    #[test]
    fn more_maps_than_are_measured_one_by_one(steps in steps(70)) {
        as_if_each_map_were_asked::<[u64; 1]>(70, 64, steps.clone());
        as_if_each_map_were_asked::<[u64; 2]>(70, 128, steps.clone());
        as_if_each_map_were_asked::<[u64; 3]>(70, 150, steps);
    }

    #[test]
    fn maps_longer_than_a_byte_counts(steps in steps(9)) {
        as_if_each_map_were_asked::<[u64; 4]>(9, 256, steps.clone());
        as_if_each_map_were_asked::<[u64; 32]>(9, 1824, steps.clone());
        as_if_each_map_were_asked::<Vec<u64>>(9, 700, steps);
    }
}

#[test]
fn a_change_of_no_block_leaves_nothing_to_measure() {
    let mut bank: Bank<Map128> = Bank::new(2, 100).unwrap();
    let nothing = bank.map(1).unwrap().first_fit(0).unwrap();
    assert_eq!((bank.commit(1, nothing), bank.refresh()), (Ok(0), 0));
    assert_eq!((bank.release(1, 7, 0), bank.refresh()), (Ok(()), 0));
    let one = bank.map(1).unwrap().first_fit(1).unwrap();
    assert_eq!((bank.commit(1, one), bank.refresh()), (Ok(0), 1));
}

#[test]
fn what_is_not_there_is_refused_and_nothing_changes() {
    let mut bank: Bank<Map128> = Bank::new(2, 8).unwrap();
    let absent = Error::NoSuchMap { at: 2, maps: 2 };
    assert_eq!(bank.map(2).err(), Some(absent));
    assert_eq!(bank.longest(2), Err(absent));
    assert_eq!(bank.release(2, 0, 1), Err(absent));
    let plan = bank.map(0).unwrap().first_fit(1).unwrap();
    assert_eq!(bank.commit(2, plan), Err(absent));
    assert_eq!(bank.release(0, 0, 1), Err(Error::NotTaken { start: 0, len: 1 }));
    assert_eq!((bank.refresh(), bank.len(), bank.is_empty()), (0, 2, false));
    assert_eq!(
        Bank::<Map128>::new(usize::MAX, 8).err(),
        Some(Error::TooManyMaps { maps: usize::MAX })
    );
    assert!(Bank::<Map128>::new(0, 8).unwrap().is_empty());
    assert_eq!(
        Bank::<Map128>::new(1, 129).err(),
        Some(Error::TooManyBlocks { blocks: 129, most: 128 })
    );
}
