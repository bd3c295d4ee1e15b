//! How does work leave when its process loses the turn?

use crate::{Launch, Tick};

use crate::{Fact, ProcessState};

/// How the work of a revoked process leaves. See the design's table for the latency each promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum How {
    /// It stays; the process only gets no new submissions.
    Never,
    /// Everything submitted runs to its end.
    Wait,
    /// Launches that have not started go back to the buffer; running ones run to their end.
    Flag,
    /// Resident workgroups finish; everything else is held.
    Drain,
    /// Running launches are killed if every submitted one is idempotent, else as `Flag`.
    Reset,
    /// Resident workgroups are saved and later restored on the same compute units.
    Switch,
}

impl How {
    /// The kebab-case name, as logs spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Wait => "wait",
            Self::Flag => "flag",
            Self::Drain => "drain",
            Self::Reset => "reset",
            Self::Switch => "switch",
        }
    }
}

/// A submitted launch of a revoked process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VictimLaunch {
    /// The launch.
    pub launch: Launch,
    /// Workgroups that have not started.
    pub unstarted: u64,
    /// Waves on the device now.
    pub resident_waves: u64,
    /// When it was submitted.
    pub submitted: Tick,
}

/// What a [`Preempt`] policy sees: a process that lost the turn, with work on the device.
#[derive(Clone, Copy, Debug)]
pub struct VictimView<'a> {
    /// The process.
    pub process: &'a ProcessState,
    /// Its submitted launches that have not ended, in the order of their submission; never empty.
    pub launches: &'a [VictimLaunch],
}

/// Answers how the work of a revoked process leaves.
///
/// Asked once a revocation, and only if the process has submitted work: without revocation never.
///
/// # Laws
///
/// 1. The same memory and arguments give the same answer.
pub trait Preempt {
    /// How the work of `victim` leaves.
    fn preempt(&mut self, victim: &VictimView<'_>, now: Tick) -> How;

    /// Hears what happened; for policies that keep tables.
    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        let _ = (fact, now);
    }
}

#[cfg(test)]
fn _object_safe(_: &mut dyn Preempt) {}
