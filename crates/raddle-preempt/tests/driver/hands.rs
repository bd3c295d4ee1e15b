//! Which calls do tests repeat that drive a controller by hand?

use raddle_policy::{Idempotence, Level, Preemption, ProcessId, StreamId};
use raddle_preempt::{
    Abilities, CaptureOrder, CapturedWork, Command, Controller, ControllerConfig, Declared,
    FlagCut, LaunchHandle, ResetScope, WishAnswer,
};

use crate::reports::{Reports as _, ResetVerdict};

pub(crate) type C = Controller<u32>;

pub(crate) const YES: Idempotence = Idempotence::Idempotent;
pub(crate) const NO: Idempotence = Idempotence::Not;

pub(crate) fn declared(scope: ResetScope) -> Declared {
    Declared { abilities: Abilities::ALL, latched: true, withdraws: false, scope }
}

pub(crate) fn controller(declared: Declared) -> C {
    Controller::new(declared, ControllerConfig::default()).unwrap()
}

/// Adds a process with `streams` open streams, and returns its id.
pub(crate) fn join(c: &mut C, streams: u32) -> ProcessId {
    let process = c.join(Level(3)).unwrap();
    (0..streams).for_each(|stream| assert_eq!(c.open(process), Ok(StreamId(stream))));
    process
}

pub(crate) fn capture(c: &mut C, p: ProcessId, s: u32, work: CapturedWork<u32>) -> CaptureOrder {
    c.captured(p, StreamId(s), work).unwrap().order().unwrap()
}

pub(crate) fn kernel(c: &mut C, p: ProcessId, s: u32, n: u32) -> CaptureOrder {
    capture(c, p, s, CapturedWork::kernel(n, YES))
}

/// Submits all launches of a process that the controller lets go, and returns their handles.
pub(crate) fn submit(c: &mut C, p: ProcessId) -> Vec<LaunchHandle> {
    let mut all = Vec::new();
    while let Some(Command::Submit { handle, .. }) = c.next(p).unwrap() {
        c.submitted(handle).unwrap();
        all.push(handle);
    }
    all
}

pub(crate) fn payloads(c: &C, handles: &[LaunchHandle]) -> Vec<u32> {
    handles.iter().map(|&handle| *c.payload(handle).unwrap()).collect()
}

/// Preempts a process as far as the raised flag, and returns the payloads of the launches in `of`
/// that leave by it.
pub(crate) fn raise(c: &mut C, p: ProcessId, way: Preemption, of: &[LaunchHandle]) -> Vec<u32> {
    assert_eq!(c.preempt(p, way, None), Ok(WishAnswer::Begun));
    assert_eq!(c.next(p), Ok(Some(Command::Raise { process: p })));
    let leaves: Vec<_> = of.iter().copied().filter(|handle| c.leaves(*handle)).collect();
    payloads(c, &leaves)
}

pub(crate) fn cut(c: &C, p: ProcessId, s: u32) -> FlagCut {
    c.cut(p, StreamId(s)).unwrap().unwrap()
}

/// Preempts a process by a reset as far as the controller's verdict, and returns the verdict.
pub(crate) fn verdict(c: &mut C, p: ProcessId) -> ResetVerdict {
    raise(c, p, Preemption::Reset, &[]);
    c.raised(p).unwrap()
}
