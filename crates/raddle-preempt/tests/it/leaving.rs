//! When may a process leave, and what of it reaches the next process of its id?

use raddle_policy::{Level, Preemption};
use raddle_preempt::Command;

use crate::hands::{begin, capture, cut as cut_of, flagged, kernels, payloads, submit, usual};
use crate::refused::not_in_runtime;
use crate::reports::Reports as _;

#[test]
fn processes_leave_when_nothing_of_them_is_under_way() {
    let (mut c, p, s) = usual();
    capture(&mut c, p, s, &kernels(2));
    let flying = submit(&mut c, p);
    assert_eq!(
        c.leave(p).map_err(|error| error.to_string()),
        Err(format!(
            "{p} has launches in the runtime or is preempted: report what becomes of them, resume it and take the command that undoes the preemption first"
        ))
    );
    c.finished(flying[0]).unwrap();
    c.finished(flying[1]).unwrap();
    let _ = c.preempt(p, Preemption::Flag, None).unwrap();
    assert_eq!(
        c.leave(p).map_err(|error| error.to_string()),
        Err(format!(
            "{p} has launches in the runtime or is preempted: report what becomes of them, resume it and take the command that undoes the preemption first"
        ))
    );
    c.next(p).unwrap();
    let _ = c.raised(p).unwrap();
    c.next(p).unwrap();
    assert_eq!(
        c.leave(p).map_err(|error| error.to_string()),
        Err(format!(
            "{p} has launches in the runtime or is preempted: report what becomes of them, resume it and take the command that undoes the preemption first"
        )),
        "its flag is still raised"
    );
    let _ = c.resume(p).unwrap();
    assert_eq!(
        c.leave(p).map_err(|error| error.to_string()),
        Err(format!(
            "{p} has launches in the runtime or is preempted: report what becomes of them, resume it and take the command that undoes the preemption first"
        )),
        "nobody was told to lower it yet"
    );
    assert!(matches!(c.next(p), Ok(Some(Command::Lower { .. }))));
    assert_eq!(c.leave(p), Ok(()));
    assert_eq!(
        c.leave(p).map_err(|error| error.to_string()),
        Err(format!("{p} is not there: let it join first"))
    );
    assert_eq!(
        c.finished(flying[0]).map_err(|error| error.to_string()),
        Err(format!("{p} is not there: let it join first"))
    );
    let again = c.join(Level(1)).unwrap();
    assert_eq!(again, p, "the lowest id that is free");
    assert_eq!(
        c.captured(again, s, kernels(1)[0]).map(drop).map_err(|error| error.to_string()),
        Err(format!("{p} has no {s}: open it first"))
    );
}

#[test]
fn what_was_said_to_a_process_that_has_left_means_nothing_to_the_next_one_of_its_id() {
    let (mut c, p, s) = usual();
    let order = capture(&mut c, p, s, &kernels(3));
    let old = submit(&mut c, p);
    let cut = flagged(&mut c, p, &old);
    // The process leaves with three launches that were never submitted again: they are dropped.
    assert_eq!(c.buffered(p), Ok(3));
    assert_eq!(c.leave(p), Ok(()));
    assert_eq!(c.join(Level(3)), Ok(p));
    assert_eq!(c.reached(p, order), Ok(true), "nothing of the one before is under way");
    assert_eq!(c.open(p), Ok(s));
    let fresh = capture(&mut c, p, s, &kernels(3));
    assert!(fresh > order && c.reached(p, order) == Ok(true) && c.reached(p, fresh) == Ok(false));
    // The new submissions are not acknowledged yet, and a late report of old ones must not do it.
    let mut new = Vec::new();
    while let Some(Command::Submit { handle, .. }) = c.next(p).unwrap() {
        new.push(handle);
    }
    assert_eq!(payloads(&c, &new), [0, 1, 2], "its own");
    for &handle in &old {
        let not = not_in_runtime(handle);
        assert_eq!(c.payload(handle), None);
        assert_eq!(c.submitted(handle), Ok(()), "a call that returns late");
        for told in [
            c.started(handle),
            c.not_submitted(handle),
            c.finished(handle).map(drop),
            c.exited(handle).map(drop),
        ] {
            assert_eq!(told.map_err(|error| error.to_string()), Err(not.clone()));
        }
        assert_eq!(c.killed(handle).map_err(|error| error.to_string()), Err(not.clone()));
    }
    assert_eq!((c.in_flight(p), c.buffered(p)), (Ok(3), Ok(0)));
    assert!(begin(&mut c, p, Preemption::Flag).is_none(), "three submit calls have not returned");
    for &handle in &new {
        assert!(!cut.holds(handle.sequence()), "the flag of before, seen late to be lowered");
        c.submitted(handle).unwrap();
    }
    assert_eq!(c.next(p), Ok(Some(Command::Raise { process: p })));
    let next = cut_of(&c, p, s);
    assert!(old.iter().all(|old| !next.holds(old.sequence())) && next.holds(new[0].sequence()));
    // A third process of the id, and one that never submitted anything, leave the numbers as they
    // are.
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
    assert_eq!(third.sequence(), new[2].sequence() + 1);
}
