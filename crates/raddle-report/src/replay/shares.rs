//! How was the time of the device divided between processes, and what did taking turns cost?

use raddle_study::result::{RecipeResult, ReplayResult, TenantGot};
use raddle_study::units::{count, duration, percent};

use super::NAME;
use crate::document::{Block, Cell, Column, Document, Medium, Table};

const WORDS: &str = "Run time is the time with waves on the device, alive time that with a launch ready that has not ended, a wait is alive without waves. The newcomer is the process that begins last, if one does: its share of the run times of all while it was alive. An overrun is the time for which a process still has waves on the device after its turn; it is charged to the process.";

const ASKED: &str = "Asked is the share given by --share, of all shares. ";
const GOT: &str = "Its part is what a process has whatever the others do: compute units of its own, at least some, of which idle ones are lent, or some of the turns; `-` where it has none. Percentages of MPS are `at most`: they limit a process and keep nothing for it. Received is its share of the wave-slot time that all used. It grows where others need less than they could have. Lent is the share of that which was the part of others, or of nobody: of compute units what it held at each moment beyond its own, of turns the time that it ran beyond its part of the whole run.";

/// Makes the table that shows which part of the device each process got under the recipe (way of
/// sharing) with the index `of`, or under all recipes for `None`; empty where there is only one
/// process.
pub(super) fn got(result: &ReplayResult, of: Option<usize>) -> Table {
    let all = of.is_none();
    let columns = all.then(|| Column::name("what each got", NAME));
    let columns: Vec<Column> = columns.into_iter().chain([Column::name("process", NAME)]).collect();
    let label = if all { "What each process got" } else { "" };
    let asked = is_asked(result);
    let figures = ["asked", "its part", "received", "lent", "per second"];
    let figures = figures.into_iter().filter(|name| asked || *name != "asked");
    let mut table = Table::new(label, columns).more(figures.map(Column::figure));
    let recipes = result.recipes.iter().enumerate().filter(|(at, _)| of.is_none_or(|of| of == *at));
    for (_, recipe) in recipes {
        for got in &recipe.got {
            let share = |share: Option<f64>| {
                Cell::ranked(share.map_or_else(|| "-".to_owned(), percent), share)
            };
            let name = all.then(|| Cell::from(recipe.name.as_str()));
            let names = name.into_iter().chain([got.process.as_str().into()]);
            let names = names.chain(asked.then(|| share(Some(got.asked))));
            table.row(names.chain([
                part(got),
                share(Some(got.received)),
                share(got.lent),
                told_rate(got),
            ]));
        }
    }
    table
}

/// Makes the cell with the part of the device that a process has, and what that means.
fn part(got: &TenantGot) -> Cell {
    let Some((part, kind)) = got.guaranteed.zip(got.part_is) else { return "-".into() };
    Cell::ranked(format!("{} {}", percent(part), kind.told()), Some(part))
}

/// Returns whether the user asked for shares of the device, so that not all are equal.
fn is_asked(result: &ReplayResult) -> bool {
    let mut asked = result.recipes.iter().flat_map(|recipe| &recipe.got).map(|got| got.asked);
    let first = asked.next();
    asked.any(|share| Some(share) != first)
}

/// Makes the cell with the requests or steps (repetitions of a program) per second of a process.
/// Where the rate is known only as an interval, the cell also has the ends of the interval.
fn told_rate(got: &TenantGot) -> Cell {
    let Some(rate) = got.per_second else { return "-".into() };
    let between = got.per_second_between.map(|between| between.map(|rate| format!("{rate:.1}")));
    let between = between.filter(|[least, most]| least != most);
    let between = between.map_or_else(String::new, |[least, most]| format!(" ({least} to {most})"));
    Cell::ranked(format!("{rate:.1}{between}"), Some(rate))
}

pub(super) fn fill(document: &mut Document, result: &ReplayResult) {
    document.section("shares", "Taking turns, and preemption");
    let got = got(result, None);
    if !got.is_empty() {
        document.table(got);
        let asked = if is_asked(result) { ASKED } else { "" };
        document.page(Block::Note(format!("{asked}{GOT}")));
    }
    turns(document, result);
    super::preemptions::fill(document, result);
}

/// Adds to the document a table of the turns that processes had on the device; a terminal shows it
/// only where a recipe (way of sharing the device) makes processes take turns.
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

/// Makes the table of the turns that processes had on the device, one row for each recipe (way of
/// sharing the device); empty where there is only one process.
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
