//! Which duties does a device have under a dispatcher, one for each action?

use alloc::boxed::Box;

use crate::{
    CuId, Event, FlagCut, LaunchId, Piece, Place, Preemption, ProcessId, Refusal, StreamId,
    Submission, Tick, Ticks, WaveSpan,
};

/// A device, or a simulator of one, together with the hosts of its processes.
///
/// A method carries out one [`Action`](crate::Action) and returns without waiting for its end, which is an event.
/// A device that has no flags, or takes no work off, leaves those methods out; asked for one of
/// them, the run ends with [`HostError::Unable`].
///
/// # Laws
///
/// 1. The ticks that [`Host::wait`] returns never go down, and are not above the wake that it was
///    given.
/// 2. [`Host::report`] tells each thing that happened once, in order, and nothing that has not
///    happened.
/// 3. Actions are carried out in the order of the calls.
pub trait Host {
    /// Waits until something happens, and until `wake` at most. Returns the tick; `None` if nothing
    /// will happen any more and there is no wake to wait for.
    ///
    /// # Errors
    /// When the device cannot be waited for.
    fn wait(&mut self, wake: Option<Tick>) -> Result<Option<Tick>, HostError>;

    /// Tells all that happened up to the tick that [`Host::wait`] returned. An event that is
    /// refused has changed nothing: the device may go on, or end the run with the error.
    ///
    /// # Errors
    /// When the run is to end.
    fn report(&mut self, tell: &mut Tell<'_>) -> Result<(), HostError>;

    /// Starts the workgroups of the pieces, at the addresses if there are any. [`Event::WavesEnded`]
    /// reports their ends, several at a time or one by one.
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

    /// Takes over a launch; `sequence` is what the cut of a raised flag is compared with.
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
        Err(HostError::Unable("start a copy"))
    }

    /// Binds a workgroup to a compute unit; its launch has begun, and none of its waves starts yet.
    ///
    /// # Errors
    /// When the device cannot bind it.
    fn assign(&mut self, launch: LaunchId, workgroup: u64, cu: CuId) -> Result<(), HostError> {
        let _ = (launch, workgroup, cu);
        Ok(())
    }

    /// Takes a launch off; [`Event::TakenOff`] reports that it is off, unless all its workgroups have
    /// ended, which is then the last report of it.
    ///
    /// # Errors
    /// When the device cannot take work off this way.
    fn take_off(&mut self, launch: LaunchId, how: Preemption) -> Result<(), HostError> {
        let _ = (launch, how);
        Err(HostError::Unable("take a launch off"))
    }

    /// Brings saved workgroups back; [`Event::Restored`] reports that they run.
    ///
    /// # Errors
    /// When the device cannot bring them back.
    fn restore(&mut self, launch: LaunchId) -> Result<(), HostError> {
        let _ = launch;
        Err(HostError::Unable("restore a launch"))
    }

    /// Writes the cuts of a process, one a stream; [`Event::Raised`] reports that every launch that
    /// starts sees them.
    ///
    /// # Errors
    /// When the device has no flags.
    fn raise(&mut self, process: ProcessId, cuts: &[(StreamId, FlagCut)]) -> Result<(), HostError> {
        let _ = (process, cuts);
        Err(HostError::Unable("raise a flag"))
    }

    /// Takes the cuts of a process back, before anything that is submitted later starts.
    ///
    /// # Errors
    /// When the device has no flags.
    fn lower(&mut self, process: ProcessId) -> Result<(), HostError> {
        let _ = process;
        Err(HostError::Unable("lower a flag"))
    }

    /// Resets the compute units of a process; [`Event::ResetOver`] reports that it is over.
    ///
    /// # Errors
    /// When the device cannot be reset.
    fn reset(&mut self, process: ProcessId) -> Result<(), HostError> {
        let _ = process;
        Err(HostError::Unable("reset compute units"))
    }

    /// Notes that the preemption of a process is complete.
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

    /// Notes that a launch will never run.
    ///
    /// # Errors
    /// When the run is to end.
    fn refuse(&mut self, refusal: &Refusal) -> Result<(), HostError> {
        let _ = refusal;
        Ok(())
    }
}

/// A function that tells the dispatcher one event.
pub type Tell<'t> = dyn FnMut(&Event<'_>) -> Result<(), HostError> + 't;

/// The reason why a run of a host ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The recipe asks for what the device cannot do.
    #[error("the device cannot {0}: give it a recipe that does not ask for it")]
    Unable(&'static str),
    /// The dispatcher refuses an event, or cannot decide.
    #[error("{0}")]
    Refused(#[source] Box<dyn core::error::Error + Send + Sync>),
    /// The device has failed.
    #[error("the device has failed: {0}")]
    Device(#[source] Box<dyn core::error::Error + Send + Sync>),
}
