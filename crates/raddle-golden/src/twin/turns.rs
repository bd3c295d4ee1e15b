//! Which processes may issue launches under `everyone`, `highest-level`, `round-robin` and
//! `unmap-all`?
//!
//! The rules are those of `docs/policies/weighted-slices.md`, "other turn policies".

use raddle_policy::ProcessId;
use serde_json::Value;

use super::processes::Runnable;
use super::slices::end_of;
use super::turning::{Turn, TurnTwin};

/// Model of the turn policy `everyone`: all runnable processes may always issue launches.
#[derive(Debug)]
pub(super) struct Everyone;

/// Model of the turn policy `highest-level`: all processes of the most urgent level may issue
/// launches.
#[derive(Debug)]
pub(super) struct HighestLevel;

/// Model of the turn policy `round-robin`: one process at a time may issue launches, in the order
/// of their ids, for equal slices.
#[derive(Debug)]
pub(super) struct RoundRobin {
    slice: u64,
    current: Option<(ProcessId, Option<u64>)>,
}

/// Model of the turn policy `unmap-all`: at most `capacity` processes may issue launches at a time.
/// All of them lose the turn when a new process appears.
#[derive(Debug)]
pub(super) struct UnmapAll {
    slice: u64,
    capacity: usize,
    queue: Vec<ProcessId>,
    mapped: Vec<ProcessId>,
    until: Option<u64>,
}

/// Returns the length of a time slice in ticks, from the setting `slice-us` of a recipe.
pub(super) fn slice(settings: &Value) -> u64 {
    settings["slice-us"].as_u64().unwrap_or(40_000).saturating_mul(1000)
}

/// Returns a turn without an end, in which these processes may issue launches.
fn for_ever(may_issue: impl Iterator<Item = ProcessId>) -> Turn {
    Turn { may_issue: may_issue.collect(), ..Turn::default() }
}

impl TurnTwin for Everyone {
    fn ask(&mut self, pool: &[Runnable], _: u64, _: &Turn) -> Turn {
        for_ever(pool.iter().map(|it| it.id))
    }

    fn follow(&mut self, _: &Turn) {}

    fn rule(&self) -> &'static str {
        "weighted-slices.md: all processes"
    }
}

impl TurnTwin for HighestLevel {
    fn ask(&mut self, pool: &[Runnable], _: u64, _: &Turn) -> Turn {
        let best = pool.iter().map(|it| it.level).min();
        for_ever(pool.iter().filter(|it| Some(it.level) == best).map(|it| it.id))
    }

    fn follow(&mut self, _: &Turn) {}

    fn rule(&self) -> &'static str {
        "weighted-slices.md: all processes of the most urgent level"
    }
}

impl RoundRobin {
    pub(super) fn new(settings: &Value) -> Self {
        Self { slice: slice(settings), current: None }
    }
}

impl TurnTwin for RoundRobin {
    fn ask(&mut self, pool: &[Runnable], now: u64, _: &Turn) -> Turn {
        let runs = |id: ProcessId| pool.iter().any(|it| it.id == id);
        let ends = |until: Option<u64>| until.is_some_and(|until| until <= now);
        if !self.current.is_some_and(|(id, until)| runs(id) && !ends(until)) {
            let last = self.current.map(|it| it.0);
            let behind = pool.iter().map(|it| it.id).find(|&id| Some(id) > last);
            let Some(next) = behind.or(pool.first().map(|it| it.id)) else {
                return Turn::default();
            };
            self.current = Some((next, end_of(now, self.slice)));
        }
        let may_issue = self.current.iter().map(|it| it.0).collect();
        Turn { may_issue, until: self.current.and_then(|it| it.1), load: None }
    }

    fn follow(&mut self, found: &Turn) {
        self.current = found.may_issue.first().map(|&id| (id, found.until)).or(self.current);
    }

    fn rule(&self) -> &'static str {
        "weighted-slices.md: one process at a time by id, with equal slices"
    }
}

impl UnmapAll {
    pub(super) fn new(settings: &Value) -> Self {
        let capacity = settings["capacity"].as_u64().unwrap_or(8) as usize;
        Self { slice: slice(settings), capacity, queue: vec![], mapped: vec![], until: None }
    }
}

impl TurnTwin for UnmapAll {
    fn ask(&mut self, pool: &[Runnable], now: u64, _: &Turn) -> Turn {
        let level = |id: &ProcessId| pool.iter().find(|it| it.id == *id).map(|it| it.level);
        self.queue.retain(|id| level(id).is_some());
        self.mapped.retain(|id| level(id).is_some());
        let mut new: Vec<ProcessId> = pool.iter().map(|it| it.id).collect();
        new.retain(|id| !self.queue.contains(id));
        self.queue.extend(&new);
        let moment = end_of(now, 1);
        if !new.is_empty() && !self.mapped.is_empty() && moment.is_some() {
            // Everybody is unmapped: for a tick only those may issue that have just come.
            (self.mapped, self.until) = (Vec::new(), moment);
            return Turn { may_issue: new, until: moment, load: None };
        }
        if self.mapped.is_empty() || self.until.is_some_and(|until| until <= now) {
            // Processes that had their slice go to the end of the queue.
            let (had, waited): (Vec<_>, Vec<_>) =
                self.queue.iter().copied().partition(|id| self.mapped.contains(id));
            self.queue = [waited, had].concat();
            self.mapped = self.queue.clone();
            self.mapped.sort_by_key(level);
            self.mapped.truncate(self.capacity);
            let all_fit = self.queue.len() <= self.capacity;
            self.until = if all_fit { None } else { end_of(now, self.slice) };
        }
        Turn { may_issue: self.mapped.clone(), until: self.until, load: None }
    }

    fn follow(&mut self, found: &Turn) {
        (self.mapped, self.until) = (found.may_issue.clone(), found.until);
    }

    fn rule(&self) -> &'static str {
        "weighted-slices.md: as many processes as fit, and all are unmapped for a new one"
    }
}
