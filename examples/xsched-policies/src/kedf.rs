//! KEDF: the earliest deadlines first.

use raddle_policy::{Configured, Cus, ProcessId, ProcessState, SettingError, Tick, Turn};
use serde::{Deserialize, Serialize};

/// The `k` processes whose deadlines are the earliest: when each became ready, and as long after
/// that as its hint says. Who says none comes last.
#[derive(Clone, Copy, Debug)]
pub struct KEarliestDeadlines(usize);

/// The number of processes that have the device at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct KEarliestDeadlinesConfig {
    /// The number of processes at once, 1 or more.
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
            it.hints.deadline.map_or(Tick::MAX, |within| it.ready_since + within)
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
