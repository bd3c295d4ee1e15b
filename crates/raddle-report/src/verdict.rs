//! How is a verdict shown?

use raddle_study::answer::{PolicyFigures, PolicyVerdict, VerdictKind};

use crate::document::Block;

/// Makes the block that shows the verdict: which recipe is recommended, or that none is, and why.
pub(crate) fn verdict(answer: &PolicyFigures) -> Block {
    let PolicyVerdict { kind, recipe, text, why, .. } = &answer.verdict;
    let good = matches!(kind, VerdictKind::Use | VerdictKind::Stay);
    let name = recipe.clone().unwrap_or_default();
    Block::Verdict { good, name, text: text.clone(), why: why.clone() }
}
