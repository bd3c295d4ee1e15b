//! Which kinds of work does a host capture, and with which data?

use raddle_policy::{Idempotence, StreamId};

/// Kind of captured work (work that the host issued and the controller queues). Only kinds that
/// matter for order and preemption are distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkKind {
    /// A kernel launch.
    Kernel,
    /// A copy or a fill of memory.
    Copy,
    /// The record of an event, which has finished once all work before it in its stream has
    /// finished.
    Record,
    /// A wait for an event: neither the wait nor the work behind it in its stream is submitted
    /// before the awaited work has finished. So no wait is ever in the runtime. There it would
    /// count against the limit on launches, and a preemption could not end before it.
    Wait(AfterWork),
    /// A graph of kernels that is submitted as one launch.
    Graph,
    /// A kernel that waits on the device for its peers on other devices or in other processes. Once
    /// submitted it runs to its end, and so does the work before it in its stream; no reset kills
    /// it.
    Collective,
}

/// Work that other work of the same process waits for: usually the latest record of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AfterWork {
    /// Stream of the work that is waited for.
    pub stream: StreamId,
    /// Order of capture (number among the captured work of the process) of the work that is waited
    /// for.
    pub order: CaptureOrder,
}

/// Work that a host issued and that is handed to the controller, to be queued in the order of its
/// stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedWork<T> {
    /// Data that the driver needs to submit the work; the controller returns it when the work has
    /// finished.
    pub payload: T,
    /// Kind of the work, such as kernel, copy or wait for an event.
    pub kind: WorkKind,
    /// Verdict on whether the work may be run again (seed 001, A12); unknown counts as no. If it
    /// depends on the arguments, [`judged`](crate::Controller::judged) reports it when the work is
    /// submitted.
    pub idempotent: Idempotence,
    /// True if the work tests the preemption flag at its start (seed 001, S1.2). Copies, events and
    /// kernels that cannot be instrumented do not.
    pub tests_flag: bool,
}

impl<T> CapturedWork<T> {
    const fn new(payload: T, kind: WorkKind, idempotent: Idempotence, tests_flag: bool) -> Self {
        Self { payload, kind, idempotent, tests_flag }
    }

    /// Returns the captured work for an instrumented kernel, which tests the preemption flag.
    pub const fn kernel(payload: T, idempotent: Idempotence) -> Self {
        Self::new(payload, WorkKind::Kernel, idempotent, true)
    }

    /// Returns the captured work for a copy, a fill, or a kernel that does not test the preemption
    /// flag.
    pub const fn opaque(payload: T) -> Self {
        Self::new(payload, WorkKind::Copy, Idempotence::Not, false)
    }

    /// Returns the captured work for a graph. `tests_flag` is true where all its kernels test the
    /// preemption flag at their start, false where none does.
    pub const fn graph(payload: T, idempotent: Idempotence, tests_flag: bool) -> Self {
        Self::new(payload, WorkKind::Graph, idempotent, tests_flag)
    }

    /// Returns the captured work for the record of an event, which finishes once all work before it
    /// in its stream has finished.
    pub const fn record(payload: T) -> Self {
        Self::new(payload, WorkKind::Record, Idempotence::Not, false)
    }

    /// Returns the captured work for a wait for an event: the wait and the work behind it are
    /// submitted once the work `after` has finished.
    pub const fn wait(payload: T, after: AfterWork) -> Self {
        Self::new(payload, WorkKind::Wait(after), Idempotence::Not, false)
    }

    /// Returns the captured work for a collective: a kernel that waits on the device for its peers,
    /// and so is never taken off the device.
    pub const fn collective(payload: T) -> Self {
        Self::new(payload, WorkKind::Collective, Idempotence::Not, false)
    }
}

/// Order of capture: the number of a piece of captured work of a process. Work captured later has a
/// larger number, over all processes that ever had the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaptureOrder(pub u64);

/// Answer of a controller to captured work, which the host issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "work that was not taken comes back"]
pub enum Capture<T> {
    /// The controller has accepted the work, which waits at the end of its stream under this order
    /// of capture (number among the captured work of the process).
    Taken(CaptureOrder),
    /// The queues are full and the controller has not accepted the work, which it returns here:
    /// wait until the [`generation`](crate::Controller::generation) of the process changes, then
    /// capture the work again.
    Full(CapturedWork<T>),
}

impl<T> Capture<T> {
    /// Returns the order of capture (number among the captured work of the process) of the accepted
    /// work; `None` where the queues were full.
    pub fn order(self) -> Option<CaptureOrder> {
        match self {
            Self::Taken(order) => Some(order),
            Self::Full(_) => None,
        }
    }
}
