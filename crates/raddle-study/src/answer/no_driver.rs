//! What is said of a recipe that is best, and that nobody can switch on?
//!
//! A comparison of recipes ranks policies that no driver offers beside those that one does. The word
//! "Use" is for what can be switched on; of these the best is named beside.

use super::PolicyFigures;

/// Says which recipe is best of those that a driver offers, where the recipes with the indices
/// `about`, which the verdict names, are not all of these; `None` where they are. The verdict has the
/// kind "no driver" for `is_no_driver`, and for `is_missed` no recipe meets all goals.
pub(super) fn beside(
    figures: &PolicyFigures,
    (is_no_driver, is_missed): (bool, bool),
    about: &[usize],
) -> Option<String> {
    let name = |row: usize| figures.rows[row].recipe.as_str();
    let none: Vec<&str> =
        about.iter().filter(|&&row| !figures.rows[row].offered).map(|&row| name(row)).collect();
    if none.is_empty() {
        return None;
    }
    let place = if is_missed { "comes nearest" } else { "is best" };
    let best = figures.best_offered().filter(|best| !about.contains(best));
    let best = best.map(|row| match row == figures.baseline {
        true if name(row) == figures.today => format!("{} (today) {place}", name(row)),
        _ => format!("{} {place}", name(row)),
    });
    let none = match none.as_slice() {
        [_, _] => "No driver offers either".to_owned(),
        names => format!("No driver offers {}", names.join(" or ")),
    };
    Some(match (is_no_driver, best) {
        (true, Some(best)) => format!("Of those that a driver offers, {best}."),
        (true, None) => "`raddle share` compares what one offers.".to_owned(),
        (_, Some(best)) => format!("{none}; of those that one does, {best}."),
        (_, None) if figures.best_offered().is_some() => format!("{none}."),
        (_, None) => format!("{none}; `raddle share` compares what one does."),
    })
}

impl PolicyFigures {
    /// Returns the index of the best recipe among those that a driver offers and under which
    /// everything ended; `None` where there is none.
    #[must_use]
    pub fn best_offered(&self) -> Option<usize> {
        let can = |&&row: &&usize| self.rows[row].offered && self.rows[row].complete;
        self.ranking.iter().find(can).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{row, serve_and_train};
    use super::*;
    use crate::answer::{PolicyRow, VerdictKind};
    use crate::result::NotOffered;

    /// Compares recipes, each given as (name, p99 in ms, whether a driver offers it), with time
    /// slices of 42.5 ms; training takes as long under each.
    fn compared(recipes: &[(&str, f64, bool)], goals: &[&str]) -> PolicyFigures {
        let own = |&(name, ms, offered): &(&str, f64, bool)| {
            let row = row(name, &[ms, 30.0], 1.0);
            PolicyRow { offered, asked: true, ..row }
        };
        let rows = recipes.iter().map(own).collect();
        let goals = goals.iter().map(|goal| goal.parse().expect("it is a goal")).collect();
        PolicyFigures::new("time-slice", serve_and_train(), rows, goals)
    }

    const TODAY: (&str, f64, bool) = ("time-slice", 42.5, true);
    const DRAIN: (&str, f64, bool) = ("leftover-drain", 20.0, false);

    #[test]
    fn the_word_use_is_for_what_can_be_switched_on() {
        let told = |recipes: &[(&str, f64, bool)]| {
            let found = compared(recipes, &[]);
            let PolicyFigures { verdict, ranking, .. } = found;
            (verdict.kind, verdict.text, ranking[0])
        };
        let (kind, text, first) = told(&[TODAY, DRAIN]);
        assert_eq!((kind, first), (VerdictKind::NoDriver, 1), "it is ranked by its figures");
        let best = "leftover-drain is best, but no driver offers it: decode p99 42.5 -> 20 ms, at no cost to the others.";
        assert_eq!(
            text,
            format!("{best} Of those that a driver offers, time-slice (today) is best.")
        );
        let (kind, text, _) = told(&[TODAY, DRAIN, ("mps-priority", 30.0, true)]);
        assert_eq!(kind, VerdictKind::NoDriver);
        assert_eq!(text, format!("{best} Of those that a driver offers, mps-priority is best."));
        let (kind, text, _) = told(&[TODAY, ("mps-priority", 20.0, true)]);
        assert_eq!(kind, VerdictKind::Use);
        assert!(text.starts_with("Use mps-priority: ") && !text.contains("offers"), "{text}");
        // Recipes of which none can be switched on.
        let (kind, text, _) = told(&[("leftover-flag", 42.5, false), DRAIN]);
        assert_eq!(kind, VerdictKind::NoDriver);
        assert!(text.ends_with(" `raddle share` compares what one offers."), "{text}");
    }

    #[test]
    fn what_comes_nearest_to_a_goal_may_be_offered_by_no_driver() {
        let found = compared(&[TODAY, DRAIN], &["decode p99 5ms"]);
        assert_eq!(found.verdict.kind, VerdictKind::NoGoalMet);
        let end = " No driver offers leftover-drain; of those that one does, time-slice (today) comes nearest.";
        assert!(found.verdict.text.ends_with(end), "{}", found.verdict.text);
        let found = compared(&[TODAY, ("leftover-drain", 41.0, false)], &[]);
        assert_eq!(found.verdict.kind, VerdictKind::Either, "{}", found.verdict.text);
        assert!(found.verdict.text.contains(" No driver offers leftover-drain."));
    }

    /// Checks that the verdict of a search is worded anew also where it begins with other words.
    #[test]
    fn settings_of_a_recipe_that_no_driver_offers_are_not_used_either() {
        let mut found = compared(&[TODAY, ("window=8", 20.0, true)], &[]);
        assert_eq!(found.verdict.kind, VerdictKind::Use);
        found.of_no_driver(None);
        assert_eq!(found.verdict.kind, VerdictKind::Use);
        let (recipe, nearest, by) = ("weighted-slices".to_owned(), "time-slice", "");
        found.of_no_driver(Some(&NotOffered { recipe, nearest, by, best: None }));
        assert_eq!(found.verdict.kind, VerdictKind::NoDriver);
        let text = &found.verdict.text;
        assert!(text.starts_with("window=8 is best, but no driver offers it: decode"), "{text}");
    }
}
