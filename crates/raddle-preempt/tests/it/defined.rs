//! Is what the seed leaves open defined: unexpected reports, repeated wishes, copies, levels, missing
//! abilities, minimum progress?

use std::fmt::Write as _;

use raddle_preempt::model::{Launch, Setup, Step, Wish};
use raddle_preempt::{
    Abilities, Command, Controller, Cut, Declared, Error, Exit, Handle, NoReset, Options, Order,
    Phase, Preempted, Resumed, Scope, Verdict, Way, Work,
};
use raddle_types::{Idempotence, Level, ProcessId, StreamId, Tick};

use crate::checks::play;

type C = Controller<u32>;

const YES: Idempotence = Idempotence::Idempotent;
const NO: Idempotence = Idempotence::Not;

fn declared() -> Declared {
    Declared { abilities: Abilities::ALL, latched: true, scope: Scope::Process }
}

fn controller(declared: Declared, options: Options) -> (C, ProcessId, StreamId) {
    let mut controller = Controller::new(declared, options).unwrap();
    let process = controller.join(Level(3)).unwrap();
    let stream = controller.open(process).unwrap();
    (controller, process, stream)
}

fn usual() -> (C, ProcessId, StreamId) {
    controller(declared(), Options::default())
}

fn capture(c: &mut C, process: ProcessId, stream: StreamId, work: &[Work<u32>]) -> Order {
    let orders = work.iter().map(|work| c.captured(process, stream, *work).unwrap());
    orders.last().unwrap()
}

fn kernels(count: u32) -> Vec<Work<u32>> {
    (0..count).map(|n| Work::kernel(n, YES)).collect()
}

/// Submits everything that may be.
fn submit(c: &mut C, process: ProcessId) -> Vec<Handle> {
    let mut all = Vec::new();
    while let Some(Command::Submit { handle, .. }) = c.next(process).unwrap() {
        c.submitted(handle).unwrap();
        all.push(handle);
    }
    all
}

fn begin(c: &mut C, process: ProcessId, way: Way) -> Option<Command> {
    assert_eq!(c.preempt(process, way, None), Ok(Preempted::Begun));
    c.next(process).unwrap()
}

fn payloads(c: &C, handles: &[Handle]) -> Vec<u32> {
    handles.iter().map(|&handle| *c.payload(handle).unwrap()).collect()
}

#[test]
fn wishes_that_change_nothing_say_so() {
    let (mut c, p, s) = usual();
    assert_eq!(c.resume(p), Ok(Resumed::Running), "a resume without a preempt");
    capture(&mut c, p, s, &kernels(1));
    let flying = submit(&mut c, p);
    let Some(Command::Raise { .. }) = begin(&mut c, p, Way::Flag) else { panic!() };
    for way in [Way::Wait, Way::Reset, Way::Switch] {
        assert_eq!(c.preempt(p, way, None), Ok(Preempted::Already), "the way stays");
    }
    assert_eq!(c.raised(p), Ok(Verdict::NotAsked));
    assert_eq!(c.resume(p), Ok(Resumed::Waits));
    assert_eq!(c.resume(p), Ok(Resumed::Waits));
    assert_eq!(c.preempt(p, Way::Flag, None), Ok(Preempted::ResumeCancelled));
    assert_eq!(c.preempt(p, Way::Flag, None), Ok(Preempted::Already));
    assert_eq!(c.exited(flying[0]), Ok(Exit::Flagged));
    assert_eq!(c.next(p), Ok(Some(Command::Drained { process: p, resumed: false })));
    assert_eq!(c.phase(p), Ok(Phase::Preempted), "the latest wish won");
    assert_eq!(c.preempt(p, Way::Flag, None), Ok(Preempted::Already));
    assert_eq!(c.next(p), Ok(None));
    assert_eq!(c.resume(p), Ok(Resumed::Now));
    assert_eq!(c.resume(p), Ok(Resumed::Running));
}

#[test]
fn a_preempt_right_after_a_resume_undoes_and_begins_again() {
    let (mut c, p, _) = usual();
    let Some(Command::Save { .. }) = begin(&mut c, p, Way::Switch) else { panic!() };
    c.drained(p).unwrap();
    assert_eq!(c.next(p), Ok(Some(Command::Drained { process: p, resumed: false })));
    assert_eq!(c.resume(p), Ok(Resumed::Now));
    // Not asked in between: what was saved is restored before anything is held.
    assert_eq!(begin(&mut c, p, Way::Drain), Some(Command::Restore { process: p }));
    assert_eq!(c.next(p), Ok(Some(Command::Hold { process: p })));
    c.drained(p).unwrap();
    assert_eq!(c.resume(p), Ok(Resumed::Waits), "nobody was told yet that it is complete");
    assert_eq!(c.next(p), Ok(Some(Command::Drained { process: p, resumed: true })));
    assert_eq!(c.next(p), Ok(Some(Command::Release { process: p })));
    assert_eq!(c.next(p), Ok(None));
}

#[test]
fn reports_that_cannot_be_true_are_refused_and_change_nothing() {
    let (mut c, p, s) = usual();
    capture(&mut c, p, s, &kernels(3));
    let flying = submit(&mut c, p);
    assert_eq!(c.finished(flying[1]), Ok(1));
    let gone = flying[1];
    let not = Err(Error::NotInRuntime { handle: gone });
    assert_eq!(c.finished(gone).map(drop), not);
    assert_eq!(c.exited(gone).map(drop), not);
    assert_eq!(c.killed(gone), not);
    assert_eq!(c.started(gone), not);
    assert_eq!(c.not_submitted(gone), not);
    assert_eq!(c.submitted(gone), Ok(()), "a call that returns late");
    let mut ahead = c.clone();
    capture(&mut ahead, p, s, &kernels(1));
    let never = submit(&mut ahead, p)[0];
    assert_eq!(c.submitted(never), Err(Error::NotInRuntime { handle: never }));
    let why = Err(Error::NotInRuntime { handle: flying[0] });
    assert_eq!(c.not_submitted(flying[0]), why, "it was");
    assert_eq!(c.killed(flying[0]), Err(Error::NoReset { handle: flying[0] }));
    assert_eq!(c.raised(p), Err(Error::NotTold { process: p, what: "to raise a flag" }));
    let what = "to reset, hold or save";
    assert_eq!(c.drained(p), Err(Error::NotTold { process: p, what }));
    let (nobody, nowhere) = (ProcessId(7), StreamId(1));
    let unknown = Error::NoProcess { process: nobody };
    assert_eq!(c.next(nobody), Err(unknown));
    assert_eq!(c.preempt(nobody, Way::Wait, None), Err(unknown));
    assert_eq!(c.preempt(p, Way::Wait, Some(nobody)), Err(unknown));
    assert_eq!(c.resume(nobody), Err(unknown));
    assert_eq!(c.captured(nobody, s, kernels(1)[0]), Err(unknown));
    let no_stream = Error::NoStream { process: p, stream: nowhere };
    assert_eq!(c.captured(p, nowhere, kernels(1)[0]), Err(no_stream));
    assert_eq!((c.in_flight(p), c.buffered(p)), (Ok(2), Ok(0)));
    assert_eq!((c.finished(flying[2]), c.finished(flying[0])), (Ok(2), Ok(0)), "in any order");
}

#[test]
fn what_leaves_unasked_waits_at_its_place() {
    let (mut c, p, s) = usual();
    capture(&mut c, p, s, &kernels(4));
    let flying = submit(&mut c, p);
    // In the wrong order, too.
    for at in [2, 0, 1] {
        assert_eq!(c.exited(flying[at]), Ok(Exit::Unasked));
    }
    let again = submit(&mut c, p);
    assert_eq!(payloads(&c, &again), [0, 1, 2]);
    assert_eq!(c.in_flight(p), Ok(4));
}

#[test]
fn a_launch_that_ends_before_its_submit_call_returns() {
    let (mut c, p, s) = usual();
    capture(&mut c, p, s, &kernels(2));
    let Some(Command::Submit { handle, .. }) = c.next(p).unwrap() else { panic!() };
    assert_eq!(c.finished(handle), Ok(0));
    assert_eq!(c.submitted(handle), Ok(()));
    assert!(
        matches!(begin(&mut c, p, Way::Flag), Some(Command::Raise { .. })),
        "nothing is waited for"
    );
}

#[test]
fn the_order_is_that_of_the_program_over_all_streams() {
    let (mut c, p, a) = controller(declared(), Options { window: 3, ..Options::default() });
    let b = c.open(p).unwrap();
    for (stream, name) in [(a, 0), (b, 1), (b, 2), (a, 3), (b, 4)] {
        c.captured(p, stream, Work::kernel(name, YES)).unwrap();
    }
    let flying = submit(&mut c, p);
    assert_eq!(payloads(&c, &flying), [0, 1, 2]);
    let Some(Command::Raise { .. }) = begin(&mut c, p, Way::Flag) else { panic!() };
    let _ = c.raised(p).unwrap();
    for at in [1, 2] {
        let _ = c.exited(flying[at]).unwrap();
    }
    assert_eq!(c.finished(flying[0]), Ok(0), "both streams are one process");
    assert_eq!(c.resume(p), Ok(Resumed::Waits));
    assert_eq!(c.next(p), Ok(Some(Command::Drained { process: p, resumed: true })));
    assert_eq!(c.next(p), Ok(Some(Command::Lower { process: p })));
    let again = submit(&mut c, p);
    assert_eq!(payloads(&c, &again), [1, 2, 3]);
}

#[test]
fn a_way_that_the_runtime_lacks_is_answered_as_such() {
    let only = |abilities| controller(Declared { abilities, ..declared() }, Options::default());
    for missing in Way::ALL {
        let all = Abilities::ALL;
        let abilities = match missing {
            Way::Wait => Abilities::NONE,
            Way::Flag => Abilities { can_flag: false, can_reset: false, ..all },
            Way::Drain => Abilities { can_drain: false, ..all },
            Way::Reset => Abilities { can_reset: false, ..all },
            Way::Switch => Abilities { can_switch: false, ..all },
        };
        let (mut c, p, _) = only(abilities);
        let became = c.preempt(p, missing, None).unwrap();
        let wanted =
            if missing == Way::Wait { Preempted::Begun } else { Preempted::Missing(missing) };
        assert_eq!(became, wanted);
        let running = c.phase(p) == Ok(Phase::Running);
        assert_eq!(running, missing != Way::Wait, "nothing has changed");
    }
    let abilities = Abilities { can_reset: true, ..Abilities::NONE };
    let declared = Declared { abilities, ..declared() };
    let refused = Controller::<u32>::new(declared, Options::default());
    assert_eq!(refused.map(drop), Err(Error::ResetWithoutFlag));
    let options = Options { window: 0, ..Options::default() };
    let refused = Controller::<u32>::new(Declared::default(), options);
    assert_eq!(refused.map(drop), Err(Error::NoWindow));
}

#[test]
fn only_a_more_urgent_process_preempts_on_its_own_behalf() {
    let (mut c, victim, s) = usual();
    let equal = c.join(Level(3)).unwrap();
    let urgent = c.join(Level(2)).unwrap();
    let lesser = c.join(Level(4)).unwrap();
    capture(&mut c, victim, s, &kernels(1));
    submit(&mut c, victim);
    for by in [victim, equal, lesser] {
        assert_eq!(c.preempt(victim, Way::Flag, Some(by)), Ok(Preempted::NotOutranked));
        assert_eq!(c.phase(victim), Ok(Phase::Running));
    }
    assert_eq!(c.preempt(victim, Way::Flag, Some(urgent)), Ok(Preempted::Begun));
    // A10: its flag is nobody else's.
    let stream = c.open(urgent).unwrap();
    capture(&mut c, urgent, stream, &kernels(2));
    assert!(
        matches!(c.next(victim), Ok(Some(Command::Raise { process, .. })) if process == victim)
    );
    assert_eq!(submit(&mut c, urgent).len(), 2, "the urgent one goes on");
    assert_eq!((c.flag(urgent), c.phase(urgent)), (Ok(None), Ok(Phase::Running)));
}

#[test]
fn copies_are_neither_flagged_nor_overtaken() {
    let (mut c, p, s) = usual();
    let mut work = kernels(5);
    work[2] = Work::opaque(2);
    capture(&mut c, p, s, &work);
    let flying = submit(&mut c, p);
    let raise = begin(&mut c, p, Way::Reset);
    // What stands in front of the copy runs too, or the copy would run before it.
    assert_eq!(raise, Some(Command::Raise { process: p, cut: Cut { from: 3, to: 5 } }));
    let why = NoReset::NotFlagged(flying[0]);
    assert_eq!(c.raised(p), Ok(Verdict::NoReset(why)));
    assert_eq!(c.next(p), Ok(None));
}

#[test]
fn where_workgroups_look_by_themselves_only_what_may_run_again_is_flagged() {
    let (mut c, p, s) = controller(Declared { latched: false, ..declared() }, Options::default());
    let verdicts = [YES, NO, YES, Idempotence::Unknown, YES, YES];
    let work: Vec<_> = (0..).zip(verdicts).map(|(n, verdict)| Work::kernel(n, verdict)).collect();
    capture(&mut c, p, s, &work);
    submit(&mut c, p);
    let raise = begin(&mut c, p, Way::Flag);
    assert_eq!(raise, Some(Command::Raise { process: p, cut: Cut { from: 4, to: 6 } }));
}

#[test]
fn a_synchronise_waits_for_queue_and_runtime() {
    let (mut c, p, s) = usual();
    let first = capture(&mut c, p, s, &kernels(1));
    let last = capture(&mut c, p, s, &kernels(1));
    let flying = submit(&mut c, p);
    let reached = |c: &C| (c.reached(p, first).unwrap(), c.reached(p, last).unwrap());
    assert_eq!(reached(&c), (false, false));
    let Some(Command::Raise { .. }) = begin(&mut c, p, Way::Flag) else { panic!() };
    let _ = c.raised(p).unwrap();
    c.finished(flying[0]).unwrap();
    let _ = c.exited(flying[1]).unwrap();
    assert_eq!(reached(&c), (true, false), "in the queue again");
    let later = capture(&mut c, p, s, &kernels(1));
    c.next(p).unwrap();
    assert_eq!(c.resume(p), Ok(Resumed::Now));
    c.next(p).unwrap();
    let again = submit(&mut c, p);
    c.finished(again[0]).unwrap();
    assert_eq!(reached(&c), (true, true), "what came later is not waited for");
    assert_eq!(c.reached(p, later), Ok(false));
}

#[test]
fn a_reset_of_the_device_looks_at_everybody() {
    let whole = Declared { scope: Scope::Device, ..declared() };
    let (mut c, p, s) = controller(whole, Options::default());
    let other = c.join(Level(0)).unwrap();
    let lane = c.open(other).unwrap();
    let third = c.join(Level(0)).unwrap();
    let idle_lane = c.open(third).unwrap();
    capture(&mut c, p, s, &kernels(1));
    capture(&mut c, other, lane, &kernels(1));
    let mine = submit(&mut c, p);
    let theirs = submit(&mut c, other);
    let Some(Command::Raise { .. }) = begin(&mut c, p, Way::Reset) else { panic!() };
    assert_eq!(c.raised(p), Ok(Verdict::NoReset(NoReset::OtherProcess(other))));
    // It runs to its end; then both are preempted, and everything may be killed.
    c.finished(mine[0]).unwrap();
    c.next(p).unwrap();
    let _ = c.resume(p).unwrap();
    capture(&mut c, p, s, &kernels(1));
    c.next(p).unwrap();
    let mine = submit(&mut c, p);
    let Some(Command::Raise { .. }) = begin(&mut c, other, Way::Flag) else { panic!() };
    assert_eq!(c.raised(other), Ok(Verdict::NotAsked));
    let Some(Command::Raise { .. }) = begin(&mut c, p, Way::Reset) else { panic!() };
    assert_eq!(c.raised(p), Ok(Verdict::Reset));
    // Nobody submits what would be hit.
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
    for scope in [Scope::Process, Scope::Device] {
        let (mut c, p, s) = controller(Declared { scope, ..declared() }, Options::default());
        let other = c.join(Level(3)).unwrap();
        let lane = c.open(other).unwrap();
        capture(&mut c, p, s, &kernels(2));
        capture(&mut c, other, lane, &kernels(1));
        let flying = submit(&mut c, p);
        let Some(Command::Raise { .. }) = begin(&mut c, p, Way::Reset) else { panic!() };
        assert_eq!(c.raised(p), Ok(Verdict::Reset));
        // One of the two has: the reset comes.
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

/// Two processes with one launch in the runtime each; the second one leaves by the flag alone.
fn one_leaves(scope: Scope) -> (C, [Handle; 2]) {
    let (mut c, p, s) = controller(Declared { scope, ..declared() }, Options::default());
    let other = c.join(Level(3)).unwrap();
    let lane = c.open(other).unwrap();
    let [mine, theirs] = [(p, s), (other, lane)].map(|(process, stream)| {
        capture(&mut c, process, stream, &kernels(1));
        submit(&mut c, process)[0]
    });
    let Some(Command::Raise { .. }) = begin(&mut c, other, Way::Flag) else { panic!() };
    assert_eq!(c.raised(other), Ok(Verdict::NotAsked));
    (c, [mine, theirs])
}

#[test]
fn nothing_was_killed_before_the_reset_was_commanded_or_by_that_of_another_process() {
    for scope in [Scope::Process, Scope::Device] {
        let (mut c, [mine, theirs]) = one_leaves(scope);
        let (p, other) = (mine.process, theirs.process);
        let refused = |c: &mut C, handle: Handle| {
            assert_eq!(c.killed(handle), Err(Error::NoReset { handle }), "{scope:?}");
            let process = handle.process;
            assert_eq!((c.in_flight(process), c.buffered(process)), (Ok(1), Ok(0)), "{scope:?}");
        };
        let Some(Command::Raise { .. }) = begin(&mut c, p, Way::Reset) else { panic!() };
        assert_eq!(c.raised(p), Ok(Verdict::Reset));
        // Decided on, and the driver does not know of it yet.
        refused(&mut c, mine);
        refused(&mut c, theirs);
        assert_eq!(c.next(p), Ok(Some(Command::Reset { process: p })), "{scope:?}");
        if scope == Scope::Process {
            refused(&mut c, theirs);
            c.killed(mine).unwrap();
        } else {
            // Reported or not by the end of the reset: only its own may still be said to be killed.
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
    let whole = Declared { scope: Scope::Device, ..declared() };
    let (mut c, a, lane_a) = controller(whole, Options::default());
    let b = c.join(Level(3)).unwrap();
    let lane_b = c.open(b).unwrap();
    capture(&mut c, a, lane_a, &kernels(2));
    let flying = submit(&mut c, a);
    let Some(Command::Raise { .. }) = begin(&mut c, a, Way::Reset) else { panic!() };
    assert_eq!(c.raised(a), Ok(Verdict::Reset));
    assert_eq!(c.next(a), Ok(Some(Command::Reset { process: a })));
    c.killed(flying[0]).unwrap();
    c.drained(a).unwrap();
    // The second one starts now, and leaves.
    assert_eq!(c.next(a), Ok(None));
    capture(&mut c, b, lane_b, &kernels(1));
    let theirs = submit(&mut c, b);
    let Some(Command::Raise { .. }) = begin(&mut c, b, Way::Reset) else { panic!() };
    assert_eq!(c.raised(b), Ok(Verdict::Reset), "all that would be hit may be killed");
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

/// Preempts and resumes for as long as the one launch is killed; how often that was.
fn kills(most_kills: Option<u32>, rounds: u32) -> u32 {
    let (mut c, p, s) = controller(declared(), Options { most_kills, ..Options::default() });
    capture(&mut c, p, s, &kernels(1));
    let mut kills = 0;
    for _ in 0..rounds {
        let flying = submit(&mut c, p);
        c.started(flying[0]).unwrap();
        let Some(Command::Raise { .. }) = begin(&mut c, p, Way::Reset) else { panic!() };
        match c.raised(p).unwrap() {
            Verdict::Reset => {
                kills += 1;
                c.next(p).unwrap();
                c.killed(flying[0]).unwrap();
                c.drained(p).unwrap();
            }
            Verdict::NoReset(why) => {
                assert_eq!(why, NoReset::KilledOften(flying[0]));
                c.finished(flying[0]).unwrap();
                return kills;
            }
            Verdict::NotAsked => panic!(),
        }
        c.next(p).unwrap();
        let _ = c.resume(p).unwrap();
        c.next(p).unwrap();
    }
    kills
}

#[test]
fn minimum_progress_is_off_by_default_and_ends_the_killing() {
    assert_eq!(Options::default().most_kills, None);
    assert_eq!(kills(None, 50), 50, "by the seed, for ever");
    assert_eq!([0, 1, 3].map(|most| kills(Some(most), 50)), [0, 1, 3]);
}

/// A launch leaves by the flag twice, and may be stopped so often; the flag that goes up the third time.
fn third_flag(started: bool, latched: bool) -> Cut {
    let options = Options { most_kills: Some(2), ..Options::default() };
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
    let Some(Command::Raise { cut, .. }) = begin(&mut c, p, Way::Flag) else { panic!() };
    cut
}

#[test]
fn an_exit_counts_as_a_kill_of_what_was_said_to_have_started_and_may_stop_part_way() {
    let leaves = Cut { from: 2, to: 3 };
    assert_eq!(third_flag(false, false), leaves, "it had not begun");
    assert_eq!(third_flag(true, true), leaves, "it left as a whole");
    assert_eq!(third_flag(true, false), Cut { from: 3, to: 3 }, "its third run is the last");
}

#[test]
fn processes_leave_when_nothing_of_them_is_under_way() {
    let (mut c, p, s) = usual();
    capture(&mut c, p, s, &kernels(2));
    let flying = submit(&mut c, p);
    assert_eq!(c.leave(p), Err(Error::Busy { process: p }));
    c.finished(flying[0]).unwrap();
    c.finished(flying[1]).unwrap();
    let _ = c.preempt(p, Way::Flag, None).unwrap();
    assert_eq!(c.leave(p), Err(Error::Busy { process: p }));
    c.next(p).unwrap();
    let _ = c.raised(p).unwrap();
    c.next(p).unwrap();
    assert_eq!(c.leave(p), Err(Error::Busy { process: p }), "its flag is still raised");
    let _ = c.resume(p).unwrap();
    assert_eq!(c.leave(p), Err(Error::Busy { process: p }), "nobody was told to lower it yet");
    assert!(matches!(c.next(p), Ok(Some(Command::Lower { .. }))));
    assert_eq!(c.leave(p), Ok(()));
    assert_eq!(c.leave(p), Err(Error::NoProcess { process: p }));
    assert_eq!(c.finished(flying[0]), Err(Error::NoProcess { process: p }));
    let again = c.join(Level(1)).unwrap();
    assert_eq!(again, p, "the lowest id that is free");
    assert_eq!(
        c.captured(again, s, kernels(1)[0]).map(drop),
        Err(Error::NoStream { process: p, stream: s })
    );
    assert_eq!(c.level(again), Ok(Level(1)));
}

/// Preempts by the flag, hears that all that flies has left, and goes on; the flag that was raised.
fn flagged(c: &mut C, p: ProcessId, flying: &[Handle]) -> Cut {
    let Some(Command::Raise { cut, .. }) = begin(c, p, Way::Flag) else { panic!() };
    assert_eq!(c.raised(p), Ok(Verdict::NotAsked));
    for &handle in flying {
        assert_eq!(c.exited(handle), Ok(Exit::Flagged));
    }
    assert_eq!(c.next(p), Ok(Some(Command::Drained { process: p, resumed: false })));
    assert_eq!(c.resume(p), Ok(Resumed::Now));
    assert_eq!(c.next(p), Ok(Some(Command::Lower { process: p })));
    cut
}

#[test]
fn what_was_said_to_a_process_that_has_left_means_nothing_to_the_next_one_of_its_id() {
    let (mut c, p, s) = usual();
    let order = capture(&mut c, p, s, &kernels(3));
    let old = submit(&mut c, p);
    let cut = flagged(&mut c, p, &old);
    // It leaves with three launches that were never submitted again: they are dropped.
    assert_eq!(c.buffered(p), Ok(3));
    assert_eq!(c.leave(p), Ok(()));
    assert_eq!(c.join(Level(3)), Ok(p));
    assert_eq!(c.reached(p, order), Ok(true), "nothing of the one before is under way");
    assert_eq!(c.open(p), Ok(s));
    let fresh = capture(&mut c, p, s, &kernels(3));
    assert!(fresh > order && c.reached(p, order) == Ok(true) && c.reached(p, fresh) == Ok(false));
    // Not acknowledged yet: a late report must not do it.
    let mut new = Vec::new();
    while let Some(Command::Submit { handle, .. }) = c.next(p).unwrap() {
        new.push(handle);
    }
    assert_eq!(payloads(&c, &new), [0, 1, 2], "its own");
    for &handle in &old {
        let not = Error::NotInRuntime { handle };
        assert_eq!(c.payload(handle), None);
        assert_eq!(c.submitted(handle), Ok(()), "a call that returns late");
        assert_eq!((c.started(handle), c.not_submitted(handle)), (Err(not), Err(not)));
        assert_eq!((c.finished(handle), c.exited(handle)), (Err(not), Err(not)));
        assert_eq!(c.killed(handle), Err(not));
    }
    assert_eq!((c.in_flight(p), c.buffered(p)), (Ok(3), Ok(0)));
    assert!(begin(&mut c, p, Way::Flag).is_none(), "three submit calls have not returned");
    for &handle in &new {
        assert!(!cut.holds(handle.sequence), "the flag of before, seen late to be lowered");
        c.submitted(handle).unwrap();
    }
    let raise = c.next(p).unwrap();
    let Some(Command::Raise { cut: next, .. }) = raise else { panic!("{raise:?}") };
    assert!(old.iter().all(|old| !next.holds(old.sequence)) && next.holds(new[0].sequence));
    // A third one, too, and one that never submitted anything changes no numbers.
    let _ = c.raised(p).unwrap();
    for &handle in &new {
        let _ = c.exited(handle).unwrap();
    }
    c.next(p).unwrap();
    let _ = c.resume(p).unwrap();
    c.next(p).unwrap();
    for _ in 0..2 {
        c.leave(p).unwrap();
        assert_eq!(c.join(Level(0)), Ok(p));
    }
    c.open(p).unwrap();
    capture(&mut c, p, s, &kernels(1));
    let third = submit(&mut c, p)[0];
    assert_eq!(third.sequence, new[2].sequence + 1);
}

/// One line for every tick at which a small run is preempted: what was killed, what left, latency,
/// end. Changes where any comparison is off by one.
#[test]
fn small_runs_at_a_glance() {
    let mut table = String::from("three launches of 3 ticks, resumed 1 tick after; exit 1\n");
    for (name, not) in [("all idempotent", 9), ("k0 not", 0), ("k1 not", 1), ("k2 not", 2)] {
        for (window, reset) in [(1, 0), (2, 2), (3, 2), (8, 9)] {
            writeln!(table, "\n{name}, window {window}, reset {reset}").unwrap();
            for preempt in 0..=10 {
                let launch = |n| Launch {
                    at: Tick(0),
                    ticks: 3,
                    idempotent: if n == not { NO } else { YES },
                };
                let launches: Vec<_> = (0..3).map(launch).collect();
                let setup = Setup { window, reset, can_reset: true, ..Setup::default() };
                let wishes = [(preempt, Wish::Preempt), (preempt + 1, Wish::Resume)];
                let (log, outcome) = play(setup, &launches, &wishes);
                let mut line = String::new();
                for (at, step) in &log {
                    match step {
                        Step::Reset(killed) => {
                            let killed = killed.map_or("-".to_owned(), |k| format!("k{k}"));
                            write!(line, " kill {killed}").unwrap();
                        }
                        Step::Exited(k) => write!(line, " exit k{k}@{at}").unwrap(),
                        _ => {}
                    }
                }
                let (latency, end) = (outcome.latencies[0], log.last().unwrap().0);
                assert_eq!(outcome.done, [0, 1, 2]);
                writeln!(table, "at {preempt:>2}: latency {latency}, end {end:>2}{line}").unwrap();
            }
        }
    }
    insta::assert_snapshot!("small-runs", table);
}

#[test]
fn messages_say_what_to_do() {
    let (process, stream) = (ProcessId(1), StreamId(2));
    let (mut c, p, s) = usual();
    capture(&mut c, p, s, &kernels(1));
    let handle = submit(&mut c, p)[0];
    let all = [
        Error::NoWindow,
        Error::ResetWithoutFlag,
        Error::TooManyProcesses,
        Error::TooManyStreams { process },
        Error::NoProcess { process },
        Error::NoStream { process, stream },
        Error::Busy { process },
        Error::NotInRuntime { handle },
        Error::NoReset { handle },
        Error::NotTold { process, what: "to raise a flag" },
        Error::NoTicks { launch: 4 },
        Error::NoExit,
        Error::LaunchOrder { launch: 4 },
        Error::CommandOrder { command: 4 },
        Error::Time { launch: Some(4) },
        Error::Time { launch: None },
        Error::Steps { most: 9 },
    ];
    let lines: Vec<String> = all.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!("messages", lines.join("\n"));
}

#[test]
fn a_malformed_run_is_refused() {
    let ok = Launch { at: Tick(5), ticks: 1, idempotent: YES };
    let run = |setup, launches: &[Launch], wishes: &[(Tick, Wish)]| {
        raddle_preempt::model::run(setup, launches, wishes, &mut |_, _, _| {}).map(drop)
    };
    let usual = Setup::default();
    let bad = [ok, Launch { at: Tick(4), ..ok }];
    assert_eq!(run(usual, &bad, &[]), Err(Error::LaunchOrder { launch: 1 }));
    let wishes = [(Tick(2), Wish::Resume), (Tick(1), Wish::Preempt)];
    assert_eq!(run(usual, &[ok], &wishes), Err(Error::CommandOrder { command: 1 }));
    assert_eq!(run(usual, &[Launch { ticks: 0, ..ok }], &[]), Err(Error::NoTicks { launch: 0 }));
    assert_eq!(run(Setup { exit: 0, ..usual }, &[ok], &[]), Err(Error::NoExit));
    assert_eq!(run(Setup { window: 0, ..usual }, &[ok], &[]), Err(Error::NoWindow));
    let long = [ok, Launch { ticks: u64::MAX, ..ok }];
    assert_eq!(run(usual, &long, &[]), Err(Error::Time { launch: Some(1) }));
    // Killed in time, the launch ends nowhere: only what happens is looked at.
    let reset = Setup { can_reset: true, reset: u64::MAX, ..usual };
    let preempt = [(Tick(9), Wish::Preempt)];
    assert_eq!(run(Setup { reset: 1, ..reset }, &long, &preempt), Ok(()));
    assert_eq!(run(reset, &long, &preempt), Err(Error::Time { launch: None }));
    let few = Setup { most_steps: 3, ..usual };
    assert_eq!(run(few, &[ok], &[]), Err(Error::Steps { most: 3 }));
    assert_eq!(run(Setup { most_steps: 4, ..usual }, &[ok], &[]), Ok(()));
}
