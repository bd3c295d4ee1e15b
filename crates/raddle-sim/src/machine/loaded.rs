//! Which process does the device hold, and when does the next one begin to run?

use raddle_policy::{Tick, Ticks};

/// The process of which something started last. The device loads it first where it follows another.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub(super) process: Option<u16>,
    /// The tick from which on the process runs.
    pub(super) opens: Tick,
}

impl Loaded {
    /// Returns when work of a process that starts now begins to run.
    pub(super) fn begins(&self, process: u16, takes: Ticks, now: Tick) -> Tick {
        let follows = self.process.is_some_and(|before| before != process);
        if follows { now + takes } else { self.opens.max(now) }
    }

    /// Loads a process if another one was there before. Returns the time that this takes.
    pub(super) fn load(&mut self, process: u16, takes: Ticks, now: Tick) -> Ticks {
        let before = self.process.replace(process);
        if before.is_none_or(|before| before == process) {
            return Ticks::ZERO;
        }
        self.opens = now + takes;
        takes
    }
}
