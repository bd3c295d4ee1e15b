//! On what do the figures of requests rest?

use super::facts::{ProfileFacts, RequestFacts};
use crate::units::{count, duration, plain};

/// Characters of the name of a task.
const TASK: usize = 40;

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
