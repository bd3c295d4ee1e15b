//! Who had the device for how long, who waited, and what did taking turns cost?
//!
//! Run time = time with waves on the device; alive time = time with a launch ready that has not
//! ended; a wait = alive without waves. All are whole nanoseconds; with one process on the device
//! at a time, run times add up to the time that it was busy, and what they are above it is the time
//! that processes were on it together.

use raddle_dispatch::TurnTally;
use serde::{Deserialize, Serialize};

use crate::metrics::{jain, ratio, round};
use crate::{Outcome, Workload};

/// The time of one process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessTime {
    /// With waves on the device.
    pub run_ns: u64,
    /// With a launch that was ready and had not ended.
    pub alive_ns: u64,
    /// Run times of all processes, this one's included, while this one was alive.
    pub run_of_all_ns: u64,
    /// The longest it was alive without waves on the device.
    pub longest_wait_ns: u64,
    /// For how long that has been so up to now.
    waits_ns: u64,
}

/// The time of all processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// One a process.
    pub processes: Vec<ProcessTime>,
    /// With waves of any process on the device.
    pub busy_ns: u64,
}

impl Times {
    pub(crate) fn new(processes: usize) -> Self {
        Self { processes: vec![ProcessTime::default(); processes], busy_ns: 0 }
    }

    /// For so long, processes had these waves on the device and these launches unfinished.
    pub(crate) fn pass(&mut self, ns: u64, waves: &[u64], unfinished: &[u64]) {
        if ns == 0 {
            return;
        }
        let running = waves.iter().filter(|&&waves| waves > 0).count() as u64;
        self.busy_ns += if running > 0 { ns } else { 0 };
        let of_all = ns.saturating_mul(running);
        for ((time, &waves), &unfinished) in self.processes.iter_mut().zip(waves).zip(unfinished) {
            if waves > 0 {
                time.run_ns += ns;
            }
            if unfinished > 0 {
                time.alive_ns += ns;
                time.run_of_all_ns = time.run_of_all_ns.saturating_add(of_all);
            }
            let waits = unfinished > 0 && waves == 0;
            time.waits_ns = if waits { time.waits_ns + ns } else { 0 };
            time.longest_wait_ns = time.longest_wait_ns.max(time.waits_ns);
        }
    }
}

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
    /// Its share of the run times of all, while it was alive.
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
    /// By how much, altogether.
    pub overrun_ns: u64,
    /// By how much at most.
    pub longest_overrun_ns: u64,
    /// With waves of any process on the device.
    pub busy_ns: u64,
    /// One a process.
    pub processes: Vec<ProcessFairness>,
}

/// The time of one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProcessFairness {
    /// Its name.
    pub name: String,
    /// With waves on the device.
    pub run_ns: u64,
    /// With a launch that was ready and had not ended.
    pub alive_ns: u64,
    /// Its share of the run times of all, while it was alive, 0 to 1.
    pub share: f64,
    /// The longest it was alive without waves on the device.
    pub longest_wait_ns: u64,
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

/// Who joined last, if nobody joined with it.
fn newcomer(workload: &Workload) -> Option<usize> {
    let starts = || workload.processes.iter().map(|plan| plan.start);
    let last = starts().max()?;
    if starts().filter(|&start| start == last).count() > 1 {
        return None;
    }
    starts().position(|start| start == last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_added_up_exactly() {
        let mut times = Times::new(2);
        times.pass(10, &[4, 0], &[1, 1]);
        times.pass(5, &[4, 2], &[1, 1]);
        times.pass(0, &[0, 0], &[9, 9]);
        times.pass(7, &[0, 2], &[1, 1]);
        times.pass(3, &[0, 0], &[1, 0]);
        times.pass(2, &[1, 0], &[1, 0]);
        let [one, two] = times.processes[..] else { panic!("two") };
        assert_eq!((one.run_ns, one.alive_ns, one.run_of_all_ns), (17, 27, 29));
        assert_eq!((two.run_ns, two.alive_ns, two.run_of_all_ns), (12, 22, 27));
        assert_eq!((one.longest_wait_ns, two.longest_wait_ns), (10, 10));
        // Run times are busy time, and what two ran together once more.
        assert_eq!((times.busy_ns, one.run_ns + two.run_ns), (24, 24 + 5));
    }
}
