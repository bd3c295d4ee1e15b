//! How often did processes lose the turn, by how much did their work outlast it, and how did it leave?
//!
//! An overrun is the time from the end of a turn until the last wave of its process is gone, or the
//! turn comes back. It is charged to the process in full.

use alloc::collections::BTreeMap;

use raddle_policy::{Idempotence, ProcessId, Ticks};
use serde::{Deserialize, Serialize};

/// What a dispatcher counts of turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnTally {
    /// Turns lost by processes that had submitted work.
    pub revoked: u64,
    /// Of those, how many outlasted their turn; counted when the overrun is over.
    pub overruns: u64,
    /// By how much, altogether.
    pub overrun: Ticks,
    /// By how much at most.
    pub longest_overrun: Ticks,
}

impl TurnTally {
    /// A process left that long after its turn.
    pub(crate) fn left(&mut self, after: Ticks) {
        if after > Ticks::ZERO {
            self.overruns += 1;
            self.overrun += after;
            self.longest_overrun = self.longest_overrun.max(after);
        }
    }
}

/// Why a reset that a policy asked for was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RefusedReset {
    /// Nothing of the process ran: the flag took all.
    NothingRuns,
    /// A launch that runs has no verdict.
    NoVerdict,
    /// A launch that runs is known not to be idempotent.
    NotIdempotent,
    /// A launch that runs was killed as often as the recipe allows.
    KilledOften,
    /// A copy ran, which neither leaves nor may be killed.
    CopyRuns,
    /// The reset would hit another process.
    OtherProcess,
}

impl RefusedReset {
    /// In words.
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

    /// Because of a launch with this verdict.
    pub(crate) const fn of(verdict: Option<Idempotence>) -> Self {
        match verdict {
            Some(Idempotence::Not) => Self::NotIdempotent,
            _ => Self::NoVerdict,
        }
    }
}

/// What a dispatcher counts of preemptions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreemptionTally {
    /// Resets that were asked for and not made, by reason.
    pub refused: BTreeMap<RefusedReset, u64>,
    /// For how long each process was preempted, altogether.
    pub preempted: BTreeMap<ProcessId, Ticks>,
}

impl PreemptionTally {
    /// A process went on after so long.
    pub(crate) fn resumed(&mut self, process: ProcessId, after: Ticks) {
        *self.preempted.entry(process).or_default() += after;
    }

    pub(crate) fn refused(&mut self, why: RefusedReset) {
        *self.refused.entry(why).or_default() += 1;
    }
}
