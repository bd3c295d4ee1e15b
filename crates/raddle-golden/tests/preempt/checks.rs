//! Do the numbered checks of the digest hold for the worked runs?

use raddle_golden::preempt::model::{
    PreemptOutcome, PreemptStep, StreamLaunch, StreamSetup, StreamWish, run,
};
use raddle_policy::{Idempotence, Tick};
use raddle_preempt::{Controller, Heard, NoReset, WishAnswer};

/// Returns the 13 launches of the example runs of patent 001; those with the numbers in
/// `not` are not idempotent.
pub(crate) fn worked(not: &[usize]) -> Vec<StreamLaunch> {
    let launch = |n: usize| StreamLaunch {
        at: Tick(if n < 12 { 0 } else { 40 }),
        ticks: 10,
        idempotent: if not.contains(&n) { Idempotence::Not } else { Idempotence::Idempotent },
    };
    (0..13).map(launch).collect()
}

pub(crate) type Log = Vec<(u64, PreemptStep)>;

pub(crate) fn gpu() -> StreamSetup {
    StreamSetup { can_reset: true, ..StreamSetup::default() }
}

pub(crate) fn play(
    setup: StreamSetup,
    launches: &[StreamLaunch],
    wishes: &[(u64, StreamWish)],
) -> (Log, PreemptOutcome) {
    let wishes: Vec<_> = wishes.iter().map(|&(at, wish)| (Tick(at), wish)).collect();
    let mut log = Vec::new();
    let mut watch = |Tick(now), step: &PreemptStep, _: &Controller<usize>| log.push((now, *step));
    let outcome = run(setup, launches, &wishes, &mut watch).unwrap();
    (log, outcome)
}

/// Returns the ticks of the steps in a log that are wanted.
fn times(log: &Log, wanted: impl Fn(PreemptStep) -> bool) -> Vec<u64> {
    log.iter().filter(|(_, step)| wanted(*step)).map(|(at, _)| *at).collect()
}

fn at(log: &Log, wanted: PreemptStep) -> Vec<u64> {
    times(log, |step| step == wanted)
}

#[test]
fn check_3_a_window_that_is_full_takes_the_next_as_one_ends() {
    let (log, _) = play(gpu(), &worked(&[]), &[]);
    let submitted = |n| at(&log, PreemptStep::Submitted(n));
    (0..8).for_each(|n| assert_eq!(submitted(n), [0]));
    assert_eq!((submitted(8), submitted(9)), (vec![10], vec![20]));
    let before = |log: &Log, wanted: fn(PreemptStep) -> bool| {
        times(log, wanted).iter().filter(|at| **at <= 25).count()
    };
    assert_eq!(before(&log, |step| matches!(step, PreemptStep::Submitted(_))), 10, "k10, k11 wait");
    assert_eq!(before(&log, |step| matches!(step, PreemptStep::Done(_))), 2);
}

#[test]
fn check_4_worked_a_kills_what_runs_and_the_rest_leaves() {
    let (log, outcome) = play(gpu(), &worked(&[]), &[(25, StreamWish::Preempt)]);
    assert_eq!(at(&log, PreemptStep::Reset(Some(2))), [25]);
    for n in 3..10 {
        assert_eq!(at(&log, PreemptStep::Exited(n)), [25 + n as u64], "k{n}");
    }
    assert_eq!(at(&log, PreemptStep::Drained), [34]);
    assert_eq!(outcome.latencies, [9]);
    assert_eq!(outcome.held, (2..13).collect::<Vec<_>>(), "to be submitted again, then the others");
    assert_eq!(at(&log, PreemptStep::Checked(Heard::Reset)), [25]);
}

#[test]
fn check_5_worked_a_resumes_in_order() {
    let (log, outcome) =
        play(gpu(), &worked(&[]), &[(25, StreamWish::Preempt), (84, StreamWish::Resume)]);
    let submitted = |n| at(&log, PreemptStep::Submitted(n));
    (2..8).for_each(|n| assert_eq!(submitted(n), [0, 84], "k{n}"));
    assert_eq!((submitted(8), submitted(9)), (vec![10, 84], vec![20, 84]));
    assert_eq!([submitted(10), submitted(11), submitted(12)], [[94], [104], [114]]);
    assert_eq!(at(&log, PreemptStep::Started(2)), [20, 84]);
    assert_eq!(at(&log, PreemptStep::Done(2)), [94]);
    assert_eq!(outcome.done, (0..13).collect::<Vec<_>>());
    assert_eq!(log.last(), Some(&(194, PreemptStep::Done(12))));
    let mut partial = vec![0; 13];
    partial[2] = 1;
    assert_eq!(outcome.partial_runs, partial);
}

#[test]
fn check_6_worked_b_one_waiting_launch_forbids_the_reset() {
    let (log, outcome) =
        play(gpu(), &worked(&[5]), &[(25, StreamWish::Preempt), (87, StreamWish::Resume)]);
    assert!(times(&log, |step| matches!(step, PreemptStep::Reset(_))).is_empty());
    assert_eq!(at(&log, PreemptStep::Done(2)), [30]);
    for n in 3..10 {
        assert_eq!(at(&log, PreemptStep::Exited(n)), [28 + n as u64], "k{n}");
    }
    assert_eq!(outcome.latencies, [12]);
    let again = times(&log, |step| matches!(step, PreemptStep::Submitted(_)));
    assert_eq!(again.iter().filter(|at| **at == 87).count(), 8, "seven again, and k10");
    assert_eq!(at(&log, PreemptStep::Submitted(10)), [87]);
    assert_eq!(log.last(), Some(&(187, PreemptStep::Done(12))));
}

#[test]
fn check_7_worked_c_a_running_launch_that_is_not_idempotent_runs_to_its_end() {
    let wishes = [(25, StreamWish::Preempt), (87, StreamWish::Resume)];
    let (b, _) = play(gpu(), &worked(&[5]), &wishes);
    let (c, outcome) = play(gpu(), &worked(&[2]), &wishes);
    let untold = |log: &Log| -> Log {
        log.iter().filter(|(_, step)| !matches!(step, PreemptStep::Checked(_))).copied().collect()
    };
    assert_eq!(untold(&b), untold(&c), "the same times");
    assert_eq!(outcome.partial_runs, [0; 13]);
    assert_eq!(outcome.latencies, [12]);
}

#[test]
fn check_8_nothing_begins_while_preempted() {
    let (log, _) =
        play(gpu(), &worked(&[]), &[(25, StreamWish::Preempt), (84, StreamWish::Resume)]);
    let started = times(&log, |step| matches!(step, PreemptStep::Started(_)));
    assert!(started.iter().all(|at| *at < 25 || *at >= 84), "{started:?}");
    let (log, outcome) = play(gpu(), &worked(&[]), &[(25, StreamWish::Preempt)]);
    assert_eq!(at(&log, PreemptStep::Captured(12)), [40]);
    assert!(at(&log, PreemptStep::Submitted(12)).is_empty());
    assert!(outcome.held.contains(&12));
}

#[test]
fn check_10_the_flag_is_down_before_anything_is_submitted_again() {
    let (log, _) =
        play(gpu(), &worked(&[]), &[(25, StreamWish::Preempt), (84, StreamWish::Resume)]);
    let down = log.iter().position(|(_, step)| *step == PreemptStep::Lowered).unwrap();
    let again = log.iter().position(|it| *it == (84, PreemptStep::Submitted(2))).unwrap();
    assert!(down < again);
    let left = times(&log, |step| matches!(step, PreemptStep::Exited(_)));
    assert!(left.iter().all(|at| *at < 84), "nobody leaves after the resume: {left:?}");
}

#[test]
fn check_12_preempting_nothing_takes_no_time_and_no_reset() {
    for wishes in
        [&[(25, StreamWish::Preempt)][..], &[(25, StreamWish::Preempt), (25, StreamWish::Resume)]]
    {
        let (log, outcome) = play(gpu(), &[], wishes);
        assert_eq!(outcome.latencies, [0]);
        let checked = at(&log, PreemptStep::Checked(Heard::NoReset(NoReset::Empty)));
        assert_eq!(checked, [25]);
        assert_eq!(at(&log, PreemptStep::Drained), [25]);
    }
}

#[test]
fn check_14_a_resume_before_the_drain_waits_for_it() {
    for resume in 25..=34 {
        let wishes = [(25, StreamWish::Preempt), (resume, StreamWish::Resume)];
        let (log, outcome) = play(gpu(), &worked(&[]), &wishes);
        assert_eq!(at(&log, PreemptStep::Resume(WishAnswer::Waits)), [resume]);
        assert_eq!(at(&log, PreemptStep::Drained), [34]);
        assert_eq!(at(&log, PreemptStep::Resumes), [34]);
        assert_eq!(outcome.latencies, [9]);
        assert_eq!(outcome.done, (0..13).collect::<Vec<_>>(), "as if nothing had happened");
    }
}
