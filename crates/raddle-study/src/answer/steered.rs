//! Which processes count where ways of sharing are ranked, if the user has goals?
//!
//! A process that meets its goals has what was asked for it, so that a way which makes it faster
//! still at the cost of others is no better.

use super::either::SMALL;
use super::{JudgedProcess, PolicyFigures, PolicyRow};

impl PolicyFigures {
    /// Returns whether the slowdown of a process counts in the ranking of recipes. All processes
    /// count, unless a recipe that a driver offers meets all goals: then only those without a goal
    /// do, if there are any.
    pub(super) fn weighs(&self, process: usize) -> bool {
        let limited = |it: &JudgedProcess| self.goals.iter().any(|goal| goal.process == it.name);
        let met =
            |row: &PolicyRow| row.is_ranked() && row.complete && row.goals_met.iter().all(|it| *it);
        let steered = !self.goals.is_empty()
            && self.rows.iter().any(met)
            && self.processes.iter().any(|it| !limited(it));
        !steered || !limited(&self.processes[process])
    }

    /// Returns whether the slowdowns of all processes count in the ranking of recipes, and not only
    /// of those without a goal.
    pub(super) fn weighs_all(&self) -> bool {
        (0..self.processes.len()).all(|process| self.weighs(process))
    }

    /// Returns words that name the processes whose slowdowns count in the ranking, such as "over
    /// all processes" or "for train".
    pub(super) fn weighed(&self) -> String {
        let names = (0..self.processes.len()).filter(|&process| self.weighs(process));
        let names: Vec<&str> = names.map(|process| self.processes[process].name.as_str()).collect();
        match self.weighs_all() {
            true => "over all processes".to_owned(),
            false => format!("for {}", names.join(" and ")),
        }
    }

    /// Returns words that name the processes whose slowdowns count in the ranking, such as " for
    /// train", with a leading space; empty where all processes count.
    pub(super) fn for_whom(&self) -> String {
        if self.weighs_all() { String::new() } else { format!(" {}", self.weighed()) }
    }

    /// Returns by what fraction the recipe with the index `worse` ranks behind the one with the
    /// index `better`; below 0 where it ranks before. Where one of the two misses a goal, or their
    /// ranks differ by less than 1 %, the slowdowns of all processes decide, also of those with a
    /// goal.
    pub(crate) fn behind(&self, worse: usize, better: usize) -> f64 {
        let counted = self.rank(worse) / self.rank(better) - 1.0;
        let both = self.meets_all(worse) && self.meets_all(better);
        if self.weighs_all() || both && counted.abs() >= SMALL {
            return counted;
        }
        self.rank_of_all(worse) / self.rank_of_all(better) - 1.0
    }

    /// Multiplies the slowdowns of all processes, with and without a goal, under the recipe with
    /// the index `row` among those compared.
    pub(super) fn rank_of_all(&self, row: usize) -> f64 {
        let all = (0..self.processes.len()).filter_map(|process| self.slowdown(row, process));
        all.product()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{row, serve_and_train};
    use crate::answer::{PolicyFigures, VerdictKind};

    /// Ranks three recipes, of which the first is today's. `times` holds for each recipe the 99th
    /// percentile of `decode` and the step of `train`, in ms. Returns (ranking of the recipes, kind
    /// of the verdict, its text).
    fn ranked(times: [[f64; 2]; 3], goals: &[&str]) -> (Vec<usize>, VerdictKind, String) {
        let names = ["time-slice", "partition-40-60", "mps-priority"];
        let rows = names.iter().zip(times).map(|(name, ms)| row(name, &ms, 1.0)).collect();
        let goals = goals.iter().map(|goal| goal.parse().expect("a goal")).collect();
        let figures = PolicyFigures::new("time-slice", serve_and_train(), rows, goals);
        (figures.ranking, figures.verdict.kind, figures.verdict.text)
    }

    /// Checks that, of the recipes that meet the goal, the one ranks first that costs the process
    /// without a goal least. How far a time is below its goal counts only where that cost is equal.
    #[test]
    fn a_goal_that_is_met_is_not_paid_for_twice() {
        let times = [[33.0, 41.0], [15.0, 52.0], [38.0, 35.0]];
        assert_eq!(ranked(times, &[]).0, [1, 2, 0], "by the product of both");
        let (order, kind, text) = ranked(times, &["decode p99 60ms"]);
        assert_eq!((order, kind), (vec![2, 0, 1], VerdictKind::Use), "{text}");
        let equal = [[33.0, 41.0], [15.0, 41.1], [38.0, 41.05]];
        assert_eq!(ranked(equal, &["decode p99 60ms"]).0[0], 1);
        let (order, kind, text) = ranked(times, &["decode p99 20ms"]);
        assert_eq!((order[0], kind), (1, VerdictKind::Use), "only one meets it: {text}");
        assert_eq!(ranked(times, &["decode p99 10ms"]).0[0], 1, "none meets it, one is nearest");
        let both = ["decode p99 60ms", "train step 60ms"];
        assert_eq!(ranked(times, &both).0, [1, 2, 0], "both have goals, so that both count");
    }

    /// Checks that the recipe of today is kept where it meets the goal and costs the process
    /// without a goal least.
    #[test]
    fn today_is_kept_where_it_meets_the_goal_at_the_least_cost() {
        let times = [[33.0, 35.0], [15.0, 52.0], [38.0, 41.0]];
        let (order, kind, text) = ranked(times, &["decode p99 60ms"]);
        assert_eq!((order[0], kind), (0, VerdictKind::Stay), "{text}");
        assert!(
            text.contains("Stay with time-slice: no other policy does better for train."),
            "{text}"
        );
    }
}
