//! Turn policy UP of XSched: how long does each stream run, if each gets a part of every round?

use raddle_policy::{
    Configured, Cus, ProcessId, ProcessState, SettingError, StreamId, StreamState, Tick, Ticks,
    Turn,
};

use crate::{ProcessPartition, SliceConfig};

/// Turn policy that gives the turn to one process after the other, as `ProcessPartition` does,
/// and within a process to one stream after the other, each for an equal part of the slice.
#[derive(Clone, Copy, Debug)]
pub struct StreamPartition {
    processes: ProcessPartition,
    slice: Ticks,
    last: Option<(ProcessId, StreamId)>,
}

impl Turn for StreamPartition {
    fn turn(
        &mut self,
        all: &[ProcessState],
        now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        self.processes.turn(all, now, may_issue)
    }

    fn by_stream(&self) -> bool {
        true
    }

    fn streams(
        &mut self,
        process: &ProcessState,
        streams: &[StreamState],
        now: Tick,
        may_issue: &mut Vec<StreamId>,
    ) -> Option<Tick> {
        let after = |it: &&StreamState| self.last.is_some_and(|last| (process.id, it.id) > last);
        let next = streams.iter().find(after).or(streams.first())?;
        self.last = Some((process.id, next.id));
        may_issue.push(next.id);
        (streams.len() > 1).then(|| now + Ticks((self.slice.0 / streams.len() as u64).max(1)))
    }
}

impl Configured for StreamPartition {
    const NAME: &'static str = "xsched-up";
    const EXAMPLES: &'static [&'static str] = &["slice-us = 2000"];
    type Config = SliceConfig;

    fn make(config: &SliceConfig, device: &Cus) -> Result<Self, SettingError> {
        let processes = ProcessPartition::make(config, device)?;
        Ok(Self { processes, slice: config.slice()?, last: None })
    }
}
