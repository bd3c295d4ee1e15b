//! Do the numbered checks of the digest hold? (11 is in `schedules`, the logs of the worked runs in
//! `vectors`, 2 with more unfinished than the window in `src/controller/commands.rs`.)

use raddle_golden::preempt::model::{Launch, Outcome, Setup, Step, Wish, run};
use raddle_policy::{Idempotence, Level, Preemption, ProcessId, StreamId, Tick};
use raddle_preempt::{
    CapturedWork, Command, Controller, ControllerOptions, FlagCut, LaunchHandle, NoReset,
    Preempted, ProcessPhase, ResetVerdict, Resumed,
};

use crate::control::Ours;
use crate::device::{self, Wrong};
use crate::schedule::{Job, Schedule, digest_setup};

/// The 13 launches of the worked runs; these are not idempotent.
pub(crate) fn worked(not: &[usize]) -> Vec<Launch> {
    let launch = |n: usize| Launch {
        at: Tick(if n < 12 { 0 } else { 40 }),
        ticks: 10,
        idempotent: if not.contains(&n) { Idempotence::Not } else { Idempotence::Idempotent },
    };
    (0..13).map(launch).collect()
}

pub(crate) fn gpu() -> Setup {
    Setup { can_reset: true, ..Setup::default() }
}

pub(crate) type Log = Vec<(u64, Step)>;

pub(crate) fn play(setup: Setup, launches: &[Launch], wishes: &[(u64, Wish)]) -> (Log, Outcome) {
    let wishes: Vec<_> = wishes.iter().map(|&(at, wish)| (Tick(at), wish)).collect();
    let mut log = Vec::new();
    let mut watch = |Tick(now), step: &Step, _: &Controller<usize>| log.push((now, *step));
    let outcome = run(setup, launches, &wishes, &mut watch).unwrap();
    (log, outcome)
}

/// When these steps happened.
fn times(log: &Log, wanted: impl Fn(Step) -> bool) -> Vec<u64> {
    log.iter().filter(|(_, step)| wanted(*step)).map(|(at, _)| *at).collect()
}

fn at(log: &Log, wanted: Step) -> Vec<u64> {
    times(log, |step| step == wanted)
}

/// A controller of one process with one stream, and what was captured.
fn captured(launches: u64, window: u32) -> (Controller<u64>, ProcessId, StreamId) {
    let setup = digest_setup();
    let options = ControllerOptions { window, ..ControllerOptions::default() };
    let mut controller = Controller::new(setup.declared, options).unwrap();
    let process = controller.join(Level(0)).unwrap();
    let stream = controller.open(process).unwrap();
    for launch in 0..launches {
        let work = CapturedWork::kernel(launch, Idempotence::Idempotent);
        controller.captured(process, stream, work).unwrap();
    }
    (controller, process, stream)
}

fn submits(controller: &mut Controller<u64>, process: ProcessId) -> Vec<LaunchHandle> {
    let mut submitted = Vec::new();
    while let Some(Command::Submit { handle, .. }) = controller.next(process).unwrap() {
        controller.submitted(handle).unwrap();
        submitted.push(handle);
    }
    submitted
}

#[test]
fn check_1_at_first_the_flag_is_down_and_nothing_is_submitted() {
    let (mut controller, process, _) = captured(0, 8);
    assert_eq!(controller.flag(process), Ok(None));
    assert_eq!(controller.phase(process), Ok(ProcessPhase::Running), "it would submit");
    assert_eq!(controller.in_flight(process), Ok(0));
    assert_eq!(controller.next(process), Ok(None));
}

#[test]
fn check_2_a_launch_is_submitted_while_fewer_than_8_are_unfinished() {
    let (mut controller, process, stream) = captured(7, 8);
    let flying = submits(&mut controller, process);
    assert_eq!(controller.in_flight(process), Ok(7));
    for launch in 7..11 {
        let work = CapturedWork::kernel(launch, Idempotence::Idempotent);
        controller.captured(process, stream, work).unwrap();
    }
    assert_eq!(submits(&mut controller, process).len(), 1, "7 unfinished: one more");
    assert_eq!(controller.next(process), Ok(None), "8: none");
    assert_eq!(controller.finished(flying[3]), Ok(3), "whichever ends");
    assert_eq!(submits(&mut controller, process).len(), 1);
    assert_eq!((controller.in_flight(process), controller.buffered(process)), (Ok(8), Ok(2)));
    // A call that has not returned counts.
    let (mut controller, process, _) = captured(9, 8);
    while controller.next(process).unwrap().is_some() {}
    assert_eq!((controller.in_flight(process), controller.buffered(process)), (Ok(8), Ok(1)));
}

#[test]
fn check_3_a_window_that_is_full_takes_the_next_as_one_ends() {
    let (log, _) = play(gpu(), &worked(&[]), &[]);
    let submitted = |n| at(&log, Step::Submitted(n));
    (0..8).for_each(|n| assert_eq!(submitted(n), [0]));
    assert_eq!((submitted(8), submitted(9)), (vec![10], vec![20]));
    let before = |log: &Log, wanted: fn(Step) -> bool| {
        times(log, wanted).iter().filter(|at| **at <= 25).count()
    };
    assert_eq!(before(&log, |step| matches!(step, Step::Submitted(_))), 10, "k10, k11 wait");
    assert_eq!(before(&log, |step| matches!(step, Step::Done(_))), 2);
}

#[test]
fn check_4_worked_a_kills_what_runs_and_the_rest_leaves() {
    let (log, outcome) = play(gpu(), &worked(&[]), &[(25, Wish::Preempt)]);
    assert_eq!(at(&log, Step::Reset(Some(2))), [25]);
    for n in 3..10 {
        assert_eq!(at(&log, Step::Exited(n)), [25 + n as u64], "k{n}");
    }
    assert_eq!(at(&log, Step::Drained), [34]);
    assert_eq!(outcome.latencies, [9]);
    assert_eq!(outcome.held, (2..13).collect::<Vec<_>>(), "to be submitted again, then the others");
    assert_eq!(at(&log, Step::Checked(ResetVerdict::Reset)), [25]);
}

#[test]
fn check_5_worked_a_resumes_in_order() {
    let (log, outcome) = play(gpu(), &worked(&[]), &[(25, Wish::Preempt), (84, Wish::Resume)]);
    let submitted = |n| at(&log, Step::Submitted(n));
    (2..8).for_each(|n| assert_eq!(submitted(n), [0, 84], "k{n}"));
    assert_eq!((submitted(8), submitted(9)), (vec![10, 84], vec![20, 84]));
    assert_eq!([submitted(10), submitted(11), submitted(12)], [[94], [104], [114]]);
    assert_eq!(at(&log, Step::Started(2)), [20, 84]);
    assert_eq!(at(&log, Step::Done(2)), [94]);
    assert_eq!(outcome.done, (0..13).collect::<Vec<_>>());
    assert_eq!(log.last(), Some(&(194, Step::Done(12))));
    let mut partial = vec![0; 13];
    partial[2] = 1;
    assert_eq!(outcome.partial_runs, partial);
}

#[test]
fn check_6_worked_b_one_waiting_launch_forbids_the_reset() {
    let (log, outcome) = play(gpu(), &worked(&[5]), &[(25, Wish::Preempt), (87, Wish::Resume)]);
    assert!(times(&log, |step| matches!(step, Step::Reset(_))).is_empty());
    assert_eq!(at(&log, Step::Done(2)), [30]);
    for n in 3..10 {
        assert_eq!(at(&log, Step::Exited(n)), [28 + n as u64], "k{n}");
    }
    assert_eq!(outcome.latencies, [12]);
    let again = times(&log, |step| matches!(step, Step::Submitted(_)));
    assert_eq!(again.iter().filter(|at| **at == 87).count(), 8, "seven again, and k10");
    assert_eq!(at(&log, Step::Submitted(10)), [87]);
    assert_eq!(log.last(), Some(&(187, Step::Done(12))));
}

#[test]
fn check_7_worked_c_a_running_launch_that_is_not_idempotent_runs_to_its_end() {
    let wishes = [(25, Wish::Preempt), (87, Wish::Resume)];
    let (b, _) = play(gpu(), &worked(&[5]), &wishes);
    let (c, outcome) = play(gpu(), &worked(&[2]), &wishes);
    let untold = |log: &Log| -> Log {
        log.iter().filter(|(_, step)| !matches!(step, Step::Checked(_))).copied().collect()
    };
    assert_eq!(untold(&b), untold(&c), "the same times");
    assert_eq!(outcome.partial_runs, [0; 13]);
    assert_eq!(outcome.latencies, [12]);
}

#[test]
fn check_8_nothing_begins_while_preempted() {
    let (log, _) = play(gpu(), &worked(&[]), &[(25, Wish::Preempt), (84, Wish::Resume)]);
    let started = times(&log, |step| matches!(step, Step::Started(_)));
    assert!(started.iter().all(|at| *at < 25 || *at >= 84), "{started:?}");
    let (log, outcome) = play(gpu(), &worked(&[]), &[(25, Wish::Preempt)]);
    assert_eq!(at(&log, Step::Captured(12)), [40]);
    assert!(at(&log, Step::Submitted(12)).is_empty());
    assert!(outcome.held.contains(&12));
}

#[test]
fn check_9_unknown_is_never_reset() {
    for idempotent in [Idempotence::Unknown, Idempotence::Not] {
        let (mut controller, process, stream) = captured(2, 8);
        controller.captured(process, stream, CapturedWork::kernel(2, idempotent)).unwrap();
        let flying = submits(&mut controller, process);
        let _ = controller.preempt(process, Preemption::Reset, None).unwrap();
        let Some(Command::Raise { cut, .. }) = controller.next(process).unwrap() else { panic!() };
        // It waits, so it leaves: only the reset is forbidden.
        assert_eq!(cut, FlagCut { from: 0, to: 3 });
        let why = NoReset::NotIdempotent(flying[2]);
        assert_eq!(controller.raised(process), Ok(ResetVerdict::NoReset(why)));
        assert_eq!(controller.next(process), Ok(None));
        assert!(controller.killed(flying[0]).is_err());
    }
}

#[test]
fn check_10_the_flag_is_down_before_anything_is_submitted_again() {
    let (log, _) = play(gpu(), &worked(&[]), &[(25, Wish::Preempt), (84, Wish::Resume)]);
    let down = log.iter().position(|(_, step)| *step == Step::Lowered).unwrap();
    let again = log.iter().position(|it| *it == (84, Step::Submitted(2))).unwrap();
    assert!(down < again);
    let left = times(&log, |step| matches!(step, Step::Exited(_)));
    assert!(left.iter().all(|at| *at < 84), "nobody leaves after the resume: {left:?}");
    // And where it is seen late to be lowered, the cut does not hold what is submitted later.
    let (mut controller, process, _) = captured(1, 8);
    let first = submits(&mut controller, process);
    let _ = controller.preempt(process, Preemption::Flag, None).unwrap();
    let Some(Command::Raise { cut, .. }) = controller.next(process).unwrap() else { panic!() };
    let _ = controller.raised(process).unwrap();
    let _ = controller.exited(first[0]).unwrap();
    let drained = Command::Drained { process, resumed: false };
    assert_eq!(controller.next(process), Ok(Some(drained)));
    assert_eq!(controller.resume(process), Ok(Resumed::Now));
    assert_eq!(controller.next(process), Ok(Some(Command::Lower { process })));
    let again = submits(&mut controller, process);
    assert!(cut.holds(first[0].sequence) && !cut.holds(again[0].sequence));
}

#[test]
fn check_12_preempting_nothing_takes_no_time_and_no_reset() {
    for wishes in [&[(25, Wish::Preempt)][..], &[(25, Wish::Preempt), (25, Wish::Resume)]] {
        let (log, outcome) = play(gpu(), &[], wishes);
        assert_eq!(outcome.latencies, [0]);
        let checked = at(&log, Step::Checked(ResetVerdict::NoReset(NoReset::Empty)));
        assert_eq!(checked, [25]);
        assert_eq!(at(&log, Step::Drained), [25]);
    }
}

/// A kernel of 100 workgroups, 40 at a time (rounds at 0, 4 and 8), each of which adds 1 to a counter
/// of its own by an atomic: not idempotent. Another one stands behind it. Preempted at `at`, resumed
/// when it has drained. What each counter shows; partial runs.
pub(crate) fn adding(latched: bool, wrong: Wrong, at: u64) -> (Vec<u64>, u64) {
    let mut setup = digest_setup();
    setup.declared.latched = latched;
    let job = Job {
        process: 0,
        stream: 0,
        at: 0,
        groups: 100,
        wide: 40,
        ticks: 4,
        idempotent: Idempotence::Not,
        tests_flag: true,
    };
    let preempt = crate::schedule::Wish::Preempt(Preemption::Reset, None);
    let wishes = vec![(at, 0, preempt), (at + 1, 0, crate::schedule::Wish::Resume)];
    let schedule = Schedule { setup, jobs: vec![job; 2], wishes, seed: 0 };
    let history = device::run(&schedule, Ours::new(&schedule.setup), wrong);
    assert_eq!(history.full, [1, 1], "both are done");
    (history.added.concat(), history.partial.iter().sum())
}

#[test]
fn check_13_a_hundred_workgroups_add_one_each_whenever_they_are_preempted() {
    // In every round, and between any two of them.
    for at in 0..=24 {
        for latched in [true, false] {
            let (added, partial) = adding(latched, Wrong::Nothing, at);
            assert_eq!((added, partial), (vec![1; 200], 0), "at {at}, latched: {latched}");
        }
    }
    // Where each round looks at the flag by itself, those that had run add twice.
    for (at, twice) in [(2, 40), (4, 40), (5, 80), (8, 80), (9, 0)] {
        let (added, partial) = adding(true, Wrong::EachRoundLooks, at);
        let count = |wanted: u64| added.iter().filter(|added| **added == wanted).count();
        assert_eq!(
            (count(1), count(2), partial),
            (200 - twice, twice, u64::from(twice > 0)),
            "{at}"
        );
    }
}

#[test]
fn check_14_a_resume_before_the_drain_waits_for_it() {
    for resume in 25..=34 {
        let wishes = [(25, Wish::Preempt), (resume, Wish::Resume)];
        let (log, outcome) = play(gpu(), &worked(&[]), &wishes);
        assert_eq!(at(&log, Step::Resume(Resumed::Waits)), [resume]);
        assert_eq!(at(&log, Step::Drained), [34]);
        assert_eq!(at(&log, Step::Resumes), [34]);
        assert_eq!(outcome.latencies, [9]);
        assert_eq!(outcome.done, (0..13).collect::<Vec<_>>(), "as if nothing had happened");
    }
}

#[test]
fn a8_the_flag_waits_until_every_submit_call_has_returned() {
    let (mut controller, process, _) = captured(3, 8);
    let submit = |controller: &mut Controller<u64>| match controller.next(process).unwrap() {
        Some(Command::Submit { handle, .. }) => handle,
        other => panic!("{other:?}"),
    };
    let [a, b] = [submit(&mut controller), submit(&mut controller)];
    controller.submitted(a).unwrap();
    assert_eq!(controller.preempt(process, Preemption::Reset, None), Ok(Preempted::Begun));
    assert_eq!(controller.next(process), Ok(None), "b is being submitted");
    // Hearing that it runs, or that it was not taken, is as good as the call's return.
    let mut other = controller.clone();
    other.not_submitted(b).unwrap();
    let raise = |to| Command::Raise { process, cut: FlagCut { from: 0, to } };
    assert_eq!(other.next(process), Ok(Some(raise(2))));
    assert_eq!(other.buffered(process), Ok(2));
    controller.started(b).unwrap();
    assert_eq!(controller.next(process), Ok(Some(raise(2))));
    assert_eq!(controller.raised(process), Ok(ResetVerdict::Reset));
}
