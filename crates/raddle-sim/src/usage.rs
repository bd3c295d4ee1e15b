//! How much wave-slot time has each process used?

use raddle_policy::Tick;

use crate::Times;
use crate::device_time::{DeviceClock, Standings};
use crate::series::{Series, SeriesRecorder, Used};

/// Wave-slot time, summed up between changes.
#[derive(Debug)]
pub(crate) struct Usage {
    /// Waves that each process has on the device now.
    pub(crate) waves: Vec<u64>,
    /// Launches of each process that are ready and have not ended.
    pub(crate) unfinished: Vec<u64>,
    /// Those of them that are submitted, and not held.
    pub(crate) placed: Vec<u64>,
    /// How long they have been so many.
    held: Vec<HeldSlots>,
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
    recorder: SeriesRecorder,
}

/// The time of a process's launches, up to their last change.
#[derive(Clone, Copy, Debug, Default)]
struct HeldSlots {
    since: Tick,
    /// In launch-ns.
    launch_ns: u128,
}

impl HeldSlots {
    /// The time up to `at`, of so many launches since the last change.
    fn used(&self, count: u64, at: Tick) -> u128 {
        self.launch_ns + u128::from(count) * u128::from(at.since(self.since).0)
    }
}

impl Usage {
    pub(crate) fn new(processes: usize, slots: u64) -> Self {
        Self {
            waves: vec![0; processes],
            unfinished: vec![0; processes],
            placed: vec![0; processes],
            held: vec![HeldSlots::default(); processes],
            runnable: 0,
            total: vec![0; processes],
            shared: vec![0; processes],
            times: Times::new(processes),
            clock: DeviceClock::new(processes),
            slots,
            until: Tick::ZERO,
            recorder: SeriesRecorder::new(processes),
        }
    }

    /// Time goes on to `now`; `issued` has what each process has issued and has not ended.
    pub(crate) fn advance(&mut self, now: Tick, issued: &[u64]) {
        if self.recorder.fills(now) {
            let Self { waves, unfinished, held, total, until, recorder, .. } = self;
            recorder.fill(now, used(waves, unfinished, held, total, *until));
        }
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
        let count = self.changed(process);
        *count += 1;
        let first = *count == 1;
        self.runnable += usize::from(first);
    }

    pub(crate) fn lost(&mut self, process: u16) {
        let count = self.changed(process);
        *count -= 1;
        let none = *count == 0;
        self.runnable -= usize::from(none);
    }

    /// The launches of a process, about to change.
    fn changed(&mut self, process: u16) -> &mut u64 {
        let process = usize::from(process);
        let count = &mut self.unfinished[process];
        let launch_ns = self.held[process].used(*count, self.until);
        self.held[process] = HeldSlots { since: self.until, launch_ns };
        count
    }

    /// The end of the run: wave-slot time by process, the same while two were runnable, and both
    /// over time.
    pub(crate) fn finish(self) -> (Vec<u128>, Vec<u128>, Series) {
        let Self { waves, unfinished, held, total, shared, until, recorder, .. } = self;
        let series = recorder.finish(until, used(&waves, &unfinished, &held, &total, until));
        (total, shared, series)
    }
}

/// What a process has used up to a tick after `until`, up to which `total` is summed up.
fn used<'u>(
    waves: &'u [u64],
    unfinished: &'u [u64],
    held: &'u [HeldSlots],
    total: &'u [u128],
    until: Tick,
) -> impl Fn(usize, Tick) -> Used + 'u {
    move |process, at| Used {
        wave_ns: total[process] + u128::from(waves[process]) * u128::from(at.since(until).0),
        launch_ns: held[process].used(unfinished[process], at),
    }
}
