//! How is a comparison of results shown to a person?

use raddle_study::compare::{
    ChangeVerdict, Comparison, FigureChange, MetricRow, MetricUnit, TURNS_LOST,
};
use raddle_study::units::{count, counted, duration, markdown as markdown_text, percent, plain};

use crate::document::{Block, Column, Document, Table};

/// Largest number of characters that a comparison shows of a name; `FILE` is that of a path, and
/// `SENTENCE` that of a sentence.
const NAME: usize = 20;
const FILE: usize = 80;
const SENTENCE: usize = 1000;

/// Largest number of changed figures that are all shown; of more, only those are shown by which
/// people judge how well a process does.
const ROWS: usize = 40;

/// Explanation of the rows that a comparison has only where processes take turns on the device.
const TURNS: &str = "Jain = 1 where all had equal time with waves on the device, or equal shares of the time for which they had work; newcomer = share of the process that begins last; longest wait = with work, without waves; switching = time spent saving and restoring";

/// Makes the document that shows a comparison of results of replays, figure by figure.
#[must_use]
pub fn document(comparison: &Comparison) -> Document {
    let mut document = Document::default();
    document.add(Block::Verdict {
        good: comparison.is_within_limits(),
        name: String::new(),
        text: plain(&comparison.sentence(), SENTENCE),
        why: None,
    });
    for origin in &comparison.results {
        let [raddle, device] = [&origin.raddle, &origin.device].map(|text| plain(text, NAME));
        let file = plain(&origin.file, FILE);
        let recipe = origin.recipe.as_ref().map(|name| format!(", recipe {}", plain(name, NAME)));
        let recipe = recipe.unwrap_or_default();
        let text = format!("{file}, raddle {raddle}, device {device}{recipe}");
        document.paragraph(&origin.label, text);
    }
    if comparison.differences.is_empty() {
        let same = "Same version, device, profiles, assumptions and recipes.";
        document.add(Block::Note(same.to_owned()));
    }
    document.warn(&comparison.overturning);
    // Without limits the answer begins with it.
    if let Some(advice) = comparison.advice.as_ref().filter(|_| !comparison.limits.is_empty()) {
        document.add(Block::Note(format!("{}.", plain(advice, SENTENCE))));
    }
    let items = comparison.differences.iter().map(|said| plain(said, SENTENCE)).collect();
    document.list("Beside the figures, these differ", items);
    if !comparison.inputs_that_differ.is_empty() && !comparison.limits.is_empty() {
        let differ = comparison.inputs_that_differ.join(", ");
        let so = "so only the limits of --fail-if are judged";
        document.add(Block::Note(format!("The inputs differ ({differ}), {so}.")));
    }
    let (rows, left_out) = shown(comparison);
    if !rows.is_empty() {
        document.table(table(comparison, &rows));
    }
    let verdicts = comparison.verdicts.iter().filter(|(_, n)| **n > 0);
    let verdicts = verdicts.map(|(verdict, n)| format!("{} {}", count(*n as u64), verdict.told()));
    let verdicts = verdicts.collect::<Vec<_>>().join(", ");
    let hidden = match left_out {
        0 if comparison.is_whole => String::new(),
        0 => "; --equal shows all".to_owned(),
        some => format!("; {} changed ones are not shown; --equal shows all", count(some as u64)),
    };
    let verdicts = if verdicts.is_empty() { verdicts } else { format!(": {verdicts}") };
    document.add(Block::Note(format!("{}{verdicts}{hidden}.", comparison.changed())));
    if comparison.of_other_recipes > 0 {
        let further =
            counted(comparison.of_other_recipes as u64, "further figure", "further figures");
        let hint = if comparison.is_whole { "" } else { "; --equal shows them" };
        let text = format!("{further} of recipes that only one result has{hint}.");
        document.add(Block::Note(text));
    }
    let measured =
        "Changes are measured by A. Less is better, except for \"used\" and each \"Jain\".";
    document.add(Block::Note(measured.to_owned()));
    if rows.iter().any(|row| row.metric == TURNS_LOST) {
        document.paragraph("Taking turns", TURNS);
    }
    document
}

/// Returns (rows of the comparison to show, number of changed figures that have no such row).
fn shown(comparison: &Comparison) -> (Vec<&MetricRow>, usize) {
    let all: Vec<&MetricRow> = comparison.rows.iter().collect();
    // A process with neither requests nor steps is judged by its end.
    let is_end = |row: &MetricRow| {
        let is_own = |it: &&MetricRow| (&it.recipe, &it.process) == (&row.recipe, &row.process);
        row.metric == "end" && !all.iter().any(|it| is_own(it) && it.is_deciding())
    };
    let deciding = all.iter().copied().filter(|row| row.is_deciding() || is_end(row));
    let deciding: Vec<&MetricRow> = deciding.collect();
    if comparison.is_whole || all.len() <= ROWS || deciding.is_empty() {
        return (all, 0);
    }
    let left_out = all.len() - deciding.len();
    (deciding, left_out)
}

/// Writes a comparison of results in Markdown, for a pull request: how many figures changed, the
/// sentences `failures` about exceeded limits, warnings, ways in which the replays differ, and the
/// figures that changed.
#[must_use]
pub fn markdown(comparison: &Comparison, failures: &[String]) -> String {
    let mut out = String::new();
    let mut line = |text: String| {
        out += &text;
        out.push('\n');
    };
    let changed = comparison.rows.iter().filter(|row| row.is_changed()).count();
    line(format!("**{}**\n", comparison.changed()));
    if failures.is_empty() && !comparison.limits.is_empty() {
        let sign = if comparison.is_within_limits() { ":white_check_mark:" } else { ":warning:" };
        line(format!("- {sign} {}", markdown_text(&comparison.sentence())));
    }
    failures.iter().for_each(|failure| line(format!("- :x: {}", markdown_text(failure))));
    comparison.advice.iter().for_each(|advice| line(format!("- {}", markdown_text(advice))));
    comparison.overturning.iter().for_each(|it| line(format!("- :warning: {}", markdown_text(it))));
    comparison.differences.iter().for_each(|said| line(format!("- {}", markdown_text(said))));
    if changed == 0 {
        return out;
    }
    let labels = comparison.results.iter().enumerate().map(|(at, origin)| match at {
        0 => format!(" {} |", origin.label),
        _ => format!(" {} | change |", origin.label),
    });
    let labels: String = labels.collect();
    line(format!("\n| recipe | figure |{labels}"));
    let dashes = comparison
        .results
        .iter()
        .enumerate()
        .map(|(at, _)| if at == 0 { "---:|" } else { "---:|---|" });
    line(format!("|---|---|{}", dashes.collect::<String>()));
    let (rows, left_out) = shown(comparison);
    for row in rows.into_iter().filter(|row| row.is_changed()) {
        let figures: Vec<String> = cells(row).split_off(4);
        let mut figures = figures.into_iter();
        let mut told =
            format!("| {} | {} |", markdown_text(&row.recipe), markdown_text(&row.subject()));
        told += &format!(" {} |", figures.next().unwrap_or_default());
        while let Some(value) = figures.next() {
            let (size, word) =
                (figures.next().unwrap_or_default(), figures.next().unwrap_or_default());
            told += &format!(" {} | {} |", value, format!("{size} {word}").trim());
        }
        line(told);
    }
    if left_out > 0 {
        line(format!("\n{} more changed; `--equal` shows all", count(left_out as u64)));
    }
    out
}

fn table(comparison: &Comparison, rows: &[&MetricRow]) -> Table {
    let mut columns = vec![
        Column::name("recipe", NAME),
        Column::name("process", NAME),
        Column::figure("level"),
        Column::text("metric"),
    ];
    for (position, origin) in comparison.results.iter().enumerate() {
        columns.push(Column::figure(&*origin.label));
        if position > 0 {
            columns.extend([Column::figure("change"), Column::text("")]);
        }
    }
    let mut table = Table::new("Comparison", columns);
    rows.iter().for_each(|row| table.row(cells(row)));
    table
}

fn cells(row: &MetricRow) -> Vec<String> {
    let level = row.level.map(|level| level.to_string());
    let mut cells = vec![
        row.recipe.clone(),
        row.process.clone().unwrap_or_default(),
        level.unwrap_or_default(),
        row.metric.to_owned(),
    ];
    for (position, &value) in row.values.iter().enumerate() {
        cells.push(value.map_or_else(|| "-".to_owned(), |value| figure(value, row.unit)));
        if let Some(change) = position.checked_sub(1).and_then(|at| row.changes.get(at)) {
            cells.extend(judged(change));
        }
    }
    cells
}

fn figure(value: f64, unit: MetricUnit) -> String {
    match unit {
        // raddle writes these numbers as whole ones; a fraction from elsewhere loses its decimals.
        MetricUnit::Ns => duration(value as u64),
        MetricUnit::Count => count(value as u64),
        MetricUnit::Share => percent(value),
        MetricUnit::Ratio => format!("{value:.2}"),
        MetricUnit::Index => format!("{value:.4}"),
    }
}

fn judged(change: &FigureChange) -> [String; 2] {
    let word = match change.verdict {
        ChangeVerdict::Equal => return ["=".to_owned(), String::new()],
        ChangeVerdict::Better | ChangeVerdict::Worse => change.verdict.told(),
        ChangeVerdict::Other | ChangeVerdict::Unjudged => "",
        ChangeVerdict::Missing => return ["-".to_owned(), "only in one".to_owned()],
    };
    let size = match change.relative {
        None => "from 0".to_owned(),
        Some(0.0) => "<0.01%".to_owned(),
        Some(by) if by.abs() < 0.001 => format!("{:+.2}%", by * 100.0),
        Some(by) if by.abs() >= 10.0 => format!("x{:.1}", by + 1.0),
        Some(by) => format!("{:+.1}%", by * 100.0),
    };
    [size, word.to_owned()]
}
