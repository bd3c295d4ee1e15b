//! How is it shown which settings a search found best, and how sure that is?

use std::path::Path;

use raddle_study::answer::GoalsJudged;
use raddle_study::sweep::FailedCase;
use raddle_study::units::{counted, duration, sentences, shell, them};
use raddle_study::{Tuned, TunedRow};

use crate::document::{Block, Cell, Column, Document, Table};
use crate::verdict::verdict;

/// Largest number of candidates (combinations of settings) that the table shows.
const ROWS: usize = 8;
/// Largest number of characters that a terminal shows of a candidate, which is written as its
/// values: `recipe=mps share.serve=2`.
const CASE: usize = 56;

/// Makes the document that shows the result of a search for the best settings; `path` is the file
/// with the recipe (text that composes policies) of the best candidate.
#[must_use]
pub fn document(tuned: &Tuned, path: &Path) -> Document {
    let mut document = Document::default();
    let Some(best) = tuned.best.first() else { return document };
    document.add(verdict(&tuned.answer));
    document.add(Block::Note(sure(tuned)));
    document.warn(&tuned.overturning);
    let mut columns = vec![Column::name("candidate", CASE)];
    columns.extend(tuned.processes.iter().map(Column::figure));
    columns.push(Column::figure("behind"));
    let goals = !tuned.answer.goals.is_empty();
    columns.extend(goals.then(|| Column::text("goals").kept()));
    let other_vendor = tuned.answer.processes.iter().any(|it| it.other_vendor);
    let mut table = Table::new("", columns);
    // The rows of the answer are that of the baseline, then those of the candidates.
    let shown = (1..).zip(tuned.best.iter().take(ROWS)).chain([(0, &tuned.base)]);
    for (position, row) in shown {
        let today = std::ptr::eq(row, &tuned.base);
        let name = if today { format!("{} (today)", row.case) } else { row.case.clone() };
        let mut cells = vec![Cell::from(name)];
        let figures = row.figures.iter().enumerate();
        cells.extend(figures.map(|(at, ns)| {
            let bounds = tuned.answer.bounds(position, at).zip(*ns);
            let bounds = bounds.map(|(bounds, ns)| format!(" ({})", bounds.in_unit_of(ns)));
            let cell = Cell::from(ns.map_or("-".to_owned(), duration));
            cell.note(bounds.unwrap_or_default())
        }));
        cells.push(row.behind.map_or("-".to_owned(), |behind| difference(tuned, behind)).into());
        let judged = GoalsJudged::of([(row.goals_met, row.goals_sure)].into_iter());
        let told = if other_vendor { "other vendor" } else { judged.words() };
        cells.extend(goals.then(|| told.into()));
        table.row(cells);
    }
    document.table(table);
    document.paragraph("Searched", searched(tuned));
    document.paragraph("Minimised", minimised(tuned, best));
    if let Some(no_driver) = &tuned.no_driver {
        document.paragraph("Offered", no_driver.text());
    }
    document.paragraph("Memory", tuned.memory.join("; "));
    document.paragraph("Trust", sentences(&tuned.answer.trust_in_brief()));
    if tuned.failed > 0 {
        let failed = counted(tuned.failed, "candidate", "candidates");
        let them = them(tuned.failed);
        document.add(Block::Warning(format!("{failed} failed, so nothing is said of {them}")));
        document.list("Failed", FailedCase::told(&tuned.failures));
    }
    let file = path.display().to_string();
    let rank = if tuned.is_recommended() { "" } else { ", the best of these but not recommended" };
    let goals = if best.goals_met { "" } else { ", which does not meet all goals" };
    document.paragraph("Saved", format!("{}{rank}{goals}, in {file}", best.case));
    let commands = vec![shell(&tuned.next)];
    document.add(Block::Commands { label: "Next", commands });
    document
}

/// Says how many candidates (combinations of settings) were simulated, and with how many random
/// seeds.
fn searched(tuned: &Tuned) -> String {
    let few = counted(tuned.candidates, "candidate", "candidates");
    let runs = counted(tuned.runs, "run", "runs");
    let how = match tuned.seeds {
        1 => ", each by one seed".to_owned(),
        seeds => {
            format!(": all by one seed, then the better half by more, the last by {seeds} seeds")
        }
    };
    format!("{few} in {runs}{how}")
}

/// Writes the figure that the search minimised, under the best candidate (combination of settings)
/// and under the device's default way of sharing.
fn minimised(tuned: &Tuned, best: &TunedRow) -> String {
    let value = |row: &TunedRow| shown(tuned, row.objective);
    format!(
        "{}: {} under the best candidate, {} under {}",
        tuned.minimised,
        value(best),
        value(&tuned.base),
        tuned.base.case
    )
}

/// Writes a value of the minimised figure: a time in ns, or a product of ratios as `1.23x`; `None`
/// as "nothing ended".
fn shown(tuned: &Tuned, value: Option<f64>) -> String {
    match value {
        None => "nothing ended".to_owned(),
        Some(value) if tuned.minimised == "slowdowns" => format!("{value:.2}x"),
        Some(value) => duration(value as u64),
    }
}

fn difference(tuned: &Tuned, (mean, within): (f64, f64)) -> String {
    let sign = if mean < 0.0 { "-" } else { "+" };
    format!("{sign}{} ± {}", shown(tuned, Some(mean.abs())), shown(tuned, Some(within)))
}

/// Says in a sentence how sure it is that the best candidate is better than the second best.
fn sure(tuned: &Tuned) -> String {
    let Some(second) = tuned.best.get(1) else {
        return "No other candidate was run by as many seeds.".to_owned();
    };
    let case = &second.case;
    match (tuned.is_sure(), second.behind) {
        (Some(true), Some(behind)) => {
            format!("The second best, {case}, is behind by {} (95 %).", difference(tuned, behind))
        }
        (Some(false), Some(behind)) => format!(
            "{case} may be as good: it is behind by {} (95 %).",
            difference(tuned, behind)
        ),
        _ => "One seed says nothing of chance: with random requests --seeds N tells how sure this is.".to_owned(),
    }
}
