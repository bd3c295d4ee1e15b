//! How is a comparison of results told to a person?

use super::rows::{self, Change, Row, Told, Unit, Verdict};
use crate::console::heading;
use crate::table::Table;
use crate::units::{count, duration, percent, plain, wrap};

/// Columns of a line of text.
const WIDTH: usize = 100;
/// Characters of a name, of a path, of a sentence.
const NAME: usize = 20;
const FILE: usize = 80;
const SENTENCE: usize = 1000;

/// What the rows say that are there where processes take turns.
const TURNS: &str = "Taking turns: Jain = 1 where all had equal time with waves on the device, or equal shares \
    of the time for which they had work; newcomer = share of the process that begins last; longest \
    wait = with work, without waves; switching = time spent saving and restoring";

/// The whole text.
pub(super) fn text(told: &Told, colour: bool) -> String {
    let mut out = String::new();
    for origin in &told.results {
        out += &format!(
            "{}: {}, raddle {}, device {}\n",
            heading(&origin.label, colour),
            plain(&origin.file, FILE),
            plain(&origin.raddle, NAME),
            plain(&origin.device, NAME),
        );
    }
    if told.differences.is_empty() {
        out += "Same version, device, profiles, assumptions and recipes.\n";
    } else {
        out += &format!("{}\n", heading("These are not results of the same replay:", colour));
        for said in &told.differences {
            out += &format!("  {}\n", wrap(&plain(said, SENTENCE), WIDTH - 2, "    "));
        }
    }
    if !told.inputs_that_differ.is_empty() {
        let said = format!(
            "The inputs differ ({}), so figures stand side by side and nothing is called better or worse.",
            told.inputs_that_differ.join(", ")
        );
        out += &format!("{}\n", wrap(&said, WIDTH, ""));
    }
    out.push('\n');
    out += &table(told).render(colour);
    let counted = &told.verdicts;
    out += &format!(
        "\n{} better, {} worse, {} equal, {} neither, {} not judged, {} in one result only\n",
        count(counted.better as u64),
        count(counted.worse as u64),
        count(counted.equal as u64),
        count(counted.other as u64),
        count(counted.unjudged as u64),
        count(counted.missing as u64),
    );
    out += "Changes are measured by A. Less is better, except for \"used\" and each \"Jain\".\n";
    if told.rows.iter().any(|row| row.metric == rows::TURNS_LOST) {
        out += &format!("{}\n", wrap(TURNS, WIDTH, "  "));
    }
    out
}

fn table(told: &Told) -> Table {
    let mut header = vec!["recipe", "process", "level", "metric"];
    let mut right = vec![2];
    for (position, origin) in told.results.iter().enumerate() {
        right.push(header.len());
        header.push(&origin.label);
        if position > 0 {
            right.push(header.len());
            header.extend(["change", ""]);
        }
    }
    let mut table = Table::new(&header, &right);
    let mut before: Option<&Row> = None;
    for row in &told.rows {
        let cells = cells(row, before);
        table.row(&cells.iter().map(String::as_str).collect::<Vec<_>>());
        before = Some(row);
    }
    table
}

/// The cells of a row; what the row before it says already is left out.
fn cells(row: &Row, before: Option<&Row>) -> Vec<String> {
    let same_recipe = before.is_some_and(|before| before.recipe == row.recipe);
    let same_process = same_recipe && before.is_some_and(|before| before.process == row.process);
    let same_level = same_process && before.is_some_and(|before| before.level == row.level);
    let shown = |same: bool, text: String| if same { String::new() } else { text };
    let mut cells = vec![
        shown(same_recipe, plain(&row.recipe, NAME)),
        shown(same_process, row.process.as_deref().map_or_else(String::new, |n| plain(n, NAME))),
        shown(same_level, row.level.map_or_else(String::new, |level| level.to_string())),
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

fn figure(value: f64, unit: Unit) -> String {
    match unit {
        // Written by this tool as whole numbers; what is not comes out as the nearest one.
        Unit::Ns => duration(value as u64),
        Unit::Count => count(value as u64),
        Unit::Share => percent(value),
        Unit::Ratio => format!("{value:.2}"),
        Unit::Index => format!("{value:.4}"),
    }
}

fn judged(change: &Change) -> [String; 2] {
    let word = match change.verdict {
        Verdict::Equal => return ["=".to_owned(), String::new()],
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::Other | Verdict::Unjudged => "",
        Verdict::Missing => return ["-".to_owned(), "only in one".to_owned()],
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
