//! Under which recipes do more requests arrive than are served, so that their times say little?

use raddle_sim::{ProcessSummary, Summary};

use super::overturning::Overturning;
use crate::units::{count, plain};

/// Smallest number of requests that had not ended when the last one arrived, from which on requests
/// can count as an overload.
const BACKLOG: u64 = 5;
/// Largest number of characters of a recipe's name in the line of a warning.
const NAME: usize = 18;

/// Returns whether more of `arrived` requests arrive than are served: when the last one arrived, more
/// than a tenth of all, and at least [`BACKLOG`], had not ended (`left`, the last one included), but
/// not all, as of requests that come at once.
pub(crate) const fn is_overload(left: u64, arrived: u64) -> bool {
    left >= BACKLOG && left.saturating_mul(10) > arrived && left < arrived
}

fn is_overloaded(process: &ProcessSummary) -> bool {
    process.requests.as_ref().is_some_and(|it| is_overload(it.waiting + 1, it.arrived))
}

/// Returns the warning that more requests arrive than are served under the recipe called `name`;
/// `None` where all are served.
pub(super) fn overloaded(name: &str, summary: &Summary) -> Option<Overturning> {
    let over = summary.processes.iter().filter(|it| is_overloaded(it));
    let told = over.filter_map(|process| {
        let requests = process.requests.as_ref()?;
        let [waiting, all] = [requests.waiting, requests.arrived].map(count);
        Some(format!(
            "under {name} {waiting} of {all} requests of {} still waited when the last one arrived: more arrive than are served, so that their times grow with the time that is replayed (--until)",
            process.name
        ))
    });
    let warnings: Vec<String> = told.collect();
    let name = plain(name, NAME);
    let line = format!("{name} cannot serve the load: its p99 grows with --until");
    (!warnings.is_empty()).then_some(Overturning { line, warnings })
}
