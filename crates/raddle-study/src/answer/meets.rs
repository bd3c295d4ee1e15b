//! Which recipes surely meet the goals of the user, and do all recipes that count?

use super::{PolicyFigures, unsure};

/// Returns whether all recipes surely meet all goals. Recipes that no driver offers do not count
/// where one offers others.
pub(super) fn all_meet(figures: &PolicyFigures) -> bool {
    let (ranked, all) = (ranked(figures), 0..figures.rows.len());
    let counts = |&row: &usize| ranked == 0 || figures.rows[row].is_ranked();
    all.filter(counts).all(|row| figures.surely_meets_all(row))
}

/// Counts the recipes that a driver offers, or that the user named.
fn ranked(figures: &PolicyFigures) -> usize {
    figures.rows.iter().filter(|row| row.is_ranked()).count()
}

/// Says which recipes surely meet the goals: "All 4 policies meet the goal.", or that the baseline
/// recipe does. `None` where neither is true, or where there are no goals.
pub(super) fn who_meets(figures: &PolicyFigures) -> Option<String> {
    let goals = format!("{}{}", unsure::all(figures), unsure::limits(figures));
    let meets = |at: usize| figures.surely_meets_all(at) && !figures.goals.is_empty();
    let base = figures.rows.get(figures.baseline)?;
    match figures.rows.as_slice() {
        [only] if meets(0) => Some(format!("{} meets {goals}.", only.recipe)),
        rows if !figures.goals.is_empty() && all_meet(figures) && ranked(figures) != 1 => {
            Some(match ranked(figures) {
                offered if 0 < offered && offered < rows.len() => {
                    format!("All {offered} policies that a driver offers meet {goals}.")
                }
                _ => format!("All {} policies meet {goals}.", rows.len()),
            })
        }
        _ if meets(figures.baseline) => Some(format!("{} meets {goals} already.", base.recipe)),
        _ => None,
    }
}
