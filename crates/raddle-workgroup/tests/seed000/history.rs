//! Does the sliding window count what a recount does (E10)?

use proptest::prelude::*;
use raddle_workgroup::place::{History, Weights};

#[test]
fn t2_scores_after_each_cycle() {
    let issued = [[1, 0], [2, 1], [0, 0], [1, 3], [0, 0], [0, 0], [0, 0], [0, 0]];
    let weights = Weights::new(&[2, 5]).unwrap();
    let mut history = History::new(4, 2).unwrap();
    let mut scores = Vec::new();
    for (cycle, counts) in (0..).zip(&issued) {
        history.issue(cycle, counts).unwrap();
        scores.push(history.power(cycle + 1, &weights).unwrap());
    }
    assert_eq!(scores, [2, 11, 11, 28, 26, 17, 17, 0]);
}

#[test]
fn t3_idle_cycles_leave_nothing() {
    let mut history = History::new(1024, 1).unwrap();
    history.issue(5, &[7]).unwrap();
    assert_eq!(history.counts(5).unwrap(), [0], "its own cycle is out");
    assert_eq!(history.counts(6).unwrap(), [7]);
    assert_eq!(history.counts(5 + 1024).unwrap(), [7]);
    assert_eq!(history.counts(5 + 1025).unwrap(), [0]);
}

#[test]
fn t8_counts_are_at_most_the_window_times_the_width_of_issue() {
    let mut history = History::new(16, 2).unwrap();
    for cycle in 0..100 {
        history.issue(cycle, &[2, cycle % 3]).unwrap();
        let counts = history.counts(cycle).unwrap();
        assert!(counts[0] <= 32 && counts[1] <= 32);
    }
    assert_eq!(history.counts(100).unwrap()[0], 32);
}

#[test]
fn t9_a_window_need_not_be_a_power_of_two() {
    assert!(History::new(1000, 1).is_ok());
    assert_eq!(
        History::new(0, 1).unwrap_err().to_string(),
        "a window of 0 cycles sees nothing: give 1 or more"
    );
}

#[test]
fn refusals_change_nothing() {
    let mut history = History::new(4, 2).unwrap();
    history.issue(3, &[u64::MAX, 1]).unwrap();
    assert_eq!(
        history.issue(3, &[0, u64::MAX]).map_err(|error| error.to_string()),
        Err("more instructions of kind 1 in a cycle than 64 bits count".to_owned())
    );
    assert_eq!(
        history.issue(2, &[0, 0]).map_err(|error| error.to_string()),
        Err("cycle 2 comes after cycle 3: give cycles in order".to_owned())
    );
    let length = "row 0 has 1 amounts, 2 are wanted: one a weight".to_owned();
    assert_eq!(history.issue(9, &[1]).map_err(|error| error.to_string()), Err(length.clone()));
    assert!(history.counts(2).is_err());
    history.issue(4, &[u64::MAX, 1]).unwrap();
    let sums = [2 * u128::from(u64::MAX), 2];
    assert_eq!(history.counts(5).unwrap(), sums);
    let score =
        |history: &mut History, weights: &[u64]| history.power(5, &Weights::new(weights).unwrap());
    assert_eq!(score(&mut history, &[0, 3]), Ok(6), "what counts nothing cannot overflow");
    assert_eq!(
        score(&mut history, &[1, 3]).map_err(|error| error.to_string()),
        Err("the score of row 0 is beyond 64 bits: give smaller weights".to_owned())
    );
    assert!(score(&mut history, &[1]).is_err());
    assert_eq!(history.counts(5).unwrap(), sums);
}

#[test]
fn a_window_may_be_as_long_as_time() {
    let mut history = History::new(u64::MAX, 1).unwrap();
    history.issue(0, &[1]).unwrap();
    history.issue(u64::MAX, &[1]).unwrap();
    assert_eq!(history.counts(u64::MAX).unwrap(), [1]);
}

proptest! {
    #[test]
    fn t4_sliding_equals_a_recount(
        nx in 1_u64..12,
        calls in prop::collection::vec((0_u64..4, prop::collection::vec(0_u64..3, 2), any::<bool>()), 0..80),
    ) {
        let mut history = History::new(nx, 2).unwrap();
        let mut all: Vec<(u64, Vec<u64>)> = Vec::new();
        let mut now = 0;
        for (skip, issued, ask) in calls {
            now += skip;
            history.issue(now, &issued).unwrap();
            all.push((now, issued));
            if ask {
                let within = all.iter().filter(|(cycle, _)| *cycle < now && now - cycle <= nx);
                let mut recount = vec![0; 2];
                for (_, issued) in within {
                    recount.iter_mut().zip(issued).for_each(|(sum, &n)| *sum += u128::from(n));
                }
                prop_assert_eq!(history.counts(now).unwrap(), recount);
            }
        }
    }
}
