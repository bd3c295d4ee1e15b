//! Turn policy KEDF of XSched: which processes run, if the `k` with the earliest deadlines do?

use raddle_policy::{Configured, Cus, ProcessId, ProcessState, SettingError, Tick, Turn};
use serde::{Deserialize, Serialize};

/// Turn policy that gives the device to the `k` processes with the earliest deadlines. A deadline
/// is the tick at which a process became ready plus the span of its deadline hint; a process
/// without a hint comes last.
#[derive(Clone, Copy, Debug)]
pub struct KEarliestDeadlines(usize);

/// Settings of the policy `xsched-kedf`: how many processes have the device at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct KEarliestDeadlinesConfig {
    /// Largest number of processes that have the device at one time, 1 or more.
    pub k: usize,
}

impl Turn for KEarliestDeadlines {
    fn turn(
        &mut self,
        all: &[ProcessState],
        _: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        let due = |it: &ProcessState| {
            it.hints.deadline().map_or(Tick::MAX, |within| it.ready_since + within)
        };
        let mut order: Vec<(Tick, ProcessId)> = all.iter().map(|it| (due(it), it.id)).collect();
        order.sort_unstable();
        may_issue.extend(order.into_iter().take(self.0).map(|(_, id)| id));
        None
    }
}

impl Configured for KEarliestDeadlines {
    const NAME: &'static str = "xsched-kedf";
    const EXAMPLES: &'static [&'static str] = &["k = 1"];
    type Config = KEarliestDeadlinesConfig;

    fn make(config: &KEarliestDeadlinesConfig, _device: &Cus) -> Result<Self, SettingError> {
        match config.k {
            0 => Err(SettingError::new("k", "none would ever run: give 1 or more")),
            k => Ok(Self(k)),
        }
    }
}
