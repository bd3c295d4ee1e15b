//! How are the runs of free granules shown that the workgroups of a profile need?

use raddle_study::inspect::WantedAmounts;
use raddle_study::units::{count, percent};

use crate::document::{Column, Document, Table};

/// Adds a table of the lengths of runs (adjacent free granules) that workgroups need, one row for
/// each resource and length: the fraction of workgroups that need a run of this length, and whether
/// a sampled search (which looks for a few lengths only) looks for it.
pub(super) fn fill(document: &mut Document, amounts: &WantedAmounts) {
    let figures = ["granules", "of workgroups", "sampled"];
    let mut table = Table::new("Runs wanted", [Column::name("resource", 10)]).figures(figures);
    for of in &amounts.resources {
        for amount in &of.amounts {
            let sampled = if amount.kept { "yes" } else { "no" };
            let name = of.resource.to_owned();
            table.row([name, count(amount.granules), percent(amount.share), sampled.to_owned()]);
        }
    }
    document.table(table);
    document.paragraph("For a recipe", amounts.search.clone());
}
