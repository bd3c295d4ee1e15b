//! What does the thread between a program and its GPU runtime do next (seed 001, S2 to S4)?
//!
//! A state machine without I/O. A driver, which has the threads and the runtime, reports what happens,
//! calls [`Controller::next`] until that returns `None`, and carries the commands out in order.
//!
//! | the host says | the runtime reports ([`Report`]) |
//! |---|---|
//! | [`captured`](Controller::captured): work was intercepted (S2.2) | `Submitted`, `NotSubmitted`: a submit call has returned |
//! | [`preempt`](Controller::preempt) (S3), [`escalate`](Controller::escalate), [`pause`](Controller::pause), [`resume`](Controller::resume) (S4) | `Started`, `Finished`, `Failed` |
//! | [`join`](Controller::join), [`leave`](Controller::leave), [`lost`](Controller::lost): processes | `Exited` by the flag, `Killed` by the reset |
//! | [`open`](Controller::open), [`close`](Controller::close), [`hold`](Controller::hold), [`release`](Controller::release): streams | `Claimed`: it leaves and has not begun |
//! | | `Raised`: the flag is visible; `Drained`: the reset is over, or what was held or saved is off the device |
//!
//! # What is defined
//!
//! - Nothing is submitted unless fewer launches than the window are unfinished, over all streams of
//!   the process.
//! - A preemption waits until every submit call that was begun has returned (A8), or its launch has
//!   started or ended; then the flag is raised; when that is visible, the launches in the runtime are
//!   checked for a reset. Killed launches are accepted only after the reset was commanded.
//! - Where a reset hits other processes too, these submit nothing from the wish for it until it is
//!   over or refused: what they submitted before the flag is visible would forbid it (figure 1 has
//!   nothing urgent run before the reset).
//! - Nothing is reset where the process has nothing in the runtime (A3), also if its launches ended
//!   between the check and the command.
//! - A flag is a [`FlagCut`] of sequence numbers, of one stream (A6, A10, A15). It excludes work
//!   that must run to its end, and the launches submitted before that work in the same stream. Such
//!   work is a collective; where each workgroup tests the flag, every launch that may not be run
//!   again; and work that does not test the flag, unless it can be taken out of the runtime and is
//!   behind a launch that leaves.
//! - A wait for an event is submitted when the event has been recorded, and before that nothing
//!   behind it in its stream.
//! - Launches that exit or are killed wait at their places at the head of their queue (A1, A4).
//!   Finished launches are never run again (A13). Launches captured meanwhile wait behind them
//!   (A14).
//! - A resume takes effect when the preemption is complete, not before (A7); the flag is lowered
//!   before anything is submitted (A9).
//! - A preempt while one is under way or complete changes nothing, but cancels a waiting resume; a
//!   resume without a preemption changes nothing (A15).
//! - Reports may come in any order, also of one stream, and before the submit call has returned. A
//!   report of a launch that is not in the runtime (any more) is refused and changes nothing.
//! - Ids of processes that have left are reused, submission numbers never: a report of a launch of the
//!   earlier process is one of a launch that has ended.
//!
//! The controller does not use time.

pub(crate) mod answers;
mod commands;
mod declared;
mod flight;
mod host;
mod lane;
mod leaving;
mod oldest;
mod process;
mod queues;
mod runtime;
mod streams;
mod waiting;
mod wishes;
mod work;

use alloc::collections::VecDeque;
use alloc::vec::Vec;

pub use raddle_policy::FlagCut;
use raddle_policy::{ProcessId, StreamId};

pub use answers::{Command, Heard, LaunchHandle, NoReset, ProcessPhase, Report, WishAnswer};
pub use declared::{ControllerConfig, Declared, MOST_KILLS, ResetScope};
use process::{ControlledProcess, NextNumbers, PreemptionStage};
pub use work::{Capture, CaptureOrder, CapturedWork, WorkKind};

use crate::error::PreemptError;
use crate::error::Reason;

/// State machine that decides, for the processes of one device, which captured launches its driver
/// submits and how processes are preempted. `T` is the payload that a driver needs to submit a
/// launch.
///
/// ```
/// use raddle_preempt::{Abilities, CapturedWork, Command, Controller, ControllerConfig, Declared, Heard, PreemptError, Report};
/// use raddle_policy::{Idempotence, Level, Preemption};
///
/// let abilities = Abilities::NONE.with(Preemption::Flag, true);
/// let declared = Declared { abilities, latched: true, ..Declared::default() };
/// let mut controller = Controller::new(declared, ControllerConfig::default())?;
/// let process = controller.join(Level(9))?;
/// let stream = controller.open(process)?;
/// for name in ["first", "second"] {
///     let _ = controller.captured(process, stream, CapturedWork::kernel(name, Idempotence::Unknown))?;
/// }
/// let mut submitted = Vec::new();
/// while let Some(Command::Submit { handle, .. }) = controller.next(process)? {
///     controller.report(Report::Submitted(handle))?;
///     submitted.push(handle);
/// }
/// // The first one runs, the second one waits in the runtime: it leaves by the flag.
/// let _ = controller.preempt(process, Preemption::Flag, None)?;
/// let Some(Command::Raise { .. }) = controller.next(process)? else { panic!() };
/// let cut = controller.cut(process, stream)?.unwrap();
/// assert!(cut.holds(submitted[1].sequence()));
/// controller.report(Report::Raised(process))?;
/// assert_eq!(controller.report(Report::Finished(submitted[0]))?, Heard::Ended("first"));
/// assert_eq!(controller.report(Report::Exited(submitted[1]))?, Heard::Left);
/// assert_eq!(controller.next(process)?, Some(Command::Drained { process, resumed: false }));
/// // It is the next one that is submitted, under a number that the old flag does not hold.
/// let _ = controller.resume(process)?;
/// assert_eq!(controller.next(process)?, Some(Command::Lower { process }));
/// let Some(Command::Submit { handle, .. }) = controller.next(process)? else { panic!() };
/// assert_eq!(controller.payload(handle), Some(&"second"));
/// assert!(!cut.holds(handle.sequence()));
/// # Ok::<(), PreemptError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Controller<T> {
    declared: Declared,
    options: ControllerConfig,
    processes: Vec<Option<ControlledProcess<T>>>,
    /// For each process id, the submission number and the capture number with which the next
    /// process of that id begins: the two at which the previous process of that id stopped.
    before: Vec<NextNumbers>,
    /// Number of processes that may be reset or are being reset, counted only where a reset also
    /// hits other processes; else always 0. While it is not 0, the other processes that such a
    /// reset would hit submit nothing.
    resets: u32,
    /// Processes for which a command may be due, in the order in which they are asked, each listed
    /// once.
    listed: VecDeque<ProcessId>,
}

impl<T> Controller<T> {
    /// Returns a controller without processes. `declared` describes the driver's runtime.
    ///
    /// # Errors
    /// A window (largest number of launches in the runtime) of 0; a runtime that can reset
    /// and has no preemption flag.
    pub const fn new(declared: Declared, options: ControllerConfig) -> Result<Self, PreemptError> {
        if options.window == 0 {
            return Err(PreemptError(Reason::NoWindow));
        }
        if let Err(error) = declared.abilities.check() {
            return Err(error);
        }
        Ok(Self {
            declared,
            options,
            processes: Vec::new(),
            before: Vec::new(),
            resets: 0,
            listed: VecDeque::new(),
        })
    }

    /// Returns the properties of the runtime that the driver declared.
    #[must_use]
    pub const fn declared(&self) -> Declared {
        self.declared
    }

    /// Returns whether a process is running, is being preempted, or has been preempted.
    ///
    /// # Errors
    /// An unknown process.
    pub fn phase(&self, process: ProcessId) -> Result<ProcessPhase, PreemptError> {
        self.process(process).map(ControlledProcess::phase)
    }

    /// Returns the number of launches of a process that wait in its buffer queues.
    ///
    /// # Errors
    /// An unknown process.
    pub fn buffered(&self, process: ProcessId) -> Result<usize, PreemptError> {
        self.process(process).map(|it| it.queues.len())
    }

    /// Returns the number of unfinished launches of a process that are in the runtime.
    ///
    /// # Errors
    /// An unknown process.
    pub fn in_flight(&self, process: ProcessId) -> Result<usize, PreemptError> {
        self.process(process).map(|it| it.flight.len())
    }

    /// Returns whether the preemption flag (tested by each launch at its start) of a process is
    /// raised, as it is between the commands `Raise` and `Lower`.
    ///
    /// # Errors
    /// An unknown process.
    #[doc(hidden)]
    pub fn is_raised(&self, process: ProcessId) -> Result<bool, PreemptError> {
        self.process(process).map(|it| it.cut.is_some())
    }

    /// Returns the range of a stream's submission numbers that leave by the raised preemption flag
    /// at their start. `None` if no flag is raised. Call this when the `Raise` command comes,
    /// because launches that have left since are no longer in the range.
    ///
    /// # Errors
    /// An unknown process.
    pub fn cut(
        &self,
        process: ProcessId,
        stream: StreamId,
    ) -> Result<Option<FlagCut>, PreemptError> {
        self.process(process).map(|it| it.cut_of(stream))
    }

    /// Returns (stream, range of its submission numbers that leave) for each stream from which a
    /// launch leaves by the raised preemption flag (tested by each launch at its start).
    ///
    /// # Errors
    /// An unknown process.
    pub fn cuts(
        &self,
        process: ProcessId,
    ) -> Result<impl Iterator<Item = (StreamId, FlagCut)> + '_, PreemptError> {
        let it = self.process(process)?;
        Ok(it.flight.iter().filter_map(|(_, flying)| {
            let cut = it.cut_of(flying.stream)?;
            (cut.from == flying.sequence).then_some((flying.stream, cut))
        }))
    }

    /// Returns whether a launch that is in the runtime will leave by the raised preemption flag
    /// when it starts.
    #[must_use]
    #[doc(hidden)]
    pub fn leaves(&self, handle: LaunchHandle) -> bool {
        let flying = self.process(handle.process).ok().and_then(|it| it.flight.get(handle));
        flying.is_some_and(|flying| flying.fate != flight::LaunchFate::Stays)
    }

    /// Returns the payload (the host's own data) of a launch; `None` where the launch is not in the
    /// runtime.
    #[must_use]
    pub fn payload(&self, handle: LaunchHandle) -> Option<&T> {
        let process = self.process(handle.process).ok()?;
        process.flight.get(handle).map(|flying| &flying.work.payload)
    }

    /// Returns the order of capture (number among all captured work of the process) of a launch;
    /// `None` where the launch is not in the runtime.
    #[must_use]
    pub fn order(&self, handle: LaunchHandle) -> Option<CaptureOrder> {
        let process = self.process(handle.process).ok()?;
        process.flight.get(handle).map(|flying| CaptureOrder(flying.work.order))
    }

    /// Returns (handle, true where the launch was reported as started) for each launch of a process
    /// that is in the runtime, in no particular order.
    ///
    /// # Errors
    /// An unknown process.
    #[doc(hidden)]
    pub fn flying(
        &self,
        process: ProcessId,
    ) -> Result<impl Iterator<Item = (LaunchHandle, bool)> + '_, PreemptError> {
        let it = self.process(process)?;
        let started = flight::FlightState::Started;
        Ok(it.flying(process).map(move |(handle, flying)| (handle, flying.state == started)))
    }

    fn process(&self, process: ProcessId) -> Result<&ControlledProcess<T>, PreemptError> {
        let found = self.processes.get(process.index()).and_then(Option::as_ref);
        found.filter(|it| !it.is_lost).ok_or(PreemptError(Reason::NoProcess { process }))
    }

    fn process_mut(
        &mut self,
        process: ProcessId,
    ) -> Result<&mut ControlledProcess<T>, PreemptError> {
        let found = self.processes.get_mut(process.index()).and_then(Option::as_mut);
        found.filter(|it| !it.is_lost).ok_or(PreemptError(Reason::NoProcess { process }))
    }

    /// Returns the processes that a reset in the part `part` of the device hits: those in that
    /// part, or all processes where a reset hits the whole device.
    fn sharing(&self, part: u16) -> impl Iterator<Item = &ControlledProcess<T>> {
        let device = self.declared.scope == ResetScope::Device;
        self.processes.iter().flatten().filter(move |it| device || it.part == part)
    }

    /// Returns whether a reset that hits this process is pending: requested and not refused, the
    /// next command, or under way.
    fn is_reset_around(&self, process: ProcessId) -> bool {
        let part = self.process(process).map_or(0, |it| it.part);
        self.sharing(part).any(ControlledProcess::may_be_reset)
    }

    /// Returns whether a reset that hits the part `part` of the device (a group of processes) was
    /// commanded and has not ended.
    fn is_reset_commanded(&self, part: u16) -> bool {
        let told =
            |it: &ControlledProcess<T>| it.stage == PreemptionStage::Resetting { over: false };
        self.resets > 0 && self.sharing(part).any(told)
    }

    /// Updates the count of processes that may be reset, after a change of one process: `before`
    /// and `now` say whether that process counted before the change and counts now. Does nothing
    /// where a reset hits only one process.
    fn count_resets(&mut self, before: bool, now: bool) {
        if !self.declared.scope.is_shared() || before == now {
            return;
        }
        if now {
            self.resets = self.resets.saturating_add(1);
        } else {
            self.resets = self.resets.saturating_sub(1);
            self.list_all();
        }
    }

    /// Returns (id, process) of the other processes that a reset of `process` hits and that have
    /// launches in the runtime.
    fn others(
        &self,
        process: ProcessId,
    ) -> impl Iterator<Item = (ProcessId, &ControlledProcess<T>)> {
        let device = self.declared.scope == ResetScope::Device;
        let part = self.process(process).map_or(0, |it| it.part);
        // The number of processes is at most the number of ids.
        let all = (0..=u16::MAX).map(ProcessId).zip(&self.processes);
        let there = all.filter_map(|(id, it)| Some((id, it.as_ref()?)));
        let shares = move |it: &ControlledProcess<T>| device || it.part == part;
        there.filter(move |(id, it)| *id != process && shares(it) && !it.flight.is_empty())
    }
}
