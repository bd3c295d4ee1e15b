//! How are requests told to a person?

use super::Told;
use crate::sources::Source;
use crate::summary::Report;
use crate::table::Table;
use crate::units::{count, duration, plain};

/// Characters of the name of a task.
const TASK: usize = 40;

/// What the figures of requests rest on; nothing where there are none.
pub(crate) fn assumptions(sources: &[Source]) -> Vec<String> {
    let with: Vec<String> = sources
        .iter()
        .filter_map(|source| Some(format!("{}: {}", source.name, one(source.requests.as_ref()?))))
        .collect();
    if with.is_empty() {
        return with;
    }
    let mut said = vec![
        "a request runs the whole profile, launches as long after its arrival as in the profile; one that arrives earlier than the one before it ends queues behind it, stream by stream".to_owned(),
    ];
    said.extend(with);
    said
}

/// The requests of one profile in a clause.
fn one(told: &Told) -> String {
    let task = plain(&told.task, TASK);
    let mut text = match (told.replayed, told.of) {
        (Some(replayed), Some(of)) => {
            format!("{} of {} requests of `{task}` ({})", count(replayed), count(of), told.process)
        }
        _ => format!("requests of `{task}` ({})", told.process),
    };
    let kept = told.replayed == told.of && told.of.is_some();
    if let Some(until) = told.until_ns.filter(|_| !kept) {
        text += &format!(", those before {}", duration(until));
    }
    if let Some(width) = told.jitter_ns {
        text += &format!(", each moved later by less than {}", duration(width));
    }
    if let Some(seed) = told.seed {
        text += &format!(", seed {seed}");
    }
    if let Some(unit) = &told.time_unit {
        text += &format!(", the file's time in {unit}");
    }
    if told.unsorted > 0 {
        text += &format!(", {} steps back in time sorted", count(told.unsorted));
    }
    text
}

/// How long profiles without requests go on; `None` where nothing is special.
pub(crate) fn repeating(sources: &[Source], repeats: bool) -> Option<String> {
    let without = sources.iter().filter(|source| source.requests.is_none()).count();
    if without == sources.len() {
        return None;
    }
    Some(match (without, repeats) {
        (0, _) => "every profile runs by its requests alone".to_owned(),
        (_, true) => "profiles without requests repeat until the longest of them has ended once and every request with a time of its own has ended".to_owned(),
        (_, false) => "profiles without requests run once".to_owned(),
    })
}

/// What happened to requests under each recipe; `None` where there are none.
pub(crate) fn table(report: &Report, recipe_limit: usize, profile_limit: usize) -> Option<Table> {
    report.profiles.iter().find(|source| source.requests.is_some())?;
    let header = ["recipe", "process", "requests", "ended", "p50", "p99", "longest", "alone"];
    let mut table = Table::new(&header, &[2, 3, 4, 5, 6, 7]);
    for result in &report.recipes {
        let mut recipe = plain(&result.name, recipe_limit);
        for process in &result.summary.processes {
            let Some(requests) = &process.requests else {
                continue;
            };
            let ended = |ns: u64| if requests.ended > 0 { duration(ns) } else { "-".to_owned() };
            table.row(&[
                &recipe,
                &plain(&process.name, profile_limit),
                &count(requests.arrived),
                &count(requests.ended),
                &ended(requests.latency_p50_ns),
                &ended(requests.latency_p99_ns),
                &ended(requests.latency_max_ns),
                &requests.alone_ns.map_or_else(|| "-".to_owned(), duration),
            ]);
            recipe.clear();
        }
    }
    Some(table)
}

/// How to read that table.
pub(crate) fn reading(report: &Report) -> &'static str {
    if report.profiles.iter().all(|source| source.requests.is_none()) {
        return "";
    }
    "; requests = those that arrived, their p50, p99 and longest = from arrival to the end of all \
     their work, alone = the same of one request alone here under the same recipe; the makespan \
     counts every request with a time of its own"
}
