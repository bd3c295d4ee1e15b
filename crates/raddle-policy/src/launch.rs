//! What does a policy know about a kernel launch?

use crate::{Activity, Barrier, Demand, Dim3, LaunchId, Level, ProcessId, StreamId, Ticks};

/// One kernel launch on the device: a number of equal workgroups. The default launch has no
/// workgroups and the most urgent level; everything else about it is unknown.
///
/// Later versions may add fields, so a host makes a launch by [`new`](Self::new):
///
/// ```
/// use raddle_policy::{Demand, Launch, LaunchId, Level, ProcessId, StreamId};
///
/// let demand = Demand { waves: 4, vgpr: 8, ..Demand::default() };
/// let launch = Launch::new(LaunchId(7), ProcessId(1), 96, demand);
/// let mut launch = launch.with_stream(StreamId(2)).with_level(Level(5));
/// launch.estimate = Some(raddle_policy::Ticks(30_000));
/// assert_eq!((launch.workgroups, launch.stream), (96, StreamId(2)));
/// ```
///
/// A literal of its fields does not compile:
///
/// ```compile_fail,E0639
/// let launch = raddle_policy::Launch { workgroups: 96, ..Default::default() };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
#[non_exhaustive]
pub struct Launch {
    /// The id of the launch, unique in the run of the dispatcher.
    pub id: LaunchId,
    /// The process that the launch belongs to.
    pub process: ProcessId,
    /// The stream of the process in which the launch was issued.
    pub stream: StreamId,
    /// The priority level of the launch: 0 is the most urgent, 255 is best effort.
    pub level: Level,
    /// The number of workgroups of the grid; the workgroups are numbered from 0.
    pub workgroups: u64,
    /// The resources that each workgroup takes, in granules.
    pub demand: Demand,
    /// Use of barriers by the kernel: the waves of a workgroup wait for each other at one, do not,
    /// or this is unknown.
    pub barrier: Barrier,
    /// The verdict whether the launch gives the same result when it is killed part-way and run
    /// again.
    pub idempotent: Idempotence,
    /// The number of instructions of each kind that one wave issues in 1,000 ticks. Serialised only
    /// if known.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Activity::is_unknown"))]
    pub activity: Activity,
    /// The call by which the host launched the kernel. Serialised only if known.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "KernelCall::is_unknown"))]
    pub call: KernelCall,
    /// The time in ticks that the launch is expected to take alone on the device; `None` where
    /// neither a profile nor an observer knows it. Serialised only if known.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub estimate: Option<Ticks>,
}

impl Launch {
    /// Returns a launch of the stream 0 and the most urgent level; nothing else about it is known.
    #[must_use]
    pub const fn new(id: LaunchId, process: ProcessId, workgroups: u64, demand: Demand) -> Self {
        Self {
            id,
            process,
            stream: StreamId(0),
            level: Level(0),
            workgroups,
            demand,
            barrier: Barrier::Assumed,
            idempotent: Idempotence::Unknown,
            activity: Activity::UNKNOWN,
            call: KernelCall::UNKNOWN,
            estimate: None,
        }
    }

    /// Sets the stream in which the launch was issued.
    #[must_use]
    pub const fn with_stream(self, stream: StreamId) -> Self {
        Self { stream, ..self }
    }

    /// Sets the priority level of the launch.
    #[must_use]
    pub const fn with_level(self, level: Level) -> Self {
        Self { level, ..self }
    }

    /// Sets whether the waves of a workgroup wait for each other at a barrier.
    #[must_use]
    pub const fn with_barrier(self, barrier: Barrier) -> Self {
        Self { barrier, ..self }
    }

    /// Sets whether the launch may be killed part-way and run again.
    #[must_use]
    pub const fn with_idempotent(self, idempotent: Idempotence) -> Self {
        Self { idempotent, ..self }
    }

    /// Returns whether the launch stands for a copy or a fill, which has no workgroups
    /// ([`Event::CopyIssued`](crate::Event::CopyIssued)).
    #[must_use]
    pub const fn is_copy(&self) -> bool {
        self.workgroups == 0
    }
}

/// The call by which a host launches a kernel, as far as it is known: the fields of a dispatch
/// packet, without the addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct KernelCall {
    /// The number that stands for the kernel (its name and code object) within its process, counted
    /// from 1; 0 means that the call is unknown.
    pub kernel: u32,
    /// The extents of the grid in x, y and z, in workgroups.
    pub grid: Dim3,
    /// The number of work-items of one workgroup.
    pub threads: u32,
    /// The shared memory (LDS) of one workgroup, in bytes.
    pub lds_bytes: u32,
    /// True if a copy or a fill is between the launch and the launch before it in its stream.
    pub behind_copy: bool,
}

impl KernelCall {
    /// The call of a launch where no source tells how its kernel was called.
    pub const UNKNOWN: Self =
        Self { kernel: 0, grid: Dim3::new(0, 0, 0), threads: 0, lds_bytes: 0, behind_copy: false };

    /// Returns whether the call is unknown: `kernel`, the number of the kernel, is 0.
    #[must_use]
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    #[doc(hidden)]
    pub const fn is_unknown(&self) -> bool {
        self.kernel == 0
    }
}

/// The verdict whether a launch gives the same result when it is killed part-way and run again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Idempotence {
    /// Proven: the launch may be killed part-way and run again with the same result.
    Idempotent,
    /// Known not to be idempotent: a second run may give another result.
    Not,
    /// Unknown, which counts as [`Idempotence::Not`].
    #[default]
    Unknown,
}

impl Idempotence {
    /// Returns whether a launch with this verdict may be killed part-way.
    #[must_use]
    pub const fn may_be_killed(self) -> bool {
        matches!(self, Self::Idempotent)
    }
}
