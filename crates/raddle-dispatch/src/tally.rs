//! How often did processes lose the turn, by how much did their work outlast it, and which resets
//! were refused?
//!
//! An overrun is the time from the end of a turn until the last wave of its process is gone, or the
//! process has the turn again. The whole time counts for the process.

use alloc::collections::BTreeMap;

use raddle_policy::{Idempotence, ProcessId, Ticks};
use serde::{Deserialize, Serialize};

/// Counts of the turns (rights to issue launches) that processes lost, and of the overruns: turns
/// that ended while work of their process was still on the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnTally {
    pub(crate) revoked: u64,
    pub(crate) overruns: u64,
    pub(crate) overrun: Ticks,
    pub(crate) longest_overrun: Ticks,
}

impl TurnTally {
    /// Returns the number of times that a process with submitted work lost the turn (the right to
    /// issue launches).
    #[must_use]
    pub const fn revoked(&self) -> u64 {
        self.revoked
    }

    /// Returns the number of overruns: turns that ended while work of their process was still on
    /// the device. An overrun is counted when that work has ended.
    #[must_use]
    pub const fn overruns(&self) -> u64 {
        self.overruns
    }

    /// Returns the sum over all overruns, in ticks; an overrun is the time by which work on the
    /// device outlasts its turn.
    #[must_use]
    pub const fn overrun(&self) -> Ticks {
        self.overrun
    }

    /// Returns the longest overrun, in ticks; an overrun is the time by which work on the device
    /// outlasts its turn.
    #[must_use]
    pub const fn longest_overrun(&self) -> Ticks {
        self.longest_overrun
    }
}

impl TurnTally {
    /// Counts the overrun of a process: its last wave ended `after` ticks after the end of its
    /// turn. 0 ticks count as no overrun.
    pub(crate) fn left(&mut self, after: Ticks) {
        if after > Ticks::ZERO {
            self.overruns += 1;
            self.overrun += after;
            self.longest_overrun = self.longest_overrun.max(after);
        }
    }
}

/// The reason why a reset (killing of running launches) that a preempt policy asked for was not
/// made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RefusedReset {
    /// No launch of the process was running: all of them left by the preemption flag, which each
    /// launch tests at its start.
    NothingRuns,
    /// A running launch was not yet judged as idempotent or not.
    NoVerdict,
    /// A running launch is known not to be idempotent, so it must not be killed and run again.
    NotIdempotent,
    /// A running launch was already killed as often as the recipe allows.
    KilledOften,
    /// A copy of the process was running, which can neither leave nor be killed.
    CopyRuns,
    /// The reset would also kill launches of another process.
    OtherProcess,
}

impl RefusedReset {
    /// Returns the reason why the reset was not made, in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::NothingRuns => "nothing ran",
            Self::NoVerdict => "no verdict",
            Self::NotIdempotent => "not idempotent",
            Self::KilledOften => "killed often",
            Self::CopyRuns => "a copy ran",
            Self::OtherProcess => "another process",
        }
    }

    /// Returns the reason why a launch with this verdict on its idempotence must not be killed;
    /// `None` stands for a launch that was not judged yet.
    pub(crate) const fn of(verdict: Option<Idempotence>) -> Self {
        match verdict {
            Some(Idempotence::Not) => Self::NotIdempotent,
            _ => Self::NoVerdict,
        }
    }
}

/// The counts of refused resets, and the time for which processes were preempted under a
/// dispatcher.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreemptionTally {
    pub(crate) refused: BTreeMap<RefusedReset, u64>,
    pub(crate) preempted: BTreeMap<ProcessId, Ticks>,
}

impl PreemptionTally {
    /// Returns the number of resets that a preempt policy asked for and that were not made, by
    /// reason.
    #[must_use]
    pub const fn refused(&self) -> &BTreeMap<RefusedReset, u64> {
        &self.refused
    }

    /// Returns the total time for which each process was preempted, in ticks.
    #[must_use]
    pub const fn preempted(&self) -> &BTreeMap<ProcessId, Ticks> {
        &self.preempted
    }

    /// Adds a preemption of a process that lasted `after` ticks, from the loss of the turn until
    /// the process ran again.
    pub(crate) fn resumed(&mut self, process: ProcessId, after: Ticks) {
        *self.preempted.entry(process).or_default() += after;
    }

    pub(crate) fn refuse(&mut self, why: RefusedReset) {
        *self.refused.entry(why).or_default() += 1;
    }
}
