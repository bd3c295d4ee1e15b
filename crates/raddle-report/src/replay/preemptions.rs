//! How did work leave that lost the turn, and how long did that take?

use raddle_dispatch::RefusedReset;
use raddle_policy::Preemption;

use super::NAME;
use super::overturning::Overturning;
use super::result::{RecipeResult, ReplayResult};
use crate::document::{Block, Cell, Column, Document, Medium, Table};
use crate::units::{count, duration};

const WORDS: &str = "A preemption lasts from the loss of the turn until nothing of the process runs on the device. A reset that is not made leaves by the flag: what runs is waited for. Thrown away is the time for which killed launches had run; preempted is the time from the loss of the turn until the process goes on, of all processes.";

/// Resets that a recipe asked for and that were not made although something ran, a line for each recipe:
/// its figures are those of the flag then.
pub(super) fn refused(recipes: &[RecipeResult]) -> impl Iterator<Item = Overturning> {
    recipes.iter().filter_map(|recipe| {
        let preemption = recipe.summary.preemption.as_ref()?;
        let refused = preemption.resets_refused.iter();
        let refused = || refused.clone().filter(|(why, _)| **why != RefusedReset::NothingRuns);
        let (&most, _) = refused().max_by_key(|(_, times)| **times)?;
        let resets = preemption.ways.iter().filter(|way| way.way == Preemption::Reset);
        let made: u64 = resets.map(|way| way.count).sum();
        let wished = made + refused().map(|(_, times)| *times).sum::<u64>();
        let (name, of) = (&recipe.name, format!("{} of {} resets", count(made), count(wished)));
        let why: Vec<String> =
            refused().map(|(why, times)| format!("{} times {}", count(*times), because(*why))).collect();
        Some(Overturning {
            line: format!("{name}: {of}, {}", because(most)),
            warnings: vec![format!(
                "under {name} {of} were made: {}. Such work leaves by the flag, and what runs is waited for",
                why.join(", ")
            )],
        })
    })
}

/// Why a reset was not made.
const fn because(why: RefusedReset) -> &'static str {
    match why {
        RefusedReset::NothingRuns => "nothing ran",
        RefusedReset::NotIdempotent => "a launch that ran may not be killed",
        RefusedReset::KilledOften => "a launch that ran was killed often before",
        RefusedReset::CopyRuns => "a copy ran",
        RefusedReset::OtherProcess => "another process was in the runtime",
        // Without a verdict nothing is killed.
        _ => "a launch that ran has no verdict (--idempotent)",
    }
}

/// Nothing where nothing was preempted.
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
