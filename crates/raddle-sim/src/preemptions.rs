//! How long did preemptions take, in which way, and how much work did they throw away?

use std::collections::BTreeMap;

use raddle_dispatch::RefusedReset;
use raddle_policy::{Preemption, ProcessId};
use serde::{Deserialize, Serialize};

use crate::Outcome;
use crate::figures::percentile;

/// The preemptions of a run in numbers: counts and durations by method, and the work that they
/// threw away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PreemptionSummary {
    /// The number and durations of the completed preemptions, one entry for each preemption method
    /// that occurred.
    pub ways: Vec<WaySummary>,
    /// The number of resets (kills of running launches) that the policy asked for and that were not
    /// made, by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resets_refused: BTreeMap<RefusedReset, u64>,
    /// The time in ns that killed launches had run, each from its first start until it was killed,
    /// summed over launches.
    pub thrown_ns: u64,
    /// The time in ns for which each process was preempted: from the loss of its right to use the
    /// device until its work continued.
    pub preempted_ns: Vec<u64>,
}

/// The number and the durations of the preemptions that were made by one method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct WaySummary {
    /// The preemption method: drain, reset, switch and so on.
    pub way: Preemption,
    /// The number of completed preemptions by this method.
    pub count: u64,
    /// The median duration in ns of the preemptions: from the loss of the right to use the device
    /// until no work of the process runs there.
    pub p50_ns: u64,
    /// The 99th percentile of the duration in ns of the preemptions: from the loss of the right to
    /// use the device until no work of the process runs there.
    pub p99_ns: u64,
    /// The longest duration in ns of a preemption: from the loss of the right to use the device
    /// until no work of the process runs there.
    pub worst_ns: u64,
}

impl PreemptionSummary {
    /// Returns the numbers and durations of the preemptions of a run; `None` where no process was
    /// preempted.
    #[must_use]
    pub fn new(processes: usize, outcome: &Outcome) -> Option<Self> {
        let tally = &outcome.preemptions;
        if outcome.latencies.is_empty() && tally.refused().is_empty() {
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
            tally.preempted().get(&id).map_or(0, |time| time.0)
        };
        Some(Self {
            ways: outcome.latencies.iter().map(way).collect(),
            resets_refused: tally.refused().clone(),
            thrown_ns: outcome.counters.thrown_ns,
            preempted_ns: (0..processes).map(of).collect(),
        })
    }
}
