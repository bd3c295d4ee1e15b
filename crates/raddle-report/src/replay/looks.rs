//! Which colour has a policy in charts, and where does the HTML page say what the policy does?

use raddle_study::answer::PolicyFigures;

use crate::document::SeriesLook;

/// Beginning of the anchors on the HTML page that lead to descriptions of policies: `policy-N` is
/// the anchor of the policy in row N of the results.
pub(super) const POLICY: &str = "policy";

/// Returns whether the recipe (way of sharing the device) that has the index `row` among the
/// compared recipes is the recommended one.
pub(super) fn is_chosen(answer: &PolicyFigures, row: usize) -> bool {
    answer.verdict.recipe.as_ref() == Some(&answer.rows[row].recipe)
}

/// Returns the look in charts (colour and dashes) of the recipe (way of sharing the device) that
/// has the index `row` among the compared recipes.
pub(super) fn look(answer: &PolicyFigures, row: usize) -> SeriesLook {
    match row {
        _ if is_chosen(answer, row) => SeriesLook::Chosen,
        _ if row == answer.baseline => SeriesLook::Baseline,
        _ => {
            let other = |at: &usize| !is_chosen(answer, *at) && *at != answer.baseline;
            let others = answer.ranking.iter().copied().filter(other);
            SeriesLook::Other(others.take_while(|at| *at != row).count())
        }
    }
}
