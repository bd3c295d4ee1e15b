//! Which recipes are so far behind the best one that nobody needs the bounds of their figures?
//!
//! The answer compares the bounds of the best recipe with the plain figures of the others, and states
//! the bounds of those near a goal, and of the best recipe that no driver offers. The bounds of any
//! other recipe take two simulations or four, and decide nothing; of such a recipe nothing is called
//! sure.

use super::PolicyFigures;

/// Factor by which a recipe has to be behind the best one, or beyond the limit of a goal, to be out
/// of reach. Replays of measured ways of sharing were off by far less (docs/judged.md).
const REACH: f64 = 2.0;

impl PolicyFigures {
    /// Returns the names of the recipes so far behind the best one, or beyond a goal, that nobody
    /// needs the bounds of their figures; where a driver offers the best recipe, also of all that
    /// none offers but the one that is told. The best recipe and the baseline are never named.
    pub(crate) fn out_of_reach(&self) -> Vec<String> {
        let rows = (0..self.rows.len()).filter(|&row| self.is_out_of_reach(row));
        rows.map(|row| self.rows[row].recipe.clone()).collect()
    }

    fn is_out_of_reach(&self, row: usize) -> bool {
        let Some(&first) = self.ranking.first() else { return false };
        if row == self.baseline {
            return false;
        }
        if self.is_beside_offered(row) {
            // Of what no driver offers, only the best is told, and only where it is better or meets
            // the goals alone.
            let told = self.better_unoffered().or_else(|| self.unoffered_with_goals());
            return told != Some(row);
        }
        if !self.goals.is_empty() {
            return self.tightest(row) > REACH * self.tightest(first).max(1.0);
        }
        self.rank(row) > REACH * self.rank(first)
    }

    /// Returns whether no driver offers the recipe with the index `row` while one offers the best.
    fn is_beside_offered(&self, row: usize) -> bool {
        let best = self.ranking.first();
        best.is_some_and(|&best| self.rows[best].is_ranked()) && !self.rows[row].is_ranked()
    }

    /// Returns the index of the best recipe that no driver offers, where it alone meets all goals.
    fn unoffered_with_goals(&self) -> Option<usize> {
        let &best = self.ranking.first()?;
        let own = self.best_unoffered()?;
        (!self.meets_all(best) && self.meets_all(own)).then_some(own)
    }

    /// Returns a sentence that names the recipes whose figures have no interval, as they are far
    /// behind the best one or beyond a goal, or no driver offers them and another is better; `None`
    /// where there are none.
    pub(super) fn without_bounds(&self) -> Option<String> {
        let without = (0..self.rows.len()).filter(|&row| self.rows[row].out_of_reach);
        let (unoffered, far): (Vec<usize>, Vec<usize>) =
            without.partition(|&row| self.is_beside_offered(row));
        let over = match self.goals.is_empty() {
            true => "over twice behind the best by the product of slowdowns",
            false => "over twice beyond a goal",
        };
        let other = "which no driver offers and another policy outdoes";
        let told = |(rows, why): (Vec<usize>, &str)| {
            let names: Vec<&str> = rows.iter().map(|&row| &*self.rows[row].recipe).collect();
            (!names.is_empty()).then(|| format!("{}, {why}", names.join(" and ")))
        };
        let told = [(far, over), (unoffered, other)].into_iter().filter_map(told);
        let told = told.collect::<Vec<String>>().join("; ");
        let begin = "No intervals (`--recipe NAME` asks for them)";
        (!told.is_empty()).then(|| format!("{begin}: {told}"))
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
            ],
            &[],
        );
        assert_eq!(found, ["far"], "mps is the baseline");
    }

    #[test]
    fn of_what_no_driver_offers_the_best_alone_is_within_reach_where_it_is_better() {
        let (mps, drain) = (("mps", [30.0, 30.0], true), ("drain", [20.0, 15.0], false));
        let flag = |p99: f64| ("flag", [p99, 15.0], false);
        assert_eq!(far(&[mps, drain, flag(19.0)], &[]), ["drain"]);
        assert_eq!(far(&[mps, drain, flag(21.0)], &[]), ["flag"]);
        assert_eq!(far(&[mps, ("drain", [31.0, 30.0], false)], &[]), ["drain"], "it is no better");
        // Where it alone meets the goal, that is told although others lose more.
        let dear = ("drain", [20.0, 80.0], false);
        assert_eq!(far(&[mps, dear], &["decode p99 25ms"]), [""; 0]);
        assert_eq!(far(&[mps, dear], &["decode p99 35ms"]), ["drain"], "mps meets it");
        // Without a driver all are compared with the best.
        let none = [("mps", [30.0, 30.0], false), drain, ("far", [61.0, 30.0], false)];
        assert_eq!(far(&none, &[]), ["far"]);
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
        let told = "No intervals (`--recipe NAME` asks for them): far, which no driver offers and another policy outdoes";
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
