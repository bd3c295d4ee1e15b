//! What does the dispatcher know of one process?

use std::collections::BTreeMap;

use raddle_policy::{LaunchId, Level, Preemption, ProcessId, ProcessState, StreamId, Tick, Ticks};

/// One process: its streams, its launches on the device, its clocks. What it has not submitted is the
/// controller's to know.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) share: u32,
    /// The controller's name of each stream.
    pub(super) streams: BTreeMap<StreamId, StreamId>,
    /// The way of its last preemption, and when that began.
    pub(super) way: Preemption,
    pub(super) since: Tick,
    /// Its work is being held or saved.
    pub(super) removing: bool,
    /// Submitted launches that have not ended, by order of submission.
    pub(super) submitted: BTreeMap<u64, LaunchId>,
    pub(super) resident_waves: u64,
    joined: Tick,
    levels: BTreeMap<u8, u32>,
    alive: Stopwatch,
    ran: Stopwatch,
}

/// Adds up the time during which something holds.
#[derive(Clone, Copy, Debug, Default)]
struct Stopwatch {
    total: Ticks,
    since: Option<Tick>,
}

impl Stopwatch {
    fn set(&mut self, on: bool, now: Tick) {
        match (self.since, on) {
            (None, true) => self.since = Some(now),
            (Some(since), false) => {
                self.total += now.since(since);
                self.since = None;
            }
            _ => {}
        }
    }

    fn read(&self, now: Tick) -> Ticks {
        self.total + self.since.map_or(Ticks::ZERO, |since| now.since(since))
    }
}

impl Process {
    pub(super) fn new(share: u32, now: Tick) -> Self {
        Self {
            share,
            streams: BTreeMap::new(),
            way: Preemption::Wait,
            since: now,
            removing: false,
            submitted: BTreeMap::new(),
            resident_waves: 0,
            joined: now,
            levels: BTreeMap::new(),
            alive: Stopwatch::default(),
            ran: Stopwatch::default(),
        }
    }

    /// The most urgent level among its launches; `None` when it has none, so is not runnable.
    pub(super) fn level(&self) -> Option<Level> {
        self.levels.keys().next().map(|&level| Level(level))
    }

    /// A launch came; whether the turn must be asked again.
    pub(super) fn gained(&mut self, level: Level, now: Tick) -> bool {
        let before = self.level();
        *self.levels.entry(level.0).or_insert(0) += 1;
        self.alive.set(true, now);
        self.level() != before
    }

    /// A launch went; whether the turn must be asked again.
    pub(super) fn lost(&mut self, level: Level, now: Tick) -> bool {
        let before = self.level();
        if let Some(count) = self.levels.get_mut(&level.0) {
            *count -= 1;
            if *count == 0 {
                self.levels.remove(&level.0);
            }
        }
        self.alive.set(!self.levels.is_empty(), now);
        self.level() != before
    }

    pub(super) fn set_resident(&mut self, waves: u64, now: Tick) {
        self.resident_waves = waves;
        self.ran.set(waves > 0, now);
    }

    pub(super) fn state(&self, id: ProcessId, now: Tick) -> Option<ProcessState> {
        Some(ProcessState {
            id,
            level: self.level()?,
            share: self.share,
            joined: self.joined,
            alive: self.alive.read(now),
            ran: self.ran.read(now),
            resident_waves: self.resident_waves,
        })
    }
}
