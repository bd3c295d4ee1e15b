//! For how long did each process have the device and wait, and what did taking turns cost?
//!
//! Run, alive and waiting times are those of `times`.

use raddle_dispatch::TurnTally;
use serde::{Deserialize, Serialize};

use crate::figures::{jain, ratio, round};
use crate::outcome::Outcome;
use crate::times::ProcessTime;
use crate::workload::Workload;

/// How fairly time was divided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Fairness {
    /// Jain's index of run time.
    pub jain_run: f64,
    /// Jain's index of run time over alive time.
    pub jain_rate: f64,
    /// The process that joined last, if one joined after all the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newcomer: Option<String>,
    /// The newcomer's share of the run times of all processes, while the newcomer was alive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newcomer_share: Option<f64>,
    /// The longest any process was alive without waves on the device.
    pub longest_wait_ns: u64,
    /// Turns lost by processes that had submitted work.
    pub switches: u64,
    /// Time spent saving and restoring, summed over launches.
    pub switch_ns: u64,
    /// Turns that their work outlasted.
    pub overruns: u64,
    /// The time by which work outlasted turns, altogether.
    pub(crate) overrun_ns: u64,
    /// The longest time by which work outlasted a turn.
    pub longest_overrun_ns: u64,
    /// Time with waves of any process on the device.
    pub(crate) busy_ns: u64,
    /// One a process.
    pub processes: Vec<ProcessFairness>,
}

/// The time of one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProcessFairness {
    /// The name of the process.
    pub(crate) name: String,
    /// Time with waves on the device.
    pub(crate) run_ns: u64,
    /// Time with a launch that was ready and had not ended.
    pub(crate) alive_ns: u64,
    /// The process's share of the run times of all, while it was alive, 0 to 1.
    pub share: f64,
    /// The longest time that the process was alive without waves on the device.
    pub(crate) longest_wait_ns: u64,
}

impl Fairness {
    /// Sums up a run; `None` where there is one process, which is fair to itself.
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
        let TurnTally { revoked, overruns, overrun, longest_overrun } = outcome.turns;
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

/// The process that joined last, if it joined alone.
fn newcomer(workload: &Workload) -> Option<usize> {
    let starts = || workload.processes.iter().map(|plan| plan.start);
    let last = starts().max()?;
    if starts().filter(|&start| start == last).count() > 1 {
        return None;
    }
    starts().position(|start| start == last)
}
