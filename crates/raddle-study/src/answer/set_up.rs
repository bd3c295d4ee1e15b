//! Which way of sharing should a user set up by the verdict, and why that one?

use serde::Serialize;

use super::{PolicyFigures, VerdictKind, unsure};

/// Way of sharing the device that a user should set up by the verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct WayToSetUp {
    /// Name of the recipe that stands for the way of sharing the device.
    pub recipe: String,
    /// Reason for this way, where the verdict names two or advises none; `None` where it recommends
    /// this way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl PolicyFigures {
    /// Returns the recipe that a user should set up by the verdict; of two that may be the better
    /// one, the first that the verdict names. Where the verdict recommends none, that is the
    /// baseline. `None` where nothing can be set up: recipes are not ranked, most of the work can
    /// never run, or none serves the requests; also where there are no recipes.
    #[must_use]
    pub fn to_set_up(&self) -> Option<WayToSetUp> {
        let base = &self.rows.get(self.baseline)?.recipe;
        let verdict = &self.verdict;
        let says_nothing =
            matches!(verdict.kind, VerdictKind::OtherVendor | VerdictKind::Incomplete);
        if says_nothing || verdict.says_little {
            return None;
        }
        let named = verdict.recipe.as_ref();
        let of =
            |recipe: &String, why: Option<String>| Some(WayToSetUp { recipe: recipe.clone(), why });
        match (verdict.kind, named, verdict.or.as_ref()) {
            (VerdictKind::BelowError, Some(named), _) => {
                of(base, Some(format!("as today, as {named} is not surely better")))
            }
            (VerdictKind::NoGoalMet, Some(named), _) => {
                of(named, Some("the nearest to the goals".to_owned()))
            }
            (VerdictKind::Either, Some(named), Some(other)) => match self.is_sure(base) {
                // The way that meets all goals without any set-up is the cheaper one.
                true if named == base || other == base => {
                    let other = if named == base { other } else { named };
                    let why = format!("meets {} as it is", unsure::all(self));
                    of(base, Some(format!("{why}; `--recipe {other}` sets up the other")))
                }
                _ => of(named, Some(why_of(base, named, other))),
            },
            (_, Some(named), _) => of(named, None),
            (VerdictKind::OneRecipe, None, _) if *base != self.today => {
                of(base, Some("as asked; nothing is compared with it".to_owned()))
            }
            (_, None, _) => of(base, Some("as today, as nothing is recommended".to_owned())),
        }
    }

    /// Returns whether the recipe `name` surely meets all goals; false where there are no goals.
    fn is_sure(&self, name: &str) -> bool {
        let row = self.rows.iter().position(|row| row.recipe == name);
        row.is_some_and(|row| !self.goals.is_empty() && self.surely_meets_all(row))
    }
}

/// Says why `named` is set up and not `other`, where either of these recipes may be the better.
fn why_of(base: &str, named: &str, other: &str) -> String {
    if named == base {
        return "of the two, the one that changes nothing".to_owned();
    }
    let better = "of the two, the better one by its figures";
    match other == base {
        true => format!("{better}; the other, {base}, is as today"),
        false => format!("{better}; `--recipe {other}` sets up the other"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{row, serve_and_train};
    use super::*;
    use crate::answer::PolicyRow;

    /// Judges time slices and two other ways of sharing, each given as (name, p99 in ms, the most
    /// that it may be in ms, step in ms), by a goal of 120 ms.
    fn judged(ways: [(&str, f64, u64, f64); 3]) -> PolicyFigures {
        let rows = ways.map(|(name, ms, most, step)| {
            let mut row = row(name, &[ms, step], 1.0);
            row.processes[0].between_ns = Some([(ms * 1e6) as u64, most * 1_000_000]);
            row
        });
        let goals = vec!["decode p99 120ms".parse().expect("it is a goal")];
        PolicyFigures::new("time-slice", serve_and_train(), rows.into(), goals)
    }

    fn told(found: &PolicyFigures) -> (String, String) {
        let WayToSetUp { recipe, why } = found.to_set_up().expect("there are recipes");
        (recipe, why.unwrap_or_default())
    }

    /// Checks that a way that surely meets the goal is recommended and set up, although another one
    /// that may miss it seems a little better.
    #[test]
    fn the_way_that_surely_meets_the_goal_is_set_up() {
        let found = judged([
            ("time-slice", 30.0, 50, 60.7),
            ("mps", 116.0, 144, 37.3),
            ("mps-priority", 38.2, 49, 38.3),
        ]);
        let text = &found.verdict.text;
        assert_eq!(found.verdict.kind, VerdictKind::Use, "{text}");
        let begin = "time-slice meets the goal already. To gain more, use mps-priority: ";
        assert!(text.starts_with(begin), "{text}");
        let other = "mps is 3 % better for train, but may miss `decode p99 120ms` (116 to 144 ms).";
        assert!(text.contains(other), "{text}");
        assert_eq!(told(&found), ("mps-priority".to_owned(), String::new()));
    }

    #[test]
    fn of_either_the_way_of_today_is_set_up_where_it_meets_the_goal() {
        let found = judged([
            ("time-slice", 30.0, 50, 38.5),
            ("mps", 31.0, 45, 37.3),
            ("mps-priority", 30.0, 49, 60.0),
        ]);
        assert_eq!(found.verdict.kind, VerdictKind::Either, "{}", found.verdict.text);
        let why = "meets the goal as it is; `--recipe mps` sets up the other".to_owned();
        assert_eq!(told(&found), ("time-slice".to_owned(), why));
        assert!(!found.verdict.text.contains("To gain more"), "{}", found.verdict.text);
    }

    #[test]
    fn a_way_that_gains_more_than_a_goal_asks_for_is_told_as_such() {
        let found = judged([
            ("time-slice", 30.0, 50, 60.0),
            ("mps", 38.2, 49, 37.3),
            ("mps-priority", 130.0, 149, 60.0),
        ]);
        let begin = "time-slice meets the goal already. To gain more, use mps: ";
        assert!(found.verdict.text.starts_with(begin), "{}", found.verdict.text);
        assert_eq!(told(&found), ("mps".to_owned(), String::new()));
    }

    /// Checks that a reason is given where nothing is recommended, and none for the advice to stay.
    #[test]
    fn a_way_that_is_not_recommended_is_set_up_for_a_reason() {
        let of = |rows: Vec<PolicyRow>| {
            let found = PolicyFigures::new("time-slice", serve_and_train(), rows, Vec::new());
            (found.verdict.kind, told(&found))
        };
        let slices = || row("time-slice", &[42.5, 30.0], 1.0);
        let mps = |ms: f64| row("mps", &[ms, 30.0], 1.0);
        let as_today = ("time-slice".to_owned(), "as today, as nothing is recommended".to_owned());
        assert_eq!(of(vec![slices()]), (VerdictKind::OneRecipe, as_today.clone()));
        let asked = ("mps".to_owned(), "as asked; nothing is compared with it".to_owned());
        assert_eq!(of(vec![mps(42.5)]), (VerdictKind::OneRecipe, asked));
        assert_eq!(of(vec![slices(), mps(42.5)]), (VerdictKind::NoEffect, as_today));
        let stay = ("time-slice".to_owned(), String::new());
        assert_eq!(of(vec![slices(), mps(60.0)]), (VerdictKind::Stay, stay));
    }

    #[test]
    fn nothing_is_set_up_where_nothing_can_be_said_of_the_work() {
        let slices = || row("time-slice", &[42.5, 30.0], 1.0);
        let of = |rows, processes| PolicyFigures::new("time-slice", processes, rows, Vec::new());
        let never_ended = PolicyRow { complete: false, ..slices() };
        let rows = vec![never_ended, row("mps", &[35.0, 30.0], 1.0)];
        assert_eq!(of(rows, serve_and_train()).to_set_up(), None);
        let rows = || vec![slices(), row("mps", &[20.0, 30.0], 1.0)];
        let mut processes = serve_and_train();
        processes[0].other_vendor = true;
        assert_eq!(of(rows(), processes).to_set_up(), None);
        let mut found = of(rows(), serve_and_train());
        assert!(found.to_set_up().is_some());
        found.of_the_part_that_ran();
        assert_eq!(found.to_set_up(), None);
        let begin = "No advice, as most of the work cannot run here; by the rest, use mps: decode p99 42.5 -> 20 ms";
        assert!(found.verdict.text.starts_with(begin), "{}", found.verdict.text);
    }

    /// Checks the reason for the way that is set up, where neither of two ways surely meets the
    /// goal.
    #[test]
    fn of_two_ways_alike_by_the_goals_the_reason_is_said() {
        let found = judged([
            ("time-slice", 50.0, 130, 38.5),
            ("mps", 51.0, 129, 37.3),
            ("mps-priority", 50.0, 139, 60.0),
        ]);
        assert_eq!(found.verdict.kind, VerdictKind::Either, "{}", found.verdict.text);
        let why = "of the two, the better one by its figures; the other, time-slice, is as today";
        assert_eq!(told(&found), ("mps".to_owned(), why.to_owned()));
        let both = "mps may miss `decode p99 120ms` (51 to 129 ms). time-slice may miss";
        assert!(found.verdict.text.contains(both), "{}", found.verdict.text);
    }

    /// Checks that the baseline is set up where the best recipe gains less than the simulation may
    /// err.
    #[test]
    fn a_gain_below_the_error_sets_up_what_is_there() {
        let mut processes = serve_and_train();
        processes[1].end_error = Some(-0.3);
        let rows = [row("time-slice", &[42.5, 30.0], 1.0), row("mps", &[35.0, 30.0], 1.0)];
        let found = PolicyFigures::new("time-slice", processes, rows.into(), Vec::new());
        assert_eq!(found.verdict.kind, VerdictKind::BelowError, "{}", found.verdict.text);
        let why = "as today, as mps is not surely better".to_owned();
        let own = WayToSetUp { recipe: "time-slice".to_owned(), why: Some(why) };
        assert_eq!(found.to_set_up(), Some(own));
    }
}
