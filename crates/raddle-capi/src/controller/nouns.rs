//! Which values do a host and a controller of preemptions exchange?

use crate::launch::unknown;
use crate::memory::Plain;
use crate::status::Failure;

/// Extent of a reset: which running launches it kills.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleResetScope {
    /// A reset kills all launches that run on the device.
    Device = 0,
    /// A reset kills all launches that run in the part of the device (a partition) that the process
    /// has.
    Partition = 1,
    /// A reset kills all running launches of one process.
    Process = 2,
    /// A reset kills the running launches of single streams of one process.
    Queue = 3,
    /// A reset kills single launches of one process.
    Launch = 4,
}

/// Abilities of a runtime, and settings of a controller. In a field of 8 bits, any number but 0
/// means yes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleControllerConfig {
    /// 1 if kernels test a preemption flag before they begin, else 0.
    pub can_flag: u8,
    /// 1 if workgroups that have not started can be held back, else 0.
    pub can_drain: u8,
    /// 1 if running launches can be killed, else 0; allowed only with `can_flag`.
    pub can_reset: u8,
    /// 1 if workgroups that are on the device can be saved and restored, else 0.
    pub can_switch: u8,
    /// 1 if a launch tests the preemption flag once, before its first workgroup; 0 if each
    /// workgroup tests it.
    pub latched: u8,
    /// 1 if work that does not test the preemption flag can be taken out of the runtime before it
    /// begins, else 0.
    pub withdraws: u8,
    /// Extent of a reset of this runtime, one of `RaddleResetScope`.
    pub scope: u32,
    /// Most launches of one process that are in the runtime at a time, 1 or more; 8 in seed 001.
    pub window: u32,
    /// Most launches of one process that may wait in its queues; 0 for no limit.
    pub most_waiting: u32,
    /// Most times that one launch may be killed by resets; 0 for no limit.
    pub most_kills: u32,
}

/// Kind of work that a host captures.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleWorkKind {
    /// The work is a kernel launch.
    Kernel = 0,
    /// The work is a copy or a fill of memory.
    Copy = 1,
    /// The work is the record of an event, which finishes when all work before it in its stream
    /// has.
    Record = 2,
    /// The work is a wait for the end of other work, which the fields `after_stream` and
    /// `after_order` name.
    Wait = 3,
    /// The work is a graph of kernels that is submitted as one launch.
    Graph = 4,
    /// The work is a kernel that waits on the device for its peers on other devices or in other
    /// processes.
    Collective = 5,
}

/// Work that a host captured, for one stream of a process.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleWork {
    /// Number of the host's choice, which comes back with the command to submit the work.
    pub payload: u64,
    /// Kind of the work, one of `RaddleWorkKind`.
    pub kind: u32,
    /// Verdict whether the work may be killed and run again, one of `RaddleIdempotence`.
    pub idempotent: u32,
    /// Any number but 0 if the work tests the preemption flag, else 0.
    pub tests_flag: u32,
    /// Stream of the work that a wait waits for; not read for other kinds of work.
    pub after_stream: u32,
    /// Order of capture of the work that a wait waits for: the number that
    /// `raddle_controller_captured` wrote for that work; not read for other kinds of work.
    pub after_order: u64,
}

/// Kind of command that a controller of preemptions gives to the host.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleCommandKind {
    /// Gives a launch to the runtime; the host reports `Submitted` or `NotSubmitted`.
    Submit = 1,
    /// Raises the preemption flags (tested by each launch at its start) of a process, for the
    /// submissions that `raddle_controller_cut` gives; the host reports `raddle_controller_raised`.
    Raise = 2,
    /// Lowers the preemption flags (tested by each launch at its start) of a process.
    Lower = 3,
    /// Resets the compute units of a process; the host reports each killed launch as `Killed`, then
    /// `raddle_controller_drained`.
    Reset = 4,
    /// Keeps further workgroups of a process from being placed; the host reports
    /// `raddle_controller_drained` when none of its workgroups is on the device.
    Hold = 5,
    /// Lets the workgroups of a process start that `Hold` kept from starting.
    Release = 6,
    /// Saves the work of a process that is on the device; the host reports
    /// `raddle_controller_drained` when none of it is on the device.
    Save = 7,
    /// Restores the saved work of a process, which then runs on.
    Restore = 8,
    /// Says that the preemption of the process is complete. The host has nothing to do.
    Drained = 9,
}

/// Command of a controller of preemptions: the next action of the host.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleCommand {
    /// Kind of the command, one of `RaddleCommandKind`.
    pub kind: u32,
    /// Small number of a submission, for use as an index in tables of the host: it is below the
    /// setting `window`, and no other submission of the process in the runtime has it now. 0 for
    /// other commands.
    pub slot: u32,
    /// Id of the stream of a submission; 0 for other commands.
    pub stream: u32,
    /// 1 for `Drained` if a resume waited for the end of the preemption and takes effect now, else
    /// 0.
    pub resumed: u32,
    /// Number of a submission; 0 for other commands. While the preemption flag is raised, a launch
    /// leaves at its start if its number is in the range that `raddle_controller_cut` gives.
    pub sequence: u64,
    /// Payload of the submitted work, as the host gave it; 0 for other commands.
    pub payload: u64,
    /// Id of the process that the command concerns.
    pub process: u16,
}

/// Report of the host about a submission, by `raddle_controller_report`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleReport {
    /// The submit call of the launch has returned.
    Submitted = 0,
    /// The runtime refused the launch for now, so the launch waits again to be submitted.
    NotSubmitted = 1,
    /// The launch has started, or at least tests the preemption flag now.
    Started = 2,
    /// The launch has run to its end.
    Finished = 3,
    /// The runtime refused the launch for good, or the launch died.
    Failed = 4,
    /// The host has made sure that the launch leaves without having begun.
    Claimed = 5,
    /// The launch has left without doing its work, as the preemption flag that it tests at its
    /// start was raised.
    Exited = 6,
    /// The launch was killed by a reset.
    Killed = 7,
}

impl RaddleReport {
    /// Returns the report with this number; an error where no report has it.
    pub(crate) fn of(number: u32) -> Result<Self, Failure> {
        let all = [
            Self::Submitted,
            Self::NotSubmitted,
            Self::Started,
            Self::Finished,
            Self::Failed,
            Self::Claimed,
            Self::Exited,
            Self::Killed,
        ];
        let known = all.get(number as usize).copied();
        known.ok_or_else(|| unknown("report", number, "RaddleReport"))
    }
}

/// Answer of a controller of preemptions to a call that preempts, escalates or resumes, or to a
/// raised preemption flag (which each launch tests at its start).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleAnswer {
    /// The call has taken effect: the preemption, the reset or the resume has begun.
    Begun = 0,
    /// A resume, which waited for the end of the preemption, is cancelled; the process stays
    /// preempted.
    ResumeCancelled = 1,
    /// A preemption is already under way or complete, so nothing has changed.
    Already = 2,
    /// The runtime does not have the wanted method of preemption: nothing has changed.
    Missing = 3,
    /// The process for which the work should leave is not more urgent, or is the same process:
    /// nothing has changed.
    NotOutranked = 4,
    /// The wanted method takes no more work off the device than the method under way, so nothing
    /// changes.
    NotStronger = 5,
    /// No preemption is under way, and the process was neither preempted nor paused, so nothing has
    /// changed.
    NotPreempted = 6,
    /// The process is still being preempted: the resume takes effect when that is complete.
    Waits = 7,
    /// No reset was asked for: launches only leave by the raised preemption flags, which they see
    /// now.
    NotAsked = 8,
    /// There is no reset: the process has no launch in the runtime that may have begun.
    NoResetEmpty = 9,
    /// There is no reset: a launch may not be run again.
    NoResetNotIdempotent = 10,
    /// There is no reset: a launch that does not leave by the preemption flag would stay, and run
    /// before the killed ones.
    NoResetNotFlagged = 11,
    /// There is no reset: a launch was killed as often as allowed.
    NoResetKilledOften = 12,
    /// There is no reset: it would also kill launches of a process that is not being preempted.
    NoResetOtherProcess = 13,
    /// There is no reset, for a reason that this version of the C interface does not know.
    NoReset = 14,
}

/// Phase of a process with respect to preemption.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddlePhase {
    /// The process is not preempted: its launches are submitted.
    Running = 0,
    /// A preemption of the process is under way: its work is leaving the device.
    Draining = 1,
    /// The preemption of the process is complete: none of its work is on the device.
    Preempted = 2,
}

/// State of a process under a controller of preemptions.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleProcess {
    /// Phase of the process, one of `RaddlePhase`.
    pub phase: u32,
    /// 1 while a preemption flag (tested by each launch at its start) of the process is raised,
    /// else 0.
    pub raised: u32,
    /// Number of launches that wait in the queues of the process to be submitted.
    pub buffered: usize,
    /// Number of launches of the process in the runtime.
    pub in_flight: usize,
    /// Number that changes when a launch of the process has ended, or its queues have room again:
    /// then work that was refused may be captured.
    pub generation: u64,
}

// SAFETY: integers.
unsafe impl Plain for RaddleControllerConfig {}
// SAFETY: integers.
unsafe impl Plain for RaddleWork {}
