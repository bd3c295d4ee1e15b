//! Which kinds of work does a host capture, and with which data?

use raddle_policy::{Idempotence, StreamId};

/// Kind of captured work, as far as it matters for order and preemption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkKind {
    /// A kernel launch.
    Kernel,
    /// A copy or a fill of memory.
    Copy,
    /// The record of an event, which has finished when all work before it in its stream has.
    Record,
    /// A wait for an event: neither the wait nor the work behind it in its stream is submitted
    /// before the work that the wait names has finished. So a wait is never in the runtime, where
    /// it would fill the window and prevent a preemption from ending.
    Wait(AfterWork),
    /// A graph of kernels that is submitted as one launch.
    Graph,
    /// A kernel that waits on the device for its peers on other devices or in other processes. Once
    /// submitted it runs to its end, and so does the work before it in its stream; no reset hits
    /// it.
    Collective,
}

/// Work of the same process that other work waits for: usually the latest record of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AfterWork {
    /// Stream of the work that is waited for.
    pub stream: StreamId,
    /// Order of capture of the work that is waited for.
    pub order: CaptureOrder,
}

/// Work that a host captured, in the order of its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedWork<T> {
    /// Data that the driver needs to submit the work; the controller returns it when the work has
    /// finished.
    pub payload: T,
    /// Kind of the work: kernel, copy, event and so on.
    pub kind: WorkKind,
    /// Verdict whether the work may be run again (seed 001, A12); an unknown verdict counts as no.
    /// If the verdict depends on the arguments, [`judged`](crate::Controller::judged) reports it at
    /// the submission.
    pub idempotent: Idempotence,
    /// True if the work tests the preemption flag (seed 001, S1.2). Copies, events and kernels that
    /// cannot be instrumented do not.
    pub tests_flag: bool,
}

impl<T> CapturedWork<T> {
    const fn new(payload: T, kind: WorkKind, idempotent: Idempotence, tests_flag: bool) -> Self {
        Self { payload, kind, idempotent, tests_flag }
    }

    /// Returns an instrumented kernel, which tests the preemption flag.
    pub const fn kernel(payload: T, idempotent: Idempotence) -> Self {
        Self::new(payload, WorkKind::Kernel, idempotent, true)
    }

    /// Returns a copy, a fill, or a kernel that does not test the preemption flag.
    pub const fn opaque(payload: T) -> Self {
        Self::new(payload, WorkKind::Copy, Idempotence::Not, false)
    }

    /// Returns a graph; `tests_flag` is true where either all kernels of the graph leave by the
    /// preemption flag (tested by each launch at its start) or none.
    pub const fn graph(payload: T, idempotent: Idempotence, tests_flag: bool) -> Self {
        Self::new(payload, WorkKind::Graph, idempotent, tests_flag)
    }

    /// Returns the record of an event, which finishes when all work before it in its stream has.
    pub const fn record(payload: T) -> Self {
        Self::new(payload, WorkKind::Record, Idempotence::Not, false)
    }

    /// Returns a wait for an event: the wait and the work behind it are submitted when the work
    /// `after` has finished.
    pub const fn wait(payload: T, after: AfterWork) -> Self {
        Self::new(payload, WorkKind::Wait(after), Idempotence::Not, false)
    }

    /// Returns a collective: a kernel that waits on the device for its peers, and so is never taken
    /// off.
    pub const fn collective(payload: T) -> Self {
        Self::new(payload, WorkKind::Collective, Idempotence::Not, false)
    }
}

/// Number of a piece of work in the order of capture: a larger number was captured later, over all
/// processes that ever had the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaptureOrder(pub u64);

/// Answer of a controller to captured work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "work that was not taken comes back"]
pub enum Capture<T> {
    /// The controller has taken the work, which waits at the end of its stream under this order.
    Taken(CaptureOrder),
    /// The queues are full and the controller has not taken the work, which comes back here: wait
    /// until the [`generation`](crate::Controller::generation) of the process changes, and capture
    /// the work again.
    Full(CapturedWork<T>),
}

impl<T> Capture<T> {
    /// Returns the order of the work; `None` where the queues were full.
    pub fn order(self) -> Option<CaptureOrder> {
        match self {
            Self::Taken(order) => Some(order),
            Self::Full(_) => None,
        }
    }
}
