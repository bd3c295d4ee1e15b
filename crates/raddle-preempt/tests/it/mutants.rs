//! Can the checks fail? Every wrong reading of the seed, built into the naive controller or the
//! device, breaks a promise, and the counts show which; without one all are 0.
//!
//! Two of them do not change what is computed and are caught nevertheless: the reset of an idle GPU
//! (A3) costs its time, a preemption that is told to begin again (A15) a second latency.

use std::fmt::Write as _;

use crate::control::Ours;
use crate::device::{Wrong, run};
use crate::history::Faults;
use crate::naive::{Mutant, Naive};
use crate::schedule::anything;

const RUNS: u64 = 1000;

/// Returns the number of runs in which each promise was broken, in the order of `Faults`, under one
/// wrong reading of the seed and one fault of the device.
fn broken(mutant: Mutant, wrong: Wrong) -> [u64; 13] {
    let mut counts = [0; 13];
    for seed in 0..RUNS {
        let schedule = anything(seed);
        let faults = if mutant == Mutant::None {
            run(&schedule, Ours::new(&schedule.setup), wrong).faults
        } else {
            run(&schedule, Naive::new(&schedule.setup, mutant), wrong).faults
        };
        for (count, faults) in counts.iter_mut().zip(faults.list()) {
            *count += u64::from(faults > 0);
        }
    }
    counts
}

#[test]
fn every_wrong_reading_is_caught() {
    let right = Wrong::Nothing;
    let rows = [
        ("none: the controller as it is", Mutant::None, right, ""),
        ("A1 c: back to the tail of the queue", Mutant::TailRequeue, right, "order"),
        ("A2: only what runs is checked", Mutant::RunningOnly, right, "stopped"),
        ("A3: an idle runtime is reset", Mutant::IdleReset, right, "idle"),
        ("A4: killed counts as executed", Mutant::KilledIsDone, right, "lost"),
        ("A5: left by the flag counts as done", Mutant::ExitedIsDone, right, "lost"),
        ("A5: left by the flag is waited for", Mutant::ExitsForgotten, right, "hang"),
        ("A6: each round of workgroups looks", Mutant::None, Wrong::EachRoundLooks, "stopped"),
        ("A7: resume without drain", Mutant::ResumeWithoutDrain, right, "twice"),
        ("A8: a submit call is not waited for", Mutant::CallsUnseen, right, "pause"),
        ("A9: a bit, seen late to be lowered", Mutant::None, Wrong::Bit, "unasked"),
        ("A10: one flag for all processes", Mutant::None, Wrong::OneFlagForAll, "unasked"),
        ("A11: a device's reset, own launches", Mutant::OwnLaunchesOnly, right, "stopped"),
        ("A13: what was done is replayed", Mutant::ReplayOneMore, right, "twice"),
        ("A14: captured meanwhile goes in front", Mutant::CapturedInFront, right, "order"),
        ("A14: captured meanwhile is not kept", Mutant::CapturedNowhere, right, "lost"),
        ("A15: a preempt cancels no resume", Mutant::ResumeNotCancelled, right, "wish"),
        ("A15: a resume ends a later preemption", Mutant::ResumeRemembered, right, "wish"),
        ("A15: a preempt begins a second time", Mutant::PreemptsAgain, right, "wish"),
        ("A15: a sync looks at the runtime alone", Mutant::SyncRuntimeOnly, right, "sync"),
        ("the flag on what may not be run again", Mutant::FlagRunning, right, "stopped"),
        ("the flag in front of copies", Mutant::FlagBehindCopies, right, "order"),
        ("the reset before the flag is seen", Mutant::ResetAtOnce, right, "order"),
        ("a window of one more", Mutant::WindowPlusOne, right, "window"),
        ("numbers anew with an id given again", Mutant::NumbersAgain, right, "gone"),
        ("leaving, with launches in the runtime", Mutant::LeavesFlying, right, "lost"),
        ("leaving, and a killed one is executed", Mutant::KilledIsDoneIfLeaving, right, "lost"),
    ];
    let mut table = format!("of {RUNS} random runs, how many break a promise\n\n{:<38}", "");
    Faults::NAMES.iter().for_each(|name| write!(table, "{name:>10}").unwrap());
    for (what, mutant, wrong, must) in rows {
        let counts = broken(mutant, wrong);
        let caught: Vec<&str> =
            Faults::NAMES.into_iter().zip(counts).filter(|it| it.1 > 0).map(|it| it.0).collect();
        assert!(
            caught.contains(&must) || must.is_empty() && caught.is_empty(),
            "{what}: {caught:?}"
        );
        write!(table, "\n{what:<38}").unwrap();
        counts.iter().for_each(|count| write!(table, "{count:>10}").unwrap());
    }
    insta::assert_snapshot!("mutants", table);
}
