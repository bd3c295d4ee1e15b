//! What is malformed?

use core::fmt;

use raddle_policy::{ProcessId, StreamId};

use crate::Handle;

/// What is malformed: a declaration, or a report that cannot be true. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[repr(u32)] // As wide as that of a command, beside which it is returned.
pub enum Error {
    /// A window that holds no launch.
    NoWindow,
    /// A runtime that can reset, but has no flag.
    ResetWithoutFlag,
    /// More processes than ids.
    TooManyProcesses,
    /// More streams than ids.
    TooManyStreams {
        /// Of which process.
        process: ProcessId,
    },
    /// A process that has not joined, or has left.
    NoProcess {
        /// Which.
        process: ProcessId,
    },
    /// A stream that the process has not opened.
    NoStream {
        /// Whose.
        process: ProcessId,
        /// Which.
        stream: StreamId,
    },
    /// A process that cannot leave yet.
    Busy {
        /// Which.
        process: ProcessId,
    },
    /// A report of a launch that is not in the runtime: it never was, or it has ended.
    NotInRuntime {
        /// Which submission.
        handle: Handle,
    },
    /// A launch is said to be killed, and no reset was commanded that may have hit it.
    NoReset {
        /// Which submission.
        handle: Handle,
    },
    /// Something is said to be done that the driver was not told to do.
    NotTold {
        /// For which process.
        process: ProcessId,
        /// What.
        what: &'static str,
    },
    /// A launch that takes no time (in the model).
    NoTicks {
        /// The how manyth, from 0.
        launch: usize,
    },
    /// An exit that takes no time (in the model).
    NoExit,
    /// A launch that is captured before the one in front of it (in the model).
    LaunchOrder {
        /// The how manyth, from 0.
        launch: usize,
    },
    /// A command that is given before the one in front of it (in the model).
    CommandOrder {
        /// The how manyth, from 0.
        command: usize,
    },
    /// Something ends at a time beyond u64 (in the model).
    Time {
        /// The launch, or `None` for a reset.
        launch: Option<usize>,
    },
    /// A run with too many steps (in the model).
    Steps {
        /// As many were allowed.
        most: u64,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoWindow => f.write_str("a window of 0 lets nothing run: give at least 1"),
            Self::ResetWithoutFlag => f.write_str(
                "without a flag, what stands behind a killed launch runs before it: declare no \
                 reset, or a flag too",
            ),
            Self::TooManyProcesses => write!(f, "{} processes are there: let one leave", 1 << 16),
            Self::TooManyStreams { process } => {
                write!(f, "{process} has as many streams as there are ids: use one of them")
            }
            Self::NoProcess { process } => {
                write!(f, "{process} is not there: let it join first")
            }
            Self::NoStream { process, stream } => {
                write!(f, "{process} has no {stream}: open it first")
            }
            Self::Busy { process } => write!(
                f,
                "{process} has launches in the runtime or is preempted: report what becomes of them, \
                 resume it and take the command that undoes the preemption first"
            ),
            Self::NotInRuntime { handle } => write!(
                f,
                "submission {} of {} is not in the runtime: report the end of each once",
                handle.sequence, handle.process
            ),
            Self::NoReset { handle } => write!(
                f,
                "submission {} of {} cannot have been killed, no reset was commanded: whoever \
                 killed it, its memory may be half written",
                handle.sequence, handle.process
            ),
            Self::NotTold { process, what } => {
                write!(f, "nobody was told {what} for {process}: report what was commanded, once")
            }
            Self::NoTicks { launch } => {
                write!(f, "launch {launch} takes 0 ticks: give at least 1")
            }
            Self::NoExit => f.write_str("an exit takes 0 ticks: give at least 1"),
            Self::LaunchOrder { launch } => write!(
                f,
                "launch {launch} is captured before the one in front of it: give them in order"
            ),
            Self::CommandOrder { command } => write!(
                f,
                "command {command} is given before the one in front of it: give them in order"
            ),
            Self::Time { launch: Some(launch) } => {
                write!(f, "launch {launch} ends after the end of time: give fewer ticks")
            }
            Self::Steps { most } => {
                write!(f, "the run has more than {most} steps: give fewer launches or wishes")
            }
            Self::Time { launch: None } => {
                f.write_str("a reset ends after the end of time: give fewer ticks")
            }
        }
    }
}

impl core::error::Error for Error {}
