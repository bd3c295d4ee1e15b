//! What do results say of requests?

use serde::Serialize;

use super::facts::ProfileFacts;
use super::result::ReplayResult;
use super::words::NAME;
use crate::document::{Cell, Column, Table};
use crate::units::{count, duration, plain};

/// Characters of the name of a task.
const TASK: usize = 40;

/// The requests of one profile.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RequestFacts {
    /// The kind of file.
    pub format: &'static str,
    /// The task of the file.
    pub task: String,
    /// How its requests arrive: periodic, poisson, trace, continuous or dependent.
    pub process: &'static str,
    /// The requests replayed, where their times are known before.
    pub replayed: Option<u64>,
    /// The requests that there are, where their times are known before.
    pub of: Option<u64>,
    /// Where the requests end; absent where nothing but the file or the company ends them.
    pub until_ns: Option<u64>,
    /// What made random numbers, where there were any.
    pub seed: Option<u64>,
    /// By how much requests were moved at most.
    pub jitter_ns: Option<u64>,
    /// What `time` was taken to count, and why, where it mattered.
    pub time_unit: Option<String>,
    /// Steps back in time in the file, which were sorted.
    pub unsorted: u64,
}

/// What the figures of requests rest on; nothing where there are none.
pub(super) fn assumptions(profiles: &[ProfileFacts]) -> Vec<String> {
    let of = |profile: &ProfileFacts| {
        Some(format!("{}: {}", profile.name, one(profile.requests.as_ref()?)))
    };
    let mut said: Vec<String> = profiles.iter().filter_map(of).collect();
    if !said.is_empty() {
        said.insert(0, "a request runs the whole profile, launches as long after its arrival as in the profile; one that arrives earlier than the one before it ends queues behind it, stream by stream".to_owned());
    }
    said
}

/// The requests of one profile in a clause.
fn one(facts: &RequestFacts) -> String {
    let task = plain(&facts.task, TASK);
    let mut text = match (facts.replayed, facts.of) {
        (Some(replayed), Some(of)) => {
            let (replayed, of) = (count(replayed), count(of));
            format!("{replayed} of {of} requests of `{task}` ({})", facts.process)
        }
        _ => format!("requests of `{task}` ({})", facts.process),
    };
    let kept = facts.replayed == facts.of && facts.of.is_some();
    if let Some(until) = facts.until_ns.filter(|_| !kept) {
        text += &format!(", those before {}", duration(until));
    }
    if let Some(width) = facts.jitter_ns {
        text += &format!(", each moved later by less than {}", duration(width));
    }
    if let Some(seed) = facts.seed {
        text += &format!(", seed {seed}");
    }
    if let Some(unit) = &facts.time_unit {
        text += &format!(", the file's time in {unit}");
    }
    if facts.unsorted > 0 {
        text += &format!(", {} steps back in time sorted", count(facts.unsorted));
    }
    text
}

/// How long profiles without requests go on; `None` where nothing is special.
pub(super) fn repeating(profiles: &[ProfileFacts], repeats: bool) -> Option<String> {
    let without = profiles.iter().filter(|profile| profile.requests.is_none()).count();
    if without == profiles.len() {
        return None;
    }
    let said = match (without, repeats) {
        (0, _) => "every profile runs by its requests alone",
        (_, true) => {
            "profiles without requests repeat until the longest of them has ended once and every request with a time of its own has ended"
        }
        (_, false) => "profiles without requests run once",
    };
    Some(said.to_owned())
}

/// What happened to requests under each recipe.
pub(super) fn table(result: &ReplayResult) -> Table {
    let figures = ["requests", "ended", "p50", "p99", "longest", "alone"];
    let mut table =
        Table::new("Requests", [Column::name("recipe", NAME).of(0), Column::name("process", NAME)])
            .figures(figures);
    for recipe in &result.recipes {
        for process in &recipe.summary.processes {
            let Some(requests) = &process.requests else { continue };
            let time = |ns: u64| match requests.ended {
                0 => Cell::from("-"),
                _ => Cell::ranked(duration(ns), Some(ns as f64)),
            };
            table.row([
                recipe.name.as_str().into(),
                process.name.as_str().into(),
                count(requests.arrived).into(),
                count(requests.ended).into(),
                time(requests.latency_p50_ns),
                time(requests.latency_p99_ns),
                time(requests.latency_max_ns),
                requests.alone_ns.map_or_else(|| "-".to_owned(), duration).into(),
            ]);
        }
    }
    table.mark_best(4..7, &[1]);
    table
}
