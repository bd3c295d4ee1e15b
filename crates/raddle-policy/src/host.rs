//! Which duties does a device have under a dispatcher, one for each action?

use alloc::boxed::Box;

use crate::{
    CuId, ErrorKind, Event, FlagCut, LaunchId, Piece, Place, Preemption, ProcessId, Refusal,
    StreamId, Submission, Tick, Ticks, WaveSpan,
};

/// A device, or a simulator of one, together with the hosts of its processes.
///
/// A method carries out one [`Action`](crate::Action) and returns without waiting for the end of
/// the action, which an event reports. A device that has no flags, or takes no work off, leaves
/// those methods out; asked for one of them, the run ends with [`HostError::unable`].
///
/// # Laws
///
/// 1. The ticks that [`Host::wait`] returns never go down, and are not above the wake that it was
///    given.
/// 2. [`Host::report`] tells each thing that happened once, in order, and nothing that has not
///    happened.
/// 3. Actions are carried out in the order of the calls.
pub trait Host {
    /// Waits until an event happens, or until the tick `wake` if that comes first. Returns the tick
    /// at the end of the wait; `None` if no event will come any more and `wake` is `None`.
    ///
    /// # Errors
    /// When the device cannot be waited for.
    fn wait(&mut self, wake: Option<Tick>) -> Result<Option<Tick>, HostError>;

    /// Passes to the dispatcher, by calling `tell`, every event up to the tick that [`Host::wait`]
    /// returned. If `tell` returns an error, the event has changed nothing: the device may go on,
    /// or end the run with that error.
    ///
    /// # Errors
    /// When the run is to end.
    fn report(&mut self, tell: &mut Tell<'_>) -> Result<(), HostError>;

    /// Starts the workgroups that `pieces` name, or the waves `waves` of each of them. `places` has
    /// the address of each wave (where its registers and LDS begin), or is empty.
    /// [`Event::WavesEnded`] reports their ends, several at a time or one by one.
    ///
    /// # Errors
    /// When the device cannot start them.
    fn start(
        &mut self,
        launch: LaunchId,
        waves: WaveSpan,
        pieces: &[Piece],
        places: &[Place],
    ) -> Result<(), HostError>;

    /// Receives a launch to be run. `sequence` is the number of its submission in the process; the
    /// launch compares it with the raised preemption flag ([`FlagCut`]) of its stream when it
    /// starts.
    ///
    /// # Errors
    /// When the device cannot take it.
    fn submit(
        &mut self,
        launch: LaunchId,
        sequence: u64,
        via: Submission,
    ) -> Result<(), HostError> {
        let _ = (launch, sequence, via);
        Ok(())
    }

    /// Starts a copy, whose end [`Event::CopyEnded`] reports.
    ///
    /// # Errors
    /// When the device cannot start it.
    fn start_copy(&mut self, copy: LaunchId) -> Result<(), HostError> {
        let _ = copy;
        Err(HostError::unable("start a copy"))
    }

    /// Assigns a workgroup to a compute unit: the launch counts as begun, although no wave of the
    /// workgroup starts yet.
    ///
    /// # Errors
    /// When the device cannot bind it.
    fn assign(&mut self, launch: LaunchId, workgroup: u64, cu: CuId) -> Result<(), HostError> {
        let _ = (launch, workgroup, cu);
        Ok(())
    }

    /// Takes a launch off the device by the method `how`; [`Event::TakenOff`] reports that it has
    /// left. If all its workgroups end instead, their end is the last report of the launch.
    ///
    /// # Errors
    /// When the device cannot take work off this way.
    fn take_off(&mut self, launch: LaunchId, how: Preemption) -> Result<(), HostError> {
        let _ = (launch, how);
        Err(HostError::unable("take a launch off"))
    }

    /// Lets a launch that was taken off continue, with its saved workgroups; [`Event::Restored`]
    /// reports that they run.
    ///
    /// # Errors
    /// When the device cannot bring them back.
    fn restore(&mut self, launch: LaunchId) -> Result<(), HostError> {
        let _ = launch;
        Err(HostError::unable("restore a launch"))
    }

    /// Raises the preemption flag of a process: `cuts` has, for each stream, which of its
    /// submissions leave the device when they start. [`Event::Raised`] reports that all launches
    /// that start from then on see the flag.
    ///
    /// # Errors
    /// When the device has no flags.
    fn raise(&mut self, process: ProcessId, cuts: &[(StreamId, FlagCut)]) -> Result<(), HostError> {
        let _ = (process, cuts);
        Err(HostError::unable("raise a flag"))
    }

    /// Lowers the preemption flag of a process (tested by each launch at its start), before any
    /// launch that is submitted later starts.
    ///
    /// # Errors
    /// When the device has no flags.
    fn lower(&mut self, process: ProcessId) -> Result<(), HostError> {
        let _ = process;
        Err(HostError::unable("lower a flag"))
    }

    /// Resets the compute units of a process; [`Event::ResetOver`] reports the end of the reset.
    ///
    /// # Errors
    /// When the device cannot be reset.
    fn reset(&mut self, process: ProcessId) -> Result<(), HostError> {
        let _ = process;
        Err(HostError::unable("reset compute units"))
    }

    /// Receives the report that the preemption of a process is complete. It went by the method
    /// `how`, and took `after` ticks since the process lost the turn (the right to issue launches).
    ///
    /// # Errors
    /// When the run is to end.
    fn drained(
        &mut self,
        process: ProcessId,
        how: Preemption,
        after: Ticks,
    ) -> Result<(), HostError> {
        let _ = (process, how, after);
        Ok(())
    }

    /// Receives the report that a launch will never run, and why.
    ///
    /// # Errors
    /// When the run is to end.
    fn refuse(&mut self, refusal: &Refusal) -> Result<(), HostError> {
        let _ = refusal;
        Ok(())
    }
}

/// A function that passes one event to the dispatcher; its error means that the run must end.
pub type Tell<'t> = dyn FnMut(&Event<'_>) -> Result<(), HostError> + 't;

/// The reason why a run with a [`Host`] ended early.
#[derive(Debug)]
pub struct HostError(HostFault);

#[derive(Debug)]
enum HostFault {
    /// The recipe asks for an action that the device cannot carry out; the text names the action.
    Unable(&'static str),
    /// The dispatcher refuses an event, or cannot decide; the source error says why.
    Refused(Box<dyn core::error::Error + Send + Sync>),
    /// The device has failed; the source error says how.
    Device(Box<dyn core::error::Error + Send + Sync>),
}

crate::texts! { HostFault:
    Unable(action) =>
        "the device cannot {action}: give it a recipe that does not ask for it";
    Refused(error) => "{error}";
    Device(error) => "the device has failed: {error}";
}

impl HostError {
    /// Returns the error that the device cannot carry out an action, such as "raise a flag".
    #[must_use]
    pub const fn unable(action: &'static str) -> Self {
        Self(HostFault::Unable(action))
    }

    /// Returns the error that the dispatcher refuses an event or cannot decide, for this reason.
    pub fn refused(error: impl Into<Box<dyn core::error::Error + Send + Sync>>) -> Self {
        Self(HostFault::Refused(error.into()))
    }

    /// Returns the error that the device has failed, for this reason.
    pub fn device(error: impl Into<Box<dyn core::error::Error + Send + Sync>>) -> Self {
        Self(HostFault::Device(error.into()))
    }

    /// Returns the kind of the error, by which a program decides how to go on.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self.0 {
            HostFault::Unable(_) => ErrorKind::Unsupported,
            HostFault::Refused(_) => ErrorKind::State,
            HostFault::Device(_) => ErrorKind::Io,
        }
    }
}

impl core::fmt::Display for HostError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

impl core::error::Error for HostError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.0 {
            HostFault::Unable(_) => None,
            HostFault::Refused(error) | HostFault::Device(error) => Some(&**error),
        }
    }
}
