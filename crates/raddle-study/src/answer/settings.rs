//! With which other values of its parameters may the recommended way of sharing be as good?

use super::PolicyFigures;
use super::either::{SMALL, kind};
use super::words::percent;

/// Names the best recipe that differs from the recommended one in parameters alone, where other
/// requests of the same kind might reverse their order. `named` are the recipes that the verdict
/// names, the recommended one first. `None` where there is no such recipe, and in a search for the
/// best parameters.
pub(super) fn settings(figures: &PolicyFigures, named: &[usize]) -> Option<String> {
    let &own = named.first()?;
    let name = |row: usize| figures.rows[row].recipe.as_str();
    let is_rival = |&other: &usize| {
        figures.rows[other].complete
            && !named.contains(&other)
            && kind(name(other)) == kind(name(own))
            && figures.meets_all(other) == figures.meets_all(own)
            && figures.risk(other) == figures.risk(own)
            && figures.ratio_resampled(other, own).is_some_and(|[least, _]| least <= 1.0)
    };
    let is_ranked = !figures.searched && figures.minimised.is_none();
    let other = figures.ranking.iter().copied().filter(|_| is_ranked).find(is_rival)?;
    let apart = (figures.rank(other) / figures.rank(own) - 1.0).abs();
    Some(format!(
        "{} is within {} of {} {}, and other requests might put it first.",
        name(other),
        percent(apart.max(SMALL)),
        name(own),
        figures.weighed(),
    ))
}
