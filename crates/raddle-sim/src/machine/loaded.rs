//! Which process has the device loaded, and when does another process begin to run?

use raddle_policy::{Tick, Ticks};

/// The process whose work the device started last. The device takes time to switch to the work of
/// another process.
#[derive(Debug, Default)]
pub(super) struct LoadedProcess {
    pub(super) process: Option<u16>,
    /// The tick at which the device has switched to the process, so that work of the process can
    /// run.
    pub(super) opens: Tick,
}

impl LoadedProcess {
    /// Returns the tick at which work of `process` that starts now begins to run: `takes` ticks
    /// later where the device has to switch from another process.
    pub(super) fn begins(&self, process: u16, takes: Ticks, now: Tick) -> Tick {
        let follows = self.process.is_some_and(|before| before != process);
        if follows { now + takes } else { self.opens.max(now) }
    }

    /// Switches the device to `process` if work of another process started last. Returns the ticks
    /// that the switch takes; 0 where none is needed.
    pub(super) fn load(&mut self, process: u16, takes: Ticks, now: Tick) -> Ticks {
        let before = self.process.replace(process);
        if before.is_none_or(|before| before == process) {
            return Ticks::ZERO;
        }
        self.opens = now + takes;
        takes
    }
}
