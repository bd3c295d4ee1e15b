//! How good was a run, in numbers?
//!
//! Makespan = from the first event until every profile has ended once, and every request whose time
//! was given. Latency = from ready to the first wave started. Slowdown = (end - ready) over the
//! same launch alone on the device under the same recipe, geometric mean. Utilisation = wave-slot
//! time used over available, within the makespan. Jain = index over processes of the wave-slot time
//! used while at least two were runnable. Figures of requests are in `requests.rs`.
//!
//! Floating point only here, after every decision; logarithms from `libm`, so that the digits are
//! the same everywhere.

use std::collections::BTreeMap;

use raddle_policy::Resource;
use serde::{Deserialize, Serialize};

use crate::device_time::{BlockedBy, BlockedProcess, DeviceTime};
use crate::fairness::Fairness;
use crate::figures::{jain, percentile, ratio, round};
use crate::fragmentation::AddressSummary;
use crate::histogram::LatencyHistogram;
use crate::outcome::{LaunchingSummary, Outcome, Record};
use crate::power::EnergySummary;
use crate::preemptions::PreemptionSummary;
use crate::requests::RequestSummary;
use crate::steps::StepSummary;
use crate::workload::{Work, Workload};
use raddle_policy::Tick;

/// The figures of one run under one recipe (choice of policies): makespan, utilisation, fairness,
/// and figures of each process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Summary {
    /// The time in ns from the first event until every profile has ended once, and every request
    /// with a given arrival time has ended; repeating processes may run longer.
    pub makespan_ns: u64,
    /// The fraction of the device's wave-slot time (wave slots times time) that was used until the
    /// end of the makespan, 0 to 1.
    pub utilisation: f64,
    /// Jain's fairness index of the wave-slot times (waves on the device times time) of processes,
    /// 1/n to 1. Only time counts in which at least two processes had ready work. `None` with one
    /// process, or where two never had ready work at the same time.
    pub jain: Option<f64>,
    /// Figures of each process, such as latencies and requests, in the order of the workload.
    pub processes: Vec<ProcessSummary>,
    /// The number of workgroups that ended in the run.
    pub workgroups: u64,
    /// The number of answers of the dispatcher that started workgroups.
    pub(crate) starts: u64,
    /// The number of times that a launch was taken off the device by a preemption.
    pub taken_off: u64,
    /// The number of running workgroups that were killed to preempt their launch. A killed launch
    /// starts again from workgroup 0.
    #[serde(default)]
    pub killed: u64,
    /// The number of launches that had not ended when the run stopped because no event was left.
    pub stuck: u64,
    /// True if processes that repeat until the longest one ends were stopped before that, as the
    /// longest one made too little progress.
    pub repeat_capped: bool,
    /// The energy that the work drew by the energy model, whose weights are assumed; `None` where
    /// the activity of no wave is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergySummary>,
    /// The fragmentation of free resources, and the reasons why work waited; `None` under a policy
    /// that tracks no addresses of granules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub addresses: Option<AddressSummary>,
    /// The time of the device up to the end of the makespan, split by how full the device was and
    /// by why it was empty.
    #[serde(default)]
    pub device_time: DeviceTime,
    /// The processes that other processes delayed, up to the end of the makespan; empty with one
    /// process, or with more than 64.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<BlockedProcess>,
    /// Figures of how fairly time was divided among processes; `None` with one process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Fairness>,
    /// The counts of launches submitted to the device, and the packets, bytes and time that this
    /// cost.
    #[serde(default)]
    pub launching: LaunchingSummary,
    /// The figures of preemptions, in which the work of processes that lost their turn left the
    /// device; `None` where no process was preempted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preemption: Option<PreemptionSummary>,
}

/// Figures of one process in a run: its launches, and their latencies, requests or steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProcessSummary {
    /// The name of the process.
    pub name: String,
    /// The number of times that the profile of the process was begun.
    pub(crate) iterations: u32,
    /// The number of kernel launches of the process that became ready.
    pub(crate) launches: u64,
    /// The number of kernel launches of the process that ended.
    pub(crate) ended: u64,
    /// The number of launches in one repetition of the profile that can never run, by the name of
    /// the resource that they lack.
    pub refused: BTreeMap<String, u64>,
    /// The time in ns at which the last launch or copy of the process ended.
    pub last_end_ns: u64,
    /// The process's fraction of the wave-slot time that all processes used, 0 to 1.
    pub wave_share: f64,
    /// The latencies of the process's launches, for each level of urgency that occurs, the most
    /// urgent first.
    pub levels: Vec<LevelSummary>,
    /// The latencies of the process's requests; `None` where its profile is repeated back to back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<RequestSummary>,
    /// The times of the process's steps (repetitions); `None` where it does not repeat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<StepSummary>,
    /// The longest time in ns that the process had a launch ready and no waves on the device.
    #[serde(default)]
    pub longest_wait_ns: u64,
}

/// The latencies and slowdowns of those launches of a process that have the same level of urgency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LevelSummary {
    /// The level of urgency of the launches: 0 is the most urgent.
    pub level: u8,
    /// The number of launches of this level of urgency that started.
    pub launches: u64,
    /// The median time in ns from a launch being ready (issued, and waiting for no other work) to
    /// the start of its first wave.
    pub latency_p50_ns: u64,
    /// The 99th percentile (nearest rank) of the time in ns from a launch being ready (issued, and
    /// waiting for no other work) to the start of its first wave.
    pub latency_p99_ns: u64,
    /// The longest time in ns from a launch being ready (issued, and waiting for no other work) to
    /// the start of its first wave.
    #[serde(default)]
    pub latency_max_ns: u64,
    /// The histogram of the times in ns from a launch being ready to the start of its first wave.
    #[serde(default)]
    pub(crate) latencies: LatencyHistogram,
    /// The geometric mean of the slowdowns of the launches: a slowdown is the time from ready to
    /// end over the same time in a run of the process alone. `None` where no run alone was given.
    pub slowdown: Option<f64>,
}

impl Summary {
    /// Returns the figures of a run: makespan, utilisation, fairness, and figures of each process.
    /// `alone` has, for each process, the outcome of a run of that process alone, or is empty.
    #[must_use]
    pub fn new(workload: &Workload, outcome: &Outcome, alone: &[&Outcome]) -> Self {
        let makespan_ns = Self::window_end(workload, outcome).since(outcome.first).0;
        let whole_ns = outcome.last.since(outcome.first).0;
        let available = u128::from(outcome.wave_slots) * u128::from(makespan_ns);
        let processes = (0..workload.processes.len()).map(|process| {
            ProcessSummary::new(workload, outcome, alone.get(process).copied(), process)
        });
        Self {
            makespan_ns,
            utilisation: round(ratio(outcome.window_wave_ns, available)),
            jain: jain(outcome.shared_wave_ns.iter().map(|&x| x as f64)).map(round),
            processes: processes.collect(),
            workgroups: outcome.counters.workgroups,
            starts: outcome.counters.starts,
            taken_off: outcome.counters.taken_off,
            killed: outcome.counters.killed,
            stuck: outcome.stuck.len() as u64,
            repeat_capped: outcome.repeat_capped,
            energy: EnergySummary::new(&outcome.energy, whole_ns),
            addresses: AddressSummary::new(&outcome.free, &outcome.waits),
            device_time: outcome.device_time,
            blocked: blocked(workload, outcome),
            fairness: Fairness::new(workload, outcome),
            launching: outcome.counters.launching,
            preemption: PreemptionSummary::new(workload.processes.len(), outcome),
        }
    }

    /// Returns the tick at which every profile has ended once, and every request with a given
    /// arrival time has ended.
    pub(crate) fn window_end(workload: &Workload, outcome: &Outcome) -> Tick {
        let counts = |record: &&Record| {
            let plan = &workload.processes[usize::from(record.process)];
            record.iteration == 0 || plan.repetition.is_counted()
        };
        let firsts = outcome.records.iter().filter(counts);
        firsts.filter_map(|record| record.ended).max().unwrap_or(outcome.first)
    }
}

/// Returns the processes that other processes delayed, each with the processes that ran meanwhile.
fn blocked(workload: &Workload, outcome: &Outcome) -> Vec<BlockedProcess> {
    let names: Vec<&str> = workload.processes.iter().map(|plan| &*plan.name).collect();
    let rows = names.iter().zip(outcome.blocked_ns.chunks_exact(names.len().max(1)));
    let rows = rows.map(|(victim, row)| {
        let by = names.iter().zip(row).filter(|(_, ns)| **ns > 0);
        let by = by.map(|(process, &ns)| BlockedBy { process: (*process).to_owned(), ns });
        BlockedProcess { victim: (*victim).to_owned(), by: by.collect() }
    });
    rows.filter(|row| !row.by.is_empty()).collect()
}

impl ProcessSummary {
    fn new(
        workload: &Workload,
        outcome: &Outcome,
        alone: Option<&Outcome>,
        process: usize,
    ) -> Self {
        let plan = &workload.processes[process];
        let is_kernel =
            |r: &&Record| !matches!(plan.tasks[r.task as usize].work, Work::Copy { .. });
        let own = || outcome.records.iter().filter(|r| usize::from(r.process) == process);
        let kernels = || own().filter(is_kernel).filter(|r| r.ready.is_some());
        let mut levels: BTreeMap<u8, Vec<&Record>> = BTreeMap::new();
        for record in kernels().filter(|record| record.started.is_some()) {
            levels.entry(plan.tasks[record.task as usize].level.0).or_default().push(record);
        }
        let mut refused = BTreeMap::new();
        for launch in outcome.refused.iter().filter(|l| usize::from(l.process) == process) {
            let resource: Resource = launch.refusal.resource;
            *refused.entry(resource.name().to_owned()).or_insert(0) += 1;
        }
        let base = alone.map(alone_times);
        Self {
            name: plan.name.clone(),
            iterations: outcome.iterations[process],
            launches: kernels().count() as u64,
            ended: kernels().filter(|record| record.ended.is_some()).count() as u64,
            refused,
            last_end_ns: own().filter_map(|r| r.ended).max().map_or(0, |at| at.0),
            wave_share: round(ratio(outcome.wave_ns[process], outcome.wave_ns.iter().sum())),
            levels: levels
                .into_iter()
                .map(|(level, records)| LevelSummary::new(level, &records, base.as_deref()))
                .collect(),
            requests: RequestSummary::new(workload, outcome, alone, process),
            steps: StepSummary::new(
                workload,
                outcome,
                process,
                Summary::window_end(workload, outcome),
            ),
            longest_wait_ns: outcome.times.processes[process].longest_wait_ns,
        }
    }
}

impl LevelSummary {
    fn new(level: u8, records: &[&Record], alone: Option<&[Option<u64>]>) -> Self {
        let latency = |r: &&Record| Some(r.started?.since(r.ready?).0);
        let mut latencies: Vec<u64> = records.iter().filter_map(latency).collect();
        latencies.sort_unstable();
        Self {
            level,
            launches: records.len() as u64,
            latency_p50_ns: percentile(&latencies, 50),
            latency_p99_ns: percentile(&latencies, 99),
            latency_max_ns: latencies.last().copied().unwrap_or(0),
            latencies: LatencyHistogram::of(&latencies),
            slowdown: alone.and_then(|alone| slowdown(records, alone)).map(round),
        }
    }
}

/// Returns the time in ns from ready to end of each launch, copy and fill in the first repetition
/// of a run of one process alone; `None` for one that did not end.
fn alone_times(alone: &Outcome) -> Vec<Option<u64>> {
    let first = alone.records.iter().filter(|record| record.iteration == 0);
    first.map(|record| Some(record.ended?.since(record.ready?).0)).collect()
}

fn slowdown(records: &[&Record], alone: &[Option<u64>]) -> Option<f64> {
    let mut count = 0u64;
    let mut logs = 0.0;
    for record in records {
        let Some(&Some(base)) = alone.get(record.task as usize) else {
            continue;
        };
        let (Some(ready), Some(ended)) = (record.ready, record.ended) else {
            continue;
        };
        // A launch lasts at least a tick; the floor only guards the logarithm.
        let taken = ended.since(ready).0.max(1) as f64;
        logs += libm::log(taken / base.max(1) as f64);
        count += 1;
    }
    (count > 0).then(|| libm::exp(logs / count as f64))
}
