//! For how long did each process run, live and wait?
//!
//! Run time = time with waves on the device; alive time = time with a launch ready that has not
//! ended; a wait = alive without waves. All are whole nanoseconds; with one process on the device
//! at a time, run times add up to the time that it was busy, and what they are above it is the time
//! that processes were on it together.

use crate::device_time::{DeviceClock, Standings, TimeSpent};

/// The time of one process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessTime {
    /// With waves on the device.
    pub run_ns: u64,
    /// With a launch that was ready and had not ended.
    pub alive_ns: u64,
    /// Run times of all processes, this one's included, while this one was alive.
    pub run_of_all_ns: u64,
    /// The longest it was alive without waves on the device.
    pub longest_wait_ns: u64,
    /// What it spent its time on.
    pub spent: TimeSpent,
    /// For how long that has been so up to now.
    waits_ns: u64,
}

/// The time of all processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// One a process.
    pub processes: Vec<ProcessTime>,
    /// With waves of any process on the device.
    pub busy_ns: u64,
}

impl Times {
    pub(crate) fn new(processes: usize) -> Self {
        Self { processes: vec![ProcessTime::default(); processes], busy_ns: 0 }
    }

    /// For so long, processes stood so.
    pub(crate) fn pass(&mut self, ns: u64, at: Standings<'_>, clock: &mut DeviceClock) {
        if ns == 0 {
            return;
        }
        clock.pass(ns, at, self.processes.iter_mut().map(|time| &mut time.spent));
        let Standings { waves, ready: unfinished, .. } = at;
        let running = waves.iter().filter(|&&waves| waves > 0).count() as u64;
        self.busy_ns += if running > 0 { ns } else { 0 };
        let of_all = ns.saturating_mul(running);
        for ((time, &waves), &unfinished) in self.processes.iter_mut().zip(waves).zip(unfinished) {
            if waves > 0 {
                time.run_ns += ns;
            }
            if unfinished > 0 {
                time.alive_ns += ns;
                time.run_of_all_ns = time.run_of_all_ns.saturating_add(of_all);
            }
            let waits = unfinished > 0 && waves == 0;
            time.waits_ns = if waits { time.waits_ns + ns } else { 0 };
            time.longest_wait_ns = time.longest_wait_ns.max(time.waits_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_added_up_exactly() {
        let (mut times, mut clock) = (Times::new(2), DeviceClock::new(2));
        let mut pass = |ns, waves: [u64; 2], ready: [u64; 2]| {
            let (waves, ready) = (&waves, &ready);
            let at = Standings { waves, placed: ready, ready, issued: ready, slots: 8 };
            times.pass(ns, at, &mut clock);
        };
        pass(10, [4, 0], [1, 1]);
        pass(5, [4, 2], [1, 1]);
        pass(0, [0, 0], [9, 9]);
        pass(7, [0, 2], [1, 1]);
        pass(3, [0, 0], [1, 0]);
        pass(2, [1, 0], [1, 0]);
        let [one, two] = times.processes[..] else { panic!("two") };
        assert_eq!((one.run_ns, one.alive_ns, one.run_of_all_ns), (17, 27, 29));
        assert_eq!((two.run_ns, two.alive_ns, two.run_of_all_ns), (12, 22, 27));
        assert_eq!((one.longest_wait_ns, two.longest_wait_ns), (10, 10));
        // Run times are busy time, and what two ran together once more.
        assert_eq!((times.busy_ns, one.run_ns + two.run_ns), (24, 24 + 5));
    }
}
