//! Which declarations and reports does a controller refuse as invalid?

use raddle_policy::{ErrorKind, ProcessId, StreamId};

use crate::controller::answers::LaunchHandle;

/// Error of a call to the controller of preemptions, with an invalid declaration of what the
/// runtime can do, or with a report that cannot be true. The call has changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreemptError(pub(crate) Reason);

impl core::fmt::Display for PreemptError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

impl core::error::Error for PreemptError {}

impl PreemptError {
    /// Returns the kind of the error, by which a program can decide how to continue.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self.0 {
            Reason::NoWindow => ErrorKind::OutOfRange,
            Reason::ResetWithoutFlag | Reason::BrokenTurn { .. } => ErrorKind::Inconsistent,
            Reason::TooManyProcesses | Reason::TooManyStreams { .. } => ErrorKind::NoRoom,
            Reason::Taken { .. }
            | Reason::NoProcess { .. }
            | Reason::NoStream { .. }
            | Reason::NotHeld { .. }
            | Reason::Busy { .. }
            | Reason::NotInRuntime { .. }
            | Reason::NoReset { .. }
            | Reason::NotTold { .. } => ErrorKind::State,
        }
    }

    /// Returns the law of the trait `Turn` that an answer of the turn policy breaks; `None` for
    /// every other error.
    #[must_use]
    #[doc(hidden)]
    pub const fn broken_law(&self) -> Option<&'static str> {
        match self.0 {
            Reason::BrokenTurn { what } => Some(what),
            _ => None,
        }
    }
}

/// Reason of an error of the preemption controller, with the values that its message names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)] // As wide as that of a command, beside which it is returned.
pub(crate) enum Reason {
    /// A window (largest number of launches in the runtime) of 0, with which nothing could be
    /// submitted.
    NoWindow,
    /// A declaration of a runtime that can reset, but has no preemption flag (tested by each launch
    /// at its start).
    ResetWithoutFlag,
    /// A new process while all ids of processes are in use.
    TooManyProcesses,
    /// A new process under an id that another process has.
    Taken { process: ProcessId },
    /// A new stream while all ids of streams of the process are in use.
    TooManyStreams { process: ProcessId },
    /// A call about a process that has not joined the controller, or has left.
    NoProcess { process: ProcessId },
    /// A call about a stream that its process has not opened, or has closed.
    NoStream { process: ProcessId, stream: StreamId },
    /// A call that should end a hold (which keeps the launches of a stream from being submitted,
    /// from one launch on), where the stream has no hold that begins at the launch with the given
    /// number among the captured work of the process.
    NotHeld { process: ProcessId, stream: StreamId },
    /// A process that cannot leave, or be moved to another part of the device, because it is
    /// preempted or has launches in the runtime.
    Busy { process: ProcessId },
    /// A report of the host about a launch that is not in the GPU runtime: the launch never was
    /// there, or it has ended.
    NotInRuntime { handle: LaunchHandle },
    /// A report of the host that a launch was killed, although the controller had commanded no
    /// reset that may have killed it.
    NoReset { handle: LaunchHandle },
    /// A report of the host about an action that the controller had not commanded; `what` names the
    /// action.
    NotTold { process: ProcessId, what: &'static str },
    /// An answer of a turn policy that breaks a law of the trait `Turn`; `what` is the law.
    BrokenTurn { what: &'static str },
}

raddle_policy::texts! { Reason:
    NoWindow => "a window of 0 lets nothing run: give at least 1";
    ResetWithoutFlag =>
        "without a flag, what stands behind a killed launch runs before it: declare no reset, or a flag too";
    TooManyProcesses => "{} processes are there: let one leave", 1 << 16;
    Taken { process } =>
        "{process} is there already, or its last reset is not over: give another id";
    TooManyStreams { process } => "{process} has as many streams as there are ids: use one of them";
    NoProcess { process } => "{process} is not there: let it join first";
    NoStream { process, stream } => "{process} has no {stream}: open it first";
    NotHeld { process, stream } =>
        "{stream} of {process} is not held from there: release each hold once, by its order";
    Busy { process } =>
        "{process} has launches in the runtime or is preempted: report what becomes of them, resume it and take the command that undoes the preemption first";
    NotInRuntime { handle } =>
        "submission {} of {} is not in the runtime: report the end of each once", handle.sequence, handle.process;
    NoReset { handle } =>
        "submission {} of {} cannot have been killed, no reset was commanded: whoever killed it, its memory may be half written", handle.sequence, handle.process;
    NotTold { process, what } =>
        "nobody was told {what} for {process}: report what was commanded, once";
    BrokenTurn { what } => "the turn policy breaks {what}";
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn messages_say_what_to_do() {
        let (process, stream) = (ProcessId(1), StreamId(2));
        let handle = LaunchHandle { process: ProcessId(0), sequence: 0, slot: 0 };
        let all = [
            Reason::NoWindow,
            Reason::ResetWithoutFlag,
            Reason::TooManyProcesses,
            Reason::Taken { process },
            Reason::TooManyStreams { process },
            Reason::NotHeld { process, stream },
            Reason::NoProcess { process },
            Reason::NoStream { process, stream },
            Reason::Busy { process },
            Reason::NotInRuntime { handle },
            Reason::NoReset { handle },
            Reason::NotTold { process, what: "to raise a flag" },
        ];
        let lines: Vec<String> = all.iter().map(ToString::to_string).collect();
        insta::assert_snapshot!("messages", lines.join("\n"));
    }
}
