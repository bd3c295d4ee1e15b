//! Which policies have no row on the first screen, and where did they go?

use raddle_study::answer::{JudgedBy, PolicyFigures};
use raddle_study::result::ReplayResult;
use raddle_study::units::{duration, plain};

/// Largest number of characters that the line about policies without a row in the table shows of
/// the name of a policy or process.
const NAME: usize = 40;

/// Ways of sharing a GPU that people ask about by name: time slices, MPS, priorities, partitions,
/// MIG, and the counterparts of other vendors.
const MODES: [&str; 7] =
    ["time-slice", "mps", "mps-priority", "partition", "mig", "streams", "compute-partition"];

/// Returns the rows of the policies that a table of at most `most` rows shows, the best first; the
/// baseline (the policy with which the others are compared) is always among them.
pub(super) fn shown_rows(answer: &PolicyFigures, most: usize) -> Vec<usize> {
    let mut shown: Vec<usize> = answer.ranking.iter().copied().take(most).collect();
    // The baseline, which is the recipe of today, and both recipes of "either" are always there.
    let or = answer.verdict.or.as_ref();
    let or = or.and_then(|name| answer.rows.iter().position(|row| row.recipe == *name));
    let or = or.filter(|row| *row != answer.baseline);
    let kept: Vec<usize> = or.into_iter().chain([answer.baseline]).collect();
    let missing: Vec<usize> = kept.iter().copied().filter(|row| !shown.contains(row)).collect();
    for row in missing {
        let best = answer.ranking.first();
        let spare = |own: &usize| Some(own) != best && !kept.contains(own);
        if let Some(at) = shown.iter().rposition(spare) {
            shown.remove(at);
        }
        shown.push(row);
    }
    shown
}

/// Says what a table of `most` rows leaves out: policies that the user asked for, each with the
/// figure by which one process is judged, and policies that were not tried, with the reason. `None`
/// where nothing is left out.
pub(super) fn not_shown(result: &ReplayResult, most: usize) -> Option<String> {
    let answer = &result.answer;
    let shown = shown_rows(answer, most);
    let asked = |row: &usize| result.by_name || is_mode(&answer.rows[*row].recipe);
    let hidden = answer.ranking.iter().copied().filter(|row| !shown.contains(row)).filter(asked);
    let process = first(answer);
    let told = hidden.map(|row| {
        let row = &answer.rows[row];
        let figure = process.and_then(|at| row.processes[at].decisive_ns);
        let figure = figure.map_or_else(String::new, |ns| format!(" {}", duration(ns)));
        format!("{}{figure}", plain(&row.recipe, NAME))
    });
    let told: Vec<String> = told.collect();
    let behind = process.filter(|_| !told.is_empty()).map(|at| {
        let process = &answer.processes[at];
        let figure = format!("{} {}", plain(&process.name, NAME), process.judged.word());
        format!("{} ({figure})", told.join(", "))
    });
    let clauses: Vec<String> = behind.into_iter().chain(result.not_tried.iter().cloned()).collect();
    (!clauses.is_empty()).then(|| clauses.join("; "))
}

/// Returns whether a recipe is one of the ways of sharing in [`MODES`], with or without parameters
/// in its name.
fn is_mode(recipe: &str) -> bool {
    let rests = MODES.iter().filter_map(|mode| recipe.strip_prefix(mode));
    rests.into_iter().any(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Returns the index of the process whose figure stands for a policy: the first with requests, or
/// else the first; `None` where there is no process.
fn first(answer: &PolicyFigures) -> Option<usize> {
    let requests = answer.processes.iter().position(|it| it.judged == JudgedBy::Requests);
    requests.or((!answer.processes.is_empty()).then_some(0))
}
