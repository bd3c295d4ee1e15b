//! How does a policy look on the page, and where does the page say what it does?

use raddle_study::answer::PolicyFigures;

use crate::document::SeriesLook;

/// Beginning of the names of anchors on the page: `policy-` and the index of a recipe's row lead to
/// the line that says what that policy does.
pub(super) const POLICY: &str = "policy";

/// Returns whether the recipe with the index `row` among those compared is the recommended one.
pub(super) fn is_chosen(answer: &PolicyFigures, row: usize) -> bool {
    answer.verdict.recipe.as_ref() == Some(&answer.rows[row].recipe)
}

/// Returns the look (colour and dashes) of the recipe with the index `row` among those compared.
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
