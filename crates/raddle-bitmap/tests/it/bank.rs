//! Does a bank know the longest run of each of its maps?

use proptest::prelude::*;
use raddle_bitmap::{Bank, Error, FreeMap, Map128};

proptest! {
    #![proptest_config(crate::cases(64))]

    #[test]
    fn as_if_each_map_were_asked(
        steps in prop::collection::vec((0usize..5, 1u32..40, any::<bool>(), any::<bool>()), 1..60),
    ) {
        let mut bank: Bank<Map128> = Bank::new(5, 100).unwrap();
        let mut alone: Vec<FreeMap> = vec![FreeMap::new(100).unwrap(); 5];
        let mut held: Vec<(usize, u32, u32)> = Vec::new();
        let mut touched = std::collections::BTreeSet::new();
        for (at, want, take, refresh) in steps {
            if take {
                let plan = bank.map(at).unwrap().best_fit(want);
                let other = alone[at].best_fit(want);
                prop_assert_eq!(&plan, &other);
                if let (Some(plan), Some(other)) = (plan, other) {
                    let start = bank.commit(at, plan).unwrap();
                    alone[at].commit(other).unwrap();
                    held.push((at, start, want));
                    touched.insert(at);
                }
            } else if let Some((at, start, len)) = held.pop() {
                bank.release(at, start, len).unwrap();
                alone[at].release(start, len).unwrap();
                touched.insert(at);
            }
            if refresh {
                // As many as were changed, each once.
                prop_assert_eq!(bank.refresh(), touched.len());
                touched.clear();
                let longest: Vec<u32> = alone.iter().map(|map| map.longest()).collect();
                prop_assert_eq!(bank.longest(), &longest);
                let fitting: Vec<usize> = (0..5).filter(|&at| longest[at] >= want).collect();
                prop_assert!(bank.with_run(want).eq(fitting));
            }
        }
    }
}

#[test]
fn what_is_not_there_is_refused_and_nothing_changes() {
    let mut bank: Bank<Map128> = Bank::new(2, 8).unwrap();
    let absent = Error::NoSuchMap { at: 2, maps: 2 };
    assert_eq!(bank.map(2).err(), Some(absent));
    assert_eq!(bank.release(2, 0, 1), Err(absent));
    let plan = bank.map(0).unwrap().first_fit(1).unwrap();
    assert_eq!(bank.commit(2, plan), Err(absent));
    assert_eq!(bank.release(0, 0, 1), Err(Error::NotTaken { start: 0, len: 1 }));
    assert_eq!((bank.refresh(), bank.len(), bank.is_empty()), (0, 2, false));
    assert!(Bank::<Map128>::new(0, 8).unwrap().is_empty());
    assert_eq!(
        Bank::<Map128>::new(1, 129).err(),
        Some(Error::TooManyBlocks { blocks: 129, most: 128 })
    );
}
