//! What do the compared results advise, and what does the change of advice cost or gain?

use super::input::ComparedResult;
use super::label::label;
use crate::answer::{JudgedProcess, PolicyFigures, VerdictKind, from_to};
use crate::units::plain;

/// Largest number of characters of a name in the sentence on advice.
const NAME: usize = 40;

impl ComparedResult {
    /// Returns the name of the recipe that the result recommends; `None` where it recommends none,
    /// or one of its recipes was chosen for the comparison.
    pub(super) fn recommends(&self) -> Option<&str> {
        let answer = self.answer.as_ref().filter(|_| self.chosen.is_none())?;
        let kind = answer.verdict.kind;
        let is_advice = matches!(kind, VerdictKind::Use | VerdictKind::Stay | VerdictKind::Either);
        answer.recommended().filter(|_| is_advice)
    }
}

/// Says which recipe each result recommends, and of two results how the figures differ by which
/// processes are judged under these recipes. `None` where no result recommends a recipe, or neither
/// the recipe nor a figure differs.
pub(super) fn advice(inputs: &[ComparedResult]) -> Option<String> {
    let all: Vec<Option<&str>> = inputs.iter().map(ComparedResult::recommends).collect();
    let (first, others) = all.split_first()?;
    let name = |recipe: Option<&str>| recipe.map_or("none".to_owned(), |it| plain(it, NAME));
    let words = match first {
        None if others.iter().all(Option::is_none) => return None,
        Some(recipe) if others.iter().all(|other| other == first) => {
            format!("All recommend {}", plain(recipe, NAME))
        }
        _ => {
            let others = others.iter().enumerate();
            let others = others.map(|(at, it)| format!("{} {}", label(at + 1), name(*it)));
            let others = others.collect::<Vec<_>>().join(", ");
            format!("{} recommends {}, {others}", label(0), name(*first))
        }
    };
    let figures = match (inputs, all.as_slice()) {
        ([a, b], [Some(own), Some(other)]) => figures((a, own), (b, other)),
        _ => Vec::new(),
    };
    match (figures.is_empty(), others.iter().all(|other| other == first)) {
        (true, true) => None,
        (true, false) => Some(words),
        (false, _) => Some(format!("{words}: {}", figures.join(", "))),
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
