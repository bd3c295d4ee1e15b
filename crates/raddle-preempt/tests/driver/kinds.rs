//! Which kinds of work leave the runtime by the preemption flag, and which does a reset kill?

use raddle_policy::{Idempotence, Preemption};
use raddle_preempt::{
    CapturedWork, Command, Declared, FlagCut, Heard, NoReset, ResetScope, WishAnswer, WorkKind,
};

use crate::hands::{
    NO, YES, capture, controller, cut, declared, join, kernel, payloads, raise, submit,
};
use crate::refused::{no_reset, not_in_runtime};
use crate::reports::{Reports as _, ResetVerdict};

#[test]
fn a_copy_of_one_stream_disarms_no_flag_of_another() {
    let mut c = controller(declared(ResetScope::Queue));
    let p = join(&mut c, 3);
    for n in 0..7 {
        kernel(&mut c, p, 0, n);
    }
    capture(&mut c, p, 1, CapturedWork::opaque(7));
    let flying = submit(&mut c, p);
    assert_eq!(raise(&mut c, p, Preemption::Reset, &flying), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(cut(&c, p, 0), FlagCut { from: 0, to: 8 });
    assert_eq!(cut(&c, p, 1), FlagCut { from: 8, to: 8 });
    assert_eq!(cut(&c, p, 2), FlagCut { from: 8, to: 8 }, "nothing of it is there");
    assert_eq!(c.cuts(p).unwrap().count(), 1, "of the streams from which something leaves");
    assert_eq!(c.raised(p), Ok(ResetVerdict::Reset), "the copy runs on beside the reset");
    assert_eq!(c.next(p), Ok(Some(Command::Reset { process: p })));
    assert!(c.is_hit(flying[0]) && !c.is_hit(flying[7]));
    assert_eq!(c.killed(flying[7]).map_err(|error| error.to_string()), Err(no_reset(flying[7])));
}

#[test]
fn what_does_not_test_the_flag_goes_back_with_what_stands_in_front_of_it() {
    let work = || {
        [
            CapturedWork::kernel(0, YES),
            CapturedWork::opaque(1),
            CapturedWork::new(2, WorkKind::Record),
            CapturedWork::new(3, WorkKind::Graph).judged(YES, true),
        ]
    };
    for (withdraws, leaves) in [(true, vec![0, 1, 2, 3]), (false, vec![3])] {
        let mut c = controller(Declared { withdraws, ..declared(ResetScope::Process) });
        let p = join(&mut c, 1);
        for work in work() {
            capture(&mut c, p, 0, work);
        }
        let flying = submit(&mut c, p);
        assert_eq!(raise(&mut c, p, Preemption::Flag, &flying), leaves, "{withdraws}");
    }
    // The first launch of its stream may have begun, and so may a launch that was reported as
    // started.
    for started in [false, true] {
        let mut c = controller(Declared { withdraws: true, ..declared(ResetScope::Process) });
        let p = join(&mut c, 2);
        capture(&mut c, p, 0, CapturedWork::opaque(0));
        kernel(&mut c, p, 1, 1);
        capture(&mut c, p, 1, CapturedWork::opaque(2));
        kernel(&mut c, p, 1, 3);
        let flying = submit(&mut c, p);
        if started {
            c.started(flying[2]).unwrap();
        }
        let leaves = if started { vec![3] } else { vec![1, 2, 3] };
        assert_eq!(raise(&mut c, p, Preemption::Flag, &flying), leaves);
    }
}

#[test]
fn a_collective_runs_with_all_in_front_of_it_and_no_reset_hits_it() {
    let mut c = controller(Declared { withdraws: true, ..declared(ResetScope::Process) });
    let p = join(&mut c, 1);
    kernel(&mut c, p, 0, 0);
    // A collective never leaves, even if it is captured as idempotent and as testing the flag.
    let work = CapturedWork::new(1, WorkKind::Collective).judged(YES, true);
    capture(&mut c, p, 0, work);
    kernel(&mut c, p, 0, 2);
    let flying = submit(&mut c, p);
    assert_eq!(raise(&mut c, p, Preemption::Reset, &flying), [2]);
    assert!(c.claimed(flying[1]).is_err(), "nobody takes it from its peers");
    assert_eq!(c.raised(p), Ok(ResetVerdict::NoReset(NoReset::NotFlagged(flying[0]))));
}

#[test]
fn what_was_claimed_forbids_no_reset() {
    let mut c = controller(declared(ResetScope::Process));
    let p = join(&mut c, 1);
    for (n, verdict) in [(0, YES), (1, NO), (2, Idempotence::Unknown)] {
        capture(&mut c, p, 0, CapturedWork::kernel(n, verdict));
    }
    let flying = submit(&mut c, p);
    c.started(flying[0]).unwrap();
    assert!(c.claimed(flying[1]).is_err(), "no flag is raised");
    let mut unclaimed = c.clone();
    raise(&mut unclaimed, p, Preemption::Reset, &[]);
    let why = NoReset::NotIdempotent(flying[1]);
    assert_eq!(unclaimed.raised(p), Ok(ResetVerdict::NoReset(why)));
    raise(&mut c, p, Preemption::Reset, &[]);
    assert!(c.claimed(flying[0]).is_err(), "it has begun");
    flying[1..].iter().for_each(|handle| c.claimed(*handle).unwrap());
    assert_eq!(c.raised(p), Ok(ResetVerdict::Reset));
    assert_eq!(c.next(p), Ok(Some(Command::Reset { process: p })));
    // A claimed launch has not begun, so it cannot be reported as killed, even where others were.
    assert_eq!(c.killed(flying[1]).map_err(|error| error.to_string()), Err(no_reset(flying[1])));
    c.killed(flying[0]).unwrap();
    assert_eq!(c.exited(flying[1]), Ok(Heard::Left));
    assert_eq!(c.exited(flying[2]), Ok(Heard::Left));
    c.drained(p).unwrap();
    assert_eq!(c.next(p), Ok(Some(Command::Drained { process: p, resumed: false })));
}

#[test]
fn a_reset_that_would_find_nothing_that_has_begun_is_none() {
    let mut c = controller(declared(ResetScope::Process));
    let p = join(&mut c, 1);
    kernel(&mut c, p, 0, 0);
    let flying = submit(&mut c, p);
    raise(&mut c, p, Preemption::Reset, &[]);
    let mut late = c.clone();
    c.claimed(flying[0]).unwrap();
    assert_eq!(c.raised(p), Ok(ResetVerdict::NoReset(NoReset::Empty)));
    // If the launch is claimed after the verdict, the reset is not commanded.
    assert_eq!(late.raised(p), Ok(ResetVerdict::Reset));
    late.claimed(flying[0]).unwrap();
    assert_eq!((late.is_due(p), late.next(p)), (Ok(false), Ok(None)));
    assert_eq!(late.exited(flying[0]), Ok(Heard::Left));
    assert_eq!(late.next(p), Ok(Some(Command::Drained { process: p, resumed: false })));
}

#[test]
fn a_verdict_is_said_when_the_arguments_are_known() {
    for (captured, judged, reset) in [(NO, YES, true), (YES, NO, false)] {
        let mut c = controller(declared(ResetScope::Process));
        let p = join(&mut c, 1);
        capture(&mut c, p, 0, CapturedWork::kernel(0, captured));
        let Ok(Some(Command::Submit { handle, .. })) = c.next(p) else { panic!() };
        c.judged(handle, judged).unwrap();
        c.submitted(handle).unwrap();
        let late = not_in_runtime(handle);
        assert_eq!(
            c.judged(handle, captured).map_err(|error| error.to_string()),
            Err(late.clone()),
            "it is there"
        );
        raise(&mut c, p, Preemption::Reset, &[]);
        let verdict = c.raised(p).unwrap();
        assert_eq!(verdict == ResetVerdict::Reset, reset);
    }
}

#[test]
fn a_launch_that_fails_is_not_submitted_for_ever() {
    let mut c = controller(declared(ResetScope::Process));
    let p = join(&mut c, 1);
    let order = kernel(&mut c, p, 0, 0);
    kernel(&mut c, p, 0, 1);
    let Ok(Some(Command::Submit { handle, .. })) = c.next(p) else { panic!() };
    assert_eq!(c.failed(handle), Ok(0));
    assert_eq!(c.reached(p, order), Ok(true), "nobody waits for it");
    let rest = submit(&mut c, p);
    assert_eq!(payloads(&c, &rest), [1]);
    assert_eq!(c.failed(handle).map_err(|error| error.to_string()), Err(not_in_runtime(handle)));
}

#[test]
fn a_stronger_way_replaces_the_one_under_way() {
    let mut c = controller(declared(ResetScope::Process));
    let p = join(&mut c, 1);
    assert_eq!(c.escalate(p, Preemption::Reset), Ok(WishAnswer::NotPreempted));
    capture(&mut c, p, 0, CapturedWork::kernel(0, NO));
    kernel(&mut c, p, 0, 1);
    let flying = submit(&mut c, p);
    // The method is made stronger from a wait, on the way to its end.
    let _ = c.preempt(p, Preemption::Wait, None).unwrap();
    assert_eq!(c.next(p), Ok(None));
    let mut drain = c.clone();
    assert_eq!(c.escalate(p, Preemption::Wait), Ok(WishAnswer::NotStronger));
    assert_eq!(c.escalate(p, Preemption::Flag), Ok(WishAnswer::Begun));
    assert_eq!(c.next(p), Ok(Some(Command::Raise { process: p })));
    assert_eq!(c.raised(p), Ok(ResetVerdict::NotAsked));
    assert_eq!(c.escalate(p, Preemption::Drain), Ok(WishAnswer::NotStronger));
    // A reset is refused while the first launch runs, and is requested again when that has ended.
    let why = NoReset::NotIdempotent(flying[0]);
    assert_eq!(c.escalate(p, Preemption::Reset), Ok(WishAnswer::NoReset(why)));
    c.finished(flying[0]).unwrap();
    assert_eq!(c.escalate(p, Preemption::Reset), Ok(WishAnswer::Begun));
    assert_eq!(c.next(p), Ok(Some(Command::Reset { process: p })));
    assert_eq!(c.escalate(p, Preemption::Reset), Ok(WishAnswer::NotStronger), "it is under way");
    c.killed(flying[1]).unwrap();
    c.drained(p).unwrap();
    assert_eq!(c.next(p), Ok(Some(Command::Drained { process: p, resumed: false })));
    assert_eq!(c.escalate(p, Preemption::Reset), Ok(WishAnswer::NotPreempted));
    // The method goes from a drain to a switch: a resume undoes both, the switch first.
    assert_eq!(drain.escalate(p, Preemption::Drain), Ok(WishAnswer::Begun));
    assert_eq!(drain.next(p), Ok(Some(Command::Hold { process: p })));
    assert_eq!(drain.resume(p), Ok(WishAnswer::Waits));
    assert_eq!(drain.escalate(p, Preemption::Switch), Ok(WishAnswer::Begun));
    let mut both = drain.clone();
    assert_eq!(drain.next(p), Ok(Some(Command::Save { process: p })));
    drain.drained(p).unwrap();
    assert_eq!(drain.next(p), Ok(Some(Command::Drained { process: p, resumed: true })));
    assert_eq!(drain.next(p), Ok(Some(Command::Restore { process: p })));
    assert_eq!(drain.next(p), Ok(Some(Command::Release { process: p })));
    // The drain was over in the moment of the switch: there is nothing to save.
    both.drained(p).unwrap();
    assert_eq!(both.next(p), Ok(Some(Command::Drained { process: p, resumed: true })));
    assert_eq!(both.next(p), Ok(Some(Command::Release { process: p })));
}

#[test]
fn a_late_return_of_a_submit_call_makes_nothing_unstarted() {
    let declared = Declared { latched: false, ..declared(ResetScope::Process) };
    let options = raddle_preempt::ControllerConfig::default().with_most_kills(Some(1));
    let mut c = raddle_preempt::Controller::new(declared, options).unwrap();
    let p = join(&mut c, 1);
    kernel(&mut c, p, 0, 0);
    let Ok(Some(Command::Submit { handle, .. })) = c.next(p) else { panic!() };
    c.started(handle).unwrap();
    c.submitted(handle).unwrap();
    assert_eq!(c.flying(p).unwrap().collect::<Vec<_>>(), [(handle, true)]);
    // The launch was stopped part-way once, so it is spared the second time.
    assert_eq!(raise(&mut c, p, Preemption::Flag, &[handle]), [0]);
    let _ = c.raised(p).unwrap();
    let _ = c.exited(handle).unwrap();
    c.next(p).unwrap();
    let _ = c.resume(p).unwrap();
    c.next(p).unwrap();
    let again = submit(&mut c, p);
    assert_eq!(raise(&mut c, p, Preemption::Flag, &again), [0_u32; 0]);
}
