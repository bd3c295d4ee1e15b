//! How much wave-slot time has each process used?

use raddle_types::Tick;

/// Wave-slot time, summed up between changes.
#[derive(Debug)]
pub(crate) struct Usage {
    /// Waves that each process has on the device now.
    pub(crate) waves: Vec<u64>,
    /// Launches of each process that are ready and have not ended.
    pub(crate) unfinished: Vec<u64>,
    /// Processes that have any.
    runnable: usize,
    pub(crate) total: Vec<u128>,
    /// Counted only while at least two processes were runnable.
    pub(crate) shared: Vec<u128>,
    until: Tick,
}

impl Usage {
    pub(crate) fn new(processes: usize) -> Self {
        Self {
            waves: vec![0; processes],
            unfinished: vec![0; processes],
            runnable: 0,
            total: vec![0; processes],
            shared: vec![0; processes],
            until: Tick::ZERO,
        }
    }

    pub(crate) fn advance(&mut self, now: Tick) {
        let span = u128::from(now.since(self.until).0);
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
