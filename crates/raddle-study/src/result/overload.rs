//! Under which recipes do more requests arrive than are served, so that their times say little?

use raddle_sim::{ProcessPlan, ProcessSummary, Repetition, RequestSummary, Summary, Workload};

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

/// Returns the processes, with their plans, whose requests arrive faster than they are served: at
/// the last arrival more than a tenth of all requests, and at least [`BACKLOG`], have not ended.
/// Requests that all arrive at once are a burst, and no load.
fn overloads<'s>(
    workload: &'s Workload,
    summary: &'s Summary,
) -> impl Iterator<Item = (&'s ProcessSummary, &'s RequestSummary)> {
    let is_burst = |plan: &ProcessPlan| match &plan.repetition {
        Repetition::At(times) => times.first() == times.last(),
        _ => false,
    };
    let spread = workload.processes.iter().map(move |plan| !is_burst(plan));
    let spread = summary.processes.iter().zip(spread).filter(|(_, is_spread)| *is_spread);
    let all = spread.filter_map(|(process, _)| Some((process, process.requests.as_ref()?)));
    all.filter(|(_, it)| it.waiting >= BACKLOG && it.waiting * 10 > it.arrived)
}

/// Returns whether requests of any process surely arrive faster than they are served: at the last
/// arrival more than a quarter of all requests, and at least [`SURE`], have not ended.
pub(super) fn serves_too_few(workload: &Workload, summary: &Summary) -> bool {
    let mut over = overloads(workload, summary);
    over.any(|(_, it)| it.waiting >= SURE && it.waiting * 4 > it.arrived)
}

/// Returns the warning that more requests arrive than are served under the recipe (set of policies)
/// called `name`; `None` where all are served.
pub(super) fn overloaded(
    name: &str,
    workload: &Workload,
    summary: &Summary,
) -> Option<Overturning> {
    let told = overloads(workload, summary).map(|(process, requests)| {
        let [waiting, all] = [requests.waiting, requests.arrived].map(count);
        format!(
            "under {name} {waiting} of {all} requests of {} still waited when the last one arrived: more arrive than are served, so that their times grow, the longer requests arrive (--until)",
            process.name
        )
    });
    let warnings: Vec<String> = told.collect();
    let name = plain(name, NAME);
    let line = format!("{name} cannot serve the load: its p99 grows with --until");
    (!warnings.is_empty()).then_some(Overturning { line, warnings })
}
