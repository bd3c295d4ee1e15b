//! Do maps and searches answer as those of `raddle-bitmap`?

use proptest::prelude::*;
use raddle_bitmap::{FreeMap, Full, Grouped, Kind, Layout, Polarity, Sampled, Search, Shared};
use raddle_capi::*;

use crate::call::{Owned, told};

#[derive(Clone, Debug)]
enum Step {
    Find { fit: u32, want: u32 },
    Allocate { fit: u32, want: u32 },
    Take { start: u32, len: u32 },
    Release { start: u32, len: u32 },
    Grow { by: u32 },
}

fn step() -> impl Strategy<Value = Step> {
    let run = (0..140_u32, 0..20_u32);
    prop_oneof![
        (0..4_u32, 0..30_u32).prop_map(|(fit, want)| Step::Find { fit, want }),
        (0..4_u32, 0..30_u32).prop_map(|(fit, want)| Step::Allocate { fit, want }),
        run.clone().prop_map(|(start, len)| Step::Take { start, len }),
        run.prop_map(|(start, len)| Step::Release { start, len }),
        (0..3_u32).prop_map(|by| Step::Grow { by }),
    ]
}

/// Carries out a step on the Rust map, and returns its status and the start of its run; `after` is
/// the end of the run that was allocated last.
fn expected((map, after): (&mut FreeMap, &mut u32), step: &Step) -> (RaddleStatus, Option<u32>) {
    let ok = |done: bool, or| (if done { RaddleStatus::Ok } else { or }, None);
    let from = *after;
    let fit = |map: &FreeMap, fit, want| match fit {
        0 => map.first_fit(want),
        1 => map.best_fit(want),
        2 => map.worst_fit(want),
        _ => map.next_fit(from, want),
    };
    match *step {
        Step::Find { fit: rule, want } => match fit(map, rule, want) {
            Some(plan) => (RaddleStatus::Ok, Some(plan.start())),
            None => (RaddleStatus::Refused, None),
        },
        Step::Allocate { fit: rule, want } => match fit(map, rule, want) {
            Some(plan) => {
                if want > 0 {
                    *after = plan.start() + want;
                }
                (RaddleStatus::Ok, map.commit(plan).ok())
            }
            None => (RaddleStatus::Refused, None),
        },
        Step::Take { start, len } if start + len <= map.blocks() => {
            ok(map.take(start, len).is_ok(), RaddleStatus::Refused)
        }
        Step::Take { .. } => (RaddleStatus::Invalid, None),
        Step::Release { start, len } => ok(map.release(start, len).is_ok(), RaddleStatus::Invalid),
        Step::Grow { by } => ok(map.grow(by).is_ok(), RaddleStatus::Invalid),
    }
}

fn given(map: *mut RaddleFreeMap, step: &Step) -> (RaddleStatus, Option<u32>) {
    let start = |(status, start)| (status, (status == RaddleStatus::Ok).then_some(start));
    // SAFETY: places of ours.
    unsafe {
        match *step {
            Step::Find { fit, want } => start(told(|it| raddle_free_map_find(map, fit, want, it))),
            Step::Allocate { fit, want } => {
                start(told(|it| raddle_free_map_allocate(map, fit, want, it)))
            }
            Step::Take { start, len } => (raddle_free_map_take(map, start, len), None),
            Step::Release { start, len } => (raddle_free_map_release(map, start, len), None),
            Step::Grow { by } => (raddle_free_map_grow(map, by), None),
        }
    }
}

fn words(map: *mut RaddleFreeMap) -> Vec<u64> {
    let (mut words, mut count) = ([0; 8], 0);
    // SAFETY: places of ours.
    let status =
        unsafe { raddle_free_map_words(map, words.as_mut_ptr(), words.len(), &raw mut count) };
    assert_eq!(status, RaddleStatus::Ok);
    words[..count].to_vec()
}

proptest! {
    #[test]
    fn maps(blocks in 1..130_u32, steps in prop::collection::vec(step(), 1..60)) {
        let (mut model, mut after) = (FreeMap::new(blocks).unwrap(), 0);
        // SAFETY: a place of ours.
        let map = Owned::new(|map| unsafe { raddle_free_map_new(blocks, map) });
        for step in &steps {
            prop_assert_eq!(given(map.0, step), expected((&mut model, &mut after), step), "{:?}", step);
        }
        // SAFETY: a place of ours.
        let (_, free) = told(|free| unsafe { raddle_free_map_count(map.0, free) });
        let (blocks, longest) = (model.blocks(), model.longest());
        prop_assert_eq!(free, RaddleFreeBlocks { blocks, free: model.free_blocks(), longest });
        let words = words(map.0);
        prop_assert_eq!(FreeMap::from_words(&words, blocks, Polarity::FreeIsOne).unwrap(), model);
    }

    #[test]
    fn searches(bits in any::<u64>(), groups in prop::sample::select(vec![1_u32, 2, 4, 8, 16]),
                k in prop::collection::btree_set(0..32_u32, 1..6)) {
        let (bits, k) = ([bits & 0xffff_ffff], k.into_iter().collect::<Vec<u32>>());
        let model = FreeMap::from_words(&bits, 32, Polarity::FreeIsOne).unwrap();
        // SAFETY: places and lists of ours.
        unsafe {
            let map = Owned::new(|map| raddle_free_map_from_words(bits.as_ptr(), 1, 32, map));
            let full = Owned::new(|it| raddle_search_full(it));
            let grouped = Owned::new(|it| raddle_search_grouped(32, groups, it));
            let sampled = Owned::new(|it| raddle_search_sampled(32, k.as_ptr(), k.len(), it));
            let found = [full, grouped, sampled].map(|search| {
                told(|longest| raddle_search_longest(search.0, map.0, longest)).1
            });
            let view = model.view();
            let (width, both) = (64, [Kind { id: 0, blocks: 32 }, Kind { id: 1, blocks: 32 }]);
            let layout = if k.len() % 2 == 0 { Layout::Packed } else { Layout::Halves };
            let number = if k.len() % 2 == 0 { RaddleLayout::Packed } else { RaddleLayout::Halves };
            let shared = Shared::new(width, width, &[both], &layout).unwrap();
            let expected = shared.find(0, &[view, view]).unwrap();
            let served = [RaddleSharedMap { period: 0, blocks: 32 }; 2];
            let ours = Owned::new(|it| {
                raddle_shared_new(width, width, served.as_ptr(), 2, number as u32, it)
            });
            let (maps, mut each) = ([map.0.cast_const(); 2], [0; 2]);
            let status = raddle_shared_longest(ours.0, 0, maps.as_ptr(), 2, each.as_mut_ptr());
            prop_assert_eq!((status, &each[..]), (RaddleStatus::Ok, &expected[..]));
            prop_assert_eq!(found, [
                Full.longest(view).unwrap(),
                Grouped::new(32, groups).unwrap().longest(view).unwrap(),
                Sampled::new(32, &k).unwrap().longest(view).unwrap(),
            ]);
        }
    }
}
