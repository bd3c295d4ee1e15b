//! How was time divided, and what did taking turns cost?

use super::NAME;
use super::result::{RecipeResult, ReplayResult};
use crate::document::{Block, Cell, Column, Document, Medium, Table};
use crate::units::{count, duration, percent};

const WORDS: &str = "Run time is the time with waves on the device, alive time that with a launch ready that has not ended, a wait is alive without waves. The newcomer is the process that begins last, if one does: its share of the run times of all while it was alive. An overrun is the time for which a process still has waves on the device after its turn; it is charged to the process.";

pub(super) fn fill(document: &mut Document, result: &ReplayResult) {
    document.section("shares", "Taking turns, and preemption");
    turns(document, result);
    super::preemptions::fill(document, result);
}

/// On a terminal only where a recipe divides time.
fn turns(document: &mut Document, result: &ReplayResult) {
    let divides = |recipe: &RecipeResult| {
        let [_, turn, ..] = recipe.recipe.policies();
        !["everyone", "highest-level"].contains(&turn)
    };
    let table = turns_table(result);
    if table.is_empty() {
        let alone = "There is one process: nobody takes turns with it.";
        return document.page(Block::Note(alone.to_owned()));
    }
    let any = result.recipes.iter().any(divides);
    document.add_on(if any { Medium::Any } else { Medium::Page }, Block::Table(table));
    document.page(Block::Note(WORDS.to_owned()));
}

/// One row a recipe; none where there is one process.
fn turns_table(result: &ReplayResult) -> Table {
    let figures = [
        "Jain of run",
        "of run/alive",
        "newcomer",
        "longest wait",
        "turns lost",
        "switching",
        "overruns",
        "longest",
    ];
    let mut table =
        Table::new("Taking turns", [Column::name("taking turns", NAME)]).figures(figures);
    for recipe in &result.recipes {
        let Some(fairness) = &recipe.summary.fairness else { continue };
        let wait = fairness.longest_wait_ns;
        table.row([
            recipe.name.as_str().into(),
            format!("{:.4}", fairness.jain_run).into(),
            format!("{:.4}", fairness.jain_rate).into(),
            fairness.newcomer_share.map_or_else(|| "-".to_owned(), percent).into(),
            Cell::ranked(duration(wait), Some(wait as f64)),
            count(fairness.switches).into(),
            duration(fairness.switch_ns).into(),
            count(fairness.overruns).into(),
            duration(fairness.longest_overrun_ns).into(),
        ]);
    }
    table
}
