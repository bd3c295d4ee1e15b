//! What does a log say of one launch, and of one process?

use std::collections::{BTreeMap, BTreeSet};

use raddle_policy::{CuId, Idempotence, Launch, LaunchId, Preemption, ProcessId, StreamId};

/// Where a launch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SeenStage {
    /// In the buffer of its stream.
    Buffered,
    /// In the runtime.
    Submitted,
    /// Asked to leave.
    Leaving(Preemption),
    /// Held or saved.
    Held,
    /// Asked to come back.
    Returning,
}

/// A launch that has not ended.
#[derive(Clone, Debug)]
pub(super) struct SeenLaunch {
    pub(super) process: ProcessId,
    pub(super) stream: StreamId,
    pub(super) order: u64,
    pub(super) idempotent: Idempotence,
    /// Waves of a workgroup, and of the whole launch.
    pub(super) waves: u64,
    pub(super) whole: u64,
    pub(super) ready: bool,
    pub(super) stage: SeenStage,
    /// Whether its submit call has not returned.
    pub(super) called: bool,
    pub(super) kills: u32,
    /// Waves that started, and of those how many ended, since it was last killed.
    pub(super) started: u64,
    pub(super) ended: u64,
    /// Whether it has begun, that is started or bound a workgroup.
    pub(super) begun: bool,
    /// Waves on each compute unit.
    pub(super) units: BTreeMap<CuId, u64>,
}

impl SeenLaunch {
    pub(super) fn new(launch: &Launch, order: u64, ready: bool) -> Self {
        let waves = u64::from(launch.demand.waves);
        Self {
            process: launch.process,
            stream: launch.stream,
            order,
            idempotent: launch.idempotent,
            waves,
            whole: launch.workgroups.saturating_mul(waves),
            ready,
            stage: SeenStage::Buffered,
            called: false,
            kills: 0,
            started: 0,
            ended: 0,
            begun: false,
            units: BTreeMap::new(),
        }
    }

    /// Whether the runtime has it.
    pub(super) fn is_in_runtime(&self) -> bool {
        self.stage != SeenStage::Buffered
    }
}

/// A preemption that is under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeenPreemption {
    /// Whether what it takes off stays in the runtime, held or saved.
    pub(super) holds: bool,
    /// The line that says so.
    pub(super) since: usize,
}

/// How far the flag of a process is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SeenFlag {
    #[default]
    Low,
    /// Raised, perhaps not visible yet.
    Raised,
    Visible,
}

#[derive(Clone, Debug, Default)]
pub(super) struct SeenProcess {
    pub(super) preemption: Option<SeenPreemption>,
    pub(super) flag: SeenFlag,
    /// Submitted launches that have not ended.
    pub(super) runtime: BTreeSet<LaunchId>,
    /// Whether a reset of it is under way.
    pub(super) resetting: bool,
}
