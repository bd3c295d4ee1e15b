//! Which other parameters of the recommended way of sharing may be as good?

use super::either::kind;
use super::words::percent;
use super::{PolicyFigures, VerdictKind};

/// Names the best recipe that differs from the recommended one in parameters alone, where other
/// requests of the same kind might reverse their order. `named` are the recipes that the verdict
/// names, the recommended one first. `None` where there is no such recipe, or where nothing is
/// recommended.
pub(super) fn settings(
    figures: &PolicyFigures,
    verdict: VerdictKind,
    named: &[usize],
) -> Option<String> {
    let &own = named.first()?;
    let name = |row: usize| figures.rows[row].recipe.as_str();
    let is_rival = |&other: &usize| {
        figures.rows[other].complete
            && !named.contains(&other)
            && kind(name(other)) == kind(name(own))
            && figures.meets_all(other) == figures.meets_all(own)
            && figures.surely_meets_all(other) == figures.surely_meets_all(own)
            && figures.ratio_resampled(other, own).is_some_and(|[least, _]| least <= 1.0)
    };
    let recommends = matches!(verdict, VerdictKind::Use | VerdictKind::Either);
    let other = figures.ranking.iter().copied().filter(|_| recommends).find(is_rival)?;
    let behind = percent(figures.behind(other, own).abs());
    let whom = figures.weighed();
    Some(format!(
        "{} is {behind} behind {} {whom}, which other requests might reverse.",
        name(other),
        name(own),
    ))
}
