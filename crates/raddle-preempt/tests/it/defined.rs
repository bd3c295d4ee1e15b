//! Is what the seed leaves open defined: unexpected reports, repeated wishes, copies, levels, missing
//! abilities?

use raddle_policy::{Idempotence, Level, Preemption, ProcessId, StreamId};
use raddle_preempt::{
    Abilities, CapturedWork, Command, Controller, ControllerConfig, Declared, FlagCut, Heard,
    NoReset, ProcessPhase, WishAnswer,
};

use crate::hands::{
    C, NO, YES, begin, capture, controller, cut, declared, kernels, payloads, submit, usual,
};
use crate::refused::{no_reset, not_in_runtime};
use crate::reports::{Reports as _, ResetVerdict};

#[test]
fn wishes_that_change_nothing_say_so() {
    let (mut c, p, s) = usual();
    assert_eq!(c.resume(p), Ok(WishAnswer::NotPreempted), "a resume without a preempt");
    capture(&mut c, p, s, &kernels(1));
    let flying = submit(&mut c, p);
    let Some(Command::Raise { .. }) = begin(&mut c, p, Preemption::Flag) else { panic!() };
    for way in [Preemption::Wait, Preemption::Reset, Preemption::Switch] {
        assert_eq!(c.preempt(p, way, None), Ok(WishAnswer::Already), "the way stays");
    }
    assert_eq!(c.raised(p), Ok(ResetVerdict::NotAsked));
    assert_eq!(c.resume(p), Ok(WishAnswer::Waits));
    assert_eq!(c.resume(p), Ok(WishAnswer::Waits));
    assert_eq!(c.preempt(p, Preemption::Flag, None), Ok(WishAnswer::ResumeCancelled));
    assert_eq!(c.preempt(p, Preemption::Flag, None), Ok(WishAnswer::Already));
    assert_eq!(c.exited(flying[0]), Ok(Heard::Left));
    assert_eq!(c.next(p), Ok(Some(Command::Drained { process: p, resumed: false })));
    assert_eq!(c.phase(p), Ok(ProcessPhase::Preempted), "the latest wish won");
    assert_eq!(c.preempt(p, Preemption::Flag, None), Ok(WishAnswer::Already));
    assert_eq!(c.next(p), Ok(None));
    assert_eq!(c.resume(p), Ok(WishAnswer::Begun));
    assert_eq!(c.resume(p), Ok(WishAnswer::NotPreempted));
}

#[test]
fn a_preempt_right_after_a_resume_undoes_and_begins_again() {
    let (mut c, p, _) = usual();
    let Some(Command::Save { .. }) = begin(&mut c, p, Preemption::Switch) else { panic!() };
    c.drained(p).unwrap();
    assert_eq!(c.next(p), Ok(Some(Command::Drained { process: p, resumed: false })));
    assert_eq!(c.resume(p), Ok(WishAnswer::Begun));
    // The driver requests no command in between: saved work is restored before anything is held.
    assert_eq!(begin(&mut c, p, Preemption::Drain), Some(Command::Restore { process: p }));
    assert_eq!(c.next(p), Ok(Some(Command::Hold { process: p })));
    c.drained(p).unwrap();
    assert_eq!(c.resume(p), Ok(WishAnswer::Waits), "nobody was told yet that it is complete");
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
    let not = Err(not_in_runtime(gone));
    assert_eq!(c.finished(gone).map(drop).map_err(|error| error.to_string()), not.clone());
    assert_eq!(c.exited(gone).map(drop).map_err(|error| error.to_string()), not.clone());
    assert_eq!(c.killed(gone).map_err(|error| error.to_string()), not.clone());
    assert_eq!(c.started(gone).map_err(|error| error.to_string()), not.clone());
    assert_eq!(c.not_submitted(gone).map_err(|error| error.to_string()), not.clone());
    assert_eq!(c.submitted(gone), Ok(()), "a call that returns late");
    let mut ahead = c.clone();
    capture(&mut ahead, p, s, &kernels(1));
    let never = submit(&mut ahead, p)[0];
    assert_eq!(c.submitted(never).map_err(|error| error.to_string()), Err(not_in_runtime(never)));
    let why = Err(not_in_runtime(flying[0]));
    assert_eq!(
        c.not_submitted(flying[0]).map_err(|error| error.to_string()),
        why.clone(),
        "it was"
    );
    assert_eq!(c.killed(flying[0]).map_err(|error| error.to_string()), Err(no_reset(flying[0])));
    assert_eq!(
        c.raised(p).map_err(|error| error.to_string()),
        Err(format!("nobody was told to raise a flag for {p}: report what was commanded, once"))
    );
    let what = "to reset, hold or save";
    assert_eq!(
        c.drained(p).map_err(|error| error.to_string()),
        Err(format!("nobody was told {what} for {p}: report what was commanded, once"))
    );
    let (nobody, nowhere) = (ProcessId(7), StreamId(1));
    let unknown = format!("{nobody} is not there: let it join first");
    assert_eq!(c.next(nobody).map_err(|error| error.to_string()), Err(unknown.clone()));
    assert_eq!(
        c.preempt(nobody, Preemption::Wait, None).map_err(|error| error.to_string()),
        Err(unknown.clone())
    );
    assert_eq!(
        c.preempt(p, Preemption::Wait, Some(nobody)).map_err(|error| error.to_string()),
        Err(unknown.clone())
    );
    assert_eq!(c.resume(nobody).map_err(|error| error.to_string()), Err(unknown.clone()));
    assert_eq!(
        c.captured(nobody, s, kernels(1)[0]).map_err(|error| error.to_string()),
        Err(unknown.clone())
    );
    let no_stream = format!("{p} has no {nowhere}: open it first");
    assert_eq!(
        c.captured(p, nowhere, kernels(1)[0]).map_err(|error| error.to_string()),
        Err(no_stream.clone())
    );
    assert_eq!((c.in_flight(p), c.buffered(p)), (Ok(2), Ok(0)));
    assert_eq!((c.finished(flying[2]), c.finished(flying[0])), (Ok(2), Ok(0)), "in any order");
}

#[test]
fn what_leaves_unasked_waits_at_its_place() {
    let (mut c, p, s) = usual();
    capture(&mut c, p, s, &kernels(4));
    let flying = submit(&mut c, p);
    // The launches also exit in another order than they were submitted in.
    for at in [2, 0, 1] {
        assert_eq!(c.exited(flying[at]), Ok(Heard::Unasked));
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
        matches!(begin(&mut c, p, Preemption::Flag), Some(Command::Raise { .. })),
        "nothing is waited for"
    );
}

#[test]
fn the_order_is_that_of_the_program_over_all_streams() {
    let (mut c, p, a) = controller(declared(), ControllerConfig::default().with_window(3));
    let b = c.open(p).unwrap();
    for (stream, name) in [(a, 0), (b, 1), (b, 2), (a, 3), (b, 4)] {
        let _ = c.captured(p, stream, CapturedWork::kernel(name, YES)).unwrap();
    }
    let flying = submit(&mut c, p);
    assert_eq!(payloads(&c, &flying), [0, 1, 2]);
    let Some(Command::Raise { .. }) = begin(&mut c, p, Preemption::Flag) else { panic!() };
    let _ = c.raised(p).unwrap();
    for at in [1, 2] {
        let _ = c.exited(flying[at]).unwrap();
    }
    assert_eq!(c.finished(flying[0]), Ok(0), "both streams are one process");
    assert_eq!(c.resume(p), Ok(WishAnswer::Waits));
    assert_eq!(c.next(p), Ok(Some(Command::Drained { process: p, resumed: true })));
    assert_eq!(c.next(p), Ok(Some(Command::Lower { process: p })));
    let again = submit(&mut c, p);
    assert_eq!(payloads(&c, &again), [1, 2, 3]);
}

#[test]
fn a_way_that_the_runtime_lacks_is_answered_as_such() {
    let only =
        |abilities| controller(Declared { abilities, ..declared() }, ControllerConfig::default());
    for missing in Preemption::ALL {
        let all = Abilities::ALL;
        let abilities = match missing {
            Preemption::Wait => Abilities::NONE,
            Preemption::Flag => all.with(Preemption::Flag, false).with(Preemption::Reset, false),
            Preemption::Drain => all.with(Preemption::Drain, false),
            Preemption::Reset => all.with(Preemption::Reset, false),
            Preemption::Switch => all.with(Preemption::Switch, false),
        };
        let (mut c, p, _) = only(abilities);
        let became = c.preempt(p, missing, None).unwrap();
        let wanted = if missing == Preemption::Wait {
            WishAnswer::Begun
        } else {
            WishAnswer::Missing(missing)
        };
        assert_eq!(became, wanted);
        let running = c.phase(p) == Ok(ProcessPhase::Running);
        assert_eq!(running, missing != Preemption::Wait, "nothing has changed");
    }
    let abilities = Abilities::NONE.with(Preemption::Reset, true);
    let declared = Declared { abilities, ..declared() };
    let refused = Controller::<u32>::new(declared, ControllerConfig::default());
    assert_eq!(refused.map(drop).map_err(|error| error.to_string()), Err("without a flag, what stands behind a killed launch runs before it: declare no reset, or a flag too".to_owned()));
    let options = ControllerConfig::default().with_window(0);
    let refused = Controller::<u32>::new(Declared::default(), options);
    assert_eq!(
        refused.map(drop).map_err(|error| error.to_string()),
        Err("a window of 0 lets nothing run: give at least 1".to_owned())
    );
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
        assert_eq!(c.preempt(victim, Preemption::Flag, Some(by)), Ok(WishAnswer::NotOutranked));
        assert_eq!(c.phase(victim), Ok(ProcessPhase::Running));
    }
    assert_eq!(c.preempt(victim, Preemption::Flag, Some(urgent)), Ok(WishAnswer::Begun));
    // The flag of one process holds for no other process (A10).
    let stream = c.open(urgent).unwrap();
    capture(&mut c, urgent, stream, &kernels(2));
    assert!(matches!(c.next(victim), Ok(Some(Command::Raise { process })) if process == victim));
    assert_eq!(submit(&mut c, urgent).len(), 2, "the urgent one goes on");
    assert_eq!((c.is_raised(urgent), c.phase(urgent)), (Ok(false), Ok(ProcessPhase::Running)));
}

#[test]
fn copies_are_neither_flagged_nor_overtaken() {
    let (mut c, p, s) = usual();
    let mut work = kernels(5);
    work[2] = CapturedWork::opaque(2);
    capture(&mut c, p, s, &work);
    let flying = submit(&mut c, p);
    let raise = begin(&mut c, p, Preemption::Reset);
    // Launches before the copy run too; otherwise the copy would run before them.
    assert_eq!(raise, Some(Command::Raise { process: p }));
    assert_eq!(cut(&c, p, s), FlagCut { from: 3, to: 5 });
    let why = NoReset::NotFlagged(flying[0]);
    assert_eq!(c.raised(p), Ok(ResetVerdict::NoReset(why)));
    assert_eq!(c.next(p), Ok(None));
}

#[test]
fn where_workgroups_look_by_themselves_only_what_may_run_again_is_flagged() {
    let (mut c, p, s) =
        controller(Declared { latched: false, ..declared() }, ControllerConfig::default());
    let verdicts = [YES, NO, YES, Idempotence::Unknown, YES, YES];
    let work: Vec<_> =
        (0..).zip(verdicts).map(|(n, verdict)| CapturedWork::kernel(n, verdict)).collect();
    capture(&mut c, p, s, &work);
    submit(&mut c, p);
    let raise = begin(&mut c, p, Preemption::Flag);
    assert_eq!(raise, Some(Command::Raise { process: p }));
    assert_eq!(cut(&c, p, s), FlagCut { from: 4, to: 6 });
}

#[test]
fn a_synchronise_waits_for_queue_and_runtime() {
    let (mut c, p, s) = usual();
    let first = capture(&mut c, p, s, &kernels(1));
    let last = capture(&mut c, p, s, &kernels(1));
    let flying = submit(&mut c, p);
    let reached = |c: &C| (c.reached(p, first).unwrap(), c.reached(p, last).unwrap());
    assert_eq!(reached(&c), (false, false));
    let Some(Command::Raise { .. }) = begin(&mut c, p, Preemption::Flag) else { panic!() };
    let _ = c.raised(p).unwrap();
    c.finished(flying[0]).unwrap();
    let _ = c.exited(flying[1]).unwrap();
    assert_eq!(reached(&c), (true, false), "in the queue again");
    let later = capture(&mut c, p, s, &kernels(1));
    c.next(p).unwrap();
    assert_eq!(c.resume(p), Ok(WishAnswer::Begun));
    c.next(p).unwrap();
    let again = submit(&mut c, p);
    c.finished(again[0]).unwrap();
    assert_eq!(reached(&c), (true, true), "what came later is not waited for");
    assert_eq!(c.reached(p, later), Ok(false));
}
