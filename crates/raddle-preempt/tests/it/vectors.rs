//! Are the studies of the digest's vectors reproduced? (The worked runs are in `raddle-golden`.)
//!
//! They lie in `fixtures/vectors` of raddle-testkit.

use serde_json::{Value, json};

use crate::checks::adding;
use crate::device::Wrong;
use crate::history::Faults;
use crate::naive::Mutant;
use crate::schedule::{Late, of_the_digest};
use crate::schedules::{naive, ours};

fn vectors() -> Value {
    raddle_testkit::vectors("vectors001.json")
}

/// Returns the number of runs, of 2,000, in which each fault was seen, under the names of the
/// vectors.
fn study(late: Late, mutant: Option<Mutant>) -> Value {
    let mut counts = [0; 7];
    for seed in 0..2000 {
        let mut schedule = of_the_digest(seed);
        schedule.setup.late = late;
        let history = match mutant {
            None => ours(&schedule),
            Some(mutant) => naive(&schedule, mutant),
        };
        let Faults { order, twice, lost, window, stopped, preempted, hang, .. } = history.faults;
        let found = [order, twice, lost, window, stopped, preempted, hang];
        counts.iter_mut().zip(found).for_each(|(count, it)| *count += u64::from(it > 0));
    }
    let [order, dup, lost, cap, killed_nonidem, start_while_preempted, hang] = counts;
    json!({
        "order": order, "dup": dup, "lost": lost, "cap": cap, "killed_nonidem": killed_nonidem,
        "start_while_preempted": start_while_preempted, "hang": hang,
    })
}

#[test]
fn the_studies_of_random_runs() {
    let vectors = vectors();
    let studies = &vectors["G_fuzz_violations_of_2000"];
    let none = Late::default();
    let late = Late { flag: 4, reset: 3, ..none };
    for (name, late) in [
        ("baseline (all_submitted, drain, front)", none),
        ("requeue at buffer head", none),
        ("check all submitted, same delays", late),
    ] {
        assert_eq!(study(late, None), studies[name], "{name}");
    }
    // The random numbers differ from those of the vectors; the kind of harm is the same.
    for (name, late, mutant) in [
        ("requeue at buffer tail", none, Mutant::TailRequeue),
        ("resume without drain", none, Mutant::ResumeWithoutDrain),
        (
            "check running only, flag visible 4 ticks late, reset 3 ticks after check",
            late,
            Mutant::RunningOnly,
        ),
    ] {
        let found = study(late, Some(mutant));
        for (fault, count) in studies[name].as_object().unwrap() {
            assert!(*count == 0 || found[fault] != 0, "{name}: {fault}: {found}");
        }
    }
}

#[test]
fn a_partly_executed_grid() {
    let vectors = vectors();
    // The kernel has 100 workgroups, 40 at a time; the flag is raised in the first round.
    let twice = |wrong| {
        let (added, _) = adding(true, wrong, 2);
        json!(added[..100].iter().filter(|added| **added == 2).count())
    };
    let grid = &vectors["E_partial_grid"];
    let wanted = |how: &str| &grid[how]["if_rerun_whole: blocks run twice"];
    assert_eq!(&twice(Wrong::Nothing), wanted("per_launch"));
    assert_eq!(&twice(Wrong::EachRoundLooks), wanted("per_block"));
}
