//! How are the needs of a profile's kernels for memory and compute shown?

use raddle_study::inspect::KernelNeeds;
use raddle_study::units::{count, duration, percent, plain};

use super::KERNEL;
use crate::document::{Column, Document, Table};

/// Largest number of kernels that are listed by name because the resource that they need most is
/// unknown.
const NAMED: usize = 3;

/// Adds a table that divides the kernels by the resource that they need most (such as memory). With
/// `verbose` it also says which sources tell this, and the memory bandwidth of one compute unit.
pub(super) fn fill(document: &mut Document, needs: &KernelNeeds, verbose: bool) {
    let figures = ["launches", "kernel time", "share", "GB/s"];
    let mut table = Table::new("Needs", [Column::text("need")]).figures(figures);
    let mut known = Vec::new();
    for part in &needs.by_need {
        table.row([
            part.need.to_owned(),
            count(part.launches),
            duration(part.total_ns),
            percent(part.share),
            if part.bytes_per_us > 0 { count(part.bytes_per_us / 1000) } else { "-".into() },
        ]);
        let by = part.known_by.iter().map(|(source, of)| format!("{source} {}", percent(*of)));
        known.push(format!("{} by {}", part.need, by.collect::<Vec<_>>().join(", ")));
    }
    if known.is_empty() {
        return;
    }
    document.table(table);
    let brief =
        "what a kernel needs most beside others; GB/s = what it is taken to move (docs/demand.md)";
    let full = || {
        format!(
            "what a kernel needs most beside others and on fewer units (docs/demand.md); GB/s = what it is taken to move while it fills the device, of which one unit moves {}{} and all reach {}. Known: {}",
            count(needs.unit_bytes_per_us / 1000),
            if needs.unit_is_derived { " (derived)" } else { "" },
            count(needs.reached_bytes_per_us / 1000),
            known.join("; "),
        )
    };
    let mut text = if verbose { full() } else { brief.to_owned() };
    let named = needs
        .unknown
        .iter()
        .take(NAMED)
        .map(|of| format!("`{}` {}", plain(&of.kernel, KERNEL), percent(of.share)));
    let named: Vec<String> = named.collect();
    if !named.is_empty() {
        text +=
            &format!(". Unknown are {}: `--kernel-class 'NAME=memory'` says it", named.join(", "));
    }
    document.paragraph("Needs", text);
}
