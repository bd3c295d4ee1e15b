//! How did each recipe do, in one table; and how much energy did the work take?

use super::NAME;
use super::result::{RecipeResult, ReplayResult};
use crate::document::{Block, Cell, Column, Document, Medium, Table};
use crate::units::{count, duration, percent};

/// What stands for the makespan of a run that has none.
const STUCK: &str = "STUCK";

const ENERGY: &str = "What resident waves draw by assumed weights of their instructions, idle power left out: fit for comparing recipes with each other, not for a power budget.";

pub(super) fn fill(document: &mut Document, result: &ReplayResult) {
    document.section("comparison", "Comparison");
    document.table(table(result));
    let requests = requests(result);
    if !requests.is_empty() {
        document.page(Block::Heading("Requests".to_owned()));
        document.table(requests);
    }
    let energy = energy(result);
    if !energy.is_empty() {
        document.page(Block::Heading("Energy (assumed)".to_owned()));
        document.page(Block::Note(ENERGY.to_owned()));
        document.add_on(Medium::Page, Block::Table(energy));
    }
    if result.recipes.len() > 1 {
        let bold = "Bold: the best of a column for the same process and level, where they differ as shown. The words are explained below.";
        document.page(Block::Note(bold.to_owned()));
    }
}

fn table(result: &ReplayResult) -> Table {
    let columns = [
        Column::name("recipe", NAME).of(0),
        Column::figure("makespan").of(0),
        Column::figure("used").of(0),
        Column::figure("Jain").of(0),
        Column::name("process", NAME).of(1),
        Column::figure("level"),
        Column::figure("launches"),
        Column::figure("p50"),
        Column::figure("p99"),
        Column::figure("slowdown"),
        Column::figure("refused").of(1),
        Column::figure("stuck").of(1),
    ];
    let mut table = Table::new("Comparison", columns);
    result.recipes.iter().for_each(|recipe| add_rows(&mut table, recipe));
    table.mark_best(1..4, &[]);
    table.mark_best(7..10, &[4, 5]);
    // Mostly nothing is.
    if result.stuck.is_empty() { table.without(&["stuck"]) } else { table }
}

/// What happened to requests under each recipe.
fn requests(result: &ReplayResult) -> Table {
    let figures = ["requests", "ended", "p50", "p99", "longest", "alone"];
    let mut table =
        Table::new("Requests", [Column::name("recipe", NAME).of(0), Column::name("process", NAME)])
            .figures(figures);
    for recipe in &result.recipes {
        for process in &recipe.summary.processes {
            let Some(requests) = &process.requests else { continue };
            let ended = requests.ended > 0;
            let time = |ns: u64| if ended { time(ns) } else { "-".into() };
            table.row([
                recipe.name.as_str().into(),
                process.name.as_str().into(),
                count(requests.arrived).into(),
                count(requests.ended).into(),
                time(requests.latency_p50_ns),
                time(requests.latency_p99_ns),
                time(requests.latency_max_ns),
                requests.alone_ns.map_or_else(|| "-".to_owned(), duration).into(),
            ]);
        }
    }
    table.mark_best(4..7, &[1]);
    table
}

fn time(ns: u64) -> Cell {
    Cell::ranked(duration(ns), Some(ns as f64))
}

fn ratio(value: Option<f64>, sign: f64) -> Cell {
    let text = value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
    Cell::ranked(text, value.map(|value| sign * value))
}

fn add_rows(table: &mut Table, result: &RecipeResult) {
    let summary = &result.summary;
    let makespan = if summary.stuck > 0 { STUCK.into() } else { time(summary.makespan_ns) };
    let used = Cell::ranked(percent(summary.utilisation), Some(-summary.utilisation));
    for process in &summary.processes {
        let refused = count(process.refused.values().sum());
        let stuck = count(result.stuck_of(&process.name));
        let mut row = |own: [Cell; 5]| {
            let whole = [
                result.name.as_str().into(),
                makespan.clone(),
                used.clone(),
                ratio(summary.jain, -1.0),
                process.name.as_str().into(),
            ];
            let rest = [refused.clone().into(), stuck.clone().into()];
            table.row(whole.into_iter().chain(own).chain(rest));
        };
        for level in &process.levels {
            row([
                level.level.to_string().into(),
                count(level.launches).into(),
                time(level.latency_p50_ns),
                time(level.latency_p99_ns),
                ratio(level.slowdown, 1.0),
            ]);
        }
        if process.levels.is_empty() {
            row(["-", "0", "-", "-", "-"].map(Cell::from));
        }
    }
}

/// One row a recipe; none where nobody knows what any wave does.
fn energy(result: &ReplayResult) -> Table {
    let figures = ["energy", "mean power", "peak power", "most of one CU", "peak of one CU"];
    let mut table = Table::new("Energy (assumed)", [Column::name("recipe", NAME)]).figures(figures);
    for recipe in &result.recipes {
        if let Some(energy) = &recipe.summary.energy {
            table.row([
                recipe.name.clone(),
                joules(energy.energy_uj),
                watts(energy.mean_mw),
                watts(energy.peak_mw),
                joules(energy.cu_most_uj),
                watts(energy.cu_peak_mw),
            ]);
        }
    }
    table
}

/// Three decimals of mJ, or of J.
fn joules(uj: u64) -> String {
    let (thousands, unit) = if uj >= 1_000_000 { (uj / 1000, "J") } else { (uj, "mJ") };
    format!("{}.{:03} {unit}", thousands / 1000, thousands % 1000)
}

/// Three decimals of W.
fn watts(mw: u64) -> String {
    format!("{}.{:03} W", mw / 1000, mw % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_decimals_and_a_unit() {
        assert_eq!([0, 999, 999_999].map(joules), ["0.000 mJ", "0.999 mJ", "999.999 mJ"]);
        assert_eq!([1_000_000, 1_234_567].map(joules), ["1.000 J", "1.234 J"]);
        assert_eq!([7, 12_345].map(watts), ["0.007 W", "12.345 W"]);
    }
}
