//! What does the thread between a program and its GPU runtime do next (seed 001, S2 to S4)?
//!
//! A state machine without I/O. A driver, which has the threads and the runtime, reports what happens,
//! calls [`Controller::next`] until that returns `None`, and carries the commands out in order.
//!
//! | the host reports | the runtime reports |
//! |---|---|
//! | [`captured`](Controller::captured): a launch was intercepted (S2.2) | [`submitted`](Controller::submitted), [`not_submitted`](Controller::not_submitted): a submit call has returned |
//! | [`preempt`](Controller::preempt) (S3), [`resume`](Controller::resume) (S4) | [`started`](Controller::started), [`finished`](Controller::finished) |
//! | [`join`](Controller::join), [`open`](Controller::open), [`leave`](Controller::leave): processes and their streams | [`exited`](Controller::exited) by the flag, [`killed`](Controller::killed) by the reset |
//! | | [`raised`](Controller::raised): the flag is visible; [`drained`](Controller::drained): the reset is over, or what was held or saved is off the device |
//!
//! # What is defined
//!
//! - Nothing is submitted unless fewer launches than the window are unfinished, over all streams of
//!   the process.
//! - A preemption waits until every submit call that was begun has returned (A8), or its launch has
//!   started or ended; then the flag is raised; when that is visible, the launches in the runtime are
//!   checked for a reset. Killed launches are accepted only after the reset was commanded.
//! - Nothing is reset where the process has nothing in the runtime (A3), also if its launches ended
//!   between the check and the command.
//! - A flag is a [`FlagCut`] of sequence numbers, of one process (A10). It spares what does not test it,
//!   all that was submitted before that, and, where each workgroup tests it, every launch that may not be
//!   run again.
//! - What exits or is killed waits at its place at the head of its queue (A1, A4). What has finished
//!   is never run again (A13). What is captured meanwhile goes behind (A14).
//! - A resume takes effect when the preemption is complete, not before (A7); the flag is lowered
//!   before anything is submitted (A9).
//! - A preempt while one is under way or complete changes nothing, but cancels a waiting resume; a
//!   resume without a preemption changes nothing (A15).
//! - Reports may come in any order, also of one stream, and before the submit call has returned. A
//!   report of a launch that is not in the runtime (any more) is refused and changes nothing.
//! - Ids of processes that have left are reused, submission numbers never: a report of a launch of the
//!   earlier process is one of a launch that has ended.
//!
//! The controller knows no time.

pub(crate) mod answers;
mod commands;
mod flight;
mod host;
mod process;
mod queues;
mod runtime;

use alloc::vec::Vec;

use raddle_policy::{Level, ProcessId};

pub use answers::{
    CaptureOrder, CapturedWork, Command, ControllerOptions, Declared, Exit, FlagCut, LaunchHandle,
    NoReset, Preempted, ProcessPhase, ResetScope, ResetVerdict, Resumed,
};
use process::{ControlledProcess, NextNumbers, PreemptionStage};

use crate::error::PreemptError;

/// The controller of one device; `T` is the payload that a driver needs to submit a launch.
///
/// ```
/// use raddle_preempt::{Abilities, Command, Controller, Declared, PreemptError, ControllerOptions, CapturedWork};
/// use raddle_policy::{Idempotence, Level, Preemption};
///
/// let abilities = Abilities { can_flag: true, ..Abilities::NONE };
/// let declared = Declared { abilities, latched: true, ..Declared::default() };
/// let mut controller = Controller::new(declared, ControllerOptions::default())?;
/// let process = controller.join(Level(9))?;
/// let stream = controller.open(process)?;
/// for name in ["first", "second"] {
///     controller.captured(process, stream, CapturedWork::kernel(name, Idempotence::Unknown))?;
/// }
/// let mut submitted = Vec::new();
/// while let Some(Command::Submit { handle, .. }) = controller.next(process)? {
///     controller.submitted(handle)?;
///     submitted.push(handle);
/// }
/// // The first one runs, the second one waits in the runtime: it leaves by the flag.
/// let _ = controller.preempt(process, Preemption::Flag, None)?;
/// let Some(Command::Raise { cut, .. }) = controller.next(process)? else { panic!() };
/// assert!(cut.holds(submitted[1].sequence));
/// controller.raised(process)?;
/// assert_eq!(controller.finished(submitted[0])?, "first");
/// let _ = controller.exited(submitted[1])?;
/// assert_eq!(controller.next(process)?, Some(Command::Drained { process, resumed: false }));
/// // It is the next one that is submitted, under a number that the old flag does not hold.
/// let _ = controller.resume(process)?;
/// assert_eq!(controller.next(process)?, Some(Command::Lower { process }));
/// let Some(Command::Submit { handle, .. }) = controller.next(process)? else { panic!() };
/// assert_eq!(controller.payload(handle), Some(&"second"));
/// assert!(!cut.holds(handle.sequence));
/// # Ok::<(), PreemptError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Controller<T> {
    declared: Declared,
    options: ControllerOptions,
    processes: Vec<Option<ControlledProcess<T>>>,
    /// By id: the numbers that its last process ended with.
    before: Vec<NextNumbers>,
    /// How many processes have a reset of the whole device pending or under way: no launch is submitted
    /// meanwhile.
    resets: u32,
}

impl<T> Controller<T> {
    /// A controller without processes.
    ///
    /// # Errors
    /// A window of 0; a runtime that can reset and has no flag.
    pub const fn new(declared: Declared, options: ControllerOptions) -> Result<Self, PreemptError> {
        if options.window == 0 {
            return Err(PreemptError::NoWindow);
        }
        if declared.abilities.can_reset && !declared.abilities.can_flag {
            return Err(PreemptError::ResetWithoutFlag);
        }
        Ok(Self { declared, options, processes: Vec::new(), before: Vec::new(), resets: 0 })
    }

    /// What the driver declared about its runtime.
    #[must_use]
    pub const fn declared(&self) -> Declared {
        self.declared
    }

    /// How far the preemption of a process is.
    ///
    /// # Errors
    /// An unknown process.
    pub fn phase(&self, process: ProcessId) -> Result<ProcessPhase, PreemptError> {
        self.process(process).map(ControlledProcess::phase)
    }

    /// How urgent a process is.
    ///
    /// # Errors
    /// An unknown process.
    pub fn level(&self, process: ProcessId) -> Result<Level, PreemptError> {
        self.process(process).map(|it| it.level)
    }

    /// Launches of a process that wait in its buffer queues.
    ///
    /// # Errors
    /// An unknown process.
    pub fn buffered(&self, process: ProcessId) -> Result<usize, PreemptError> {
        self.process(process).map(|it| it.queues.len())
    }

    /// Launches of a process that are in the runtime and have not finished.
    ///
    /// # Errors
    /// An unknown process.
    pub fn in_flight(&self, process: ProcessId) -> Result<usize, PreemptError> {
        self.process(process).map(|it| it.flight.len())
    }

    /// The raised flag of a process, from its `Raise` to its `Lower`.
    ///
    /// # Errors
    /// An unknown process.
    pub fn flag(&self, process: ProcessId) -> Result<Option<FlagCut>, PreemptError> {
        self.process(process).map(|it| it.cut)
    }

    /// What was captured with a launch, while it is in the runtime.
    #[must_use]
    pub fn payload(&self, handle: LaunchHandle) -> Option<&T> {
        let process = self.process(handle.process).ok()?;
        process.flight.get(handle).map(|flying| &flying.work.payload)
    }

    /// The launches of a process that are in the runtime, in no particular order, and whether each has
    /// been reported as started.
    ///
    /// # Errors
    /// An unknown process.
    pub fn flying(
        &self,
        process: ProcessId,
    ) -> Result<impl Iterator<Item = (LaunchHandle, bool)> + '_, PreemptError> {
        let it = self.process(process)?;
        Ok(it.flight.iter().map(move |(slot, flying)| {
            let handle = LaunchHandle { process, sequence: flying.sequence, slot };
            (handle, flying.state == flight::FlightState::Started)
        }))
    }

    fn process(&self, process: ProcessId) -> Result<&ControlledProcess<T>, PreemptError> {
        let found = self.processes.get(process.index()).and_then(Option::as_ref);
        found.ok_or(PreemptError::NoProcess { process })
    }

    fn process_mut(
        &mut self,
        process: ProcessId,
    ) -> Result<&mut ControlledProcess<T>, PreemptError> {
        let found = self.processes.get_mut(process.index()).and_then(Option::as_mut);
        found.ok_or(PreemptError::NoProcess { process })
    }

    /// Whether a reset of the whole device is pending or under way.
    const fn resetting(&self) -> bool {
        self.resets > 0
    }

    /// Whether a reset of the whole device was commanded and is not over.
    fn everything_is_reset(&self) -> bool {
        let told =
            |it: &ControlledProcess<T>| it.stage == PreemptionStage::Resetting { over: false };
        self.resetting() && self.processes.iter().flatten().any(told)
    }

    /// A reset is over; no change where resets have the scope of one process.
    fn reset_is_over(&mut self) {
        if self.declared.scope == ResetScope::Device {
            self.resets = self.resets.saturating_sub(1);
        }
    }

    /// The other processes that have launches in the runtime.
    fn others(
        &self,
        process: ProcessId,
    ) -> impl Iterator<Item = (ProcessId, &ControlledProcess<T>)> {
        // There are as many at most as there are ids.
        let all = (0..=u16::MAX).map(ProcessId).zip(&self.processes);
        let there = all.filter_map(|(id, it)| Some((id, it.as_ref()?)));
        there.filter(move |(id, it)| *id != process && !it.flight.is_empty())
    }
}
