//! Which goals may a recipe in truth miss although its figures meet them, or meet although they
//! miss them?

use super::{Goal, GoalsJudged, PolicyFigures};

/// Names the goals of which it is uncertain that the recipes with the indices `rows` meet or miss
/// them, as the limit lies within the error bounds of the figure, in a sentence for each recipe.
/// Also names a recipe that surely meets all goals, if there is one. `None` where every goal is
/// certain.
pub(super) fn unsure(figures: &PolicyFigures, rows: &[usize]) -> Option<String> {
    let found: Vec<(usize, bool, String)> = rows
        .iter()
        .filter_map(|&row| unsure_of(figures, row).map(|(may_miss, told)| (row, may_miss, told)))
        .collect();
    let of = |&(row, may_miss, _): &(usize, bool, String)| may_miss.then_some(row);
    let may_miss: Vec<usize> = found.iter().filter_map(of).collect();
    let surely = |&&other: &&usize| {
        let offered = |row: usize| figures.rows[row].offered;
        figures.surely_meets_all(other)
            && may_miss.iter().all(|&own| offered(other) >= offered(own))
    };
    let other = figures.ranking.iter().find(surely).filter(|_| !may_miss.is_empty());
    let other = other.map(|&other| {
        format!("{} meets {} also by its intervals.", figures.rows[other].recipe, all(figures))
    });
    let told: Vec<String> = found.into_iter().map(|(_, _, told)| told).chain(other).collect();
    (!told.is_empty()).then(|| told.join(" "))
}

/// Names the goals of which it is uncertain that the recipe with the index `row` meets or misses
/// them. Returns (true if it may miss one that its figures meet, sentence); `None` where every goal
/// is certain.
fn unsure_of(figures: &PolicyFigures, row: usize) -> Option<(bool, String)> {
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
    Some((!met.is_empty(), format!("{} {}.", own.recipe, told.join(", and "))))
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
