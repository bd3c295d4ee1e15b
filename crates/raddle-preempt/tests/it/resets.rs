//! Which launches may a reset kill, and how often?

use raddle_policy::{Level, Preemption};
use raddle_preempt::{
    Command, ControllerConfig, Declared, FlagCut, LaunchHandle, NoReset, ResetScope,
};

use crate::hands::{C, begin, capture, controller, cut, declared, flagged, kernels, submit};
use crate::refused::no_reset;
use crate::reports::{Reports as _, ResetVerdict};

#[test]
fn a_reset_of_the_device_looks_at_everybody() {
    let whole = Declared { scope: ResetScope::Device, ..declared() };
    let (mut c, p, s) = controller(whole, ControllerConfig::default());
    let other = c.join(Level(0)).unwrap();
    let lane = c.open(other).unwrap();
    let third = c.join(Level(0)).unwrap();
    let idle_lane = c.open(third).unwrap();
    capture(&mut c, p, s, &kernels(1));
    capture(&mut c, other, lane, &kernels(1));
    let mine = submit(&mut c, p);
    let theirs = submit(&mut c, other);
    let Some(Command::Raise { .. }) = begin(&mut c, p, Preemption::Reset) else { panic!() };
    assert_eq!(c.raised(p), Ok(ResetVerdict::NoReset(NoReset::OtherProcess(other))));
    // The first launch runs to its end; then both processes are preempted, and all launches may be
    // killed.
    c.finished(mine[0]).unwrap();
    c.next(p).unwrap();
    let _ = c.resume(p).unwrap();
    capture(&mut c, p, s, &kernels(1));
    c.next(p).unwrap();
    let mine = submit(&mut c, p);
    let Some(Command::Raise { .. }) = begin(&mut c, other, Preemption::Flag) else { panic!() };
    assert_eq!(c.raised(other), Ok(ResetVerdict::NotAsked));
    let Some(Command::Raise { .. }) = begin(&mut c, p, Preemption::Reset) else { panic!() };
    assert_eq!(c.raised(p), Ok(ResetVerdict::Reset));
    // No process submits a launch that would be hit.
    capture(&mut c, third, idle_lane, &kernels(1));
    assert_eq!(c.next(third), Ok(None));
    assert_eq!(c.next(p), Ok(Some(Command::Reset { process: p })));
    c.killed(theirs[0]).unwrap();
    c.killed(mine[0]).unwrap();
    assert_eq!(c.next(third), Ok(None));
    c.drained(p).unwrap();
    assert_eq!(submit(&mut c, third).len(), 1);
    assert_eq!(c.next(other), Ok(Some(Command::Drained { process: other, resumed: false })));
}

#[test]
fn what_has_ended_between_the_look_and_the_command_is_not_reset() {
    for scope in [ResetScope::Process, ResetScope::Device] {
        let (mut c, p, s) =
            controller(Declared { scope, ..declared() }, ControllerConfig::default());
        let other = c.join(Level(3)).unwrap();
        let lane = c.open(other).unwrap();
        capture(&mut c, p, s, &kernels(2));
        capture(&mut c, other, lane, &kernels(1));
        let flying = submit(&mut c, p);
        let Some(Command::Raise { .. }) = begin(&mut c, p, Preemption::Reset) else { panic!() };
        assert_eq!(c.raised(p), Ok(ResetVerdict::Reset));
        // If one of the two launches has ended, the reset comes.
        c.finished(flying[0]).unwrap();
        assert_eq!(c.clone().next(p), Ok(Some(Command::Reset { process: p })));
        let _ = c.exited(flying[1]).unwrap();
        assert_eq!(
            c.next(p),
            Ok(Some(Command::Drained { process: p, resumed: false })),
            "both have"
        );
        assert!(c.drained(p).is_err(), "no reset was commanded");
        assert_eq!(submit(&mut c, other).len(), 1, "nobody waits for the end of a reset");
    }
}

/// Returns two processes with one launch each in the runtime; the second process is preempted by
/// the flag alone.
fn one_leaves(scope: ResetScope) -> (C, [LaunchHandle; 2]) {
    let (mut c, p, s) = controller(Declared { scope, ..declared() }, ControllerConfig::default());
    let other = c.join(Level(3)).unwrap();
    let lane = c.open(other).unwrap();
    let [mine, theirs] = [(p, s), (other, lane)].map(|(process, stream)| {
        capture(&mut c, process, stream, &kernels(1));
        submit(&mut c, process)[0]
    });
    let Some(Command::Raise { .. }) = begin(&mut c, other, Preemption::Flag) else { panic!() };
    assert_eq!(c.raised(other), Ok(ResetVerdict::NotAsked));
    (c, [mine, theirs])
}

#[test]
fn nothing_was_killed_before_the_reset_was_commanded_or_by_that_of_another_process() {
    for scope in [ResetScope::Process, ResetScope::Device] {
        let (mut c, [mine, theirs]) = one_leaves(scope);
        let (p, other) = (mine.process(), theirs.process());
        let refused = |c: &mut C, handle: LaunchHandle| {
            assert_eq!(
                c.killed(handle).map_err(|error| error.to_string()),
                Err(no_reset(handle)),
                "{scope:?}"
            );
            let process = handle.process();
            assert_eq!((c.in_flight(process), c.buffered(process)), (Ok(1), Ok(0)), "{scope:?}");
        };
        let Some(Command::Raise { .. }) = begin(&mut c, p, Preemption::Reset) else { panic!() };
        assert_eq!(c.raised(p), Ok(ResetVerdict::Reset));
        // The reset is decided on, and the driver has no command for it yet.
        refused(&mut c, mine);
        refused(&mut c, theirs);
        assert_eq!(c.next(p), Ok(Some(Command::Reset { process: p })), "{scope:?}");
        if scope == ResetScope::Process {
            refused(&mut c, theirs);
            c.killed(mine).unwrap();
        } else {
            // After the end of the reset, only its own launches may still be reported as killed.
            let mut early = c.clone();
            assert_eq!((early.killed(theirs), early.killed(mine)), (Ok(()), Ok(())));
            assert_eq!((early.in_flight(other), early.buffered(other)), (Ok(0), Ok(1)));
            c.drained(p).unwrap();
            refused(&mut c, theirs);
            c.killed(mine).unwrap();
        }
        assert_eq!((c.in_flight(p), c.buffered(p)), (Ok(0), Ok(1)));
    }
}

#[test]
fn what_still_leaves_behind_a_reset_of_the_device_does_not_stand_in_the_way_of_the_next_one() {
    let whole = Declared { scope: ResetScope::Device, ..declared() };
    let (mut c, a, lane_a) = controller(whole, ControllerConfig::default());
    let b = c.join(Level(3)).unwrap();
    let lane_b = c.open(b).unwrap();
    capture(&mut c, a, lane_a, &kernels(2));
    let flying = submit(&mut c, a);
    let Some(Command::Raise { .. }) = begin(&mut c, a, Preemption::Reset) else { panic!() };
    assert_eq!(c.raised(a), Ok(ResetVerdict::Reset));
    assert_eq!(c.next(a), Ok(Some(Command::Reset { process: a })));
    c.killed(flying[0]).unwrap();
    c.drained(a).unwrap();
    // The second launch starts now, and leaves.
    assert_eq!(c.next(a), Ok(None));
    capture(&mut c, b, lane_b, &kernels(1));
    let theirs = submit(&mut c, b);
    let Some(Command::Raise { .. }) = begin(&mut c, b, Preemption::Reset) else { panic!() };
    assert_eq!(c.raised(b), Ok(ResetVerdict::Reset), "all that would be hit may be killed");
    assert_eq!(c.next(b), Ok(Some(Command::Reset { process: b })));
    for handle in [theirs[0], flying[1]] {
        c.killed(handle).unwrap();
    }
    c.drained(b).unwrap();
    for process in [a, b] {
        assert_eq!(c.next(process), Ok(Some(Command::Drained { process, resumed: false })));
    }
    assert_eq!((c.buffered(a), c.buffered(b)), (Ok(2), Ok(1)));
}

/// Preempts a process by a reset and resumes it, at most `rounds` times. Returns how often its one
/// launch was killed before the limit `most_kills` spared it.
fn kills(most_kills: Option<u32>, rounds: u32) -> u32 {
    let (mut c, p, s) =
        controller(declared(), ControllerConfig::default().with_most_kills(most_kills));
    capture(&mut c, p, s, &kernels(1));
    let mut kills = 0;
    for _ in 0..rounds {
        let flying = submit(&mut c, p);
        c.started(flying[0]).unwrap();
        let Some(Command::Raise { .. }) = begin(&mut c, p, Preemption::Reset) else { panic!() };
        match c.raised(p).unwrap() {
            ResetVerdict::Reset => {
                kills += 1;
                c.next(p).unwrap();
                c.killed(flying[0]).unwrap();
                c.drained(p).unwrap();
            }
            ResetVerdict::NoReset(why) => {
                assert_eq!(why, NoReset::KilledOften(flying[0]));
                c.finished(flying[0]).unwrap();
                return kills;
            }
            ResetVerdict::NotAsked => panic!(),
        }
        c.next(p).unwrap();
        let _ = c.resume(p).unwrap();
        c.next(p).unwrap();
    }
    kills
}

#[test]
fn minimum_progress_is_off_by_default_and_ends_the_killing() {
    assert_eq!(ControllerConfig::default().most_kills(), None);
    assert_eq!(kills(None, 50), 50, "by the seed, for ever");
    assert_eq!([0, 1, 3].map(|most| kills(Some(most), 50)), [0, 1, 3]);
}

/// Lets a launch leave by the flag twice, where two kills are the limit. Returns the flag that is
/// raised the third time.
fn third_flag(started: bool, latched: bool) -> FlagCut {
    let options = ControllerConfig::default().with_most_kills(Some(2));
    let (mut c, p, s) = controller(Declared { latched, ..declared() }, options);
    capture(&mut c, p, s, &kernels(1));
    let run = |c: &mut C| {
        let flying = submit(c, p);
        if started {
            c.started(flying[0]).unwrap();
        }
        flying
    };
    for _ in 0..2 {
        let flying = run(&mut c);
        flagged(&mut c, p, &flying);
    }
    run(&mut c);
    let Some(Command::Raise { .. }) = begin(&mut c, p, Preemption::Flag) else { panic!() };
    cut(&c, p, s)
}

#[test]
fn an_exit_counts_as_a_kill_of_what_was_said_to_have_started_and_may_stop_part_way() {
    let leaves = FlagCut { from: 2, to: 3 };
    assert_eq!(third_flag(false, false), leaves, "it had not begun");
    assert_eq!(third_flag(true, true), leaves, "it left as a whole");
    assert_eq!(third_flag(true, false), FlagCut { from: 3, to: 3 }, "its third run is the last");
}
