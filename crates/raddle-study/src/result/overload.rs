//! Under which recipes do more requests arrive than are served, so that their times say little?

use raddle_sim::{ProcessSummary, Summary};

use super::overturning::Overturning;
use crate::units::{count, plain};

/// Smallest number of requests that still wait at the last arrival with which a replay can count as
/// overloaded.
const BACKLOG: u64 = 5;
/// Smallest number of requests that wait at the last arrival with which a replay is surely
/// overloaded, and not by the chance of the draw.
const SURE: u64 = 20;
/// Largest number of characters of a recipe's name in the line of a warning.
const NAME: usize = 18;

/// Returns whether requests of a process arrive faster than they are served: at the last arrival
/// more than a tenth of all requests, and at least [`BACKLOG`], have not ended. Requests that all
/// arrive at once never count as an overload.
fn is_overloaded(process: &ProcessSummary) -> bool {
    let of = |it: &raddle_sim::RequestSummary| {
        let all_at_once = it.waiting + 1 >= it.arrived;
        it.waiting >= BACKLOG && it.waiting * 10 > it.arrived && !all_at_once
    };
    process.requests.as_ref().is_some_and(of)
}

/// Returns whether requests of any process surely arrive faster than they are served: at the last
/// arrival more than a quarter of all requests, and at least [`SURE`], have not ended.
pub(super) fn serves_too_few(summary: &Summary) -> bool {
    let surely = |process: &ProcessSummary| {
        let requests = process.requests.as_ref();
        requests.is_some_and(|it| it.waiting >= SURE && it.waiting * 4 > it.arrived)
    };
    summary.processes.iter().any(|process| is_overloaded(process) && surely(process))
}

/// Returns the warning that more requests arrive than are served under the recipe (set of policies)
/// called `name`; `None` where all are served.
pub(super) fn overloaded(name: &str, summary: &Summary) -> Option<Overturning> {
    let over = summary.processes.iter().filter(|it| is_overloaded(it));
    let told = over.filter_map(|process| {
        let requests = process.requests.as_ref()?;
        let [waiting, all] = [requests.waiting, requests.arrived].map(count);
        Some(format!(
            "under {name} {waiting} of {all} requests of {} still waited when the last one arrived: more arrive than are served, so that their times grow, the longer requests arrive (--until)",
            process.name
        ))
    });
    let warnings: Vec<String> = told.collect();
    let name = plain(name, NAME);
    let line = format!("{name} cannot serve the load: its p99 grows with --until");
    (!warnings.is_empty()).then_some(Overturning { line, warnings })
}
