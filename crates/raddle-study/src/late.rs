//! Can a goal for the times of requests still be met, while a simulation runs?

use raddle_policy::{Tick, Ticks};
use raddle_sim::{Repetition, Seen, Watch, Workload};

use crate::answer::{Goal, GoalLimit, GoalMetric};

/// Watcher that ends a simulation as soon as a goal for requests is surely missed: too many
/// requests took longer than the goal's limit.
#[derive(Debug)]
pub(crate) struct LateRequests {
    goals: Vec<LateWatch>,
    is_missed: bool,
}

/// Limit that one goal sets on the times of requests, and how many requests may still exceed it.
#[derive(Clone, Copy, Debug)]
struct LateWatch {
    process: u16,
    limit: Ticks,
    /// Number of further requests that may exceed the goal's limit before the goal is missed.
    late: u64,
}

impl LateRequests {
    /// Makes the watcher for goals on a percentile or the maximum of the times of requests. Other
    /// goals are ignored, and so are those of processes whose number of requests is not known
    /// before the simulation.
    pub(crate) fn of(goals: &[Goal], workload: &Workload) -> Self {
        let allowed = |goal: &Goal| {
            let own = (0u16..).zip(&workload.processes).find(|(_, own)| own.name == goal.process);
            let (process, plan) = own?;
            let Repetition::At(times) = &plan.repetition else { return None };
            let GoalLimit::Ns(limit) = goal.limit else { return None };
            let percent = match goal.metric {
                GoalMetric::P50 => 50,
                GoalMetric::P90 => 90,
                GoalMetric::P95 => 95,
                GoalMetric::P99 => 99,
                GoalMetric::Max => 100,
                GoalMetric::Mean | GoalMetric::Step | GoalMetric::End => return None,
            };
            let all = times.len() as u64 - u64::from(plan.warm_up);
            // The percentile is that of the nearest rank, as in `percentile`. Requests of the
            // warm-up do not count and may all be late.
            let late = all - (all * percent).div_ceil(100).max(1) + u64::from(plan.warm_up);
            Some(LateWatch { process, limit: Ticks(limit), late })
        };
        Self { goals: goals.iter().filter_map(allowed).collect(), is_missed: false }
    }
}

impl Watch for LateRequests {
    /// Returns `None`, which lets the simulation skip repetitive stretches without showing their
    /// events: no request ends in them.
    fn sees_from(&self) -> Option<Tick> {
        None
    }

    fn see(&mut self, _now: Tick, seen: &Seen<'_>) {
        let Seen::RepetitionEnded { process: ended, took } = *seen else { return };
        for goal in &mut self.goals {
            if goal.process == ended && took > goal.limit {
                self.is_missed |= goal.late == 0;
                goal.late = goal.late.saturating_sub(1);
            }
        }
    }

    fn ends_run(&self, _now: Tick) -> bool {
        self.is_missed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_sim::{ProcessPlan, percentile};

    /// Returns whether the watcher finds `goal`, with a limit of ten ticks, to be missed after
    /// requests that took the times `took`, in ticks.
    fn is_missed(goal: &str, took: &[u64]) -> bool {
        let times = vec![Ticks::ZERO; took.len()];
        let plan = ProcessPlan {
            repetition: Repetition::At(times),
            ..ProcessPlan::new("serve", Vec::new())
        };
        let workload = Workload { processes: vec![plan], repeat: false };
        let mut late = LateRequests::of(&[goal.parse().unwrap()], &workload);
        for &took in took {
            let seen = Seen::RepetitionEnded { process: 0, took: Ticks(took) };
            late.see(Tick::ZERO, &seen);
        }
        late.ends_run(Tick::ZERO)
    }

    #[test]
    fn a_run_is_ended_where_the_percentile_is_above_the_limit_and_nowhere_else() {
        for (metric, percent) in [("p50", 50), ("p99", 99), ("max", 100)] {
            for all in [1, 2, 3, 12, 100, 101, 250] {
                for late in 0..=all {
                    let mut took = [vec![11; late], vec![10; all - late]].concat();
                    let missed = is_missed(&format!("serve {metric} 10ns"), &took);
                    took.sort_unstable();
                    assert_eq!(missed, percentile(&took, percent) > 10, "{metric} {late}/{all}");
                }
            }
        }
    }

    #[test]
    fn goals_of_others_and_of_other_figures_end_nothing() {
        for goal in ["other p99 10ns", "serve step 10ns", "serve p99 +5%"] {
            assert!(!is_missed(goal, &[50, 50]), "{goal}");
        }
    }
}
