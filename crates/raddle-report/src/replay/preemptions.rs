//! How did the work of processes that lost their turn leave the device, and how long did that take?

use raddle_study::result::ReplayResult;
use raddle_study::units::{count, duration};

use super::NAME;
use crate::document::{Block, Cell, Column, Document, Medium, Table};

const WORDS: &str = "A preemption lasts from the loss of the turn until nothing of the process runs on the device. A reset that is not made leaves by the flag: what runs is waited for. Thrown away is the time for which killed launches had run; preempted is the time from the loss of the turn until the process goes on, of all processes.";

/// Adds the table of preemptions to the HTML page; adds nothing where no process was preempted.
pub(super) fn fill(document: &mut Document, result: &ReplayResult) {
    let figures = ["way", "count", "p50", "p99", "worst", "no reset", "thrown away", "preempted"];
    let columns = [Column::name("preemptions", NAME)];
    let mut table = Table::new("Preemptions", columns).figures(figures);
    for recipe in &result.recipes {
        let Some(preemption) = &recipe.summary.preemption else { continue };
        let refused = preemption.resets_refused.iter();
        let refused: Vec<String> =
            refused.map(|(why, times)| format!("{} {}", count(*times), why.words())).collect();
        for way in &preemption.ways {
            table.row([
                Cell::from(recipe.name.as_str()),
                way.way.name().into(),
                count(way.count).into(),
                duration(way.p50_ns).into(),
                duration(way.p99_ns).into(),
                duration(way.worst_ns).into(),
                refused.join(", ").into(),
                duration(preemption.thrown_ns).into(),
                duration(preemption.preempted_ns.iter().sum()).into(),
            ]);
        }
    }
    if !table.is_empty() {
        document.page(Block::Heading("Preemptions".to_owned()));
        document.add_on(Medium::Page, Block::Table(table));
        document.page(Block::Note(WORDS.to_owned()));
    }
}
