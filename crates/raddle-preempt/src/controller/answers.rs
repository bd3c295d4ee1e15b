//! What do a host and a controller say to each other?

use raddle_policy::{Idempotence, Preemption, ProcessId, StreamId};

use crate::abilities::Abilities;

/// What a runtime says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct Declared {
    /// Which ways off it has.
    pub abilities: Abilities,
    /// Whether a launch looks at the flag once, before its first workgroup, and then runs or leaves
    /// as a whole (A6). Where each workgroup looks by itself, say `false`: then no launch that may
    /// not be run again is ever flagged, as the flag could stop it part-way.
    pub latched: bool,
    /// What a reset hits.
    pub scope: ResetScope,
}

/// What a reset hits (A11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ResetScope {
    /// The launches of one process.
    Process,
    /// Whatever runs on the device.
    #[default]
    Device,
}

/// The settings of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct ControllerOptions {
    /// Launches of one process that are in the runtime at a time, over all its streams (S2.3).
    pub window: u32,
    /// The rule of minimum progress: a launch that was killed so often is not killed again, it is
    /// waited for. Off by default: by the seed, a launch that is longer than the time between two
    /// preemptions is killed for ever.
    ///
    /// Where workgroups look at the flag by themselves ([`Declared::latched`] is `false`), leaving by
    /// it counts as well, but only of a launch that was said to have
    /// [started](crate::Controller::started): one that has not begun has lost nothing. A driver that
    /// never reports starts has this rule for resets alone.
    pub most_kills: Option<u32>,
}

impl Default for ControllerOptions {
    fn default() -> Self {
        Self { window: 8, most_kills: None }
    }
}

/// What a host wants done, in the order of its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedWork<T> {
    /// Whatever the caller needs to submit it: handed back when it is done.
    pub payload: T,
    /// Whether it may be run again (A12). Unknown counts as not.
    pub idempotent: Idempotence,
    /// Whether it tests the flag (S1.2). Copies and kernels that cannot be instrumented do not: they
    /// are never flagged, nor is what was submitted before them.
    pub tests_flag: bool,
}

impl<T> CapturedWork<T> {
    /// An instrumented kernel.
    pub const fn kernel(payload: T, idempotent: Idempotence) -> Self {
        Self { payload, idempotent, tests_flag: true }
    }

    /// A copy, a fill, or a kernel that does not test the flag.
    pub const fn opaque(payload: T) -> Self {
        Self { payload, idempotent: Idempotence::Not, tests_flag: false }
    }
}

/// When something was captured: larger is later, within one process and those that had its id before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaptureOrder(pub u64);

/// One submission of a launch. A launch that is submitted again has a new handle; no handle comes
/// again, not even when an id of a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaunchHandle {
    /// Whose.
    pub process: ProcessId,
    /// The how manyth submission of its process and of those that had its id before, counted from 0:
    /// what the launch compares with the flag's [`FlagCut`].
    pub sequence: u64,
    pub(super) slot: u32,
}

/// A raised flag: which submissions leave when they start.
///
/// Two numbers instead of one bit. `from` spares what must run to its end; `to` spares what is
/// submitted later, so that a flag which is seen late to be lowered makes nobody leave (A9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlagCut {
    /// The first submission that leaves.
    pub from: u64,
    /// The first one that does not leave any more.
    pub to: u64,
}

impl FlagCut {
    /// Whether a submission leaves.
    #[must_use]
    pub const fn holds(self, sequence: u64) -> bool {
        self.from <= sequence && sequence < self.to
    }
}

/// What a driver is to do next. It does it in the order in which it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)] // A whole word, so that it is copied word by word: that is a quarter of a submission.
pub enum Command {
    /// Give a launch to the runtime (S2.3, S4.2), then report `submitted` or `not_submitted`.
    Submit {
        /// Which: the controller has its payload.
        handle: LaunchHandle,
        /// Through which lane.
        stream: StreamId,
    },
    /// Raise the flag of a process (S3.2). Report `raised` as soon as every launch that starts from
    /// then on sees it.
    Raise {
        /// Whose.
        process: ProcessId,
        /// Who leaves.
        cut: FlagCut,
    },
    /// Lower the flag of a process (S4.1), before anything is submitted again.
    Lower {
        /// Whose.
        process: ProcessId,
    },
    /// Reset the compute units (S3.3). Report each launch that was `killed`, then `drained`.
    Reset {
        /// For whom; what else is hit says [`ResetScope`].
        process: ProcessId,
    },
    /// Place no further workgroup of a process. Report `drained` when none is left on the device.
    Hold {
        /// Whose.
        process: ProcessId,
    },
    /// Place them again.
    Release {
        /// Whose.
        process: ProcessId,
    },
    /// Save what a process has on the device. Report `drained` when it is off.
    Save {
        /// Whose.
        process: ProcessId,
    },
    /// Put it back.
    Restore {
        /// Whose.
        process: ProcessId,
    },
    /// Nothing to do but to tell whoever waits: the preemption is complete.
    Drained {
        /// Of which process.
        process: ProcessId,
        /// Whether a resume was waiting for this. It takes effect now.
        resumed: bool,
    },
}

/// What became of the wish to preempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a runtime that cannot do it has done nothing"]
pub enum Preempted {
    /// It has begun.
    Begun,
    /// One was under way and a resume waited for its end: that resume is cancelled, the process
    /// stays preempted (A15: the latest wish wins).
    ResumeCancelled,
    /// One is under way or complete: nothing has changed, nor has its way.
    Already,
    /// The runtime does not have this way: nothing has changed.
    Missing(Preemption),
    /// Whoever asked is not more urgent than the process, or is the process: nothing has changed.
    NotOutranked,
}

/// What became of the wish to resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resumed {
    /// It takes effect at once.
    Now,
    /// It takes effect when the preemption is complete (A7).
    Waits,
    /// The process was not preempted: nothing has changed.
    Running,
}

/// What was decided when the flag had become visible (S3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetVerdict {
    /// The way is flag: nobody asked for a reset.
    NotAsked,
    /// Everything that would be hit may be killed: the reset is the next command, unless all of the
    /// process is said to have ended by then.
    Reset,
    /// No reset, the running launches are waited for.
    NoReset(NoReset),
}

/// Why there is no reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoReset {
    /// Nothing is in the runtime (A3).
    Empty,
    /// This one may not be run again, or nobody knows.
    NotIdempotent(LaunchHandle),
    /// This one does not test the flag, or must not leave by it: it would run before what was killed.
    NotFlagged(LaunchHandle),
    /// This one was killed as often as the options allow.
    KilledOften(LaunchHandle),
    /// This process has launches in the runtime, would be hit, and is not on its way out.
    OtherProcess(ProcessId),
}

/// How a launch left by the flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a launch that leaves unasked may have been overtaken"]
pub enum Exit {
    /// As it was told to.
    Flagged,
    /// Nobody told it to: the runtime saw a flag that was not raised for it. It waits at its place
    /// all the same, but what was submitted behind it may run before it.
    Unasked,
}

/// Where a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessPhase {
    /// Its launches are submitted.
    Running,
    /// It is being preempted: nothing is submitted, something may still be on the device.
    Draining,
    /// Nothing of it is on the device.
    Preempted,
}
