//! Which goals may a recipe in truth miss although its figures meet them, or meet although they
//! miss them?

use super::either::SMALL;
use super::words::percent;
use super::{Goal, GoalsJudged, PolicyFigures};

/// Names the goals of which it is uncertain that the recipes with the indices `rows` meet or miss
/// them, as the limit lies within the error bounds of the figure, in a sentence for each recipe.
/// Where all of `rows` surely meet all goals, names the best recipe that may miss one, if it is
/// better than they are. `None` where there is nothing to say.
pub(super) fn unsure(figures: &PolicyFigures, rows: &[usize]) -> Option<String> {
    let own = rows.iter().filter_map(|&row| {
        Some(format!("{} {}.", figures.rows[row].recipe, unsure_of(figures, row)?))
    });
    let told: Vec<String> = own.chain(cheaper(figures, rows)).collect();
    (!told.is_empty()).then(|| told.join(" "))
}

/// Says what the best of the recipes that may miss a goal would gain over the recipes with the
/// indices `rows`, all of which surely meet the goals; `None` where it gains less than 1 %, or where
/// there is none.
fn cheaper(figures: &PolicyFigures, rows: &[usize]) -> Option<String> {
    let &first = rows.first().filter(|_| rows.iter().all(|&row| figures.surely_meets_all(row)))?;
    let may_miss = |&&row: &&usize| {
        let own = &figures.rows[row];
        own.complete
            && own.offered >= figures.rows[first].offered
            && own.goals_judged() == GoalsJudged::MayMiss
    };
    let &other = figures.ranking.iter().find(may_miss)?;
    let gain = |&row: &usize| figures.rank(row) / figures.rank(other) - 1.0;
    let gain = rows.iter().map(gain).fold(f64::INFINITY, f64::min);
    let told = unsure_of(figures, other).filter(|_| gain >= SMALL)?;
    let name = &figures.rows[other].recipe;
    Some(format!("{name} is {} better {}, but {told}.", percent(gain), figures.weighed()))
}

/// Names the goals of which it is uncertain that the recipe with the index `row` meets or misses
/// them, as the end of a sentence that begins with its name; `None` where every goal is certain.
fn unsure_of(figures: &PolicyFigures, row: usize) -> Option<String> {
    let own = &figures.rows[row];
    let goals = figures.goals.iter().enumerate();
    let of = |(at, goal): (usize, &Goal)| {
        let bounds = goal.bounds(figures, row).filter(|_| !own.goals_sure[at])?;
        let is_within = goal.limit_ns(figures).is_some_and(|limit| bounds.most_ns <= limit);
        let twice = match bounds.open && is_within {
            true => ", counted twice, as no upper end is known",
            false => "",
        };
        Some((own.goals_met[at], format!("`{goal}` ({}{twice})", bounds.text())))
    };
    let (met, missed): (Vec<_>, Vec<_>) = goals.filter_map(of).partition(|(met, _)| *met);
    let told =
        [("may miss", &met), ("may meet", &missed)].into_iter().filter_map(|(may, goals)| {
            let goals: Vec<&str> = goals.iter().map(|(_, goal)| &**goal).collect();
            (!goals.is_empty()).then(|| format!("{may} {}", goals.join(" and ")))
        });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| told.join(", and "))
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
    use crate::answer::{PolicyRow, VerdictKind};

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
    fn a_recipe_that_surely_meets_the_goal_comes_before_a_better_one_that_may_miss_it() {
        let of = |step_ms: f64, base_ms: [u64; 2]| {
            let mut mps = with("mps", 15.0, [14, 30]);
            mps.processes[1].decisive_ns = Some((step_ms * 1e6) as u64);
            let rows = vec![with("time-slice", 21.0, base_ms), with("split", 22.0, [21, 24]), mps];
            let goals = vec!["decode p99 25ms".parse().expect("it is a goal")];
            PolicyFigures::new("time-slice", serve_and_train(), rows, goals)
        };
        let found = of(20.0, [19, 22]);
        let text = &found.verdict.text;
        assert_eq!(found.recommended(), Some("time-slice"), "{text}");
        let other =
            "mps is 55 % better for train, but may miss `decode p99 25ms` (14.0 to 30.0 ms).";
        assert!(text.contains(other), "{text}");
        assert!(!of(31.0, [19, 22]).verdict.text.contains("better for train"), "nothing is gained");
        // Where the way of today may miss the goal, the sure way is worth its set-up.
        let found = of(20.0, [19, 26]);
        let text = &found.verdict.text;
        assert_eq!(
            (found.recommended(), found.verdict.kind),
            (Some("split"), VerdictKind::Use),
            "{text}"
        );
        assert!(text.contains(other), "{text}");
    }

    #[test]
    fn all_recipes_that_surely_meet_the_goal_are_told_together() {
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
