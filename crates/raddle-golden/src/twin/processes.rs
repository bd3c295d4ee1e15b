//! Which times and levels of each process does a turn policy see?

use std::collections::BTreeMap;

use raddle_policy::{Level, ProcessId};

/// A clock that sums the ticks in which a condition is true, such as "the process has waves on the
/// device".
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    total: u64,
    since: Option<u64>,
}

impl Clock {
    fn set(&mut self, on: bool, now: u64) {
        match (self.since, on) {
            (None, true) => self.since = Some(now),
            (Some(_), false) => (self.total, self.since) = (self.read(now), None),
            _ => {}
        }
    }

    fn read(&self, now: u64) -> u64 {
        self.total.saturating_add(self.since.map_or(0, |since| now.saturating_sub(since)))
    }
}

/// A process of the log that has joined and has not left.
#[derive(Clone, Debug, Default)]
struct Joined {
    share: u32,
    joined: u64,
    /// Number of launches of the process that are ready or submitted, by level of urgency.
    levels: BTreeMap<u8, u64>,
    alive: Clock,
    waves: u64,
    ran: Clock,
}

/// A runnable process as a turn policy sees it, with its times in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Runnable {
    pub(super) id: ProcessId,
    pub(super) level: u8,
    pub(super) share: u64,
    pub(super) joined: u64,
    pub(super) alive: u64,
    pub(super) ran: u64,
}

/// All processes of the decision log, as a turn policy sees them, and whether the policy has to be
/// asked again.
#[derive(Debug, Default)]
pub(super) struct Processes {
    all: BTreeMap<ProcessId, Joined>,
    /// True if the turn policy has to be asked again: the runnable processes or the level of one
    /// have changed, or the program sent a hint.
    pub(super) changed: bool,
}

impl Processes {
    pub(super) fn joined(&mut self, id: ProcessId, share: u32, now: u64) {
        self.all.insert(id, Joined { share, joined: now, ..Joined::default() });
    }

    pub(super) fn left(&mut self, id: ProcessId) {
        self.all.remove(&id);
    }

    /// Counts, from tick `now` on, one more launch that makes the process runnable or, if `more` is
    /// false, one launch less.
    pub(super) fn work(&mut self, id: ProcessId, level: Level, more: bool, now: u64) {
        let Some(process) = self.all.get_mut(&id) else { return };
        let before = process.levels.keys().next().copied();
        let count = process.levels.entry(level.0).or_default();
        *count = if more { *count + 1 } else { count.saturating_sub(1) };
        if *count == 0 {
            process.levels.remove(&level.0);
        }
        process.alive.set(!process.levels.is_empty(), now);
        self.changed |= before != process.levels.keys().next().copied();
    }

    /// Records that one launch of the process had `before` waves on the device and now has `after`.
    pub(super) fn resident(&mut self, id: ProcessId, before: u64, after: u64, now: u64) {
        if let Some(process) = self.all.get_mut(&id) {
            process.waves = process.waves.saturating_sub(before).saturating_add(after);
            process.ran.set(process.waves > 0, now);
        }
    }

    /// Lists the runnable processes at tick `now`, by id.
    pub(super) fn runnable(&self, now: u64) -> Vec<Runnable> {
        let state = |(&id, process): (&ProcessId, &Joined)| {
            Some(Runnable {
                id,
                level: *process.levels.keys().next()?,
                share: process.share.into(),
                joined: process.joined,
                alive: process.alive.read(now),
                ran: process.ran.read(now),
            })
        };
        self.all.iter().filter_map(state).collect()
    }
}
