//! What is a kernel launch, as far as a policy may know?

use crate::{Activity, Barrier, Demand, Dim3, LaunchId, Level, ProcessId, StreamId, Ticks};

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
    /// What its host said when it launched it. Serialised only where it is known.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "KernelCall::is_unknown"))]
    pub call: KernelCall,
    /// How long it is expected to run if it has the device alone, where a profile or an observer knows it.
    /// Serialised only then.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub estimate: Option<Ticks>,
}

/// What a host says when it launches a kernel, as far as the source of a launch knows it: what a packet
/// would hold beside addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct KernelCall {
    /// Which kernel of its process it is, by name and code object, counted from 1; 0: nobody knows, and
    /// neither the rest.
    pub kernel: u32,
    /// The grid, in workgroups.
    pub grid: Dim3,
    /// Work-items of a workgroup.
    pub threads: u32,
    /// LDS of a workgroup, in bytes.
    pub lds_bytes: u32,
    /// Whether a copy or a fill lies between it and the launch before it in its stream.
    pub behind_copy: bool,
}

impl KernelCall {
    /// Nobody knows what it was.
    pub const UNKNOWN: Self =
        Self { kernel: 0, grid: Dim3::new(0, 0, 0), threads: 0, lds_bytes: 0, behind_copy: false };

    /// Whether nobody knows which kernel it is.
    #[must_use]
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub const fn is_unknown(&self) -> bool {
        self.kernel == 0
    }
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
