//! Which recipe did how well, in one table?

use raddle_sim::{LevelSummary, ProcessSummary, Summary};

use super::Source;
use super::html::{self, figure, name, wide};
use super::{energy, requests};
use crate::summary::RecipeResult;
use crate::text::STUCK;
use crate::units::{count, duration, percent};

const HEADER: [&str; 12] = [
    "recipe",
    "#makespan",
    "#used",
    "#Jain",
    "process",
    "#share",
    "#refused",
    "#level",
    "#launches",
    "#p50",
    "#p99",
    "#slowdown",
];

/// The value of a cell and its text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    /// The smaller the better; `None` where it is not comparable.
    rank: Option<f64>,
    pub(super) text: String,
}

pub(crate) fn section(source: &Source<'_>) -> String {
    let recipes = &source.report.recipes;
    let bests = Bests { recipes };
    let mut out = wide("Comparison");
    out += "<thead><tr>";
    for cell in HEADER {
        let class = if cell.starts_with('#') { " class=\"n\"" } else { "" };
        out += &format!("<th scope=\"col\"{class}>{}</th>", cell.trim_start_matches('#'));
    }
    out += "</tr></thead>\n";
    for result in recipes {
        out += &format!("<tbody>\n{}</tbody>\n", rows(result, &bests));
    }
    out += "</table></div>\n";
    out += &requests::table(source);
    out += &energy::table(source);
    if recipes.len() > 1 {
        out += "<p class=\"small\">Bold: the best of a column for the same process and level, where they differ as shown. The words are explained <a href=\"#rests\">below</a>.</p>\n";
    }
    html::section("comparison", "Comparison", &out)
}

/// The rows of one recipe: one a level of each process.
fn rows(result: &RecipeResult, bests: &Bests<'_>) -> String {
    let summary = &result.summary;
    let height: usize = summary.processes.iter().map(lines).sum();
    let span =
        |lines: usize| if lines > 1 { format!(" rowspan=\"{lines}\"") } else { String::new() };
    let mut lead = format!("<th scope=\"rowgroup\"{}>{}</th>", span(height), name(&result.name));
    for column in WHOLE {
        lead += &cell(&column(summary), &bests.whole(column), &span(height));
    }
    let mut out = String::new();
    for (position, process) in summary.processes.iter().enumerate() {
        let refused: u64 = process.refused.values().sum();
        let own = span(lines(process));
        lead += &format!("<th class=\"plain\" scope=\"row\"{own}>{}</th>", name(&process.name));
        for text in [percent(process.wave_share), count(refused)] {
            lead += &format!("<td class=\"n\"{own}>{text}</td>");
        }
        for level in &process.levels {
            lead += &format!("<td class=\"n\">{}</td>", level.level);
            lead += &format!("<td class=\"n\">{}</td>", count(level.launches));
            for column in LEVEL {
                lead += &cell(&column(level), &bests.level(position, level.level, column), "");
            }
            out += &format!("<tr>{lead}</tr>\n");
            lead.clear();
        }
        if process.levels.is_empty() {
            let none = "<td class=\"n\">–</td>";
            out += &format!("<tr>{lead}{none}<td class=\"n\">0</td>{}</tr>\n", none.repeat(3));
            lead.clear();
        }
    }
    out
}

fn lines(process: &ProcessSummary) -> usize {
    process.levels.len().max(1)
}

fn cell(cell: &Cell, best: &Option<String>, span: &str) -> String {
    let text = figure(&cell.text);
    if best.as_ref() == Some(&cell.text) {
        return format!("<td class=\"n\"{span}><b>{text}</b></td>");
    }
    format!("<td class=\"n\"{span}>{text}</td>")
}

type Column<T> = fn(&T) -> Cell;

/// What is told of a recipe as a whole.
const WHOLE: [Column<Summary>; 3] = [
    |summary| match summary.stuck {
        0 => time(summary.makespan_ns),
        _ => Cell { rank: None, text: STUCK.to_owned() },
    },
    |summary| Cell { rank: Some(-summary.utilisation), text: percent(summary.utilisation) },
    |summary| ratio(summary.jain, -1.0),
];

/// What is told of a level.
const LEVEL: [Column<LevelSummary>; 3] = [
    |level| time(level.latency_p50_ns),
    |level| time(level.latency_p99_ns),
    |level| ratio(level.slowdown, 1.0),
];

pub(super) fn time(ns: u64) -> Cell {
    Cell { rank: Some(ns as f64), text: duration(ns) }
}

fn ratio(value: Option<f64>, sign: f64) -> Cell {
    let text = value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
    Cell { rank: value.map(|value| sign * value), text }
}

/// What is best of all recipes.
struct Bests<'r> {
    recipes: &'r [RecipeResult],
}

impl Bests<'_> {
    fn whole(&self, column: Column<Summary>) -> Option<String> {
        best(self.recipes.iter().map(|result| column(&result.summary)))
    }

    fn level(&self, process: usize, level: u8, column: Column<LevelSummary>) -> Option<String> {
        let same = |result: &RecipeResult| {
            let levels = &result.summary.processes.get(process)?.levels;
            levels.iter().find(|found| found.level == level).map(column)
        };
        best(self.recipes.iter().filter_map(same))
    }
}

/// The text of the best cell, where not all say the same.
pub(super) fn best(cells: impl Iterator<Item = Cell>) -> Option<String> {
    let cells: Vec<Cell> = cells.filter(|cell| cell.rank.is_some()).collect();
    let rank = |cell: &&Cell| cell.rank.unwrap_or(f64::INFINITY);
    let best = cells.iter().min_by(|a, b| rank(a).total_cmp(&rank(b)))?;
    let differ = cells.iter().any(|cell| cell.text != best.text);
    differ.then(|| best.text.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_equal_is_not_told_apart() {
        assert_eq!(best([time(84_500_001), time(84_500_000)].into_iter()), None);
        assert_eq!(best([time(900), time(84_500_000)].into_iter()), Some("900 ns".to_owned()));
        let jain = |x| ratio(x, -1.0);
        let found = best([jain(None), jain(Some(0.5)), jain(Some(0.75))].into_iter());
        assert_eq!(found, Some("0.75".to_owned()));
        assert_eq!(best([jain(None), jain(Some(0.5))].into_iter()), None);
    }
}
