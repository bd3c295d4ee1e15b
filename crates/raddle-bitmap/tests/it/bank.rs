//! Does a bank keep its maps apart and refuse what is not there? What it answers for one of its maps is
//! in `suite`.

use proptest::prelude::*;
use raddle_bitmap::{Bank, FreeMap};

type Steps = Vec<(usize, u32, bool)>;

fn steps(maps: usize) -> impl Strategy<Value = Steps> {
    let long = prop_oneof![4 => 0u32..40, 1 => 200u32..330];
    prop::collection::vec((0..maps, long, any::<bool>()), 1..120)
}

/// Compares a bank with maps on their own that undergo the same takings and releases.
fn as_if_each_map_were_alone(maps: usize, blocks: u32, steps: Steps) {
    let mut bank = Bank::new(maps, blocks).unwrap();
    let mut alone: Vec<FreeMap> = vec![FreeMap::new(blocks).unwrap(); maps];
    let mut held: Vec<(usize, u32, u32)> = Vec::new();
    for (at, want, take) in steps {
        if take {
            let plan = bank.first_fit(at, want);
            let other = alone[at].first_fit(want);
            assert_eq!(&plan, &other);
            if let (Some(plan), Some(other)) = (plan, other) {
                let start = bank.commit(at, plan).unwrap();
                alone[at].commit(other).unwrap();
                held.push((at, start, want));
            }
        } else if !held.is_empty() {
            let (at, start, len) = held.swap_remove(want as usize % held.len());
            bank.release(at, start, len).unwrap();
            alone[at].release(start, len).unwrap();
        }
        for (at, map) in alone.iter().enumerate() {
            assert_eq!(
                bank.view(at).unwrap().digits(raddle_bitmap::Polarity::FreeIsOne).to_string(),
                crate::digits(map)
            );
            assert_eq!(bank.longest(at) as usize, crate::naive(map).longest());
        }
    }
}

/// Compares a bank of which several maps are changed by one call with one of which they are changed
/// one by one.
fn several_at_once_are_one_by_one(blocks: u32, steps: Steps) {
    let (mut bank, mut alone) = (Bank::new(5, blocks).unwrap(), Bank::new(5, blocks).unwrap());
    let mut held: Vec<([u32; 4], u32)> = Vec::new();
    for (at, want, take) in steps {
        if at == 0 {
            // One of the maps differs from now on.
            assert_eq!(bank.take_first(3, want), alone.first_fit(3, want).map(|it| it.start()));
            if let Some(plan) = alone.first_fit(3, want) {
                alone.commit(3, plan).unwrap();
            }
        } else if take && (1..5).all(|map| alone.longest(map) >= want) {
            let mut starts = [0; 4];
            assert!(bank.take_first_of_each(1, want, &mut starts));
            for (map, start) in (1..5).zip(starts) {
                let plan = alone.first_fit(map, want).unwrap();
                assert_eq!(alone.commit(map, plan), Ok(start));
            }
            held.push((starts, want));
        } else if let Some((starts, len)) = held.pop() {
            bank.release_of_each(1, &starts, len).unwrap();
            (1..5).zip(starts).for_each(|(map, start)| alone.release(map, start, len).unwrap());
        }
        for map in 0..5 {
            let kept = |bank: &Bank| (bank.longest(map), bank.free_blocks(map));
            assert_eq!(kept(&bank), kept(&alone));
            assert_eq!(format!("{:?}", bank.view(map)), format!("{:?}", alone.view(map)));
        }
    }
}

/// Compares runs of blocks that are taken from several equal maps by one call with those taken one
/// by one; then all are given back.
fn a_row_at_once_is_one_by_one(blocks: u32, steps: Steps) {
    let (mut bank, mut alone) = (Bank::new(5, blocks).unwrap(), Bank::new(5, blocks).unwrap());
    for (at, want, take) in steps {
        let (maps, many) = ([4..5, 0..4, 3..5, 0..3][at].clone(), 1 + at);
        if take {
            let digits = |map: usize| format!("{:?}", bank.view(map));
            let equal = maps.clone().all(|map| digits(map) == digits(maps.start));
            let mut starts = [0; 4];
            let taken = bank.take_row_of_equal(maps.clone(), want, &mut starts[..many]);
            if equal || want == 0 {
                let one_by_one = (0..many).map_while(|_| {
                    let mut each = [0; 4];
                    let each = &mut each[..maps.len()];
                    alone.take_first_of_each(maps.start, want, each).then_some(each[0])
                });
                let one_by_one: Vec<u32> = one_by_one.collect();
                assert_eq!(starts[..taken.unwrap()], one_by_one);
            } else {
                assert_eq!(taken, None, "they differ");
            }
        } else if want < 10 {
            bank.release_all(maps.clone());
            alone = bank.clone();
            let kept = |map: usize| (bank.longest(map), bank.free_blocks(map));
            assert!(maps.clone().all(|map| kept(map) == (blocks, blocks)));
            assert!(maps.clone().all(|map| bank.fit_at(map, 0, blocks).is_some()));
        } else if let Some(plan) = bank.first_fit(4, want) {
            bank.release(4, plan.start(), plan.len()).unwrap_err();
            bank.commit(4, plan).unwrap();
            alone.take_first(4, want);
        }
        for map in 0..5 {
            let kept = |bank: &Bank| (bank.longest(map), bank.free_blocks(map));
            assert_eq!(kept(&bank), kept(&alone));
            assert_eq!(format!("{:?}", bank.view(map)), format!("{:?}", alone.view(map)));
        }
    }
}

proptest! {
    #![proptest_config(crate::cases(32))]

    #[test]
    fn rows_of_runs(steps in steps(4)) {
        for blocks in [5, 63, 64, 65, 128, 300] {
            a_row_at_once_is_one_by_one(blocks, steps.clone());
        }
    }

    #[test]
    fn several_maps_side_by_side(steps in steps(4)) {
        for blocks in [5, 64, 100, 300] {
            several_at_once_are_one_by_one(blocks, steps.clone());
        }
    }

    #[test]
    fn maps_of_every_number_of_words(steps in steps(3)) {
        for blocks in [5, 64, 100, 128, 300, 700] {
            as_if_each_map_were_alone(3, blocks, steps.clone());
        }
    }
}

#[test]
fn what_is_not_there_is_refused_and_nothing_changes() {
    let mut bank = Bank::new(2, 8).unwrap();
    let absent = "there is no map 2: the bank has 2, counted from 0".to_owned();
    assert_eq!((bank.longest(2), bank.free_blocks(2)), (0, 0));
    assert!(bank.view(2).is_none() && bank.fit_at(2, 0, 0).is_none());
    assert_eq!(bank.first_fit(2, 1), None);
    assert_eq!(bank.release(2, 0, 1).map_err(|error| error.to_string()), Err(absent.clone()));
    let plan = bank.first_fit(0, 1).unwrap();
    assert_eq!(
        bank.commit(2, plan).map_err(|error| error.to_string()),
        Err("a plan for 1 blocks from 0 is of another map: commit it where it was made".to_owned())
    );
    assert_eq!(
        bank.release(0, 0, 1).map_err(|error| error.to_string()),
        Err("1 blocks from 0 are not all taken: release what was taken, once".to_owned())
    );
    assert_eq!((bank.longest(0), bank.len(), bank.is_empty()), (8, 2, false));
    let many = format!("{} maps are more than any memory holds: give fewer", usize::MAX);
    assert_eq!(Bank::new(usize::MAX, 8).unwrap_err().to_string(), many);
    assert!(Bank::new(0, 8).unwrap().is_empty());
}

#[test]
fn maps_without_a_block_have_room_for_nothing_alone() {
    let mut bank = Bank::new(2, 0).unwrap();
    assert_eq!((bank.longest(1), bank.free_blocks(1), bank.blocks()), (0, 0, 0));
    assert!(bank.view(1).is_none() && bank.first_fit(1, 1).is_none());
    let nothing = bank.first_fit(1, 0).unwrap();
    assert_eq!((bank.commit(1, nothing), bank.release(1, 0, 0)), (Ok(0), Ok(())));
    assert_eq!(
        bank.release(1, 0, 1).map_err(|error| error.to_string()),
        Err("1 blocks from 0 do not lie in a map of 0: use the map of the plan".to_owned())
    );
}

#[test]
fn maps_can_be_made_as_another_one_was() {
    for blocks in [0, 5, 64, 100, 384] {
        let mut bank = Bank::new(5, blocks).unwrap();
        let half = blocks / 2;
        bank.take_first(2, half);
        let before = bank.state(2).expect("there are five");
        bank.release(2, 0, half).unwrap();
        bank.take_first(4, blocks);
        bank.set_all(3..9, &before);
        for (map, taken) in [0, 0, 0, half, half].into_iter().enumerate() {
            let left = blocks - taken;
            assert_eq!((bank.free_blocks(map), bank.longest(map)), (left, left), "{map}");
            assert_eq!(
                bank.first_fit(map, left).map(|it| it.start()),
                Some(taken * u32::from(left > 0))
            );
        }
        let mut other = Bank::new(1, blocks + 1).unwrap();
        other.set_all(0..1, &before);
        assert_eq!(other.free_blocks(0), blocks + 1, "it is of another size");
        assert_eq!(bank.state(5), None);
    }
}
