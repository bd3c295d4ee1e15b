//! Is a workgroup cut exactly after too many failures in a row, and whole otherwise (E3)?

use proptest::prelude::*;
use raddle_workgroup::split::Outcome::{Fail, Fit};
use raddle_workgroup::split::{Failures, Outcome, SplitPart, Step, THRESHOLD, Workgroup, split};

fn rounds(threshold: u64, outcomes: &[Outcome]) -> Vec<(u64, Step)> {
    let mut failures = Failures::new(threshold);
    outcomes.iter().map(|&outcome| failures.round(outcome)).collect()
}

#[test]
fn t1_threshold_3() {
    use Step::{Retry, Split};
    let expected = [(1, Retry), (2, Retry), (3, Retry), (4, Split), (1, Retry)];
    assert_eq!(rounds(3, &[Fail; 5]), expected);
}

#[test]
fn t2_by_default_failure_257_splits() {
    assert_eq!(THRESHOLD, 256);
    let mut failures = Failures::default();
    let first = (1..1_000).find(|_| failures.round(Fail).1 == Step::Split);
    assert_eq!(first, Some(257));
}

fn workgroup<'w>(independent: bool, waves: &'w [&'w str]) -> Workgroup<'w, &'w str, u64> {
    Workgroup { level: 0, independent, waves, shared: &2 }
}

#[test]
fn t3_one_part_a_wave_at_the_lowest_level() {
    let parts = split(workgroup(true, &["w0", "w1", "w2"]), 3).unwrap().unwrap();
    assert_eq!(parts.len(), 3);
    let expected = ["w0", "w1", "w2"];
    assert!(parts.eq(expected.iter().map(|wave| SplitPart { level: 3, wave, shared: &2 })));
}

#[test]
fn t4_related_waves_and_single_ones_stay_together() {
    assert!(split(workgroup(false, &["w0", "w1"]), 3).unwrap().is_none());
    assert!(split(workgroup(true, &["w0"]), 3).unwrap().is_none());
    assert!(split(workgroup(true, &["w0", "w1"]), 3).unwrap().is_some());
}

#[test]
fn t6_parts_fit_apart_where_the_whole_fits_nowhere() {
    // Two compute units of 3 slots; a workgroup of 4 waves, and a shared demand of 2 of 2.
    let units = [(3_usize, 2_u64), (3, 2)];
    let fits = |waves: usize, shared: u64| {
        units.iter().position(|&(slots, lds)| waves <= slots && shared <= lds)
    };
    let waves = ["w0", "w1", "w2", "w3"];
    assert_eq!(fits(waves.len(), 2), None);
    let mut left = units;
    let mut placed = Vec::new();
    for part in split(workgroup(true, &waves), 0).unwrap().unwrap() {
        // Each carries the whole shared demand: one a compute unit here.
        let unit = left.iter().position(|&(slots, lds)| slots > 0 && *part.shared <= lds);
        if let Some(unit) = unit {
            left[unit] = (left[unit].0 - 1, left[unit].1 - part.shared);
            placed.push((*part.wave, unit));
        }
    }
    assert_eq!(placed, [("w0", 0), ("w1", 1)]);
}

#[test]
fn t7_a_round_in_which_something_fits_clears_the_count() {
    use Step::{Dispatch, Retry};
    let expected = [(1, Retry), (2, Retry), (0, Dispatch), (1, Retry), (2, Retry)];
    assert_eq!(rounds(3, &[Fail, Fail, Fit, Fail, Fail]), expected);
}

#[test]
fn t8_a_split_leaves_0_whether_something_was_cut_or_not() {
    let mut failures = Failures::new(1);
    assert_eq!(failures.round(Fail), (1, Step::Retry));
    assert_eq!(failures.round(Fail), (2, Step::Split));
    assert_eq!(failures.count(), 0);
}

#[test]
fn t9_the_lowest_level_is_behind_the_others() {
    use raddle_workgroup::order::{Fixed, Order, Windows};
    // A whole workgroup of level 2 on channel 0, a part on channel 1.
    let heads = [(0, 2), (1, 3)];
    let mut tied = Vec::new();
    Fixed::new(4).unwrap().best(heads, 0, &mut tied).unwrap();
    assert_eq!(tied, [0]);
    let windows = Windows::new(&[8, 4, 3, 1]).unwrap();
    windows.best(heads, 15, &mut tied).unwrap();
    assert_eq!(tied, [1], "in the window of the lowest level the part goes first");
}

#[test]
fn the_ends_of_the_range() {
    assert_eq!(rounds(0, &[Fail, Fail]), [(1, Step::Split); 2]);
    let mut never = Failures::new(u64::MAX);
    assert_eq!(never.round(Fail), (1, Step::Retry));
    let refused = |workgroup| split(workgroup, 3).err().map(|error| error.to_string());
    assert_eq!(
        refused(workgroup(true, &[])).as_deref(),
        Some("a workgroup without waves: give at least 1")
    );
    let low = Workgroup { level: 4, ..workgroup(true, &["w0", "w1"]) };
    assert_eq!(refused(low).as_deref(), Some("level 4 is not there, 4 are: fold it to the last"));
    assert!(split(low, 4).unwrap().is_some());
}

proptest! {
    #[test]
    fn a_split_needs_more_failures_in_a_row_than_the_threshold(
        threshold in 0_u64..6, fails in prop::collection::vec(prop::bool::weighted(0.8), 0..80),
    ) {
        let mut failures = Failures::new(threshold);
        let mut row = 0;
        for fail in fails {
            let (judged, step) = failures.round(if fail { Fail } else { Fit });
            row = if fail { row + 1 } else { 0 };
            prop_assert_eq!(judged, row);
            prop_assert_eq!(step == Step::Split, row == threshold + 1);
            prop_assert_eq!(step == Step::Dispatch, !fail);
            if step == Step::Split {
                row = 0;
            }
        }
    }

    #[test]
    fn t5_waves_are_conserved(waves in prop::collection::vec(0_u32..9, 1..40), level in 0_usize..4, independent: bool) {
        let workgroup = Workgroup { level, independent, waves: &waves, shared: &7_u8 };
        match split(workgroup, 3).unwrap() {
            None => prop_assert!(!independent || waves.len() == 1),
            Some(parts) => {
                let parts: Vec<SplitPart<'_, u32, u8>> = parts.collect();
                prop_assert!(parts.iter().map(|part| part.wave).eq(&waves));
                prop_assert!(parts.iter().all(|part| part.level == 3 && *part.shared == 7));
            }
        }
    }
}
