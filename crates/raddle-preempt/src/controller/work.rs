//! What does a host capture?

use raddle_policy::{Idempotence, StreamId};

/// The kind of captured work, as far as it matters for order and preemption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkKind {
    /// A kernel.
    Kernel,
    /// A copy or a fill.
    Copy,
    /// The record of an event, which has finished when all work before it in its stream has.
    Record,
    /// A wait for an event: neither the wait nor the work behind it in its stream is submitted
    /// before the work that it names has finished. So it never waits in the runtime, where it would
    /// fill the window and prevent a preemption from ending.
    Wait(AfterWork),
    /// A graph of kernels that is submitted as one.
    Graph,
    /// A kernel that waits on the device for its peers on other devices or in other processes. Once
    /// submitted it runs to its end, and so does the work before it in its stream; no reset hits
    /// it.
    Collective,
}

/// Work of the same process that other work waits for: usually the latest record of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AfterWork {
    /// The stream of the work.
    pub stream: StreamId,
    /// The capture order of the work.
    pub order: CaptureOrder,
}

/// Work that a host captured, in the order of its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedWork<T> {
    /// The data that the driver needs to submit the work; returned when the work has finished.
    pub payload: T,
    /// The kind of the work.
    pub kind: WorkKind,
    /// The verdict whether the work may be run again (A12). Unknown counts as not. If that depends
    /// on the arguments, [`judged`](crate::Controller::judged) reports it at the submission.
    pub idempotent: Idempotence,
    /// True if the work tests the flag (S1.2). Copies, events and kernels that cannot be
    /// instrumented do not.
    pub tests_flag: bool,
}

impl<T> CapturedWork<T> {
    const fn new(payload: T, kind: WorkKind, idempotent: Idempotence, tests_flag: bool) -> Self {
        Self { payload, kind, idempotent, tests_flag }
    }

    /// Returns an instrumented kernel, which tests the flag.
    pub const fn kernel(payload: T, idempotent: Idempotence) -> Self {
        Self::new(payload, WorkKind::Kernel, idempotent, true)
    }

    /// Returns a copy, a fill, or a kernel that does not test the flag.
    pub const fn opaque(payload: T) -> Self {
        Self::new(payload, WorkKind::Copy, Idempotence::Not, false)
    }

    /// Returns a graph; it tests the flag if all of it leaves or none.
    pub const fn graph(payload: T, idempotent: Idempotence, tests_flag: bool) -> Self {
        Self::new(payload, WorkKind::Graph, idempotent, tests_flag)
    }

    /// Returns the record of an event.
    pub const fn record(payload: T) -> Self {
        Self::new(payload, WorkKind::Record, Idempotence::Not, false)
    }

    /// Returns a wait for an event.
    pub const fn wait(payload: T, after: AfterWork) -> Self {
        Self::new(payload, WorkKind::Wait(after), Idempotence::Not, false)
    }

    /// Returns a collective.
    pub const fn collective(payload: T) -> Self {
        Self::new(payload, WorkKind::Collective, Idempotence::Not, false)
    }
}

/// The position of work in the order of capture: a larger number was captured later, over all
/// processes that ever had the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaptureOrder(pub u64);

/// The answer to a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "work that was not taken comes back"]
pub enum Capture<T> {
    /// The work waits at the end of its stream, under this order.
    Taken(CaptureOrder),
    /// The queues are full, and nothing has changed: wait until the
    /// [`generation`](crate::Controller::generation) of the process changes, and capture the work
    /// again.
    Full(CapturedWork<T>),
}

impl<T> Capture<T> {
    /// Returns the order of the work, if it was taken.
    pub fn order(self) -> Option<CaptureOrder> {
        match self {
            Self::Taken(order) => Some(order),
            Self::Full(_) => None,
        }
    }
}
