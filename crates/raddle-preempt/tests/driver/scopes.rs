//! Which launches does a reset of each scope examine, kill and hold back, also if its process dies?

use raddle_policy::{Level, ProcessId, StreamId};
use raddle_preempt::{CapturedWork, Command, NoReset, ResetScope};

use crate::hands::{C, NO, capture, controller, declared, join, kernel, submit, verdict};
use crate::refused::not_in_runtime;
use crate::reports::{Reports as _, ResetVerdict};

#[test]
fn single_streams_are_reset_where_everything_in_them_may_be_killed() {
    let mut c = controller(declared(ResetScope::Queue));
    let p = join(&mut c, 3);
    kernel(&mut c, p, 0, 0);
    capture(&mut c, p, 1, CapturedWork::kernel(1, NO));
    kernel(&mut c, p, 1, 2);
    kernel(&mut c, p, 2, 3);
    let flying = submit(&mut c, p);
    assert_eq!(verdict(&mut c, p), ResetVerdict::Reset);
    assert_eq!(c.next(p), Ok(Some(Command::Reset { process: p })));
    let hit: Vec<bool> = flying.iter().map(|handle| c.is_hit(*handle)).collect();
    assert_eq!(hit, [true, false, false, true]);
    // A reset of a wider scope is refused for such work, and a reset of single streams where no
    // stream may be killed.
    for scope in [ResetScope::Launch, ResetScope::Process, ResetScope::Device] {
        let mut c = controller(declared(scope));
        let p = join(&mut c, 2);
        kernel(&mut c, p, 0, 0);
        capture(&mut c, p, 1, CapturedWork::kernel(1, NO));
        let flying = submit(&mut c, p);
        let why = NoReset::NotIdempotent(flying[1]);
        assert_eq!(verdict(&mut c, p), ResetVerdict::NoReset(why), "{scope:?}");
    }
    let mut c = controller(declared(ResetScope::Queue));
    let p = join(&mut c, 1);
    capture(&mut c, p, 0, CapturedWork::kernel(0, NO));
    let flying = submit(&mut c, p);
    assert_eq!(verdict(&mut c, p), ResetVerdict::NoReset(NoReset::NotIdempotent(flying[0])));
}

/// Returns a controller with two processes in one part of the device and one in another part, each
/// with one launch in the runtime.
fn parts(scope: ResetScope) -> (C, [ProcessId; 3]) {
    let mut c = controller(declared(scope));
    let all = [0, 0, 1].map(|part| {
        let process = join(&mut c, 1);
        c.place(process, part).unwrap();
        kernel(&mut c, process, 0, 0);
        kernel(&mut c, process, 0, 1);
        process
    });
    (c, all)
}

#[test]
fn a_reset_of_a_partition_concerns_those_who_share_it() {
    for (scope, third_is_hit) in [(ResetScope::Partition, false), (ResetScope::Device, true)] {
        let (mut c, [a, b, other]) = parts(scope);
        submit(&mut c, a);
        assert_eq!(
            c.place(a, 2).map_err(|error| error.to_string()),
            Err(format!(
                "{a} has launches in the runtime or is preempted: report what becomes of them, resume it and take the command that undoes the preemption first"
            ))
        );
        submit(&mut c, other);
        let mut first = c.clone();
        let refused = NoReset::OtherProcess(other);
        let wanted =
            if third_is_hit { ResetVerdict::NoReset(refused) } else { ResetVerdict::Reset };
        assert_eq!(verdict(&mut c, a), wanted, "{scope:?}");
        if third_is_hit {
            continue;
        }
        // A process that shares the part of the device submits nothing meanwhile; another process
        // goes on.
        assert_eq!((c.is_due(b), c.next(b)), (Ok(false), Ok(None)));
        assert_eq!(c.next(a), Ok(Some(Command::Reset { process: a })));
        assert_eq!((c.is_due(b), c.next(b)), (Ok(false), Ok(None)));
        let theirs = c.flying(other).unwrap().map(|(handle, _)| handle).next().unwrap();
        c.finished(theirs).unwrap();
        kernel(&mut c, other, 0, 2);
        assert_eq!(submit(&mut c, other).len(), 1);
        c.drained(a).unwrap();
        assert_eq!(submit(&mut c, b).len(), 2);
        submit(&mut first, b);
        let why = NoReset::OtherProcess(b);
        assert_eq!(verdict(&mut first, a), ResetVerdict::NoReset(why));
    }
}

#[test]
fn who_dies_gives_everything_back_and_harms_nobody() {
    let mut c = controller(declared(ResetScope::Device));
    let dies = join(&mut c, 2);
    for n in 0..12 {
        kernel(&mut c, dies, n % 2, n);
    }
    let flying = submit(&mut c, dies);
    let _ = c.exited(flying[3]).unwrap();
    let other = join(&mut c, 1);
    kernel(&mut c, other, 0, 90);
    assert_eq!(
        c.leave(dies).map_err(|error| error.to_string()),
        Err(format!(
            "{dies} has launches in the runtime or is preempted: report what becomes of them, resume it and take the command that undoes the preemption first"
        ))
    );
    assert_eq!(c.lost(dies), Ok((0..12).collect()), "in the order of the program");
    let gone = format!("{dies} is not there: let it join first");
    assert_eq!(c.finished(flying[0]).map_err(|error| error.to_string()), Err(gone.clone()));
    assert_eq!(c.lost(dies).map_err(|error| error.to_string()), Err(gone.clone()));
    assert_eq!(submit(&mut c, other).len(), 1);
    // The next process that joins gets another id while the reset is not over.
    assert_eq!(c.join(Level(0)), Ok(dies));
    assert_eq!(c.open(dies), Ok(StreamId(0)));
    kernel(&mut c, dies, 0, 50);
    let next = submit(&mut c, dies);
    assert_eq!(next[0].sequence(), flying[7].sequence() + 1);
    assert_eq!(
        c.finished(flying[0]).map_err(|error| error.to_string()),
        Err(not_in_runtime(flying[0]))
    );
}

#[test]
fn a_reset_of_who_has_died_ends_before_its_id_is_given_again() {
    for commanded in [false, true] {
        let mut c = controller(declared(ResetScope::Device));
        let (dies, other) = (join(&mut c, 1), join(&mut c, 1));
        kernel(&mut c, dies, 0, 0);
        submit(&mut c, dies);
        assert_eq!(verdict(&mut c, dies), ResetVerdict::Reset);
        if commanded {
            assert_eq!(c.next(dies), Ok(Some(Command::Reset { process: dies })));
        }
        kernel(&mut c, other, 0, 1);
        assert_eq!(c.is_due(other), Ok(false));
        assert_eq!(c.lost(dies), Ok(vec![0]));
        // A reset that was commanded goes on after its process has died; one that was only decided
        // on does not.
        assert_eq!(c.is_due(other), Ok(!commanded));
        if commanded {
            assert_eq!(
                c.join_as(dies, Level(0)).map_err(|error| error.to_string()),
                Err(format!(
                    "{dies} is there already, or its last reset is not over: give another id"
                ))
            );
            assert_eq!(
                c.phase(dies).map_err(|error| error.to_string()),
                Err(format!("{dies} is not there: let it join first"))
            );
            c.drained(dies).unwrap();
        }
        assert_eq!(submit(&mut c, other).len(), 1);
        assert_eq!(c.join_as(dies, Level(0)), Ok(()));
        assert!(c.drained(dies).is_err());
    }
}

#[test]
fn slots_are_those_of_the_window() {
    let mut c = controller(declared(ResetScope::Process));
    let p = join(&mut c, 3);
    for n in 0..40 {
        kernel(&mut c, p, n % 3, n);
    }
    for round in 0..4 {
        let flying: Vec<_> = {
            submit(&mut c, p);
            c.flying(p).unwrap().map(|(handle, _)| handle).collect()
        };
        let mut slots: Vec<u32> = flying.iter().map(|handle| handle.slot()).collect();
        slots.sort_unstable();
        assert_eq!(slots, [0, 1, 2, 3, 4, 5, 6, 7], "{round}");
        for &handle in flying.iter().skip(round).step_by(2) {
            c.finished(handle).unwrap();
        }
    }
}
