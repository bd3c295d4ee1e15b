//! Which state of one launch, and of one process, follows from the lines of a log?

use std::collections::{BTreeMap, VecDeque};

use raddle_policy::{CuId, Idempotence, Launch, LaunchId, Preemption, ProcessId, StreamId};

use crate::ByLaunch;

/// The state of a launch, as far as the lines of a decision log show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SeenStage {
    /// The launch is in the buffer of its stream, not submitted.
    Buffered,
    /// The launch is in the runtime: submitted, and not asked to leave.
    Submitted,
    /// The launch is in the runtime while its process is preempted, so that it will be asked to
    /// leave.
    Staying,
    /// The launch was asked to leave the device by this method of preemption, and has not left yet.
    Leaving(Preemption),
    /// The launch is held or saved, after a preemption, so that none of its workgroups starts.
    Held,
    /// The launch was taken off the device and asked to come back, and is not back yet.
    Returning,
}

/// The state of a launch that has not ended, as the lines of a log tell it.
#[derive(Clone, Debug)]
pub(super) struct SeenLaunch {
    pub(super) process: ProcessId,
    pub(super) stream: StreamId,
    /// The index, in the checker's list of buffers, of the buffer in which launches of its stream
    /// wait.
    pub(super) buffer: usize,
    pub(super) order: u64,
    pub(super) idempotent: Idempotence,
    /// The number of waves of one workgroup; `whole` is that of the whole launch.
    pub(super) waves: u64,
    pub(super) whole: u64,
    pub(super) ready: bool,
    pub(super) stage: SeenStage,
    /// True while the submit call of the launch has not returned.
    pub(super) called: bool,
    pub(super) kills: u32,
    /// The number of waves that have started since the last kill; `ended` counts those of them that
    /// have ended.
    pub(super) started: u64,
    pub(super) ended: u64,
    /// True if the launch has begun: it has started a workgroup or assigned one to a compute unit.
    pub(super) begun: bool,
    /// The number of waves of the launch on each compute unit.
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

    /// Returns whether the launch is in the runtime: submitted, and not back in the buffer.
    pub(super) fn is_in_runtime(&self) -> bool {
        self.stage != SeenStage::Buffered
    }
}

/// The preemption of one process that has begun and is not complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeenPreemption {
    /// True if the launches that the preemption takes off stay in the runtime, held or saved; false
    /// if they end or go back to the buffer of their process.
    pub(super) holds: bool,
    /// The number of the line that begins the preemption.
    pub(super) since: usize,
}

/// The state of the preemption flag (tested by each launch at its start) of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SeenFlag {
    #[default]
    Low,
    /// The preemption flag (tested by each launch at its start) is raised, and perhaps not visible
    /// to launches yet.
    Raised,
    Visible,
}

#[derive(Clone, Debug, Default)]
pub(super) struct SeenProcess {
    pub(super) preemption: Option<SeenPreemption>,
    pub(super) flag: SeenFlag,
    /// The submitted launches of the process that have not ended.
    pub(super) runtime: InOrder,
    /// True while the compute units of the process are being reset.
    pub(super) resetting: bool,
}

/// Launches by their order of issue: (number in that order, launch). They mostly come at the back
/// and leave at the front.
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

    /// Returns the number in the order of issue of the first launch; `None` without launches.
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

/// A set of launch ids that only grows: one bit for each id, 64 ids in an entry, as ids mostly
/// follow each other.
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
