//! Do the numbered checks of the digest hold? (Check 11 is in `schedules`, checks of the worked
//! runs are in `raddle-golden`, and check 2 with more unfinished than the window is in
//! `src/controller/commands.rs`.)

use raddle_policy::{Idempotence, Level, Preemption, ProcessId, StreamId};
use raddle_preempt::{
    CapturedWork, Command, Controller, ControllerConfig, FlagCut, LaunchHandle, NoReset,
    ProcessPhase, WishAnswer,
};

use crate::control::Ours;
use crate::device::{self, Wrong};
use crate::reports::{Reports as _, ResetVerdict};
use crate::schedule::{Job, Schedule, digest_setup};

/// Returns a controller of one process with one stream, in which `launches` kernels were captured.
fn captured(launches: u64, window: u32) -> (Controller<u64>, ProcessId, StreamId) {
    let setup = digest_setup();
    let options = ControllerConfig::default().with_window(window);
    let mut controller = Controller::new(setup.declared, options).unwrap();
    let process = controller.join(Level(0)).unwrap();
    let stream = controller.open(process).unwrap();
    for launch in 0..launches {
        let work = CapturedWork::kernel(launch, Idempotence::Idempotent);
        let _ = controller.captured(process, stream, work).unwrap();
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
    assert_eq!(controller.is_raised(process), Ok(false));
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
        let _ = controller.captured(process, stream, work).unwrap();
    }
    assert_eq!(submits(&mut controller, process).len(), 1, "7 unfinished: one more");
    assert_eq!(controller.next(process), Ok(None), "8: none");
    assert_eq!(controller.finished(flying[3]), Ok(3), "whichever ends");
    assert_eq!(submits(&mut controller, process).len(), 1);
    assert_eq!((controller.in_flight(process), controller.buffered(process)), (Ok(8), Ok(2)));
    // A launch whose submit call has not returned counts as unfinished.
    let (mut controller, process, _) = captured(9, 8);
    while controller.next(process).unwrap().is_some() {}
    assert_eq!((controller.in_flight(process), controller.buffered(process)), (Ok(8), Ok(1)));
}

#[test]
fn check_9_unknown_is_never_reset() {
    for idempotent in [Idempotence::Unknown, Idempotence::Not] {
        let (mut controller, process, stream) = captured(2, 8);
        let work = CapturedWork::kernel(2, idempotent);
        let _ = controller.captured(process, stream, work).unwrap();
        let flying = submits(&mut controller, process);
        let _ = controller.preempt(process, Preemption::Reset, None).unwrap();
        let Some(Command::Raise { .. }) = controller.next(process).unwrap() else { panic!() };
        let cut = controller.cut(process, stream).unwrap().unwrap();
        // The launch that may not be run again waits, so it leaves: only the reset is forbidden.
        assert_eq!(cut, FlagCut { from: 0, to: 3 });
        let why = NoReset::NotIdempotent(flying[2]);
        assert_eq!(controller.raised(process), Ok(ResetVerdict::NoReset(why)));
        assert_eq!(controller.next(process), Ok(None));
        assert!(controller.killed(flying[0]).is_err());
    }
}

/// Checks that the cut of a flag holds no launch that is submitted after the flag was lowered, even
/// where the lowering is seen late (check 10 of the digest).
#[test]
fn check_10_a_late_view_of_the_flag_stops_no_later_launch() {
    let (mut controller, process, stream) = captured(1, 8);
    let first = submits(&mut controller, process);
    let _ = controller.preempt(process, Preemption::Flag, None).unwrap();
    let Some(Command::Raise { .. }) = controller.next(process).unwrap() else { panic!() };
    let cut = controller.cut(process, stream).unwrap().unwrap();
    let _ = controller.raised(process).unwrap();
    let _ = controller.exited(first[0]).unwrap();
    let drained = Command::Drained { process, resumed: false };
    assert_eq!(controller.next(process), Ok(Some(drained)));
    assert_eq!(controller.resume(process), Ok(WishAnswer::Begun));
    assert_eq!(controller.next(process), Ok(Some(Command::Lower { process })));
    let again = submits(&mut controller, process);
    assert!(cut.holds(first[0].sequence()) && !cut.holds(again[0].sequence()));
}

/// Runs two kernels of 100 workgroups, 40 at a time, each of which adds 1 to a counter of its own,
/// so that they are not idempotent. They are preempted at the tick `at` and resumed after the
/// drain. Returns (value of each counter, number of partial runs).
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
    // The preemption comes at every tick of each round of workgroups.
    for at in 0..=24 {
        for latched in [true, false] {
            let (added, partial) = adding(latched, Wrong::Nothing, at);
            assert_eq!((added, partial), (vec![1; 200], 0), "at {at}, latched: {latched}");
        }
    }
    // Where each round of workgroups tests the flag, workgroups that had run before add a second
    // time.
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
fn a8_the_flag_waits_until_every_submit_call_has_returned() {
    let (mut controller, process, stream) = captured(3, 8);
    let submit = |controller: &mut Controller<u64>| match controller.next(process).unwrap() {
        Some(Command::Submit { handle, .. }) => handle,
        other => panic!("{other:?}"),
    };
    let [a, b] = [submit(&mut controller), submit(&mut controller)];
    controller.submitted(a).unwrap();
    assert_eq!(controller.preempt(process, Preemption::Reset, None), Ok(WishAnswer::Begun));
    assert_eq!(controller.next(process), Ok(None), "b is being submitted");
    // A report that the launch started or was refused is as good as the return of its submit call.
    let mut other = controller.clone();
    other.not_submitted(b).unwrap();
    let raise = Command::Raise { process };
    let both = Ok(Some(FlagCut { from: 0, to: 2 }));
    assert_eq!((other.next(process), other.cut(process, stream)), (Ok(Some(raise)), both));
    assert_eq!(other.buffered(process), Ok(2));
    controller.started(b).unwrap();
    assert_eq!(
        (controller.next(process), controller.cut(process, stream)),
        (Ok(Some(raise)), both)
    );
    assert_eq!(controller.raised(process), Ok(ResetVerdict::Reset));
}
