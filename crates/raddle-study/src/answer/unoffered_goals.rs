//! Are all goals met by recipes alone that the driver of the device does not offer?

use super::no_driver::goals_missed;
use super::{PolicyFigures, VerdictKind, unsure};

impl PolicyFigures {
    /// Says that the driver of the device offers none of the recipes that meet all goals, which
    /// names the best of them. `None` where it offers one, where no recipe meets all goals, and
    /// where there are no goals or recipes are not ranked.
    #[must_use]
    pub fn goals_met_by_no_driver(&self) -> Option<String> {
        let is_open =
            matches!(self.verdict.kind, VerdictKind::OtherVendor | VerdictKind::Incomplete);
        let meets = |&&row: &&usize| self.rows[row].complete && self.meets_all(row);
        let &first =
            self.ranking.iter().filter(|_| !self.goals.is_empty() && !is_open).find(meets)?;
        if self.ranking.iter().any(|row| meets(&row) && self.rows[*row].offered) {
            return None;
        }
        let row = &self.rows[first];
        let who = if row.elsewhere {
            "this device's driver does not offer it"
        } else {
            "no driver offers it"
        };
        let nearest = self.best_offered().map_or_else(String::new, |best| {
            let missed = goals_missed(self, best).join(" and ");
            let name = &self.rows[best].recipe;
            format!("; of those that are offered, {name} comes nearest, and misses {missed}")
        });
        Some(format!("{} meets {}, but {who}{nearest}", row.recipe, unsure::all(self)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::no_driver::tests::{DRAIN, TODAY, compared};

    #[test]
    fn goals_that_only_a_recipe_without_a_driver_meets_are_told() {
        let told = |recipes: &[(&str, f64, bool)], goals: &[&str]| {
            compared(recipes, goals).goals_met_by_no_driver()
        };
        let goal = ["decode p99 25ms"];
        let beside = "leftover-drain meets the goal, but no driver offers it; of those that are offered, time-slice comes nearest, and misses `decode p99 25ms`";
        assert_eq!(told(&[TODAY, DRAIN], &goal).as_deref(), Some(beside));
        let alone = told(&[DRAIN, ("leftover-flag", 42.5, false)], &goal);
        assert_eq!(
            alone.as_deref(),
            Some("leftover-drain meets the goal, but no driver offers it")
        );
        assert_eq!(told(&[TODAY, DRAIN, ("mps-priority", 24.0, true)], &goal), None);
        assert_eq!(told(&[TODAY, DRAIN], &["decode p99 5ms"]), None, "nothing meets it");
        assert_eq!(told(&[TODAY, DRAIN], &["decode p99 50ms"]), None, "today's way meets it");
        assert_eq!(told(&[TODAY, DRAIN], &[]), None);
    }
}
