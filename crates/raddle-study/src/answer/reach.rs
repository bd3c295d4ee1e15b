//! Which recipes are so far behind the best one that nobody needs the bounds of their figures?
//!
//! The answer compares the bounds of the best recipe with the plain figures of the others, and states
//! the bounds of those near a goal. The bounds of any other recipe take two simulations or four, and
//! decide nothing; of such a recipe nothing is called sure.

use super::PolicyFigures;

/// Factor by which a recipe has to be behind the best one, or beyond the limit of a goal, to be out
/// of reach. Replays of measured ways of sharing were off by far less (docs/judged.md).
const REACH: f64 = 2.0;

impl PolicyFigures {
    /// Returns the names of the recipes so far behind the best one, or beyond a goal, that nobody
    /// needs the bounds of their figures. The best recipe and the baseline are never named.
    pub(crate) fn out_of_reach(&self) -> Vec<String> {
        let rows = (0..self.rows.len()).filter(|&row| self.is_out_of_reach(row));
        rows.map(|row| self.rows[row].recipe.clone()).collect()
    }

    fn is_out_of_reach(&self, row: usize) -> bool {
        let Some(&first) = self.ranking.first() else { return false };
        if row == self.baseline {
            return false;
        }
        if !self.goals.is_empty() {
            return self.tightest(row) > REACH * self.tightest(first).max(1.0);
        }
        // A recipe that no driver offers is compared with its like: the best of these has a line of its
        // own.
        let ranked = self.rows[row].is_ranked();
        let best = self.ranking.iter().find(|&&other| self.rows[other].is_ranked() == ranked);
        best.is_some_and(|&best| self.rank(row) > REACH * self.rank(best))
    }

    /// Returns a sentence that names the recipes whose figures have no interval, as they are far
    /// behind the best one or beyond a goal; `None` where there are none.
    pub(super) fn without_bounds(&self) -> Option<String> {
        let far = self.rows.iter().filter(|row| row.out_of_reach);
        let names: Vec<&str> = far.map(|row| &*row.recipe).collect();
        let far = match self.goals.is_empty() {
            true => "behind the best of their like by the product of slowdowns",
            false => "beyond a goal",
        };
        let told = format!("No intervals, as over twice {far} (`--recipe NAME` asks for them)");
        (!names.is_empty()).then(|| format!("{told}: {}", names.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{row, serve_and_train};
    use super::*;
    use crate::answer::Goal;

    fn far(times: &[(&str, [f64; 2], bool)], goals: &[&str]) -> Vec<String> {
        let rows = times.iter().map(|(recipe, ms, offered)| {
            let mut row = row(recipe, ms, 1.0);
            row.offered = *offered;
            row
        });
        let goals = goals.iter().map(|goal| goal.parse::<Goal>().expect("it is a goal"));
        let rows = rows.collect();
        PolicyFigures::new("mps", serve_and_train(), rows, goals.collect()).out_of_reach()
    }

    #[test]
    fn a_recipe_over_twice_behind_the_best_of_its_like_is_out_of_reach() {
        let found = far(
            &[
                ("mps", [90.0, 30.0], true),
                ("best", [30.0, 30.0], true),
                ("twice", [60.0, 30.0], true),
                ("far", [60.1, 30.0], true),
                ("drain", [20.0, 15.0], false),
                ("flag", [9.0, 15.0], false),
            ],
            &[],
        );
        assert_eq!(found, ["far", "drain"], "mps is the baseline");
    }

    /// Checks that nothing is called sure of a recipe whose bounds were not simulated.
    #[test]
    fn a_recipe_out_of_reach_is_sure_of_nothing() {
        let mut far = row("far", &[60.1, 10.0], 1.0);
        (far.out_of_reach, far.offered) = (true, false);
        let rows = vec![row("mps", &[90.0, 30.0], 1.0), row("best", &[30.0, 90.0], 1.0), far];
        let goals = ["decode p99 30ms", "train step 20ms"];
        let goals = goals.map(|goal| goal.parse::<Goal>().expect("it is a goal")).into();
        let figures = PolicyFigures::new("mps", serve_and_train(), rows, goals);
        assert_eq!(figures.rows[2].goals_met, [false, true]);
        assert_eq!(figures.rows[2].goals_sure, [false, false]);
        assert_eq!(figures.rows[1].goals_sure, [true, true]);
        assert_eq!(figures.bounds(2, 0), None);
        let told = "No intervals, as over twice beyond a goal (`--recipe NAME` asks for them): far";
        assert_eq!(figures.without_bounds().as_deref(), Some(told));
        let would = figures.not_offered();
        assert!(would.is_none_or(|text| text.contains("might")));
    }

    #[test]
    fn with_goals_the_limits_tell_who_is_out_of_reach() {
        let rows = [
            ("mps", [90.0, 30.0], true),
            ("best", [30.0, 90.0], true),
            ("misses", [60.0, 10.0], true),
            ("far", [60.1, 10.0], true),
        ];
        assert_eq!(far(&rows, &["decode p99 30ms"]), ["far"]);
        // Where no recipe meets the goal, the one that misses it least is the measure.
        assert_eq!(far(&rows, &["decode p99 15ms"]), ["far"]);
        assert_eq!(far(&rows, &["decode p99 15.1ms"]), ["far"]);
        assert_eq!(far(&rows, &["decode p99 100ms"]), [""; 0]);
    }
}
