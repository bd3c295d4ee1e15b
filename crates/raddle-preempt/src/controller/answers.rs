//! Which values do a driver and a controller exchange?

use raddle_policy::{Idempotence, Preemption, ProcessId, StreamId};

/// Handle of one submission of a launch. A launch that is submitted again gets a new handle; a
/// handle is never reused, though ids of processes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaunchHandle {
    /// Process that submitted the launch.
    pub(crate) process: ProcessId,
    /// Number of the submission, from 0, counted over all processes that ever had this id. The
    /// launch compares the number with the range of its raised preemption flag, a
    /// [`FlagCut`](crate::FlagCut), at its start.
    pub(crate) sequence: u64,
    pub(crate) slot: u32,
}

impl LaunchHandle {
    /// Returns the process that submitted the launch.
    #[must_use]
    pub const fn process(self) -> ProcessId {
        self.process
    }

    /// Returns the number of the submission, from 0, counted over all processes that ever had this
    /// id. The launch compares the number with the range of its raised preemption flag, a
    /// [`FlagCut`](crate::FlagCut), at its start.
    #[must_use]
    pub const fn sequence(self) -> u64 {
        self.sequence
    }

    /// Returns a small index of the launch, by which the driver can use tables in place of maps.
    /// Law: the index is less than the window (largest number of launches of a process in the
    /// runtime), and unique among the process's launches in the runtime. A later launch may reuse
    /// it.
    #[must_use]
    pub const fn slot(self) -> u32 {
        self.slot
    }
}

/// Action that a controller asks of its driver. The driver carries out commands in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)] // A whole word is copied faster than a byte: a quarter of the time of a submission.
pub enum Command {
    /// Give a launch to the runtime (seed 001, S2.3, S4.2), then report the result of the submit
    /// call as `submitted` or `not_submitted`.
    Submit {
        /// Handle of the submission; [`Controller::payload`](crate::Controller::payload) returns
        /// the host's own data for the launch by it.
        handle: LaunchHandle,
        /// Stream of the process in which the runtime runs the launch.
        stream: StreamId,
    },
    /// Raise the preemption flags (tested by each launch at its start) of a process (seed 001,
    /// S3.2), for the launches that [`cuts`](crate::Controller::cuts) lists. Report `raised` once
    /// every launch that starts sees the flags.
    Raise {
        /// Process whose preemption flags (tested by each launch at its start) are raised.
        process: ProcessId,
    },
    /// Lower the preemption flags (tested by each launch at its start) of a process (seed 001,
    /// S4.1), before any launch of the process is submitted again.
    Lower {
        /// Process whose preemption flags (tested by each launch at its start) are lowered.
        process: ProcessId,
    },
    /// Reset the compute units (seed 001, S3.3), which kills running launches. Report each killed
    /// launch as `killed`, and the end of the reset as `drained`.
    Reset {
        /// Process whose compute units are reset; [`is_hit`](crate::Controller::is_hit) says
        /// which launches are killed.
        process: ProcessId,
    },
    /// Place no further workgroup of a process on the device. Report `drained` when none of its
    /// workgroups is on the device.
    Hold {
        /// Process whose further workgroups are kept from starting.
        process: ProcessId,
    },
    /// Let the workgroups of a process start that [`Command::Hold`] kept from starting.
    Release {
        /// Process whose workgroups, kept from starting before, may start again.
        process: ProcessId,
    },
    /// Save the work of a process that is on the device. Report `drained` when none of the work is
    /// on the device any more.
    Save {
        /// Process whose work on the device is saved.
        process: ProcessId,
    },
    /// Restore the saved work of a process on the device.
    Restore {
        /// Process whose work on the device is restored.
        process: ProcessId,
    },
    /// The preemption of the process is complete: wake the threads that wait for it.
    Drained {
        /// Process whose work has left the device.
        process: ProcessId,
        /// True where a resume of the process was waiting for the end of the preemption; the resume
        /// takes effect now.
        resumed: bool,
    },
}

/// Answer to a wish about a process: to a call of [`preempt`](crate::Controller::preempt),
/// [`escalate`](crate::Controller::escalate) or [`resume`](crate::Controller::resume), or to a
/// [`Wish`](crate::Wish). Only `Begun` and `ResumeCancelled` say that something has changed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a runtime without this method has done nothing"]
pub enum WishAnswer {
    /// The request takes effect at once: the preemption has begun or goes on by the stronger
    /// method, the process is paused, or the process may submit launches.
    Begun,
    /// The call has cancelled a resume that waited for the end of the preemption; the process stays
    /// preempted (seed 001, A15: the latest call wins).
    ResumeCancelled,
    /// A preemption of the process is already under way or complete, so nothing has changed, not
    /// even the method.
    Already,
    /// The runtime does not have this method of taking work off the device, so nothing has changed.
    Missing(Preemption),
    /// The process that asked for the device is not more urgent than the process that should leave,
    /// or is the same process: nothing has changed.
    NotOutranked,
    /// The requested method is not stronger than the method under way (any is stronger than wait,
    /// reset than flag, switch than drain), so nothing has changed.
    NotStronger,
    /// No preemption of the process is under way that could be escalated, or the process was neither
    /// preempted nor paused and cannot be resumed: nothing has changed.
    NotPreempted,
    /// The process may submit launches once the preemption under way is complete (seed 001, A7).
    Waits,
    /// No reset (killing of running launches) may be made, for this reason. The launches that leave
    /// by the preemption flag (tested by each launch at its start) leave nevertheless. Ask again
    /// when the launch that the reason names has ended.
    NoReset(NoReset),
}

/// Decision whether the running launches of a process are killed (a reset), made when its raised
/// preemption flag (which each launch tests at its start) has become visible (seed 001, S3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResetVerdict {
    /// No reset (killing of running launches) was requested by the preemption: the process is
    /// preempted by the preemption flag alone, which launches test at their start.
    NotAsked,
    /// A reset is the next command, because every launch that it would kill may be killed. If all
    /// launches of the process end before that, the command is left out.
    Reset,
    /// No reset (killing of running launches) is made, for this reason; the preemption waits for
    /// the end of the running launches.
    NoReset(NoReset),
}

/// Reason why the launches of a process are not killed by a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoReset {
    /// The process has no launch in the runtime (seed 001, A3), or none that may have begun.
    Empty,
    /// This launch must not be run again, or it is unknown whether it may.
    NotIdempotent(LaunchHandle),
    /// This launch does not leave by the preemption flag, which launches test at their start; after
    /// a reset it would run before the killed launches run again.
    NotFlagged(LaunchHandle),
    /// This launch was already killed as often as the setting
    /// [`most_kills`](crate::ControllerConfig) allows.
    KilledOften(LaunchHandle),
    /// The reset would also kill launches of this other process, which is not being preempted.
    OtherProcess(ProcessId),
}

/// Report of a driver about what its runtime has done; the controller receives it by
/// [`report`](crate::Controller::report).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// The runtime has judged whether a launch may be run again, where only the launch's arguments
    /// show that. The report comes before the launch is submitted, and replaces the verdict given at
    /// the capture.
    Judged(LaunchHandle, Idempotence),
    /// The submit call of a launch has returned. Changes nothing if the launch has ended already,
    /// as it may before its submit call returns.
    Submitted(LaunchHandle),
    /// The runtime has refused a launch for now. The launch waits again in its stream, and is
    /// submitted before every later launch of the stream. A driver that has begun further submit
    /// calls of the stream must make these fail too, as their launches would overtake this one.
    NotSubmitted(LaunchHandle),
    /// A launch has started, or at least tests the preemption flag now.
    Started(LaunchHandle),
    /// The runtime has run a launch to its end, and the launch is never run again (seed 001, A13).
    Finished(LaunchHandle),
    /// The runtime has refused a launch permanently, or the launch has died. The launch is not run
    /// again, and work that waits for it does not wait any more. Launches behind it go on, unless the
    /// driver reports that the process is [lost](crate::Controller::lost).
    Failed(LaunchHandle),
    /// A launch has left by the preemption flag, so that it waits again in its stream (seed 001,
    /// A4). Where each workgroup tests the flag, the launch counts as killed
    /// ([`ControllerConfig::most_kills`](crate::ControllerConfig)) if it was reported as started.
    Exited(LaunchHandle),
    /// A reset has killed a launch, so that it waits again in its stream (seed 001, A4).
    Killed(LaunchHandle),
    /// A launch will certainly leave by the preemption flag (tested by each launch at its start)
    /// without having begun. No reset kills such a launch, and it forbids none. May be reported
    /// from the command `Raise` on; when the launch has left, `Exited` is reported also.
    Claimed(LaunchHandle),
    /// Every launch of the process that starts from now on sees its raised preemption flag (seed
    /// 001, S3.2). The controller decides whether a reset (killing of running launches) follows.
    Raised(ProcessId),
    /// The commanded reset of the process (killing of its running launches) is over, or a hold or
    /// save of its workgroups has taken all its work off the device.
    Drained(ProcessId),
}

/// Effect that a report of the runtime had on the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard<T> {
    /// The controller has noted the report of the runtime; the driver needs to do nothing. It also
    /// answers that a raised flag is visible, where the preemption asks for no reset.
    Noted,
    /// A launch has ended; this is its payload (the host's own data for the launch).
    Ended(T),
    /// A launch has left by the preemption flag (tested by each launch at its start), which was
    /// raised for it.
    Left,
    /// A launch has left although no preemption flag (tested by each launch at its start) was
    /// raised for it. The launch waits in its stream again, but launches that were submitted after it
    /// may run before it.
    Unasked,
    /// The raised preemption flag (which each launch tests at its start) has become visible, and a
    /// reset is the next command, because every launch that it would kill may be killed (seed 001,
    /// S3.3). If all launches of the process end before that, the command is left out.
    Reset,
    /// The raised preemption flag has become visible, and no reset (killing of running launches) is
    /// made, for this reason; the preemption waits for the end of the running launches.
    NoReset(NoReset),
}

impl<T> From<ResetVerdict> for Heard<T> {
    fn from(verdict: ResetVerdict) -> Self {
        match verdict {
            ResetVerdict::NotAsked => Self::Noted,
            ResetVerdict::Reset => Self::Reset,
            ResetVerdict::NoReset(why) => Self::NoReset(why),
        }
    }
}

/// Phase of a process: running, being preempted, or preempted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessPhase {
    /// The process is not being preempted: its launches are submitted.
    Running,
    /// A preemption of the process is under way: nothing is submitted, and launches may still be on
    /// the device.
    Draining,
    /// A preemption of the process is complete: none of its work is on the device.
    Preempted,
}
