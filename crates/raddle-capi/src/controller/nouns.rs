//! Which values do a host and a controller of preemptions exchange?

use crate::launch::unknown;
use crate::memory::Plain;
use crate::status::Failure;

/// The launches that a reset kills.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleResetScope {
    /// All that run on the device.
    Device = 0,
    /// All that run in the process's part of the device.
    Partition = 1,
    /// All launches of one process.
    Process = 2,
    /// All launches of single streams.
    Queue = 3,
    /// Single launches of one process.
    Launch = 4,
}

/// The abilities of a runtime, and the settings of a controller. A number that is not 0 is a yes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleControllerConfig {
    /// Kernels test a flag before they begin.
    pub can_flag: u8,
    /// Workgroups that have not started can be held.
    pub can_drain: u8,
    /// Running launches can be killed; only with a flag.
    pub can_reset: u8,
    /// Resident workgroups can be saved and restored.
    pub can_switch: u8,
    /// A launch tests the flag once, before its first workgroup; 0: each workgroup tests it.
    pub latched: u8,
    /// Work that does not test the flag can be taken out of the runtime before it begins.
    pub withdraws: u8,
    /// One of `RaddleResetScope`.
    pub scope: u32,
    /// Launches of one process that are in the runtime at a time, 1 or more; 8 in the seed.
    pub window: u32,
    /// Launches of one process that wait in its queues at most; 0 for no bound.
    pub most_waiting: u32,
    /// How often a launch is killed at most; 0 for no bound.
    pub most_kills: u32,
}

/// A kind of captured work.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleWorkKind {
    /// A kernel.
    Kernel = 0,
    /// A copy or a fill.
    Copy = 1,
    /// The record of an event.
    Record = 2,
    /// A wait for the work of `after_stream` and `after_order`.
    Wait = 3,
    /// A graph of kernels that is submitted as one.
    Graph = 4,
    /// A kernel that waits on the device for its peers.
    Collective = 5,
}

/// Work that a host captured.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleWork {
    /// A number of the host, which comes back with the command to submit the work.
    pub payload: u64,
    /// One of `RaddleWorkKind`.
    pub kind: u32,
    /// One of `RaddleIdempotence`.
    pub idempotent: u32,
    /// Not 0 if the work tests the flag.
    pub tests_flag: u32,
    /// For a wait: the stream of the work that it waits for.
    pub after_stream: u32,
    /// For a wait: the order of that work, as it was written at its capture.
    pub after_order: u64,
}

/// A kind of command.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleCommandKind {
    /// Give a launch to the runtime; report `Submitted` or `NotSubmitted`.
    Submit = 1,
    /// Raise the flags of a process, by `raddle_controller_cut`; report `raddle_controller_raised`.
    Raise = 2,
    /// Lower the flags of a process.
    Lower = 3,
    /// Reset; report each launch as `Killed`, then `raddle_controller_drained`.
    Reset = 4,
    /// Place no further workgroup of a process; report `raddle_controller_drained` when none is on the device.
    Hold = 5,
    /// Place the workgroups of a process again.
    Release = 6,
    /// Save the work of a process on the device; report `raddle_controller_drained` when none is there.
    Save = 7,
    /// Restore the saved work.
    Restore = 8,
    /// The preemption is complete. Nothing is to do.
    Drained = 9,
}

/// The next thing to do.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleCommand {
    /// One of `RaddleCommandKind`.
    pub kind: u32,
    /// For a submission: a small number below the window, which no other one of the process in the runtime has.
    pub slot: u32,
    /// For a submission: the stream.
    pub stream: u32,
    /// For `Drained`: 1 if a resume waited for it, and takes effect now.
    pub resumed: u32,
    /// For a submission: its number, which the launch compares with the cut of the flag.
    pub sequence: u64,
    /// For a submission: the payload of the work.
    pub payload: u64,
    /// The process.
    pub process: u16,
}

/// A report about a submission.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleReport {
    /// The submit call has returned.
    Submitted = 0,
    /// The runtime refused the launch for now: it waits again.
    NotSubmitted = 1,
    /// The launch has started.
    Started = 2,
    /// The launch has run to its end.
    Finished = 3,
    /// The runtime refused the launch for good, or the launch died.
    Failed = 4,
    /// The launch leaves without having begun, which the host has made sure of.
    Claimed = 5,
    /// The launch has left by the flag.
    Exited = 6,
    /// The launch was killed by the reset.
    Killed = 7,
}

impl RaddleReport {
    /// Returns the report with this number.
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

/// The answer to a wish.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleAnswer {
    /// The wish is done, or begun.
    Begun = 0,
    /// A resume that waited is cancelled; the process stays preempted.
    ResumeCancelled = 1,
    /// A preemption is under way or complete: nothing has changed.
    Already = 2,
    /// The runtime does not have this method.
    Missing = 3,
    /// The process that wishes it is not more urgent, or is the process itself.
    NotOutranked = 4,
    /// The method takes off no more than the one under way.
    NotStronger = 5,
    /// No preemption is under way, or the process was not preempted.
    NotPreempted = 6,
    /// The resume takes effect when the preemption is complete.
    Waits = 7,
    /// No reset was wished.
    NotAsked = 8,
    /// There is no reset: nothing is in the runtime that may have begun.
    NoResetEmpty = 9,
    /// There is no reset: a launch may not be run again.
    NoResetNotIdempotent = 10,
    /// There is no reset: a launch does not leave by the flag.
    NoResetNotFlagged = 11,
    /// There is no reset: a launch was killed as often as allowed.
    NoResetKilledOften = 12,
    /// There is no reset: it would hit a process that is not being preempted.
    NoResetOtherProcess = 13,
    /// There is no reset, for another reason.
    NoReset = 14,
}

/// The phase of a process in its preemption.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddlePhase {
    /// Launches of the process are submitted.
    Running = 0,
    /// The process is being preempted.
    Draining = 1,
    /// The device has no work of the process.
    Preempted = 2,
}

/// Where a process stands.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleProcess {
    /// One of `RaddlePhase`.
    pub phase: u32,
    /// 1 while its flag is raised.
    pub raised: u32,
    /// Launches in its queues.
    pub buffered: usize,
    /// Launches in the runtime.
    pub in_flight: usize,
    /// A number that changes when a launch has ended, or room has come.
    pub generation: u64,
}

// SAFETY: integers.
unsafe impl Plain for RaddleControllerConfig {}
// SAFETY: integers.
unsafe impl Plain for RaddleWork {}
