//! Is each level best for exactly its window (E2)?

use proptest::prelude::*;
use raddle_workgroup::order::{Fixed, Order, Windows};

fn seed() -> Windows {
    Windows::new(&[8, 4, 3, 1]).unwrap()
}

fn order(windows: &Windows, now: u64) -> Vec<usize> {
    windows.order(now).collect()
}

/// Returns the level whose window holds the tick `now`, found by counting tick by tick instead of
/// looking it up.
fn naive_top(lengths: &[u64], now: u64) -> usize {
    let total: u128 = lengths.iter().map(|&length| u128::from(length)).sum();
    let mut left = u128::from(now) % total;
    for (level, &length) in lengths.iter().enumerate() {
        if left < u128::from(length) {
            return level;
        }
        left -= u128::from(length);
    }
    unreachable!("the remainder is below the total")
}

#[test]
fn t1_orders_at_the_borders() {
    let windows = seed();
    for (counters, expected) in [
        ([0, 7], [0, 1, 2, 3]),
        ([8, 11], [1, 0, 2, 3]),
        ([12, 14], [2, 0, 1, 3]),
        ([15, 31], [3, 0, 1, 2]),
        ([16, 32], [0, 1, 2, 3]),
        ([24, 8], [1, 0, 2, 3]),
    ] {
        for counter in counters {
            assert_eq!(order(&windows, counter), expected, "{counter}");
        }
    }
}

#[test]
fn t2_each_level_is_on_top_for_its_window() {
    let mut on_top = [0; 4];
    (0..16).for_each(|now| on_top[seed().top(now)] += 1);
    assert_eq!(on_top, [8, 4, 3, 1]);
}

#[test]
fn t4_the_first_window_gives_the_static_order() {
    let (windows, fixed) = (seed(), Fixed::new(4).unwrap());
    for level in 0..4 {
        assert_eq!(windows.rank(level, 3), fixed.rank(level, 3));
    }
    assert_ne!(windows.rank(1, 8), fixed.rank(1, 8));
}

#[test]
fn t5_the_best_candidate_follows_the_window() {
    let heads = [(0, 0), (1, 1), (2, 3)];
    let mut tied = Vec::new();
    for (now, channel) in [(0, 0), (9, 1), (13, 0), (15, 2)] {
        seed().best(heads, now, &mut tied).unwrap();
        assert_eq!(tied, [channel], "{now}");
    }
    assert_eq!(seed().best([], 0, &mut tied), Ok(None));
    assert!(tied.is_empty());
}

/// Returns for how many ticks one workgroup of level 3 waits beside an endless load of level 0;
/// `None` where it waits longer than `at_most`.
fn waits(order: &impl Order, from: u64, at_most: u64) -> Option<u64> {
    let mut tied = Vec::new();
    (from..from + at_most)
        .find(|&now| order.best([(0, 0), (1, 3)], now, &mut tied) == Ok(Some(3)))
        .map(|now| now - from)
}

#[test]
fn t6_windows_end_a_starvation_that_the_static_order_keeps() {
    let longest = (0..16).map(|from| waits(&seed(), from, 1_000)).max();
    assert_eq!(longest, Some(Some(15)));
    assert_eq!(waits(&Fixed::new(4).unwrap(), 0, 100_000), None);
}

#[test]
fn t7_one_window_is_one_level() {
    let (windows, fixed) = (Windows::new(&[5]).unwrap(), Fixed::new(1).unwrap());
    for now in 0..12 {
        assert_eq!(windows.rank(0, now), fixed.rank(0, now));
        assert_eq!(order(&windows, now), [0]);
    }
}

#[test]
fn refusals() {
    assert_eq!(
        Windows::new(&[]).map_err(|error| error.to_string()),
        Err("no window: give one for each level".to_owned())
    );
    assert_eq!(
        Windows::new(&[3, 0, 0]).map_err(|error| error.to_string()),
        Err("window 1 has 0 ticks, its level would never be best: give 1 or more".to_owned())
    );
    assert_eq!(
        Fixed::new(0).map_err(|error| error.to_string()),
        Err("an order of no levels: give at least 1".to_owned())
    );
    let outside = "level 4 is not there, 4 are: fold it to the last".to_owned();
    assert_eq!(seed().rank(4, 9).map_err(|error| error.to_string()), Err(outside.clone()));
    assert_eq!(
        Fixed::new(4).unwrap().rank(4, 9).map_err(|error| error.to_string()),
        Err(outside.clone())
    );
    let mut tied = vec![7];
    assert_eq!(
        seed().best([(0, 0), (1, 4)], 0, &mut tied).map_err(|error| error.to_string()),
        Err(outside.clone())
    );
    assert!(tied.is_empty());
}

#[test]
fn lengths_beyond_the_clock_never_begin_again() {
    let windows = Windows::new(&[u64::MAX, 1, u64::MAX]).unwrap();
    assert_eq!([0, u64::MAX - 1, u64::MAX].map(|now| windows.top(now)), [0, 0, 1]);
    let windows = Windows::new(&[1, u64::MAX]).unwrap();
    assert_eq!([0, 1, u64::MAX].map(|now| windows.top(now)), [0, 1, 1]);
    let windows = Windows::new(&[u64::MAX]).unwrap();
    assert_eq!(windows.counter(u64::MAX), 0, "the sum itself still fits");
}

fn lengths() -> impl Strategy<Value = Vec<u64>> {
    let length = prop_oneof![4 => 1_u64..9, 1 => 1_u64..=u64::MAX];
    prop::collection::vec(length, 1..9)
}

proptest! {
    #[test]
    fn t3_the_order_is_a_permutation_that_ascends_behind_its_top(
        lengths in lengths(), now: u64, near in 0_u64..40,
    ) {
        let windows = Windows::new(&lengths).unwrap();
        for now in [now, near] {
            let order = order(&windows, now);
            prop_assert_eq!(order[0], naive_top(&lengths, now));
            let mut sorted = order.clone();
            sorted.sort_unstable();
            prop_assert!(sorted.iter().copied().eq(0..lengths.len()));
            prop_assert!(order[1..].is_sorted());
            for (rank, &level) in order.iter().enumerate() {
                prop_assert_eq!(windows.rank(level, now), Ok(rank));
            }
            let range = windows.window(order[0]).unwrap();
            prop_assert!(range.contains(&windows.counter(now).into()));
        }
    }

    #[test]
    fn each_level_is_on_top_for_its_length_in_every_turn(
        lengths in prop::collection::vec(1_u64..9, 1..9), from in 0..u64::MAX / 2,
    ) {
        let windows = Windows::new(&lengths).unwrap();
        let total: u64 = lengths.iter().sum();
        let mut on_top = vec![0; lengths.len()];
        let mut changes = 0;
        for now in from..from + total {
            on_top[windows.top(now)] += 1;
            changes += u64::from(windows.top(now) != windows.top(now + 1));
        }
        prop_assert_eq!(&on_top, &lengths);
        // In one piece each: no more changes than windows.
        prop_assert!(changes <= lengths.len() as u64);
    }

    #[test]
    fn the_best_of_some_heads_is_the_first_of_the_order_that_has_one(
        lengths in lengths(), levels in prop::collection::vec(0_usize..8, 0..12), now: u64,
    ) {
        let windows = Windows::new(&lengths).unwrap();
        let heads: Vec<(usize, usize)> =
            levels.iter().map(|level| level % lengths.len()).enumerate().collect();
        let mut tied = Vec::new();
        let best = windows.best(heads.iter().copied(), now, &mut tied).unwrap();
        let naive = windows.order(now).find(|&level| heads.iter().any(|head| head.1 == level));
        prop_assert_eq!(best, naive);
        let expected: Vec<usize> =
            heads.iter().filter(|head| Some(head.1) == best).map(|head| head.0).collect();
        prop_assert_eq!(tied, expected);
    }
}
