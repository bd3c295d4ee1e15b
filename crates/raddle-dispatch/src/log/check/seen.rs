//! What does a log say of one launch, and of one process?

use std::collections::{BTreeMap, VecDeque};

use raddle_policy::{CuId, Idempotence, Launch, LaunchId, Preemption, ProcessId, StreamId};

use crate::ByLaunch;

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
    /// The index of the buffer of the stream.
    pub(super) buffer: usize,
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
    pub(super) fn new(launch: &Launch, buffer: usize, order: u64, ready: bool) -> Self {
        let waves = u64::from(launch.demand.waves);
        Self {
            process: launch.process,
            stream: launch.stream,
            buffer,
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
    pub(super) runtime: InOrder,
    /// True while a reset of the process is under way.
    pub(super) resetting: bool,
}

/// Launches by their order of issue. They mostly come at the back and leave at the front.
#[derive(Clone, Debug, Default)]
pub(super) struct InOrder(VecDeque<(u64, LaunchId)>);

impl InOrder {
    pub(super) fn insert(&mut self, order: u64, id: LaunchId) {
        if self.0.back().is_none_or(|&(last, _)| last < order) {
            self.0.push_back((order, id));
        } else if let Err(at) = self.find(order) {
            self.0.insert(at, (order, id));
        }
    }

    pub(super) fn remove(&mut self, order: u64) {
        if self.first() == Some(order) {
            self.0.pop_front();
        } else if let Ok(at) = self.find(order) {
            self.0.remove(at);
        }
    }

    fn find(&self, order: u64) -> Result<usize, usize> {
        self.0.binary_search_by_key(&order, |&(order, _)| order)
    }

    /// Returns the order of the first launch.
    pub(super) fn first(&self) -> Option<u64> {
        self.0.front().map(|&(order, _)| order)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = LaunchId> {
        self.0.iter().map(|&(_, id)| id)
    }
}

/// A set of launches that only grows: 64 ids an entry, as ids mostly follow each other.
#[derive(Debug, Default)]
pub(super) struct UsedIds(ByLaunch<u64>);

impl UsedIds {
    pub(super) fn insert(&mut self, LaunchId(id): LaunchId) {
        *self.0.or_insert_with(LaunchId(id / 64), || 0) |= 1 << (id % 64);
    }

    pub(super) fn contains(&self, LaunchId(id): LaunchId) -> bool {
        self.0.get(LaunchId(id / 64)).is_some_and(|ids| ids >> (id % 64) & 1 == 1)
    }
}
