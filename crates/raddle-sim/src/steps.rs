//! How long does a step take, where a process repeats?
//!
//! A step is a whole repetition of the profile. Only steps that ended before the end of the
//! makespan count, so none that was broken off. Times are in nanoseconds.

use raddle_policy::Tick;
use serde::{Deserialize, Serialize};

use crate::figures::round;
use crate::interval::Interval;
use crate::outcome::Outcome;
use crate::requests::served;
use crate::workload::Workload;

/// The figures of the steps (repetitions) of one process: how many ended, and how long they took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct StepSummary {
    /// The number of steps (repetitions of the profile) that ended before the end of the makespan,
    /// at least 1.
    pub ended: u64,
    /// The mean time of a step (repetition of the profile) in ns: from the join of the process to
    /// the end of the last step, divided by the number of steps.
    pub step_ns: u64,
    /// The 95 % confidence interval of the mean time of a step; `None` for fewer than ten steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// The time of the first step (repetition of the profile), in ns.
    pub first_ns: u64,
    /// The mean number of steps (repetitions of the profile) that ended in a second.
    pub per_second: f64,
}

impl StepSummary {
    /// Returns the figures of the steps (repetitions) of a process up to the tick `until`; `None`
    /// where the process does not repeat, or where no step ended.
    pub(crate) fn new(
        workload: &Workload,
        outcome: &Outcome,
        process: usize,
        until: Tick,
    ) -> Option<Self> {
        if !workload.repeats(process) {
            return None;
        }
        let plan = &workload.processes[process];
        let steps = served(outcome, process);
        let ends = steps.iter().map_while(|step| Some(step.as_ref()?.end));
        let ends: Vec<u64> = ends.map(|end| end.0.saturating_sub(plan.start.0)).collect();
        let until = until.0.saturating_sub(plan.start.0);
        let &first_ns = ends.first()?;
        let ended = (ends.partition_point(|&end| end <= until).max(1)) as u64;
        let last = ends[ended as usize - 1];
        let step_ns = (last + ended / 2) / ended;
        let per_second = round(1e9 / step_ns.max(1) as f64);
        let mut before = 0;
        let steps =
            ends[..ended as usize].iter().map(|end| end - std::mem::replace(&mut before, *end));
        let interval = Interval::of_mean(&steps.collect::<Vec<u64>>());
        Some(Self { ended, step_ns, interval, first_ns, per_second })
    }
}
