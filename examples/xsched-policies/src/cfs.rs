//! Turn policy CFS of XSched: which process runs, if all get equal time, weighted by priority?

use std::collections::BTreeMap;

use raddle_policy::{Configured, Cus, ProcessId, ProcessState, SettingError, Tick, Ticks, Turn};

use crate::SliceConfig;

/// Turn policy that gives a slice to the process with the least virtual time, which is its time on
/// the device, slowed by a sixth for each step of its priority hint that is more urgent than 128,
/// the default. A new process begins with the least virtual time of the others.
#[derive(Clone, Debug)]
pub struct CompletelyFair {
    slice: Ticks,
    /// For each process: (virtual time in 2^-16 ns, time on the device in ns that it accounts for).
    times: BTreeMap<ProcessId, (u128, Ticks)>,
}

/// Returns the virtual time, in 2^-16 ns, of 1 ns on the device: less for a more urgent process.
fn pace(process: &ProcessState) -> u128 {
    let steps = 128 - process.hints.priority().map_or(128, |level| i32::from(level.0));
    let scale = |pace: u128, _| if steps > 0 { pace * 5 / 6 } else { pace * 6 / 5 };
    (0..steps.abs().min(20)).fold(1 << 16, scale)
}

impl Turn for CompletelyFair {
    fn turn(
        &mut self,
        all: &[ProcessState],
        now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        let known = all.iter().filter_map(|it| self.times.get(&it.id));
        let least = known.map(|(time, _)| *time).min().unwrap_or(0);
        for it in all {
            let (time, ran) = self.times.entry(it.id).or_insert((least, it.ran));
            *time += u128::from((it.ran - *ran).0) * pace(it);
            *ran = it.ran;
        }
        let next = all.iter().min_by_key(|it| (self.times[&it.id].0, it.id))?;
        may_issue.push(next.id);
        (all.len() > 1).then_some(now + self.slice)
    }
}

impl Configured for CompletelyFair {
    const NAME: &'static str = "xsched-cfs";
    const EXAMPLES: &'static [&'static str] = &["slice-us = 2000"];
    type Config = SliceConfig;

    fn make(config: &SliceConfig, _device: &Cus) -> Result<Self, SettingError> {
        Ok(Self { slice: config.slice()?, times: BTreeMap::new() })
    }
}
