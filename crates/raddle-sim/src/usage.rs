//! How much wave-slot time has each process used?

use raddle_types::Tick;

use crate::series::{Recorder, Series, Used};

/// Wave-slot time, summed up between changes.
#[derive(Debug)]
pub(crate) struct Usage {
    /// Waves that each process has on the device now.
    pub(crate) waves: Vec<u64>,
    /// Launches of each process that are ready and have not ended.
    unfinished: Vec<Unfinished>,
    /// Processes that have any.
    runnable: usize,
    pub(crate) total: Vec<u128>,
    /// Counted only while at least two processes were runnable.
    pub(crate) shared: Vec<u128>,
    until: Tick,
    recorder: Recorder,
}

/// Launches of a process, and how long they have been so many.
#[derive(Clone, Debug, Default)]
struct Unfinished {
    count: u64,
    since: Tick,
    /// Summed up to then, in launch-ns.
    launch_ns: u128,
}

impl Unfinished {
    fn used(&self, at: Tick) -> u128 {
        self.launch_ns + u128::from(self.count) * u128::from(at.since(self.since).0)
    }

    fn set(&mut self, count: u64, now: Tick) {
        self.launch_ns = self.used(now);
        self.since = now;
        self.count = count;
    }
}

impl Usage {
    pub(crate) fn new(processes: usize) -> Self {
        Self {
            waves: vec![0; processes],
            unfinished: vec![Unfinished::default(); processes],
            runnable: 0,
            total: vec![0; processes],
            shared: vec![0; processes],
            until: Tick::ZERO,
            recorder: Recorder::new(processes),
        }
    }

    pub(crate) fn advance(&mut self, now: Tick) {
        if self.recorder.fills(now) {
            let (waves, unfinished, total) = (&self.waves, &self.unfinished, &self.total);
            self.recorder.fill(now, used(waves, unfinished, total, self.until));
        }
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
        let unfinished = &mut self.unfinished[usize::from(process)];
        unfinished.set(unfinished.count + 1, self.until);
        self.runnable += usize::from(unfinished.count == 1);
    }

    pub(crate) fn lost(&mut self, process: u16) {
        let unfinished = &mut self.unfinished[usize::from(process)];
        unfinished.set(unfinished.count - 1, self.until);
        self.runnable -= usize::from(unfinished.count == 0);
    }

    /// The end of the run: wave-slot time by process, the same while two were runnable, and both
    /// over time.
    pub(crate) fn finish(self) -> (Vec<u128>, Vec<u128>, Series) {
        let Self { waves, unfinished, total, shared, until, recorder, .. } = self;
        let series = recorder.finish(until, used(&waves, &unfinished, &total, until));
        (total, shared, series)
    }
}

/// What a process has used up to a tick after `until`, up to which `total` is summed up.
fn used<'u>(
    waves: &'u [u64],
    unfinished: &'u [Unfinished],
    total: &'u [u128],
    until: Tick,
) -> impl Fn(usize, Tick) -> Used + 'u {
    move |process, at| Used {
        wave_ns: total[process] + u128::from(waves[process]) * u128::from(at.since(until).0),
        launch_ns: unfinished[process].used(at),
    }
}
