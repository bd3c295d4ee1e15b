//! Which recipe does each of the compared results recommend, and how do the figures of processes
//! differ between these recipes?

use super::input::ComparedResult;
use super::label::label;
use crate::answer::{JudgedProcess, PolicyFigures, VerdictKind, from_to};
use crate::units::plain;

/// Largest number of characters of a name in the sentence on advice.
const NAME: usize = 40;

/// Names of the recipe that a result recommends and of the second one, where the verdict is that
/// either of two may be the best.
type Advised<'r> = (&'r str, Option<&'r str>);

impl ComparedResult {
    /// Returns the recipe or the two recipes that the result recommends; `None` where it recommends
    /// none, or one of its recipes was chosen for the comparison.
    pub(super) fn recommends(&self) -> Option<Advised<'_>> {
        let answer = self.answer.as_ref().filter(|_| self.chosen.is_none())?;
        let kind = answer.verdict.kind;
        let is_advice = {
            use VerdictKind::{Either, NoDriver, Stay, Use};
            matches!(kind, Use | NoDriver | Stay | Either)
        };
        let recipe = answer.recommended().filter(|_| is_advice)?;
        Some((recipe, answer.verdict.or.as_deref()))
    }
}

/// Says which recipe each result recommends and, of two results, how the judged figures of
/// processes differ under these recipes. `None` where no result recommends a recipe, or where all
/// recommend the same one and no judged figure differs by half a percent.
pub(super) fn advice(inputs: &[ComparedResult]) -> Option<String> {
    let all: Vec<Option<Advised<'_>>> = inputs.iter().map(ComparedResult::recommends).collect();
    let (&first, others) = all.split_first()?;
    if all.iter().all(Option::is_none) {
        return None;
    }
    let is_same = others.iter().all(|&other| is_same(first, other));
    let words = match is_same {
        true => format!("All recommend {}", words(first)),
        false => {
            let others = others.iter().enumerate();
            let others = others.map(|(at, it)| format!("{} {}", label(at + 1), words(*it)));
            let others = others.collect::<Vec<_>>().join(", ");
            format!("{} recommends {}, {others}", label(0), words(first))
        }
    };
    let figures = match (inputs, all.as_slice()) {
        // Of the same two recipes one is compared with itself.
        ([a, b], [Some((own, _)), Some((other, _))]) => {
            figures((a, own), (b, if is_same { own } else { other }))
        }
        _ => Vec::new(),
    };
    match (figures.is_empty(), is_same) {
        (true, true) => None,
        (true, false) => Some(words),
        (false, _) => Some(format!("{words}: {}", figures.join(", "))),
    }
}

/// Returns whether two results recommend the same recipe, or the same two in any order.
fn is_same(one: Option<Advised<'_>>, other: Option<Advised<'_>>) -> bool {
    match (one, other) {
        (Some((a, Some(b))), Some((c, Some(d)))) => (a, b) == (c, d) || (a, b) == (d, c),
        (one, other) => one == other,
    }
}

fn words(advised: Option<Advised<'_>>) -> String {
    match advised {
        None => "none".to_owned(),
        Some((one, None)) => plain(one, NAME),
        Some((one, Some(other))) => {
            format!("either {} or {}", plain(one, NAME), plain(other, NAME))
        }
    }
}

/// Returns clauses on the figures by which processes are judged, each from the first result under
/// its recipe to the other result under its own.
fn figures(a: (&ComparedResult, &str), b: (&ComparedResult, &str)) -> Vec<String> {
    let answers = a.0.answer.as_ref().zip(b.0.answer.as_ref());
    let Some((first, other)) = answers else { return Vec::new() };
    let of = |answer: &PolicyFigures, recipe: &str, process: usize| {
        let row = answer.rows.iter().find(|row| row.recipe == recipe)?;
        row.processes.get(process)?.decisive_ns
    };
    let clause = |(at, process): (usize, &JudgedProcess)| {
        let mut same = other.processes.iter();
        let there = same.position(|it| it.name == process.name && it.judged == process.judged)?;
        let (from, to) = (of(first, a.1, at)?, of(other, b.1, there)?);
        // Less than half a percent shows no other digits.
        if from.abs_diff(to) < from / 200 || from == to {
            return None;
        }
        let figure = format!("{} {}", plain(&process.name, NAME), process.judged.word());
        Some(format!("{figure} {}", from_to(from, to)))
    };
    first.processes.iter().enumerate().filter_map(clause).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_two_recipes_are_the_same_advice_in_any_order() {
        let either = |a, b| Some((a, Some(b)));
        assert!(is_same(either("mps", "mig"), either("mig", "mps")));
        assert!(!is_same(either("mps", "mig"), Some(("mps", None))));
        assert!(!is_same(None, Some(("mps", None))));
        assert_eq!(words(either("mps", "mig")), "either mps or mig");
    }
}
