//! What does a log say of one launch, and of one process?

use std::collections::{BTreeMap, BTreeSet};

use raddle_policy::{CuId, Idempotence, Launch, LaunchId, Preemption, ProcessId, StreamId};

/// The stage of a launch, by the lines of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SeenStage {
    /// In the buffer of its stream.
    Buffered,
    /// In the runtime.
    Submitted,
    /// In the runtime while its process leaves, so that it will leave.
    Staying,
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
    /// The waves of a workgroup; `whole` are those of the whole launch.
    pub(super) waves: u64,
    pub(super) whole: u64,
    pub(super) ready: bool,
    pub(super) stage: SeenStage,
    /// True while the submit call of the launch has not returned.
    pub(super) called: bool,
    pub(super) kills: u32,
    /// Waves that have started since the last kill; `ended` counts those of them that have ended.
    pub(super) started: u64,
    pub(super) ended: u64,
    /// True if the launch has begun, that is started or bound a workgroup.
    pub(super) begun: bool,
    /// Resident waves on each compute unit.
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

    /// Returns whether the runtime has the launch.
    pub(super) fn is_in_runtime(&self) -> bool {
        self.stage != SeenStage::Buffered
    }
}

/// A preemption that is under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeenPreemption {
    /// True if the launches that it takes off stay in the runtime, held or saved.
    pub(super) holds: bool,
    /// The number of the line that begins the preemption.
    pub(super) since: usize,
}

/// The state of the flag of a process.
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
    /// True while a reset of the process is under way.
    pub(super) resetting: bool,
}
