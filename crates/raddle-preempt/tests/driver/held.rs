//! How do streams that are held, closed or full behave, and what do threads hear that wait for
//! them?

use raddle_policy::{Preemption, StreamId};
use raddle_preempt::{
    Capture, CaptureOrder, CapturedWork, Command, Controller, ControllerConfig, ResetScope,
    WishAnswer, WorkKind,
};

use crate::hands::{YES, capture, controller, declared, join, kernel, payloads, submit};
use crate::reports::Reports as _;

#[test]
fn a_held_stream_fills_no_window_and_keeps_no_preemption_from_its_end() {
    let mut c = controller(declared(ResetScope::Process));
    let p = join(&mut c, 2);
    kernel(&mut c, p, 0, 0);
    // The second launch is held back until the program releases it, and so are seven launches
    // behind it.
    let gated = kernel(&mut c, p, 0, 1);
    c.hold(p, StreamId(0), gated).unwrap();
    for n in 2..9 {
        kernel(&mut c, p, 0, n);
    }
    kernel(&mut c, p, 1, 9);
    let flying = submit(&mut c, p);
    assert_eq!(payloads(&c, &flying), [0, 9], "what stands in front of it, and the other stream");
    assert_eq!(c.preempt(p, Preemption::Wait, None), Ok(WishAnswer::Begun));
    for &handle in &flying {
        c.finished(handle).unwrap();
    }
    let drained = Command::Drained { process: p, resumed: false };
    assert_eq!(c.next(p), Ok(Some(drained)), "nothing waits on the device");
    let _ = c.resume(p).unwrap();
    assert_eq!(submit(&mut c, p), [], "it is still held");
    c.release(p, StreamId(0), gated).unwrap();
    assert_eq!(submit(&mut c, p).len(), 8);
    let not = "s0 of p0 is not held from there: release each hold once, by its order".to_owned();
    assert_eq!(
        c.release(p, StreamId(0), gated).map_err(|error| error.to_string()),
        Err(not.clone())
    );
}

#[test]
fn each_hold_of_a_stream_is_released_by_itself() {
    let mut c = controller(declared(ResetScope::Process));
    let p = join(&mut c, 1);
    let orders = [0, 1, 2].map(|n| kernel(&mut c, p, 0, n));
    c.hold(p, StreamId(0), orders[2]).unwrap();
    c.hold(p, StreamId(0), CaptureOrder(0)).unwrap();
    assert_eq!(submit(&mut c, p), []);
    c.release(p, StreamId(0), CaptureOrder(0)).unwrap();
    let flying = submit(&mut c, p);
    assert_eq!(payloads(&c, &flying), [0, 1]);
    // Launches that come back stand before the order from which a later hold keeps launches back.
    c.hold(p, StreamId(0), CaptureOrder(0)).unwrap();
    for &handle in &flying {
        let _ = c.exited(handle).unwrap();
    }
    assert_eq!((submit(&mut c, p).len(), c.buffered(p)), (0, Ok(3)));
    assert_eq!(c.reached(p, orders[0]), Ok(false), "held is not done");
    c.release(p, StreamId(0), orders[2]).unwrap();
    c.release(p, StreamId(0), CaptureOrder(0)).unwrap();
    assert_eq!(submit(&mut c, p).len(), 3);
    let nowhere = format!("{p} has no s7: open it first");
    assert_eq!(
        c.hold(p, StreamId(7), CaptureOrder(0)).map_err(|error| error.to_string()),
        Err(nowhere.clone())
    );
}

#[test]
fn a_wait_for_an_event_is_submitted_when_that_has_been_recorded() {
    let mut c = controller(declared(ResetScope::Process));
    let p = join(&mut c, 2);
    kernel(&mut c, p, 0, 0);
    let order = capture(&mut c, p, 0, CapturedWork::new(1, WorkKind::Record));
    let wait = |order| WorkKind::Wait { stream: StreamId(0), order };
    let after = wait(order);
    capture(&mut c, p, 1, CapturedWork::new(2, after));
    kernel(&mut c, p, 1, 3);
    let flying = submit(&mut c, p);
    assert_eq!(payloads(&c, &flying), [0, 1]);
    c.finished(flying[0]).unwrap();
    assert_eq!(submit(&mut c, p), [], "not recorded yet");
    c.finished(flying[1]).unwrap();
    let rest = submit(&mut c, p);
    assert_eq!(payloads(&c, &rest), [2, 3]);
    // A wait for an event that has been recorded, or never will be, is submitted without delay.
    capture(&mut c, p, 1, CapturedWork::new(4, after));
    assert_eq!(submit(&mut c, p).len(), 1);
    let order = capture(&mut c, p, 0, CapturedWork::new(5, WorkKind::Record));
    capture(&mut c, p, 1, CapturedWork::new(6, wait(order)));
    let record = submit(&mut c, p);
    assert_eq!((payloads(&c, &record), c.failed(record[0])), (vec![5], Ok(5)));
    assert_eq!(submit(&mut c, p).len(), 1, "who waits for what has failed goes on");
}

#[test]
fn a_stream_that_was_closed_runs_out_and_its_id_is_given_again() {
    let mut c = controller(declared(ResetScope::Process));
    let p = join(&mut c, 2);
    let order = kernel(&mut c, p, 0, 0);
    c.close(p, StreamId(0)).unwrap();
    let gone = format!("{p} has no s0: open it first");
    assert_eq!(
        c.captured(p, StreamId(0), CapturedWork::kernel(1, YES))
            .map(drop)
            .map_err(|error| error.to_string()),
        Err(gone.clone())
    );
    assert_eq!(
        c.close(p, StreamId(0)).map_err(|error| error.to_string()),
        Err(gone.clone()),
        "once"
    );
    assert_eq!(c.open(p), Ok(StreamId(2)), "something of it is left");
    let flying = submit(&mut c, p);
    let _ = c.exited(flying[0]).unwrap();
    let flying = submit(&mut c, p);
    assert_eq!(c.stream_reached(p, StreamId(0), order), Ok(false));
    assert_eq!(c.finished(flying[0]), Ok(0));
    assert_eq!(c.stream_reached(p, StreamId(0), order), Ok(true));
    c.close(p, StreamId(1)).unwrap();
    assert_eq!((c.open(p), c.open(p)), (Ok(StreamId(0)), Ok(StreamId(1))), "the lowest first");
    // Streams may be closed and opened for ever, as programs do.
    for n in 0..1000 {
        c.close(p, StreamId(1)).unwrap();
        assert_eq!(c.open(p), Ok(StreamId(1)), "{n}");
    }
}

#[test]
fn a_synchronise_of_one_stream_waits_for_no_other() {
    let mut c = controller(declared(ResetScope::Process));
    let p = join(&mut c, 2);
    for n in 0..3 {
        kernel(&mut c, p, 0, n);
    }
    let order = kernel(&mut c, p, 1, 3);
    let flying = submit(&mut c, p);
    let before = c.generation(p).unwrap();
    assert_eq!(c.stream_reached(p, StreamId(1), order), Ok(false));
    c.finished(flying[3]).unwrap();
    assert_ne!(c.generation(p).unwrap(), before, "who blocks is told");
    assert_eq!(c.stream_reached(p, StreamId(1), order), Ok(true));
    assert_eq!(c.reached(p, order), Ok(false), "the other stream has three");
}

#[test]
fn what_is_too_much_comes_back_and_there_is_room_later() {
    let options = ControllerConfig::default().with_window(2).with_most_waiting(Some(3));
    let mut c = Controller::new(declared(ResetScope::Process), options).unwrap();
    let p = join(&mut c, 2);
    let work = CapturedWork::kernel(9, YES);
    for n in 0..3 {
        kernel(&mut c, p, n % 2, n);
    }
    assert_eq!(c.captured(p, StreamId(0), work), Ok(Capture::Full(work)));
    assert_eq!(c.buffered(p), Ok(3), "nothing has changed");
    let before = c.generation(p).unwrap();
    submit(&mut c, p);
    assert_ne!(c.generation(p).unwrap(), before);
    kernel(&mut c, p, 0, 9);
    kernel(&mut c, p, 0, 10);
    assert_eq!(c.captured(p, StreamId(1), work), Ok(Capture::Full(work)), "over all streams");
}
