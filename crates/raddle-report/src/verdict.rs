//! How is the verdict of a replay (which recipe to use) shown?

use raddle_study::answer::{PolicyFigures, PolicyVerdict, VerdictKind};

use crate::document::Block;

/// Makes the block that shows the verdict: which recipe (way of sharing the device) is recommended,
/// or that none is, and why.
pub(crate) fn verdict(answer: &PolicyFigures) -> Block {
    verdict_of(answer, true)
}

/// Makes the block that shows a verdict that recommends no recipe, in one sentence.
pub(crate) fn verdict_in(text: String) -> Block {
    Block::Verdict { good: true, name: String::new(), text, why: None }
}

/// Makes the block that shows the verdict, with the reason for it where `why` is true.
pub(crate) fn verdict_of(answer: &PolicyFigures, why: bool) -> Block {
    let PolicyVerdict { kind, recipe, text, why: reason, .. } = &answer.verdict;
    let good = matches!(kind, VerdictKind::Use | VerdictKind::Stay);
    let name = recipe.clone().unwrap_or_default();
    Block::Verdict { good, name, text: text.clone(), why: reason.clone().filter(|_| why) }
}
