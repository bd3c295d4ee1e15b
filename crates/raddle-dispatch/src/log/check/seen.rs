//! Which state of one launch, and of one process, follows from the lines of a log?

use std::collections::{BTreeMap, VecDeque};

use raddle_policy::{CuId, Idempotence, Launch, LaunchId, Preemption, ProcessId, StreamId};

use crate::ByLaunch;

/// The state of a launch, as far as the lines of a decision log tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SeenStage {
    /// The launch waits in the buffer of its stream to be submitted.
    Buffered,
    /// The launch is submitted and was not asked to leave the device.
    Submitted,
    /// The launch is still submitted, but a preemption of its process has begun that will ask it to
    /// leave the device.
    Staying,
    /// The launch was asked to leave the device by this preemption method, and has not left yet.
    Leaving(Preemption),
    /// The launch was taken off the device by a preemption, and was not asked to come back. None of
    /// its workgroups starts.
    Held,
    /// The launch is off the device and was asked to come back, but is not back yet.
    Returning,
}

/// The state of one launch that has not ended, as far as the lines of a decision log tell it.
#[derive(Clone, Debug)]
pub(super) struct SeenLaunch {
    pub(super) process: ProcessId,
    pub(super) stream: StreamId,
    /// The index, in the checker's list `buffers`, of the buffer in which launches of this stream
    /// wait to be submitted.
    pub(super) buffer: usize,
    pub(super) order: u64,
    pub(super) idempotent: Idempotence,
    /// The number of waves of one workgroup; `whole` is the number of waves of the whole launch.
    pub(super) waves: u64,
    pub(super) whole: u64,
    pub(super) ready: bool,
    pub(super) stage: SeenStage,
    /// True while a call is under way that submits the launch to the device: it has neither
    /// succeeded nor failed yet.
    pub(super) called: bool,
    pub(super) kills: u32,
    /// The number of waves of the launch that have started; `ended` counts those of them that have
    /// ended. Both begin again at 0 when a preemption puts the launch back into its buffer.
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

    /// Returns whether the launch is submitted: it has left its buffer, and was not put back there.
    pub(super) fn is_in_runtime(&self) -> bool {
        self.stage != SeenStage::Buffered
    }
}

/// The preemption of one process that is under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeenPreemption {
    /// True if the preempted launches stay submitted and can come back to the device; false if they
    /// end or go back to the buffer of their stream.
    pub(super) holds: bool,
    /// The number of the line of the decision log that begins the preemption.
    pub(super) since: usize,
}

/// The state of a process's preemption flag, which each launch tests at its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SeenFlag {
    #[default]
    Low,
    /// The preemption flag is raised, but perhaps launches do not see it yet.
    Raised,
    Visible,
}

#[derive(Clone, Debug, Default)]
pub(super) struct SeenProcess {
    pub(super) preemption: Option<SeenPreemption>,
    pub(super) flag: SeenFlag,
    /// The submitted launches of the process that have not ended.
    pub(super) runtime: InOrder,
    /// True while the process is being reset, so that its running launches are killed.
    pub(super) resetting: bool,
}

/// A list of launches in their order of issue, as (number in that order, launch). Launches are
/// mostly added at the back and removed at the front.
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

    /// Returns the number, in the order of issue, of the first launch in the list; `None` for an
    /// empty list.
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

/// A set of launch ids, from which no id is removed. Each `u64` holds 64 consecutive ids, one bit
/// for each.
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
