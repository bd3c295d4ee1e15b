//! In which order are the parts of a sweep shown?

use raddle_study::answer::{FigureBounds, GoalsJudged};
use raddle_study::sweep::{FailedCase, GroupSummary, SweepSummary, Within};
use raddle_study::units::{count, counted, duration, them};

use super::curves::{CHARTS, curves, fronts};
use crate::document::{Block, Cell, Chart, Column, Document, Medium, SeriesLook, Table};

/// Largest number of rows of the table of a sweep on the HTML page; the sweep's file has all rows.
const ROWS: usize = 2000;
/// Largest number of rows of the table of a sweep on a terminal.
const SHORT: usize = 16;
/// Largest number of characters that a terminal shows of the value of a varied option.
const VALUE: usize = 24;

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
    document.paragraph("Sweep", format!("{}; rows in {file}", document.summary));
    if summary.rows < summary.cases {
        let missing = counted(summary.cases - summary.rows, "case has", "cases have");
        document.add(Block::Warning(format!("{missing} no row yet: give the same command again")));
    }
    if let Some(warning) = of_failures(&summary.failures) {
        document.add(Block::Warning(warning));
    }
    document.warn(&summary.overturning);
    if let Some(told) = summary.goals_told() {
        document.paragraph("Goals", told);
    }
    match reach(summary) {
        Some(table) => document.table(table),
        None => document.add_on(Medium::Terminal, Block::Table(groups(summary, SHORT))),
    }
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

/// Makes the table that shows how far the load (or another varied number) can rise: up to which
/// value all goals are met. Without goals, it shows up to which value the first process's figure is
/// at most twice its lowest. `None` where no number is varied, or where there are neither goals nor
/// a process to judge.
fn reach(summary: &SweepSummary) -> Option<Table> {
    let (along, _) = summary.along.as_ref()?;
    let others = summary.axes.iter().enumerate().filter(|(at, _)| at != along);
    let mut columns: Vec<Column> = others.map(|(_, key)| Column::name(key, VALUE)).collect();
    let what = match (summary.goals.is_empty(), summary.judged.first()) {
        (false, _) => "goals met up to".to_owned(),
        (true, Some(first)) => {
            format!("{} {} at most twice its lowest up to", first.process, first.figure)
        }
        (true, None) => return None,
    };
    columns.push(Column::text(format!("{}: {what}", summary.axes[*along])));
    let mut table = Table::new("How far each goes", columns);
    for reach in &summary.reaches {
        let far = match (&reach.up_to, &reach.without_answer) {
            (None, Some(why)) => format!("no answer: {why}"),
            (Some(value), Some(why)) => format!("{value} at least: {why}"),
            (None, None) => "not even the lowest".to_owned(),
            (Some(value), None) if reach.all => format!("{value}, the highest"),
            (Some(value), None) => value.clone(),
        };
        let far = match (&reach.up_to, &reach.surely_up_to) {
            (Some(_), None) => format!("{far}; not surely the lowest"),
            (Some(one), Some(other)) if one != other => format!("{far}; surely {other}"),
            _ => far,
        };
        let perhaps =
            reach.perhaps_up_to.as_ref().filter(|perhaps| reach.up_to.as_ref() != Some(*perhaps));
        let far = perhaps.map_or(far.clone(), |perhaps| format!("{far}; perhaps {perhaps}"));
        table.row(reach.values.iter().map(|value| Cell::from(value.as_str())).chain([far.into()]));
    }
    Some(table)
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

fn figure(figure: Option<Within>, bounds: Option<FigureBounds>) -> Cell {
    let Some(Within { mean, within }) = figure else { return "-".into() };
    let cell = Cell::ranked(duration(mean as u64), Some(mean));
    match (within, bounds) {
        (Some(within), _) => cell.note(format!("± {}", duration(within as u64))),
        (None, Some(bounds)) => cell.note(format!("({})", bounds.in_unit_of(mean as u64))),
        (None, None) => cell,
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
