//! Turn policy: whose turn is it, if the process comes next that has had the device least?

use raddle_policy::{Configured, Cus, ProcessId, ProcessState, SettingError, Tick, Ticks, Turn};
use serde::{Deserialize, Serialize};

/// Turn policy that gives a slice to the runnable process that had waves on the device for the
/// shortest time so far; ties go to the lowest id. Shares and levels play no part.
#[derive(Clone, Copy, Debug)]
pub struct LeastServed {
    slice: Ticks,
}

/// Settings of the policy `least-served`: the length of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LeastServedConfig {
    /// Length of a turn in microseconds, 1 or more.
    pub slice_us: u64,
}

impl Turn for LeastServed {
    fn turn(
        &mut self,
        processes: &[ProcessState],
        now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        let least = processes.iter().min_by_key(|process| (process.ran, process.id))?;
        may_issue.push(least.id);
        // A process that is alone keeps the turn.
        (processes.len() > 1).then_some(now + self.slice)
    }
}

impl Configured for LeastServed {
    const NAME: &'static str = "least-served";
    const EXAMPLES: &'static [&'static str] = &["slice-us = 500"];
    type Config = LeastServedConfig;

    fn make(config: &LeastServedConfig, _device: &Cus) -> Result<Self, SettingError> {
        // A tick is a nanosecond.
        match config.slice_us.checked_mul(1000) {
            Some(ns) if ns > 0 => Ok(Self { slice: Ticks(ns) }),
            _ => Err(SettingError::new(
                "slice-us",
                "it is no slice: give 1 or more, and less than an age",
            )),
        }
    }
}
