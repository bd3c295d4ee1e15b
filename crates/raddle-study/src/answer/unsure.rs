//! Which goals may a recipe in truth miss although its figures meet them, or meet although they
//! miss them?

use super::{Goal, GoalsJudged, PolicyFigures};

/// Names the goals of which it is uncertain that the recipe with the index `row` meets or misses
/// them, as the limit lies within the error bounds of the figure. Also names a recipe that surely
/// meets all goals, if there is one. `None` where every goal is certain.
pub(super) fn unsure(figures: &PolicyFigures, row: usize) -> Option<String> {
    let own = &figures.rows[row];
    let goals = figures.goals.iter().enumerate();
    let of = |(at, goal): (usize, &Goal)| {
        let bounds = goal.bounds(figures, row).filter(|_| !own.goals_sure[at])?;
        Some((own.goals_met[at], format!("`{goal}` ({})", bounds.text())))
    };
    let (met, missed): (Vec<_>, Vec<_>) = goals.filter_map(of).partition(|(met, _)| *met);
    let told =
        [("may miss", &met), ("may meet", &missed)].into_iter().filter_map(|(may, goals)| {
            let goals: Vec<&str> = goals.iter().map(|(_, goal)| &**goal).collect();
            (!goals.is_empty()).then(|| format!("{may} {}", goals.join(" and ")))
        });
    let told: Vec<String> = told.collect();
    if told.is_empty() {
        return None;
    }
    let surely = |&&other: &&usize| {
        figures.surely_meets_all(other) && figures.rows[other].offered >= own.offered
    };
    let other = figures.ranking.iter().find(surely).filter(|_| !met.is_empty());
    let other = other.map_or(String::new(), |&other| {
        format!(" {} meets {} also by its intervals.", figures.rows[other].recipe, all(figures))
    });
    Some(format!("{} {}.{other}", own.recipe, told.join(", and ")))
}

/// Returns words for all goals of a comparison, for use in a sentence: `the goal` where there is
/// only one, else `all goals`.
pub(super) const fn all(figures: &PolicyFigures) -> &'static str {
    match figures.goals.as_slice() {
        [_] => "the goal",
        _ => "all goals",
    }
}

impl PolicyFigures {
    /// Returns whether the recipe with the index `row` among those compared meets all goals, even
    /// where each figure is as large as its error bounds allow.
    pub(super) fn surely_meets_all(&self, row: usize) -> bool {
        let own = &self.rows[row];
        own.complete && own.goals_judged() == GoalsJudged::Met
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{row, serve_and_train};
    use super::*;
    use crate::answer::PolicyRow;

    fn with(recipe: &str, ms: f64, between_ms: [u64; 2]) -> PolicyRow {
        let mut row = row(recipe, &[ms, 31.0], 0.0);
        row.processes[0].between_ns = Some(between_ms.map(|ms| ms * 1_000_000));
        row
    }

    fn judged(mps: [u64; 2], slices: [u64; 2], goal: &str) -> PolicyFigures {
        let goals: Vec<Goal> = vec![goal.parse().expect("it is a goal")];
        let rows = vec![with("time-slice", 21.0, slices), with("mps", 15.0, mps)];
        PolicyFigures::new("time-slice", serve_and_train(), rows, goals)
    }

    #[test]
    fn a_goal_within_the_interval_is_not_said_to_be_met() {
        let found = judged([14, 30], [19, 22], "decode p99 20ms");
        let text = &found.verdict.text;
        assert!(text.contains("mps may miss `decode p99 20ms` (14"), "{text}");
        assert_eq!(found.rows[1].goals_sure, [false]);
        // The limit itself still meets the goal.
        let found = judged([14, 20], [21, 22], "decode p99 20ms");
        assert_eq!(
            (&found.rows[1].goals_sure[..], &found.rows[0].goals_sure[..]),
            (&[true][..], &[true][..])
        );
        assert!(!found.verdict.text.contains("may"), "{}", found.verdict.text);
    }

    #[test]
    fn a_recipe_that_surely_meets_all_goals_is_named_beside_one_that_may_not() {
        let text = judged([14, 30], [19, 22], "decode p99 25ms").verdict.text;
        assert!(text.contains("time-slice meets the goal also by its intervals."), "{text}");
        assert!(!text.contains("All 2 policies meet"), "{text}");
        let text = judged([14, 15], [19, 22], "decode p99 25ms").verdict.text;
        assert!(text.contains("All 2 policies meet the goal."), "{text}");
    }

    #[test]
    fn a_goal_that_no_recipe_meets_may_be_met() {
        let text = judged([9, 15], [19, 22], "decode p99 10ms").verdict.text;
        assert!(text.starts_with("No policy meets"), "{text}");
        assert!(text.contains("mps may meet `decode p99 10ms` (9"), "{text}");
    }
}
