//! Which recipe can be switched on where no driver offers the best one?
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
    let best = figures.best_offered().filter(|best| !about.contains(best));
    let misses = best.map_or_else(Vec::new, |row| goals_missed(figures, row));
    let place = match misses.as_slice() {
        _ if is_missed => "comes nearest".to_owned(),
        [] => "is best".to_owned(),
        missed => format!("comes nearest, and misses {}", missed.join(" and ")),
    };
    let best = best.map(|row| match row == figures.baseline {
        true if name(row) == figures.today => format!("{} (today) {place}", name(row)),
        _ => format!("{} {place}", name(row)),
    });
    // Of what a driver of another vendor has, it would be wrong that none offers it.
    let elsewhere = about.iter().any(|&row| figures.rows[row].elsewhere);
    let which = match none.as_slice() {
        [_, _] => "either".to_owned(),
        names => names.join(" or "),
    };
    let none = match elsewhere {
        true => format!("The driver of this device does not offer {which}"),
        false => format!("No driver offers {which}"),
    };
    Some(match (is_no_driver, best) {
        (true, Some(best)) if elsewhere => format!("Of those that it offers, {best}."),
        (true, Some(best)) => format!("Of those that a driver offers, {best}."),
        (true, None) if elsewhere => "It offers none of these.".to_owned(),
        (true, None) => "A driver offers none of these.".to_owned(),
        (_, Some(best)) if elsewhere => format!("{none}; of those that it does, {best}."),
        (_, Some(best)) => format!("{none}; of those that one does, {best}."),
        (_, None) => format!("{none}."),
    })
}

/// Returns the goals that a recipe misses, as the user wrote them between backticks.
pub(super) fn goals_missed(figures: &PolicyFigures, row: usize) -> Vec<String> {
    let goals = figures.goals.iter().zip(&figures.rows[row].goals_met);
    goals.filter(|(_, met)| !**met).map(|(goal, _)| format!("`{goal}`")).collect()
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
pub(super) mod tests {
    use super::super::tests::{row, serve_and_train};
    use super::*;
    use crate::answer::{PolicyRow, VerdictKind};

    /// Compares recipes, each given as (name, p99 in ms, whether a driver offers it), with time
    /// slices of 42.5 ms; training takes as long under each.
    pub(in crate::answer) fn compared(
        recipes: &[(&str, f64, bool)],
        goals: &[&str],
    ) -> PolicyFigures {
        let own = |&(name, ms, offered): &(&str, f64, bool)| {
            let row = row(name, &[ms, 30.0], 1.0);
            PolicyRow { offered, asked: true, ..row }
        };
        let rows = recipes.iter().map(own).collect();
        let goals = goals.iter().map(|goal| goal.parse().expect("it is a goal")).collect();
        PolicyFigures::new("time-slice", serve_and_train(), rows, goals)
    }

    pub(in crate::answer) const TODAY: (&str, f64, bool) = ("time-slice", 42.5, true);
    pub(in crate::answer) const DRAIN: (&str, f64, bool) = ("leftover-drain", 20.0, false);

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
        assert!(text.ends_with(" A driver offers none of these."), "{text}");
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

    /// Checks that MPS on a device of another vendor is not said to be offered by no driver.
    #[test]
    fn what_another_vendor_offers_is_told_as_such() {
        let told = |first: (&str, f64, bool), goals: &[&str]| {
            let mut found = compared(&[first, ("mps", 20.0, false)], goals);
            found.rows[1].elsewhere = true;
            PolicyFigures::new("time-slice", serve_and_train(), found.rows, found.goals).verdict
        };
        let found = told(TODAY, &[]);
        assert_eq!(found.kind, VerdictKind::NoDriver);
        let text = "mps is best, but this device's driver does not offer it: decode p99 42.5 -> 20 ms, at no cost to the others. Of those that it offers, time-slice (today) is best.";
        assert_eq!(found.text, text);
        let found = told(TODAY, &["decode p99 5ms"]);
        let end = " The driver of this device does not offer mps; of those that it does, time-slice (today) comes nearest.";
        assert!(found.text.ends_with(end), "{}", found.text);
        let found = told(("leftover-flag", 42.5, false), &[]);
        assert!(found.text.ends_with(" It offers none of these."), "{}", found.text);
    }

    #[test]
    fn goals_that_the_best_offered_recipe_misses_are_named() {
        let found = compared(&[TODAY, DRAIN], &["decode p99 25ms"]);
        assert_eq!(found.verdict.kind, VerdictKind::NoDriver);
        let end = " Of those that a driver offers, time-slice (today) comes nearest, and misses `decode p99 25ms`.";
        assert!(found.verdict.text.ends_with(end), "{}", found.verdict.text);
    }
}
