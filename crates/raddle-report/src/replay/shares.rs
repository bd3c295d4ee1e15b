//! Who got how much of the device, and how fair was that?

use super::grouping::{ProcessGroup, legend};
use super::result::ReplayResult;
use super::runs::RecipeRun;
use crate::document::{Block, ChartBar, ChartKind, Document};
use crate::units::{percent, share};

/// The look of a bar that is no process's.
const NEUTRAL: usize = 6;

pub(super) fn fill(
    document: &mut Document,
    result: &ReplayResult,
    runs: &[RecipeRun],
    groups: &[ProcessGroup],
) {
    document.section("shares", "Share and fairness");
    if groups.len() < 2 {
        let alone = "There is one process: all wave-slot time is its own, and there is nobody to be fair to.";
        return document.page(Block::Note(alone.to_owned()));
    }
    document.page(Block::Charts(legend(groups, ChartKind::Stack), Vec::new()));
    let shares = runs.iter().map(|run| {
        let used = &run.together.wave_ns;
        let whole: u128 = used.iter().sum();
        let part = |(look, group): (usize, &ProcessGroup)| {
            (look, share(group.total(|process| used[process]), whole))
        };
        let parts: Vec<(usize, f64)> = groups.iter().enumerate().map(part).collect();
        let shares: Vec<String> = parts.iter().map(|(_, share)| percent(*share)).collect();
        ChartBar { name: run.name.clone(), note: shares.join(", "), parts }
    });
    let title = "Share of the wave-slot time used".to_owned();
    document.page(Block::Bars { title, bars: shares.collect() });
    let jain = result.recipes.iter().map(|recipe| {
        let jain = recipe.summary.jain;
        let note = jain.map_or_else(|| "never two at once".to_owned(), |jain| format!("{jain:.2}"));
        let parts = vec![(NEUTRAL, jain.unwrap_or(0.0).clamp(0.0, 1.0))];
        ChartBar { name: recipe.name.clone(), note, parts }
    });
    let title = "Jain’s index (a full bar: equal shares)".to_owned();
    document.page(Block::Bars { title, bars: jain.collect() });
    super::turns::fill(document, result);
}
