//! Which declarations and reports are invalid?

use raddle_policy::{ProcessId, StreamId};
use thiserror::Error;

use crate::controller::answers::LaunchHandle;

/// An invalid declaration, or a report that cannot be true. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[repr(u32)] // As wide as that of a command, beside which it is returned.
#[expect(missing_docs, reason = "the message says what each field is")]
pub enum PreemptError {
    /// A window that holds no launch.
    #[error("a window of 0 lets nothing run: give at least 1")]
    NoWindow,
    /// A runtime that can reset, but has no flag.
    #[error(
        "without a flag, what stands behind a killed launch runs before it: declare no reset, or a flag too"
    )]
    ResetWithoutFlag,
    /// More processes than ids.
    #[error("{} processes are there: let one leave", 1 << 16)]
    TooManyProcesses,
    /// An id that is in use.
    #[error("{process} is there already, or its last reset is not over: give another id")]
    Taken { process: ProcessId },
    /// More streams than ids.
    #[error("{process} has as many streams as there are ids: use one of them")]
    TooManyStreams { process: ProcessId },
    /// A process that has not joined, or has left.
    #[error("{process} is not there: let it join first")]
    NoProcess { process: ProcessId },
    /// A stream that the process has not opened.
    #[error("{process} has no {stream}: open it first")]
    NoStream { process: ProcessId, stream: StreamId },
    /// A stream that has no hold of this order.
    #[error("{stream} of {process} is not held from there: release each hold once, by its order")]
    NotHeld { process: ProcessId, stream: StreamId },
    /// A process that cannot leave yet.
    #[error(
        "{process} has launches in the runtime or is preempted: report what becomes of them, resume it and take the command that undoes the preemption first"
    )]
    Busy { process: ProcessId },
    /// A report of a launch that is not in the runtime: the launch never was there, or it has
    /// ended.
    #[error(
        "submission {} of {} is not in the runtime: report the end of each once",
        handle.sequence,
        handle.process
    )]
    NotInRuntime { handle: LaunchHandle },
    /// A report that a launch was killed, although no reset was commanded that may have hit it.
    #[error(
        "submission {} of {} cannot have been killed, no reset was commanded: whoever killed it, its memory may be half written",
        handle.sequence,
        handle.process
    )]
    NoReset { handle: LaunchHandle },
    /// A report of an action that the driver was not commanded to do.
    #[error("nobody was told {what} for {process}: report what was commanded, once")]
    NotTold { process: ProcessId, what: &'static str },
    /// A turn policy that answers against its laws.
    #[error("the turn policy breaks {what}")]
    BrokenTurn { what: &'static str },
}
