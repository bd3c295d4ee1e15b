//! Which errors end the run of a dispatcher, or the use of a log?

use alloc::boxed::Box;
use alloc::string::String;

use crate::book::BookError;
use raddle_policy::{ErrorKind, LaunchId, ProcessId, ShapeError, Tick};
use raddle_preempt::PreemptError;

/// The reason why a dispatcher cannot continue, or why a log cannot be used.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct DispatchError(pub(crate) DispatchReason);

impl DispatchError {
    /// Returns the error by which an implementation of [`Dispatcher`](crate::Dispatcher) outside
    /// this crate refuses an event, or says that it cannot decide.
    pub fn other(error: impl Into<Box<dyn core::error::Error + Send + Sync>>) -> Self {
        Self(DispatchReason::Other(error.into()))
    }

    /// Returns the error that a line of a log is not valid; `line` counts from 1.
    #[cfg(feature = "recipes")]
    #[doc(hidden)]
    pub fn bad_log(line: usize, what: impl Into<String>) -> Self {
        Self(DispatchReason::BadLog { line, what: what.into() })
    }

    /// Returns the kind of the error, by which a program can decide how to continue.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match &self.0 {
            DispatchReason::Shape(_)
            | DispatchReason::NoComputeUnits
            | DispatchReason::NoWindow
            | DispatchReason::NoShare(_) => ErrorKind::OutOfRange,
            DispatchReason::ReadyOther(_) => ErrorKind::Inconsistent,
            DispatchReason::TimeBackwards { .. }
            | DispatchReason::UnknownLaunch(_)
            | DispatchReason::DuplicateLaunch(_)
            | DispatchReason::UnknownProcess(_)
            | DispatchReason::DuplicateProcess(_)
            | DispatchReason::ProcessBusy(_)
            | DispatchReason::NotAsked { .. }
            | DispatchReason::NoReset(_) => ErrorKind::State,
            DispatchReason::Event(error) => error.kind(),
            DispatchReason::Controller(error) => error.kind(),
            DispatchReason::Policy { .. } => ErrorKind::Policy,
            DispatchReason::Other(_) => ErrorKind::Unsupported,
            #[cfg(feature = "recipes")]
            DispatchReason::Rule { .. } => ErrorKind::Fault,
            #[cfg(feature = "recipes")]
            DispatchReason::Log(_) | DispatchReason::ReadLog(_) => ErrorKind::Io,
            #[cfg(feature = "recipes")]
            DispatchReason::BadLog { .. } | DispatchReason::BadEvent { .. } => {
                ErrorKind::Inconsistent
            }
        }
    }
}

impl From<PreemptError> for DispatchError {
    fn from(error: PreemptError) -> Self {
        Self(DispatchReason::Controller(error))
    }
}

impl From<BookError> for DispatchError {
    fn from(error: BookError) -> Self {
        Self(DispatchReason::Event(error))
    }
}

/// The reason of a [`DispatchError`], with the values that its message needs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DispatchReason {
    /// The shape of the compute units is not one that a device can have.
    #[error("no dispatcher for such compute units: {0}")]
    Shape(#[source] ShapeError),
    /// The device has no compute units.
    #[error("no dispatcher for a device without compute units: give at least 1")]
    NoComputeUnits,
    /// The submission window is 0, so that no launch could be submitted.
    #[error("a window of 0 would never submit anything: give 1 or more, or none")]
    NoWindow,
    /// An event or a decision has an earlier tick than the event or decision before it.
    #[error("time runs backwards: after tick {now}, tick {given} was told; ticks never go down")]
    TimeBackwards { given: Tick, now: Tick },
    /// A process joined with a share of 0.
    #[error("process {0} joined with a share of 0: give 1 or more")]
    NoShare(ProcessId),
    /// An event names a launch that was neither issued nor made ready before, or that has ended.
    #[error(
        "event for unknown launch {0}: every launch must be issued or become ready once, before anything else is said of it"
    )]
    UnknownLaunch(LaunchId),
    /// A launch with this id became ready twice, or was used before.
    #[error("launch {0} became ready twice: give each launch of a run an id of its own")]
    DuplicateLaunch(LaunchId),
    /// A launch became ready with other fields than those with which it was issued.
    #[error("launch {0} became ready as another one than it was issued: say the same of it twice")]
    ReadyOther(LaunchId),
    /// An event names a process that never joined.
    #[error("event for unknown process {0}: send `ProcessJoined` first")]
    UnknownProcess(ProcessId),
    /// A process with this id joined twice.
    #[error("process {0} joined twice: give each process of a run an id of its own")]
    DuplicateProcess(ProcessId),
    /// A process left while some of its launches had not ended.
    #[error("process {0} left before its launches ended: end or refuse them first")]
    ProcessBusy(ProcessId),
    /// An event reports that a launch was taken off the device, was restored, or has ended, but no
    /// action had asked for that.
    #[error(
        "launch {launch} was said to be {what} although nobody asked for it: report only what an action asked for"
    )]
    NotAsked { launch: LaunchId, what: &'static str },
    /// An event reports the end of a reset, but no action had asked for a reset.
    #[error(
        "the reset of process {0} was said to be over although none is under way: report only what an action asked for"
    )]
    NoReset(ProcessId),
    /// An event reports an end of workgroups that is not possible, such as of more than have
    /// started.
    #[error("event contradicts the book: {0}")]
    Event(#[source] BookError),
    /// The preemption controller got a report that is not possible in its state.
    #[error("the preemption controller refuses what is reported: {0}")]
    Controller(#[source] PreemptError),
    /// A policy gave an answer that breaks a law of its trait (`Allocate`, `Turn` and so on);
    /// `what` says which law and how.
    #[error(
        "policy `{policy}` in slot {slot} broke its law: {what}. The run stops; check the policy with `raddle_testkit`"
    )]
    Policy { slot: &'static str, policy: String, what: String },
    /// The dispatcher itself has broken a rule of the preemption controller; no input can cause
    /// this.
    #[cfg(feature = "recipes")]
    #[error(
        "rule {rule} of the controller of preemptions is broken at tick {at}: {what}. This is a fault of raddle, not of a policy or of what was given to it"
    )]
    Rule { rule: u32, at: Tick, what: String },
    /// An implementation of `Dispatcher` outside this crate refuses an event, or cannot decide.
    #[error(transparent)]
    Other(Box<dyn core::error::Error + Send + Sync>),
    /// The decision log could not be written.
    #[cfg(feature = "recipes")]
    #[error(
        "the decision log cannot be written: {0}; check the free space and the rights of the output folder"
    )]
    Log(#[source] std::io::Error),
    /// The decision log could not be read.
    #[cfg(feature = "recipes")]
    #[error("the decision log cannot be read: {0}; check the path and its rights")]
    ReadLog(#[source] std::io::Error),
    /// The line with the number `line`, from 1, of a decision log is not valid; `what` says why.
    #[cfg(feature = "recipes")]
    #[error("line {line} of the decision log cannot be read: {what}")]
    BadLog { line: usize, what: String },
    /// A text that should be an event in the JSON form of decision logs is not valid; `what` says
    /// why.
    #[cfg(feature = "recipes")]
    #[error("this is no event as a decision log spells it: {what}")]
    BadEvent { what: String },
}
