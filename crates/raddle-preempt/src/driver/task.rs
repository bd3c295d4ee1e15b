//! Which command can a runtime carry out without its driver?

use alloc::vec::Vec;

use raddle_policy::StreamId;

use super::runtime::{Runtime, SubmitCall};
use crate::controller::{Command, Controller, FlagCut, LaunchHandle, Report};

/// Command together with all data that it needs, so that another thread can carry it out without
/// the controller and its lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task<T> {
    command: Command,
    /// Payload of the launch that is submitted; `None` for other commands.
    payload: Option<T>,
    cuts: Vec<(StreamId, FlagCut)>,
    hit: Vec<LaunchHandle>,
}

impl<T: Clone> Task<T> {
    /// Returns the task for the command `command`, with data from the present state of the
    /// controller; `None` for the submission of a launch that the controller does not know.
    pub(super) fn new(controller: &Controller<T>, command: Command) -> Option<Self> {
        let mut task = Self { command, payload: None, cuts: Vec::new(), hit: Vec::new() };
        match command {
            Command::Submit { handle, .. } => {
                task.payload = Some(controller.payload(handle)?.clone());
            }
            Command::Raise { process } => task.cuts = controller.cuts(process).ok()?.collect(),
            Command::Reset { .. } => task.hit = controller.hits(),
            _ => {}
        }
        Some(task)
    }
}

impl<T> Task<T> {
    /// Returns the command that the task carries out.
    #[must_use]
    pub const fn command(&self) -> Command {
        self.command
    }

    /// Returns (stream, range of submission numbers that leave at their start) for each stream of
    /// the process from which a launch leaves by the raised preemption flag; empty for other
    /// commands than [`Command::Raise`].
    #[must_use]
    pub fn cuts(&self) -> &[(StreamId, FlagCut)] {
        &self.cuts
    }

    /// Returns the launches, of any process, that the reset kills if they are running; empty for
    /// other commands than [`Command::Reset`].
    #[must_use]
    pub fn hit(&self) -> &[LaunchHandle] {
        &self.hit
    }

    /// Lets the runtime carry out the task, and passes its immediate answers to `report`:
    /// [`Report::Judged`] before a launch is submitted, and the result of the submit call after it.
    /// Returns `false` if the runtime takes no launch now.
    ///
    /// # Errors
    /// The errors that `report` returns.
    pub fn carry_out<E>(
        self,
        runtime: &mut (impl Runtime<T> + ?Sized),
        mut report: impl FnMut(Report) -> Result<(), E>,
    ) -> Result<bool, E> {
        match self.command {
            Command::Submit { handle, stream } => {
                // The task of a submission always has its launch.
                let Some(payload) = self.payload else { return Ok(true) };
                if let Some(verdict) = runtime.verdict(&payload) {
                    report(Report::Judged(handle, verdict))?;
                }
                let call = runtime.submit(handle, stream, payload);
                if let Some(returned) = call.report(handle) {
                    report(returned)?;
                }
                return Ok(call != SubmitCall::NotNow);
            }
            Command::Raise { process } => runtime.raise(process, &self.cuts),
            Command::Reset { process } => runtime.reset(process, &self.hit),
            Command::Lower { process } => runtime.lower(process),
            Command::Hold { process } => runtime.hold(process),
            Command::Release { process } => runtime.release(process),
            Command::Save { process } => runtime.save(process),
            Command::Restore { process } => runtime.restore(process),
            Command::Drained { process, resumed } => runtime.drained(process, resumed),
        }
        Ok(true)
    }
}

impl SubmitCall {
    /// Returns the report that corresponds to the result of a submit call; `None` where the runtime
    /// reports later.
    const fn report(self, handle: LaunchHandle) -> Option<Report> {
        match self {
            Self::UnderWay => None,
            Self::Returned => Some(Report::Submitted(handle)),
            Self::NotNow => Some(Report::NotSubmitted(handle)),
            Self::Refused => Some(Report::Failed(handle)),
        }
    }
}
