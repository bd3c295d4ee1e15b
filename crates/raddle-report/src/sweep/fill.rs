//! In which order are the parts of a sweep shown?

use raddle_study::answer::GoalsJudged;
use raddle_study::sweep::{FailedCase, GroupSummary, SweepSummary};
use raddle_study::units::{count, counted, them};

use super::cell::{VALUE, figure};
use super::curves::{CHARTS, curves, fronts};
use super::grid::{Grid, grids};
use crate::document::{Block, Cell, Chart, Column, Document, Medium, SeriesLook, Table};

/// Largest number of rows of the table of a sweep on the HTML page; the sweep's file has all rows.
const ROWS: usize = 2000;
/// Largest number of rows of the table of a sweep on a terminal.
const SHORT: usize = 16;

/// Makes the document that shows a sweep; `file` is the name of the file with its rows (results of
/// cases).
#[must_use]
pub fn document(summary: &SweepSummary, title: &str, file: &str) -> Document {
    let mut document = Document::default();
    document.title = title.to_owned();
    document.full = "in the file of rows";
    document.summary = format!(
        "{} of {}, {}",
        count(summary.rows),
        counted(summary.cases, "case", "cases"),
        match summary.failed {
            0 => "none failed".to_owned(),
            failed => format!("{} failed", count(failed)),
        }
    );
    if let Some(answer) = &summary.answer {
        let good = summary.reaches.iter().any(|reach| reach.up_to.is_some());
        let verdict = Block::Verdict { good, name: String::new(), text: answer.clone(), why: None };
        document.add(verdict);
    }
    document.paragraph("Sweep", format!("{}; rows in {file}", document.summary));
    if summary.rows < summary.cases {
        let missing = counted(summary.cases - summary.rows, "case has", "cases have");
        document.add(Block::Warning(format!("{missing} no row yet: give the same command again")));
    }
    if let Some(warning) = of_failures(&summary.failures) {
        document.add(Block::Warning(warning));
    }
    document.warn(&summary.overturning);
    // The answer, where there is one, says up to which load the goals hold.
    if let Some(told) = summary.goals_told().filter(|_| summary.answer.is_none()) {
        document.paragraph("Goals", told);
    }
    answer(&mut document, summary);
    memory(&mut document, &summary.memory);
    document.list("Failed", FailedCase::told(&summary.failures));
    pictures(&mut document, "Along the load", curves(summary), &legend(summary));
    pictures(&mut document, "What one gains and another pays", fronts(summary), &[]);
    document.page(Block::Note(
        "In each picture the filled points are those that no other beats in both; the line joins them.".to_owned(),
    ));
    document.section("cases", "All values");
    if summary.groups.len() > ROWS {
        let text =
            format!("the first {ROWS} of {}; the file has all", count(summary.groups.len() as u64));
        document.page(Block::Note(text));
    }
    document.page(Block::Table(groups(summary, ROWS)));
    document
}

fn legend(summary: &SweepSummary) -> Vec<(SeriesLook, String)> {
    let names = summary.reaches.iter().map(|reach| reach.values.join(" "));
    names.enumerate().map(|(at, name)| (SeriesLook::Nth(at), name)).collect()
}

fn pictures(
    document: &mut Document,
    heading: &str,
    mut charts: Vec<Chart>,
    legend: &[(SeriesLook, String)],
) {
    if charts.is_empty() {
        return;
    }
    document.page(Block::Heading(heading.to_owned()));
    if charts.len() > CHARTS {
        let left = charts.len() - CHARTS;
        charts.truncate(CHARTS);
        let text = format!("{left} more pictures are left out: vary less for them");
        document.page(Block::Note(text));
    }
    document.page(Block::Charts(legend.to_vec(), charts));
}

/// Adds to the document up to which load (or another varied number) the results are good, and for a
/// terminal the figures: by load and way of sharing where a number is varied, else one row for each
/// combination of values.
fn answer(document: &mut Document, summary: &SweepSummary) {
    let mut say = |block: Block| document.add_on(Medium::Terminal, block);
    let grids = grids(summary);
    let is_empty = grids.is_empty();
    let more = summary.judged.len().saturating_sub(grids.len());
    for Grid { title, table, left_out } in grids {
        say(Block::Heading(title));
        say(Block::Table(table));
        left_out.into_iter().for_each(|text| say(Block::Note(text)));
    }
    if !is_empty && more > 0 {
        let text = counted(more as u64, "more process stands", "more processes stand");
        say(Block::Note(format!("{text} in the report")));
    }
    if is_empty {
        say(Block::Table(groups(summary, SHORT)));
        if summary.groups.len() > SHORT {
            let all = counted(summary.groups.len() as u64, "combination", "combinations");
            say(Block::Note(format!("the first {SHORT} of {all}; the report has all")));
        }
    }
    if let Some((title, table)) = reach(summary) {
        document.add(Block::Heading(title));
        document.table(table);
    }
}

/// Makes the table that shows how far the load (or another varied number) can rise, with its
/// heading: up to which value all goals are surely met, up to which the figures meet them, and from
/// which on one is surely missed. Without goals, it shows up to which value the first process's
/// figure is at most twice its lowest. `None` where no number is varied, or where there are neither
/// goals nor a process to judge.
fn reach(summary: &SweepSummary) -> Option<(String, Table)> {
    let (along, _) = summary.along.as_ref()?;
    let key = &summary.axes[*along];
    let others = summary.axes.iter().enumerate().filter(|(at, _)| at != along);
    let mut columns: Vec<Column> = others.map(|(_, key)| Column::name(key, VALUE)).collect();
    let has_goals = !summary.goals.is_empty();
    let title = match summary.judged.first() {
        _ if has_goals => {
            columns.extend(
                ["surely up to", "by the figures up to", "surely not from"].map(Column::text),
            );
            format!("{key}: where all goals are met")
        }
        Some(first) => {
            columns.push(Column::text("up to"));
            format!("{key}: where {} {} is at most twice its lowest", first.process, first.figure)
        }
        None => return None,
    };
    let mut table = Table::new("How far each goes", columns);
    for reach in &summary.reaches {
        let far = match (&reach.up_to, &reach.without_answer) {
            (None, Some(why)) => format!("no answer: {why}"),
            (Some(value), Some(why)) => format!("{value} at least: {why}"),
            (None, None) => "not even the lowest".to_owned(),
            (Some(value), None) if reach.all => format!("{value}, the highest"),
            (Some(value), None) => value.clone(),
        };
        let shown = |of: &Option<String>| of.clone().unwrap_or_else(|| "at none tried".to_owned());
        let cells = match has_goals {
            true => vec![shown(&reach.surely_up_to), far, shown(&reach.surely_not_from)],
            false => vec![far],
        };
        let cells = cells.into_iter().map(Cell::from);
        table.row(reach.values.iter().map(|value| Cell::from(value.as_str())).chain(cells));
    }
    Some((title, table))
}

/// Makes the table of figures of a sweep, one row for each combination of values, with at most
/// `most` rows.
fn groups(summary: &SweepSummary, most: usize) -> Table {
    let mut columns: Vec<Column> =
        summary.axes.iter().map(|key| Column::name(key, VALUE)).collect();
    let figures = summary.judged.iter();
    let figures = figures.map(|it| Column::figure(format!("{} {}", it.process, it.figure)));
    columns.extend(figures.chain([Column::figure("makespan"), Column::figure("seeds")]));
    if !summary.goals.is_empty() {
        columns.push(Column::text("goals"));
    }
    let mut table = Table::new("", columns);
    for group in summary.groups.iter().take(most) {
        let values = group.values.iter().map(|value| Cell::from(value.as_str()));
        let mut cells: Vec<Cell> = values.collect();
        let bounds = group.bounds.iter().copied().chain([None]);
        let figures = group.figures.iter().chain([&group.makespan]).zip(bounds);
        cells.extend(figures.map(|(it, bounds)| figure(*it, bounds)));
        cells.push(seeds(group));
        if !summary.goals.is_empty() {
            let told = match group.goals_met.zip(group.goals_sure) {
                None if group.other_vendor => "other vendor",
                None => "?",
                Some(goal) => GoalsJudged::of([goal].into_iter()).words(),
            };
            cells.push(told.into());
        }
        table.row(cells);
    }
    table
}

fn seeds(group: &GroupSummary) -> Cell {
    let cell = Cell::ranked(group.seeds.to_string(), Some(group.seeds as f64));
    match (group.failed, group.complete) {
        (0, true) => cell,
        (0, false) => cell.note("launches never ended"),
        (failed, _) => cell.note(format!("{failed} failed")),
    }
}

/// Adds to the document how much memory the processes need: the first sentence in `told` is about
/// the first case (combination of values) of the sweep, and the second about the last case.
pub(super) fn memory(document: &mut Document, told: &[String]) {
    if !told.is_empty() {
        document.paragraph("Memory", told.join("; in the last case "));
    }
}

/// Returns a warning that some cases (combinations of values) of the sweep failed; `None` where
/// none did.
pub(super) fn of_failures(failures: &[FailedCase]) -> Option<String> {
    let failed = counted(failures.len() as u64, "case", "cases");
    let them = them(failures.len() as u64);
    (!failures.is_empty()).then(|| {
        format!(
            "{failed} failed, so nothing is said of {them}: mend the cause and give the same command again, which runs {them} once more"
        )
    })
}
