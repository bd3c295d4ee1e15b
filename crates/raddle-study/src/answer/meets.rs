//! Which recipes surely meet the goals of the user, and do all recipes that count?

use super::{PolicyFigures, unsure};

/// Returns the indices of the recipes that count where it is asked whether all meet the goals:
/// those that a driver offers or the user named, or all where there are none of these.
fn counted(figures: &PolicyFigures) -> Vec<usize> {
    let ranked = (0..figures.rows.len()).filter(|&row| figures.rows[row].is_ranked());
    let ranked: Vec<usize> = ranked.collect();
    if ranked.is_empty() { (0..figures.rows.len()).collect() } else { ranked }
}

/// Returns whether all recipes that count surely meet all goals.
pub(super) fn all_meet(figures: &PolicyFigures) -> bool {
    counted(figures).into_iter().all(|row| figures.surely_meets_all(row))
}

/// Says which recipes surely meet the goals: "All 4 policies meet the goal.", or that the baseline
/// recipe does. `None` where neither is true, or where there are no goals.
pub(super) fn who_meets(figures: &PolicyFigures) -> Option<String> {
    let base = figures.rows.get(figures.baseline).filter(|_| !figures.goals.is_empty())?;
    let goals = format!("{}{}", unsure::all(figures), unsure::limits(figures));
    let (all, count) = (figures.rows.len(), counted(figures).len());
    if count > 1 && all_meet(figures) {
        let which = if count < all { " that a driver offers" } else { "" };
        return Some(format!("All {count} policies{which} meet {goals}."));
    }
    let already = if all > 1 { " already" } else { "" };
    let meets = figures.surely_meets_all(figures.baseline);
    meets.then(|| format!("{} meets {goals}{already}.", base.recipe))
}
