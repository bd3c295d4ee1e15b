//! Which command can a runtime carry out without its driver?

use alloc::vec::Vec;

use raddle_policy::{ProcessId, StreamId};

use super::runtime::{Runtime, SubmitCall};
use crate::controller::{Command, Controller, FlagCut, LaunchHandle, Report};

/// Command together with all data that it needs, so that another thread can carry it out without
/// the controller and its lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task<T> {
    /// Task for [`Command::Submit`]: to submit a launch.
    Submit {
        /// Handle of the submission.
        handle: LaunchHandle,
        /// Stream in which the runtime runs the launch.
        stream: StreamId,
        /// Payload of the launch: the data that the driver needs to submit it.
        payload: T,
    },
    /// Task for [`Command::Raise`]: to raise the preemption flags (tested by each launch at its
    /// start) of a process.
    Raise {
        /// Process whose preemption flags (tested by each launch at its start) are raised.
        process: ProcessId,
        /// (stream, range of submission numbers that leave at their start) for each stream of the
        /// process from which a launch leaves by the raised preemption flag.
        cuts: Vec<(StreamId, FlagCut)>,
    },
    /// Task for [`Command::Reset`]: to kill running launches.
    Reset {
        /// Process whose compute units are reset.
        process: ProcessId,
        /// Launches, of any process, that the reset kills if they are running.
        hit: Vec<LaunchHandle>,
    },
    /// Task for any other command, which needs no further data.
    Plain(Command),
}

impl<T: Clone> Task<T> {
    /// Returns the task for the command `command`, with data from the present state of the
    /// controller; `None` for the submission of a launch that the controller does not know.
    pub(super) fn new(controller: &Controller<T>, command: Command) -> Option<Self> {
        Some(match command {
            Command::Submit { handle, stream } => {
                Self::Submit { handle, stream, payload: controller.payload(handle)?.clone() }
            }
            Command::Raise { process } => {
                Self::Raise { process, cuts: controller.cuts(process).ok()?.collect() }
            }
            Command::Reset { process } => Self::Reset { process, hit: controller.hits() },
            other => Self::Plain(other),
        })
    }
}

impl<T> Task<T> {
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
        let command = match self {
            Self::Submit { handle, stream, payload } => {
                if let Some(verdict) = runtime.verdict(&payload) {
                    report(Report::Judged(handle, verdict))?;
                }
                let call = runtime.submit(handle, stream, payload);
                if let Some(returned) = call.report(handle) {
                    report(returned)?;
                }
                return Ok(call != SubmitCall::NotNow);
            }
            Self::Raise { process, cuts } => {
                runtime.raise(process, &cuts);
                return Ok(true);
            }
            Self::Reset { process, hit } => {
                runtime.reset(process, &hit);
                return Ok(true);
            }
            Self::Plain(command) => command,
        };
        match command {
            Command::Lower { process } => runtime.lower(process),
            Command::Hold { process } => runtime.hold(process),
            Command::Release { process } => runtime.release(process),
            Command::Save { process } => runtime.save(process),
            Command::Restore { process } => runtime.restore(process),
            Command::Drained { process, resumed } => runtime.drained(process, resumed),
            // The commands with tasks of their own are never plain.
            Command::Submit { .. } | Command::Raise { .. } | Command::Reset { .. } => {}
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
