//! For how long did each process have the device and wait, and what did taking turns cost?
//!
//! Run, alive and waiting times are defined in the file `times`.

use serde::{Deserialize, Serialize};

use crate::figures::{jain, ratio, round};
use crate::outcome::Outcome;
use crate::times::ProcessTime;
use crate::workload::Workload;

/// Figures of how fairly a run divided time among its processes, and of what taking turns cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Fairness {
    /// Jain's fairness index of the run times (with waves on the device) of processes: 1 is equal.
    pub jain_run: f64,
    /// Jain's fairness index (1 is equal) of how well processes were served. The value of a process
    /// is the time for which it had waves on the device, as a fraction of the time for which it had
    /// a ready launch.
    pub jain_rate: f64,
    /// The name of the process that joined last; `None` if several joined last together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newcomer: Option<String>,
    /// The last joined process's part of the device, 0 to 1: its run time as a fraction of the run
    /// times of all processes while it had a ready launch. `None` where no single process joined
    /// last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newcomer_share: Option<f64>,
    /// The longest time in ns that any process had a ready launch and no waves on the device.
    pub longest_wait_ns: u64,
    /// The number of times that a process with submitted work lost the turn (the right to issue
    /// launches).
    pub switches: u64,
    /// Time in ns spent saving and restoring work, summed over launches, and switching the device
    /// from one process to another.
    pub switch_ns: u64,
    /// The number of turns (rights to issue launches) at whose end the process still had work on
    /// the device.
    pub overruns: u64,
    /// The time in ns for which work of processes stayed on the device after the end of their turns
    /// (rights to issue launches), summed over all turns.
    pub(crate) overrun_ns: u64,
    /// The longest time in ns for which work of a process stayed on the device after the end of its
    /// turn.
    pub longest_overrun_ns: u64,
    /// Time in ns in which any process had waves on the device.
    pub(crate) busy_ns: u64,
    /// The times of each process, with waves on the device and waiting for them; the index is that
    /// of the process in the workload.
    pub processes: Vec<ProcessFairness>,
}

/// The times of one process in a run by which its fair treatment is judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProcessFairness {
    pub(crate) name: String,
    /// Time in ns in which the process had waves on the device.
    pub(crate) run_ns: u64,
    /// Time in ns in which the process had a launch that was ready and had not ended.
    pub(crate) alive_ns: u64,
    /// The process's part of the device, 0 to 1: its run time as a fraction of the run times of all
    /// processes while it had a ready launch.
    pub share: f64,
    /// The longest time in ns that the process had a ready launch and no waves on the device.
    pub(crate) longest_wait_ns: u64,
}

impl Fairness {
    /// Returns how fairly a run divided time among its processes; `None` where the workload has
    /// only one process.
    #[must_use]
    pub fn new(workload: &Workload, outcome: &Outcome) -> Option<Self> {
        let times = &outcome.times.processes;
        if times.len() < 2 {
            return None;
        }
        let share = |time: &ProcessTime| {
            round(ratio(u128::from(time.run_ns), u128::from(time.run_of_all_ns)))
        };
        let rate = |time: &ProcessTime| ratio(u128::from(time.run_ns), u128::from(time.alive_ns));
        let processes = workload.processes.iter().zip(times).map(|(plan, time)| ProcessFairness {
            name: plan.name.clone(),
            run_ns: time.run_ns,
            alive_ns: time.alive_ns,
            share: share(time),
            longest_wait_ns: time.longest_wait_ns,
        });
        let newcomer = newcomer(workload);
        let turns = &outcome.turns;
        let (revoked, overruns) = (turns.revoked(), turns.overruns());
        let (overrun, longest_overrun) = (turns.overrun(), turns.longest_overrun());
        Some(Self {
            jain_run: jain(times.iter().map(|time| time.run_ns as f64)).map_or(1.0, round),
            jain_rate: jain(times.iter().map(rate)).map_or(1.0, round),
            newcomer: newcomer.map(|at| workload.processes[at].name.clone()),
            newcomer_share: newcomer.and_then(|at| times.get(at)).map(share),
            longest_wait_ns: times.iter().map(|time| time.longest_wait_ns).max().unwrap_or(0),
            switches: revoked,
            switch_ns: outcome.counters.switch_ns,
            overruns,
            overrun_ns: overrun.0,
            longest_overrun_ns: longest_overrun.0,
            busy_ns: outcome.times.busy_ns,
            processes: processes.collect(),
        })
    }
}

/// Returns the index of the process that joined last; `None` if several joined last together.
fn newcomer(workload: &Workload) -> Option<usize> {
    let starts = || workload.processes.iter().map(|plan| plan.start);
    let last = starts().max()?;
    if starts().filter(|&start| start == last).count() > 1 {
        return None;
    }
    starts().position(|start| start == last)
}
