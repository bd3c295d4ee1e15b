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
    Wait {
        /// Stream of the awaited work of the same process.
        stream: StreamId,
        /// Order of capture (number among the captured work of the process) of the awaited work,
        /// usually the latest record of the event.
        order: CaptureOrder,
    },
    /// A graph of kernels that is submitted as one launch.
    Graph,
    /// A kernel that waits on the device for its peers on other devices or in other processes. Once
    /// submitted it runs to its end, and so does the work before it in its stream; no reset kills
    /// it.
    Collective,
}

/// Work that a host issued and that is handed to the controller, to be queued in the order of its
/// stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedWork<T> {
    /// Data that the driver needs to submit the work; the controller returns it when the work has
    /// finished.
    pub(crate) payload: T,
    pub(crate) kind: WorkKind,
    /// Verdict on whether the work may be run again (seed 001, A12); unknown counts as no. If it
    /// depends on the arguments, [`Report::Judged`](crate::Report) tells it when the work is
    /// submitted.
    pub(crate) idempotent: Idempotence,
    /// True if the work tests the preemption flag at its start (seed 001, S1.2). Copies, events and
    /// kernels that cannot be instrumented do not.
    pub(crate) tests_flag: bool,
}

impl<T> CapturedWork<T> {
    /// Returns captured work of the given kind, which must not be run again and does not test the
    /// preemption flag.
    pub const fn new(payload: T, kind: WorkKind) -> Self {
        Self { payload, kind, idempotent: Idempotence::Not, tests_flag: false }
    }

    /// Returns the captured work for an instrumented kernel, which tests the preemption flag.
    pub const fn kernel(payload: T, idempotent: Idempotence) -> Self {
        Self { payload, kind: WorkKind::Kernel, idempotent, tests_flag: true }
    }

    /// Returns the captured work for a copy, a fill, or a kernel that does not test the preemption
    /// flag.
    pub const fn opaque(payload: T) -> Self {
        Self::new(payload, WorkKind::Copy)
    }

    /// Returns this work with the verdict `idempotent` on whether it may be run again. `tests_flag`
    /// says whether it tests the preemption flag at its start; of a graph, all its kernels must.
    #[must_use]
    pub fn judged(self, idempotent: Idempotence, tests_flag: bool) -> Self {
        Self { idempotent, tests_flag, ..self }
    }

    /// Returns the kind of the work, such as kernel, copy or wait for an event.
    pub const fn kind(&self) -> WorkKind {
        self.kind
    }

    /// Returns the verdict on whether the work may be run again.
    pub const fn idempotent(&self) -> Idempotence {
        self.idempotent
    }

    /// Returns whether the captured work tests the preemption flag at its start, as kernels with a
    /// prologue do.
    pub const fn tests_flag(&self) -> bool {
        self.tests_flag
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
