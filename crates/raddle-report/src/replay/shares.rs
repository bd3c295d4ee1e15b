//! How was time divided, and what did taking turns cost?

use super::NAME;
use super::result::{RecipeResult, ReplayResult};
use crate::document::{Block, Cell, Column, Document, Medium, Table};
use crate::units::{count, duration, percent};

const WORDS: &str = "Run time is the time with waves on the device, alive time that with a launch ready that has not ended, a wait is alive without waves. The newcomer is the process that begins last, if one does: its share of the run times of all while it was alive. An overrun is the time for which a process still has waves on the device after its turn; it is charged to the process.";

const GOT: &str = "Asked is the share given by --share, of all shares. Guaranteed is what a recipe keeps for a process whatever the others do: compute units of its own, or turns; `-` where it keeps nothing. Received is its share of the wave-slot time that all used. It grows where others need less than they could have.";

/// What each tenant asked for, was guaranteed and received; nothing with one process.
fn got(result: &ReplayResult) -> Table {
    let columns = [Column::name("what each got", NAME), Column::name("process", NAME)];
    let mut table =
        Table::new("What each tenant got", columns).figures(["asked", "guaranteed", "received"]);
    let all: u64 = result.profiles.iter().map(|of| u64::from(of.share)).sum();
    if result.profiles.len() < 2 {
        return table;
    }
    for recipe in &result.recipes {
        let guaranteed = guaranteed(recipe, result);
        for (at, process) in recipe.summary.processes.iter().enumerate() {
            let asked = result.profiles.get(at).map_or(0.0, |of| f64::from(of.share) / all as f64);
            let kept = guaranteed.as_ref().and_then(|all| all.get(at)).copied();
            let cell = |share: Option<f64>| {
                Cell::ranked(share.map_or_else(|| "-".to_owned(), percent), share)
            };
            table.row([
                recipe.name.as_str().into(),
                process.name.as_str().into(),
                cell(Some(asked)),
                cell(kept),
                cell(Some(process.wave_share)),
            ]);
        }
    }
    table
}

/// What a recipe keeps for each process, a share of units or of turns; `None`: nothing.
fn guaranteed(recipe: &RecipeResult, result: &ReplayResult) -> Option<Vec<f64>> {
    let [_, turn, allocate, _] = recipe.recipe.policies();
    let asked: Vec<u64> = result.profiles.iter().map(|of| u64::from(of.share)).collect();
    let (shares, of) = match (turn, allocate) {
        (_, "spatial") => {
            let settings = serde_json::to_value(&recipe.recipe).ok()?;
            let given = &settings["allocate"];
            let share = |(at, own): (usize, &u64)| given["shares"][at].as_u64().unwrap_or(*own);
            let shares: Vec<u64> = asked.iter().enumerate().map(share).collect();
            (shares, given["of"].as_u64().unwrap_or(0))
        }
        ("round-robin" | "unmap-all", _) => (vec![1; asked.len()], 0),
        ("weighted-slices" | "vruntime", _) => (asked, 0),
        _ => return None,
    };
    let all = shares.iter().sum::<u64>().max(of).max(1) as f64;
    Some(shares.into_iter().map(|share| share as f64 / all).collect())
}

pub(super) fn fill(document: &mut Document, result: &ReplayResult) {
    document.section("shares", "Taking turns, and preemption");
    let got = got(result);
    if !got.is_empty() {
        document.table(got);
        document.page(Block::Note(GOT.to_owned()));
    }
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
