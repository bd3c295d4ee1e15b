//! Which figures are in the row of a case (one combination of the varied values of a sweep)?
//!
//! Times are in nanoseconds, under keys that end with `-ns`; fractions are from 0 to 1. `PROCESS.`
//! stands before the figures of one process. A figure that a process does not have is left out.

use std::sync::Arc;

use raddle_policy::WaitReason;
use raddle_sim::{ProcessSummary, Summary, Workload};
use raddle_workgroup::SearchCost;
use serde_json::Number;

use crate::answer::{JudgedBy, JudgedProcess, PolicyRow, RecordedOn};
use crate::result::LostLaunches;

/// Figure by which each process is judged (p99, step or end) when it runs alone on the device, in
/// ns, by the index of the process; `None` where it is unknown.
pub(super) type Alone = Arc<Vec<Option<u64>>>;

/// Choice of whether a case is also simulated with the lower and upper bounds of unknown costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaseBounds {
    Run,
    Not,
}

/// Outcome of one case of a sweep, from which its figures are made.
pub(super) struct CaseRun {
    pub(super) workload: Workload,
    pub(super) summary: Summary,
    /// Figure by which each process is judged (p99, step or end) when it runs alone on the device,
    /// in ns; `None` where it is unknown.
    pub(super) alone: Alone,
    /// Cost (gates, register bits, clock cycles) of the circuit with which the allocate policy
    /// `matching` searches free room; `None` under other allocate policies.
    pub(super) search: Option<SearchCost>,
    /// Launches of each process that never ran in this case.
    pub(super) lost: LostLaunches,
    /// Fraction of the kernel time of each process that never ran, 0 to 1.
    pub(super) lost_shares: Vec<f64>,
    /// Summaries of the simulations with lower and upper bounds of unknown costs, which give the
    /// bounds of the figures.
    pub(super) bounds: Vec<Summary>,
    /// Summary of a simulation in which hosts issue work early, without the recorded gaps, where a
    /// file does not say when its work was issued. `None` where every file says it, or no bounds
    /// were wanted.
    pub(super) queued: Option<Summary>,
    /// Relation of the device on which each process was recorded to the device replayed on, such as
    /// the same device.
    pub(super) recorded_on: Vec<RecordedOn>,
}

impl CaseRun {
    /// Returns (judged processes, figures of the case with their bounds). The recipe gets the name
    /// `name` in the figures.
    pub(super) fn judged(&self, name: &str) -> (Vec<JudgedProcess>, PolicyRow) {
        let processes = self.workload.processes.iter().zip(self.alone.iter()).enumerate();
        let judged =
            processes.zip(&self.recorded_on).map(|((at, (process, alone_ns)), recorded)| {
                let judged = JudgedBy::of(&self.workload, at);
                JudgedProcess {
                    device_factors: recorded.factors(),
                    other_vendor: *recorded == RecordedOn::OtherVendor,
                    ..JudgedProcess::plain(&process.name, judged, *alone_ns)
                }
            });
        let judged: Vec<JudgedProcess> = judged.collect();
        let row = |summary: &Summary| PolicyRow::new(name, &judged, summary);
        let bounds: Vec<PolicyRow> = self.bounds.iter().chain(&self.queued).map(row).collect();
        let queued = self.queued.as_ref().map(row);
        let row = row(&self.summary).between(&bounds, &judged).queued(queued.as_ref());
        (judged, row)
    }
}

/// Returns the figures of a case of a sweep, each as (name, number).
pub(super) fn figures(run: &CaseRun) -> Vec<(String, Number)> {
    let CaseRun { workload, summary, alone, search, lost_shares, .. } = run;
    let mut all = CaseFigures::default();
    all.count("makespan-ns", summary.makespan_ns);
    all.share("utilisation", Some(summary.utilisation));
    all.share("jain", summary.jain);
    all.share("idle", Some(summary.device_time.idle()));
    all.share("idle-host", Some(summary.device_time.idle_host()));
    all.share("idle-copies", Some(summary.device_time.idle_copies()));
    all.count("stuck", summary.stuck);
    all.count("taken-off", summary.taken_off);
    all.count("killed", summary.killed);
    if let Some(fairness) = &summary.fairness {
        all.count("turns-lost", fairness.switches);
    }
    if let Some(energy) = &summary.energy {
        all.count("energy-uj", energy.energy_uj);
    }
    if let Some(cost) = search {
        of_search(&mut all, *cost, summary);
    }
    let (judged, row) = run.judged("");
    for (judged, own) in judged.iter().zip(&row.processes) {
        let mut count = |key: &str, value| all.count(&format!("{}.{key}", judged.name), value);
        if let Some(bounds) = own.bounds_by(judged.device_factors) {
            count("least-ns", bounds.least_ns);
            count("most-ns", bounds.most_ns);
            count("open", bounds.open.into());
        }
        if judged.other_vendor {
            count("other-vendor", 1);
        }
    }
    let processes = summary.processes.iter().zip(&workload.processes);
    for (((process, plan), alone), lost) in processes.zip(alone.iter()).zip(lost_shares) {
        of_process(&mut all, &plan.name, process, *alone);
        let lost = Some(*lost).filter(|_| !process.refused.is_empty());
        all.share(&format!("{}.refused-share", plan.name), lost);
    }
    all.0
}

/// Adds the cost (gates, register bits, clock cycles) of the circuit with which the allocate policy
/// `matching` searches free room. Adds also how often workgroups had to wait, for each reason.
fn of_search(all: &mut CaseFigures, cost: SearchCost, summary: &Summary) {
    all.count("search-gates", cost.gates());
    all.count("search-register-bits", cost.register_bits());
    all.count("search-clocks", cost.clocks().into());
    let reasons = [
        ("not-enough", WaitReason::NotEnough),
        ("in-pieces", WaitReason::InPieces),
        ("not-seen", WaitReason::NotSeen),
    ];
    for (name, reason) in reasons {
        let waits = summary.addresses.iter().flat_map(|of| &of.waits);
        let own = waits.filter(|wait| wait.reason == reason);
        all.count(&format!("refusals-{name}"), own.map(|wait| wait.count).sum());
    }
}

fn of_process(all: &mut CaseFigures, name: &str, process: &ProcessSummary, alone: Option<u64>) {
    let mut count = |key: &str, value: u64| all.count(&format!("{name}.{key}"), value);
    if let Some(requests) = process.requests.as_ref() {
        count("requests", requests.arrived);
        count("requests-ended", requests.ended);
        if requests.ended > 0 {
            count("mean-ns", requests.latency_mean_ns);
            count("p50-ns", requests.latency_p50_ns);
            count("p90-ns", requests.latency_p90_ns);
            count("p95-ns", requests.latency_p95_ns);
            count("p99-ns", requests.latency_p99_ns);
            if let Some(found) = requests.p99_interval {
                count("p99-least-ns", found.least_ns);
                found.most_ns.into_iter().for_each(|most| count("p99-most-ns", most));
            }
            count("max-ns", requests.latency_max_ns);
        }
    }
    if let Some(steps) = process.steps {
        count("steps", steps.ended);
        count("step-ns", steps.step_ns);
    }
    count("end-ns", process.last_end_ns);
    if let Some(alone) = alone {
        count("alone-ns", alone);
    }
    count("longest-wait-ns", process.longest_wait_ns);
    count("refused", process.refused.values().sum());
    for level in &process.levels {
        count(&format!("level-{}.wait-p50-ns", level.level), level.latency_p50_ns);
        count(&format!("level-{}.wait-p99-ns", level.level), level.latency_p99_ns);
        count(&format!("level-{}.wait-max-ns", level.level), level.latency_max_ns);
    }
}

#[derive(Default)]
struct CaseFigures(Vec<(String, Number)>);

impl CaseFigures {
    fn count(&mut self, key: &str, value: u64) {
        self.0.push((key.to_owned(), value.into()));
    }

    /// Adds a fraction or ratio to the figures of the case, under the key `key`; does nothing for
    /// `None`.
    fn share(&mut self, key: &str, value: Option<f64>) {
        let value = value.and_then(Number::from_f64);
        self.0.extend(value.map(|value| (key.to_owned(), value)));
    }
}
