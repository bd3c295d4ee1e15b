//! Turn policy PUP of XSched: how long does each process run, if each gets a part of every round?

use raddle_policy::{Configured, Cus, ProcessId, ProcessState, SettingError, Tick, Ticks, Turn};

use crate::SliceConfig;

/// Turn policy that gives the turn to one process after the other, each for a part of the slice.
/// Parts are in proportion to the processes' utilisation hints, or shares where there is no hint.
#[derive(Clone, Copy, Debug)]
pub struct ProcessPartition {
    slice: Ticks,
    last: Option<(ProcessId, Tick)>,
}

/// Returns the weight by which a process gets its part of the slice: its utilisation hint in
/// percent, or else its share; 1 or more.
pub(crate) fn part(process: &ProcessState) -> u64 {
    process.hints.utilisation().map_or_else(|| process.share.into(), u64::from).max(1)
}

impl Turn for ProcessPartition {
    fn turn(
        &mut self,
        all: &[ProcessState],
        now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        let next = match self.last {
            Some((id, until)) if now < until && all.iter().any(|it| it.id == id) => {
                may_issue.push(id);
                return Some(until);
            }
            Some((id, _)) => all.iter().find(|it| it.id > id).or(all.first())?,
            None => all.first()?,
        };
        let whole: u64 = all.iter().map(part).sum();
        let until = now + Ticks((self.slice.0.saturating_mul(part(next)) / whole).max(1));
        self.last = Some((next.id, until));
        may_issue.push(next.id);
        Some(until)
    }
}

impl Configured for ProcessPartition {
    const NAME: &'static str = "xsched-pup";
    const EXAMPLES: &'static [&'static str] = &["slice-us = 2000"];
    type Config = SliceConfig;

    fn make(config: &SliceConfig, _device: &Cus) -> Result<Self, SettingError> {
        Ok(Self { slice: config.slice()?, last: None })
    }
}
