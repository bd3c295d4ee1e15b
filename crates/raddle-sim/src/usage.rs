//! How much wave-slot time has each process used?

use raddle_policy::Tick;

use crate::Times;
use crate::device_time::{DeviceClock, Standings};

/// Wave-slot time, summed up between changes.
#[derive(Debug)]
pub(crate) struct Usage {
    /// Waves that each process has on the device now.
    pub(crate) waves: Vec<u64>,
    /// Launches of each process that are ready and have not ended.
    pub(crate) unfinished: Vec<u64>,
    /// Those of them that are submitted, and not held.
    pub(crate) placed: Vec<u64>,
    /// Processes that have any.
    runnable: usize,
    pub(crate) total: Vec<u128>,
    /// Counted only while at least two processes were runnable.
    pub(crate) shared: Vec<u128>,
    pub(crate) times: Times,
    pub(crate) clock: DeviceClock,
    /// Wave slots of the device.
    slots: u64,
    until: Tick,
}

impl Usage {
    pub(crate) fn new(processes: usize, slots: u64) -> Self {
        Self {
            waves: vec![0; processes],
            unfinished: vec![0; processes],
            placed: vec![0; processes],
            runnable: 0,
            total: vec![0; processes],
            shared: vec![0; processes],
            times: Times::new(processes),
            clock: DeviceClock::new(processes),
            slots,
            until: Tick::ZERO,
        }
    }

    /// Time goes on to `now`; `issued` has what each process has issued and has not ended.
    pub(crate) fn advance(&mut self, now: Tick, issued: &[u64]) {
        let span = now.since(self.until).0;
        let Self { waves, placed, unfinished: ready, slots, times, clock, .. } = self;
        times.pass(span, Standings { waves, placed, ready, issued, slots: *slots }, clock);
        let span = u128::from(span);
        for (process, &waves) in self.waves.iter().enumerate() {
            let used = u128::from(waves) * span;
            self.total[process] += used;
            if self.runnable >= 2 {
                self.shared[process] += used;
            }
        }
        self.until = now;
    }

    pub(crate) fn gained(&mut self, process: u16) {
        let count = &mut self.unfinished[usize::from(process)];
        *count += 1;
        self.runnable += usize::from(*count == 1);
    }

    pub(crate) fn lost(&mut self, process: u16) {
        let count = &mut self.unfinished[usize::from(process)];
        *count -= 1;
        self.runnable -= usize::from(*count == 0);
    }
}
