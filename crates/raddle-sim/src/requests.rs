//! How long did requests take?
//!
//! A request is one repetition of a profile that began at a time of its own. It arrives when it
//! begins, recorded launch times included, and has ended when all of its work has. Nanoseconds.

use raddle_policy::Tick;
use serde::{Deserialize, Serialize};

use crate::figures::percentile;
use crate::outcome::Outcome;
use crate::repetition::Repetition;
use crate::workload::{ProcessPlan, Workload};

/// What became of the requests of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RequestSummary {
    /// Requests that arrived.
    pub arrived: u64,
    /// Those of them that ended; launches that can never run do not count as missing.
    pub ended: u64,
    /// When the last of these had ended, 0 if none has: by then so many had been served.
    #[serde(default)]
    pub last_end_ns: u64,
    /// Median time from arrival to end.
    pub latency_p50_ns: u64,
    /// Its 99th percentile, nearest rank.
    pub latency_p99_ns: u64,
    /// The longest.
    pub latency_max_ns: u64,
    /// The same of one request alone on the device; absent where no run alone was given.
    pub alone_ns: Option<u64>,
}

impl RequestSummary {
    /// Sums up the requests of a process; `None` where its profile has none.
    pub(crate) fn new(
        workload: &Workload,
        outcome: &Outcome,
        alone: Option<&Outcome>,
        process: usize,
    ) -> Option<Self> {
        let plan = &workload.processes[process];
        if plan.repetition == Repetition::BackToBack {
            return None;
        }
        let served: Vec<Served> = served(plan, outcome, process).into_iter().flatten().collect();
        let mut latencies: Vec<u64> = served.iter().map(|it| it.latency_ns).collect();
        latencies.sort_unstable();
        Some(Self {
            arrived: u64::from(outcome.iterations[process]),
            ended: latencies.len() as u64,
            last_end_ns: served.iter().map(|it| it.end.0).max().unwrap_or(0),
            latency_p50_ns: percentile(&latencies, 50),
            latency_p99_ns: percentile(&latencies, 99),
            latency_max_ns: latencies.last().copied().unwrap_or(0),
            alone_ns: alone.and_then(|alone| latencies_of_first(plan, alone)),
        })
    }
}

fn latencies_of_first(plan: &ProcessPlan, alone: &Outcome) -> Option<u64> {
    let first = served(plan, alone, 0).first().copied().flatten();
    first.map(|served| served.latency_ns)
}

/// A request that has ended.
#[derive(Clone, Copy)]
struct Served {
    end: Tick,
    /// From its arrival.
    latency_ns: u64,
}

/// By request; `None` where it has not ended, or nothing of it ran.
fn served(plan: &ProcessPlan, outcome: &Outcome, process: usize) -> Vec<Option<Served>> {
    #[derive(Clone, Copy, Default)]
    struct RequestEnd {
        arrival: Tick,
        end: Option<Tick>,
        left: bool,
    }
    let mut requests: Vec<RequestEnd> = Vec::new();
    let own = outcome.records.iter().filter(|record| usize::from(record.process) == process);
    for record in own {
        let at = record.iteration as usize;
        if at >= requests.len() {
            requests.resize(at + 1, RequestEnd::default());
        }
        let request = &mut requests[at];
        // Every record of a request tells when it began.
        let issued = plan.tasks[record.task as usize].arrival;
        request.arrival = Tick(record.arrival.0.saturating_sub(issued.0));
        request.end = request.end.max(record.ended);
        request.left |= record.ended.is_none() && !record.refused;
    }
    let served = |request: &RequestEnd| {
        let end = request.end.filter(|_| !request.left)?;
        Some(Served { end, latency_ns: end.since(request.arrival).0 })
    };
    requests.iter().map(served).collect()
}
