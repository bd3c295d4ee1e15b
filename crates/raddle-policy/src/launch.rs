//! What is a kernel launch, as far as a policy may know?

use crate::{Activity, Barrier, Demand, LaunchId, Level, ProcessId, StreamId};

/// One kernel launch on the device: a number of equal workgroups.
/// By default it is without workgroups, of the most urgent level, and nobody knows more of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct Launch {
    /// Its id, unique in the run.
    pub id: LaunchId,
    /// Whose launch it is.
    pub process: ProcessId,
    /// The in-order lane of the process that it came through.
    pub stream: StreamId,
    /// How urgent it is.
    pub level: Level,
    /// Workgroups of its grid, numbered from 0.
    pub workgroups: u64,
    /// What each of them takes.
    pub demand: Demand,
    /// Whether waves of a workgroup meet at a barrier.
    pub barrier: Barrier,
    /// Whether it may be killed part-way and run again.
    pub idempotent: Idempotence,
    /// What its waves do. Serialised only where it is known.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Activity::is_unknown"))]
    pub activity: Activity,
}

/// The verdict whether a launch gives the same result when it is killed and run again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Idempotence {
    /// Proven: it may be killed.
    Idempotent,
    /// Known not to be.
    Not,
    /// Nobody knows; treated as [`Idempotence::Not`].
    #[default]
    Unknown,
}

impl Idempotence {
    /// Whether killing it part-way is allowed.
    #[must_use]
    pub const fn may_be_killed(self) -> bool {
        matches!(self, Self::Idempotent)
    }
}
