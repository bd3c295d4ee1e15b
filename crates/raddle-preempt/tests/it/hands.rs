//! Which calls do tests repeat that drive a controller call by call?

use raddle_policy::{Idempotence, Level, Preemption, ProcessId, StreamId};
use raddle_preempt::{
    Abilities, Capture, CaptureOrder, CapturedWork, Command, Controller, ControllerConfig,
    Declared, FlagCut, Heard, LaunchHandle, PreemptError, ResetScope, WishAnswer,
};

use crate::reports::{Reports as _, ResetVerdict};

pub(crate) type C = Controller<u32>;

pub(crate) const YES: Idempotence = Idempotence::Idempotent;
pub(crate) const NO: Idempotence = Idempotence::Not;

pub(crate) fn declared() -> Declared {
    let scope = ResetScope::Process;
    Declared { abilities: Abilities::ALL, latched: true, withdraws: false, scope }
}

pub(crate) fn controller(
    declared: Declared,
    options: ControllerConfig,
) -> (C, ProcessId, StreamId) {
    let mut controller = Controller::new(declared, options).unwrap();
    let process = controller.join(Level(3)).unwrap();
    let stream = controller.open(process).unwrap();
    (controller, process, stream)
}

pub(crate) fn usual() -> (C, ProcessId, StreamId) {
    controller(declared(), ControllerConfig::default())
}

pub(crate) fn capture(
    c: &mut C,
    process: ProcessId,
    stream: StreamId,
    work: &[CapturedWork<u32>],
) -> CaptureOrder {
    let orders = work.iter().map(|work| order(c.captured(process, stream, *work)));
    orders.last().unwrap()
}

/// Returns the order of capture of work that must have been captured.
pub(crate) fn order(captured: Result<Capture<u32>, PreemptError>) -> CaptureOrder {
    captured.unwrap().order().unwrap()
}

/// Returns the raised flag of a stream: the range of submissions that leave.
pub(crate) fn cut(c: &C, process: ProcessId, stream: StreamId) -> FlagCut {
    c.cut(process, stream).unwrap().unwrap()
}

pub(crate) fn kernels(count: u32) -> Vec<CapturedWork<u32>> {
    (0..count).map(|n| CapturedWork::kernel(n, YES)).collect()
}

/// Submits all launches of a process that the controller lets go, and returns their handles.
pub(crate) fn submit(c: &mut C, process: ProcessId) -> Vec<LaunchHandle> {
    let mut all = Vec::new();
    while let Some(Command::Submit { handle, .. }) = c.next(process).unwrap() {
        c.submitted(handle).unwrap();
        all.push(handle);
    }
    all
}

pub(crate) fn begin(c: &mut C, process: ProcessId, way: Preemption) -> Option<Command> {
    assert_eq!(c.preempt(process, way, None), Ok(WishAnswer::Begun));
    c.next(process).unwrap()
}

pub(crate) fn payloads(c: &C, handles: &[LaunchHandle]) -> Vec<u32> {
    handles.iter().map(|&handle| *c.payload(handle).unwrap()).collect()
}

/// Preempts a process by the flag, reports that the launches in `flying` have left, and resumes it.
/// Returns the flag that was raised.
pub(crate) fn flagged(c: &mut C, p: ProcessId, flying: &[LaunchHandle]) -> FlagCut {
    let Some(Command::Raise { .. }) = begin(c, p, Preemption::Flag) else { panic!() };
    let cut = cut(c, p, StreamId(0));
    assert_eq!(c.raised(p), Ok(ResetVerdict::NotAsked));
    for &handle in flying {
        assert_eq!(c.exited(handle), Ok(Heard::Left));
    }
    assert_eq!(c.next(p), Ok(Some(Command::Drained { process: p, resumed: false })));
    assert_eq!(c.resume(p), Ok(WishAnswer::Begun));
    assert_eq!(c.next(p), Ok(Some(Command::Lower { process: p })));
    cut
}
