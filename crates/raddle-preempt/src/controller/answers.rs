//! Which values do a driver and a controller exchange?

use raddle_policy::{Preemption, ProcessId, StreamId};

/// One submission of a launch. A launch that is submitted again has a new handle; a handle is never
/// reused, though ids of processes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaunchHandle {
    /// The process.
    pub process: ProcessId,
    /// Zero-based index of the submission, over all processes that ever had this id: the number
    /// that the launch compares with the flag's [`FlagCut`](crate::FlagCut).
    pub sequence: u64,
    pub(super) slot: u32,
}

impl LaunchHandle {
    /// Returns a small index for tables of the driver. Law: it is less than the window, and no
    /// other launch of the process that is in the runtime has the same; a later one may.
    #[must_use]
    pub const fn slot(self) -> u32 {
        self.slot
    }
}

/// The next action of a driver. Commands are carried out in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)] // A whole word is copied faster than a byte: a quarter of the time of a submission.
pub enum Command {
    /// Give a launch to the runtime (S2.3, S4.2), then report `submitted` or `not_submitted`.
    Submit {
        /// The submission; [`Controller::payload`](crate::Controller::payload) has its payload.
        handle: LaunchHandle,
        /// The stream to submit it to.
        stream: StreamId,
    },
    /// Raise the flags of a process (S3.2), as [`cuts`](crate::Controller::cuts) says. Report `raised`
    /// once every launch that starts sees them.
    Raise {
        /// The process.
        process: ProcessId,
    },
    /// Lower the flags of a process (S4.1), before anything is submitted again.
    Lower {
        /// The process.
        process: ProcessId,
    },
    /// Reset the compute units (S3.3). Report each launch that was `killed`, then `drained`.
    Reset {
        /// The process; [`hits`](crate::Controller::hits) says which launches are killed.
        process: ProcessId,
    },
    /// Place no further workgroup of a process. Report `drained` when none of its workgroups is on
    /// the device.
    Hold {
        /// The process.
        process: ProcessId,
    },
    /// Place the workgroups of the process again.
    Release {
        /// The process.
        process: ProcessId,
    },
    /// Save the work of a process on the device. Report `drained` when none of it is on the device.
    Save {
        /// The process.
        process: ProcessId,
    },
    /// Restore the saved work.
    Restore {
        /// The process.
        process: ProcessId,
    },
    /// The preemption is complete: wake the threads that wait for it.
    Drained {
        /// The process.
        process: ProcessId,
        /// True if a resume waited for the end of the preemption; it takes effect now.
        resumed: bool,
    },
}

/// The answer to a call of [`preempt`](crate::Controller::preempt).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a runtime without this method has done nothing"]
pub enum Preempted {
    /// The preemption has begun.
    Begun,
    /// A resume that waited for the end of a preemption is cancelled; the process stays preempted
    /// (A15: the latest call wins).
    ResumeCancelled,
    /// A preemption is under way or complete: nothing has changed, nor has its method.
    Already,
    /// The runtime does not have this method: nothing has changed.
    Missing(Preemption),
    /// The caller is not more urgent than the process, or is the process: nothing has changed.
    NotOutranked,
}

/// The answer to a call of [`escalate`](crate::Controller::escalate).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "where it is refused, the way before goes on"]
pub enum Escalated {
    /// The preemption uses the stronger method from now on.
    Begun,
    /// All launches that leave by the flag have left, and there must be no reset: ask again when
    /// the named launch has ended.
    Refused(NoReset),
    /// This method takes off no more than the one under way: nothing has changed.
    NotStronger,
    /// No preemption is under way: nothing has changed.
    NotDraining,
    /// The runtime does not have this method: nothing has changed.
    Missing(Preemption),
}

/// The answer to a call of [`resume`](crate::Controller::resume).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resumed {
    /// The resume takes effect at once.
    Now,
    /// The resume takes effect when the preemption is complete (A7).
    Waits,
    /// The process was not preempted: nothing has changed.
    Running,
}

/// The decision about a reset, made when the flag has become visible (S3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetVerdict {
    /// The method is the flag: no reset is wanted.
    NotAsked,
    /// All launches that would be killed may be killed: the reset is the next command, unless all
    /// launches of the process have ended by then.
    Reset,
    /// No reset, the running launches are waited for.
    NoReset(NoReset),
}

/// The reason why there is no reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoReset {
    /// The runtime has no launch of the process (A3), or none that may have begun.
    Empty,
    /// This launch may not be run again, or it is unknown whether it may.
    NotIdempotent(LaunchHandle),
    /// This launch does not leave by the flag: it would run before the killed launches.
    NotFlagged(LaunchHandle),
    /// This launch was killed as often as the options allow.
    KilledOften(LaunchHandle),
    /// This process has launches in the runtime that would be killed, and is not being preempted.
    OtherProcess(ProcessId),
}

/// The way in which a launch left by the flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a launch that leaves without a flag may have been overtaken"]
pub enum Exit {
    /// The flag was raised for the launch.
    Flagged,
    /// No flag was raised for the launch. It waits at its place nevertheless, but launches
    /// submitted behind it may run before it.
    Unasked,
}

/// The phase of a process in its preemption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessPhase {
    /// The launches of the process are submitted.
    Running,
    /// The process is being preempted: nothing is submitted, and launches may still be on the
    /// device.
    Draining,
    /// The process is preempted: none of its work is on the device.
    Preempted,
}
