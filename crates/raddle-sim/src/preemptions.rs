//! How long did preemptions take, by which way, and what did they throw away?

use std::collections::BTreeMap;

use raddle_dispatch::RefusedReset;
use raddle_policy::{Preemption, ProcessId};
use serde::{Deserialize, Serialize};

use crate::Outcome;
use crate::figures::percentile;

/// The preemptions of a run in few figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PreemptionSummary {
    /// Completed preemptions, by the way that the policy chose.
    pub ways: Vec<WaySummary>,
    /// Resets that were asked for and not made, by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resets_refused: BTreeMap<RefusedReset, u64>,
    /// For how long killed launches had run.
    pub thrown_ns: u64,
    /// By process: for how long it was preempted, from the loss of the turn until it went on.
    pub preempted_ns: Vec<u64>,
}

/// The preemptions by one way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct WaySummary {
    /// The way.
    pub way: Preemption,
    /// How many preemptions.
    pub count: u64,
    /// From the loss of the turn until nothing of the process ran on the device: the median.
    pub p50_ns: u64,
    /// The 99th percentile of the time until nothing of the process ran on the device.
    pub p99_ns: u64,
    /// The longest time until nothing of the process ran on the device.
    pub worst_ns: u64,
}

impl PreemptionSummary {
    /// Sums up a run; `None` where nothing was preempted.
    #[must_use]
    pub fn new(processes: usize, outcome: &Outcome) -> Option<Self> {
        let tally = &outcome.preemptions;
        if outcome.latencies.is_empty() && tally.refused.is_empty() {
            return None;
        }
        let way = |(&way, latencies): (&Preemption, &Vec<raddle_policy::Ticks>)| {
            let mut sorted: Vec<u64> = latencies.iter().map(|after| after.0).collect();
            sorted.sort_unstable();
            WaySummary {
                way,
                count: sorted.len() as u64,
                p50_ns: percentile(&sorted, 50),
                p99_ns: percentile(&sorted, 99),
                worst_ns: sorted.last().copied().unwrap_or(0),
            }
        };
        let of = |id: usize| {
            let id = u16::try_from(id).map_or(ProcessId(u16::MAX), ProcessId);
            tally.preempted.get(&id).map_or(0, |time| time.0)
        };
        Some(Self {
            ways: outcome.latencies.iter().map(way).collect(),
            resets_refused: tally.refused.clone(),
            thrown_ns: outcome.counters.thrown_ns,
            preempted_ns: (0..processes).map(of).collect(),
        })
    }
}
