//! How is a study of searches (ways to find free blocks) shown: as a table, and a chart of gates
//! against makespan?

use raddle_study::sweep::{FailedCase, SearchGroup, SearchSummary, Within};
use raddle_study::units::{count, counted, duration, plain};

use super::fill::{memory, of_failures};
use crate::document::{
    Block, Cell, Chart, ChartAxis, ChartKind, ChartSeries, Column, Document, Scale, SeriesLook,
    Table, ValueUnit,
};

/// Largest number of characters that a terminal shows of the value of a varied option.
const VALUE: usize = 28;
/// Largest number of characters of the name of a process in a column title.
const NAME: usize = 16;

/// Name of the option that sets how long the device takes to decide where the next workgroup goes.
const DECISION: &str = "allocate.decision";

const NO_CLOCK: &str = "Decisions take no time here, whatever their clocks: the clock of the device is not known. --vary 'allocate.decision={timing=\"one-clock\",clock-mhz=1500}' says one";

const READING: &str = "gates and bits = of the finders of one compute unit, by the circuit model of raddle-bitmap, constants folded; clocks = of a round, which places one workgroup; vs full = by how much the makespan is longer than under the full search, seed by seed; not enough, in pieces, not seen = questions in which a waiting workgroup lacked something on the compute unit asked first: less free than it wants, enough in pieces too short, or a run that the search does not report; refused = launches that can never run, of one repetition; wait p99 = from ready to the first wave; front = of the searches under which fewest launches can never run, no other has as few gates and as short a makespan (?: a case beside it failed)";

/// Makes the document that shows a study of searches (ways in which a device looks for free blocks
/// of a resource); `file` is the name of the file with its rows (results of cases).
#[must_use]
pub fn search_document(summary: &SearchSummary, title: &str, file: &str) -> Document {
    let mut document = Document::default();
    document.title = title.to_owned();
    document.full = "in the file of rows";
    let searches = counted(summary.searches.len() as u64, "combination", "combinations");
    document.summary = match summary.failed {
        0 => searches,
        failed => format!("{searches}, {} failed", counted(failed, "case", "cases")),
    };
    document.paragraph("Searches", format!("{}; rows in {file}", document.summary));
    if !summary.axes.iter().any(|axis| axis == DECISION) {
        document.add(Block::Warning(NO_CLOCK.to_owned()));
    }
    if let Some(warning) = of_failures(&summary.failures) {
        document.add(Block::Warning(warning));
    }
    document.warn(&summary.overturning);
    document.table(table(summary));
    memory(&mut document, &summary.memory);
    document.paragraph("Reading", READING);
    document.list("Failed", FailedCase::told(&summary.failures));
    let charts = charts(summary);
    if !charts.is_empty() {
        document.page(Block::Heading("Gates against makespan".to_owned()));
        document.page(Block::Charts(Vec::new(), charts));
    }
    document
}

fn table(summary: &SearchSummary) -> Table {
    let axes = summary.axes.iter().enumerate();
    // Axes on which all searches have the same value are left out.
    let told: Vec<usize> = axes
        .filter(|(at, _)| {
            let first = summary.searches.first().map(|group| &group.values[*at]);
            summary.searches.iter().any(|group| Some(&group.values[*at]) != first)
        })
        .map(|(at, _)| at)
        .collect();
    let short = |at: &usize| {
        let key = &summary.axes[*at];
        Column::name(key.rsplit_once('.').map_or(&**key, |(_, last)| last), VALUE)
    };
    let columns: Vec<Column> = told.iter().map(short).collect();
    let mut table = Table::new("", columns).figures([
        "gates",
        "bits",
        "clocks",
        "makespan",
        "vs full",
        "not enough",
        "in pieces",
        "not seen",
        "refused",
    ]);
    let waits = summary.waits.iter().map(|wait| {
        let process = plain(&wait.process, NAME);
        Column::figure(match wait.level {
            None => format!("{process} p99"),
            Some(level) => format!("{process} level {level} wait p99"),
        })
    });
    table = table.more(waits.chain([Column::text("front")]));
    for group in &summary.searches {
        let mut cells: Vec<Cell> = told.iter().map(|&at| words(&group.values[at]).into()).collect();
        cells.extend([group.gates, group.register_bits, group.clocks].map(number));
        cells.extend([time(group.makespan), share(group.longer)]);
        cells.extend([group.not_enough, group.in_pieces, group.not_seen, group.refused].map(many));
        cells.extend(group.waits.iter().map(|wait| time(*wait)));
        cells.push(group.on_front.map_or("?", |on| if on { "yes" } else { "" }).into());
        table.row(cells);
    }
    table
}

/// Returns the value of an option of a recipe (text that composes policies) without brackets:
/// `grouped size=4`.
fn words(value: &str) -> String {
    let words = value.replace("={", " ").replace(['{', '}', '"'], "");
    words.trim().to_owned()
}

fn number(value: u64) -> Cell {
    Cell::ranked(count(value), Some(value as f64))
}

fn figure(of: Option<Within>, text: impl Fn(f64) -> String) -> Cell {
    let Some(Within { mean, within }) = of else { return "-".into() };
    let cell = Cell::ranked(text(mean), Some(mean));
    match within {
        Some(within) => cell.note(format!("± {}", text(within).trim_start_matches('+'))),
        None => cell,
    }
}

fn time(of: Option<Within>) -> Cell {
    figure(of, |ns| duration(ns.round() as u64))
}

fn many(of: Option<Within>) -> Cell {
    figure(of, |value| count(value.round() as u64))
}

fn share(of: Option<Within>) -> Cell {
    figure(of, |value| format!("{:+.2}%", 100.0 * value))
}

/// Draws charts of the makespan over the number of logic gates, with a point for each search (way
/// in which a device looks for free blocks). There is one chart for each combination of the values
/// of the other options.
fn charts(summary: &SearchSummary) -> Vec<Chart> {
    let Some(search) = summary.axes.iter().position(|axis| axis == "allocate.search") else {
        return Vec::new();
    };
    let mut parts: Vec<(Vec<&str>, Vec<&SearchGroup>)> = Vec::new();
    for group in &summary.searches {
        let others = group.values.iter().enumerate().filter(|(at, _)| *at != search);
        let others: Vec<&str> = others.map(|(_, value)| value.as_str()).collect();
        match parts.iter_mut().find(|(known, _)| *known == others) {
            Some((_, groups)) => groups.push(group),
            None => parts.push((others, vec![group])),
        }
    }
    let several = parts.len() > 1;
    let charts = parts.iter().map(|(others, groups)| {
        let others: Vec<String> = others.iter().map(|value| words(value)).collect();
        let note = if several { others.join(" ") } else { String::new() };
        chart(note, groups, search)
    });
    charts.collect()
}

fn chart(note: String, groups: &[&SearchGroup], search: usize) -> Chart {
    let points = groups.iter().filter_map(|group| {
        let makespan = group.makespan?.mean.max(1.0);
        Some((
            group.on_front == Some(true),
            words(&group.values[search]),
            (group.gates.max(1) as f64, makespan),
        ))
    });
    let mut points: Vec<(bool, String, (f64, f64))> = points.collect();
    points.sort_by(|a, b| b.0.cmp(&a.0).then(a.2.0.total_cmp(&b.2.0)));
    let on = points.iter().filter(|(on, ..)| *on).count();
    let ends = |of: fn(&(f64, f64)) -> f64| {
        let all = points.iter().map(|point| of(&point.2));
        all.fold((f64::INFINITY, 1.0_f64), |(least, most), at| (least.min(at), most.max(at)))
    };
    let ((fewest, most), (fastest, slowest)) = (ends(|point| point.0), ends(|point| point.1));
    let series = points.into_iter().enumerate().map(|(look, (_, name, point))| {
        let words =
            format!("{name}: {} gates, {}", count(point.0 as u64), duration(point.1 as u64));
        ChartSeries::new(SeriesLook::Nth(look), name, words, vec![point])
    });
    let series: Vec<ChartSeries> = series.collect();
    Chart {
        title: "Makespan by gates of a compute unit".to_owned(),
        note,
        words: series.iter().map(|one| &*one.words).collect::<Vec<_>>().join("; "),
        kind: ChartKind::Front(on),
        x: ChartAxis {
            title: "gates of one compute unit (left is better)",
            scale: Scale::Ratio(fewest / 1.5, most * 1.5),
            unit: ValueUnit::Number,
        },
        y: ChartAxis {
            title: "makespan, lower is better",
            scale: Scale::Ratio(fastest / 1.02, slowest * 1.02),
            unit: ValueUnit::Ns,
        },
        rule: None,
        series,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_without_brackets() {
        assert_eq!(words("{grouped={size=4}}"), "grouped size=4");
        assert_eq!(words("{sampled={excluding=\"primes\"}}"), "sampled excluding=primes");
        assert_eq!(words("{sampled={}}"), "sampled");
        assert_eq!(words("full"), "full");
    }
}
