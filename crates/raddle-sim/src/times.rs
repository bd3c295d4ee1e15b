//! For how long did each process run, was it alive, and did it wait?
//!
//! Run time = time with waves on the device; alive time = time with a launch ready that has not
//! ended; a wait = alive without waves. All are whole nanoseconds. With one process on the device
//! at a time, run times add up to the time for which the device was busy; any excess comes from
//! processes that were on it together.
//!
//! The times of a process are updated when its activity changes, not at every tick: the time that
//! has passed is read off clocks that all processes share.

use raddle_policy::Tick;

use crate::device_time::{Doing, TimeSpent};

/// The times in ns for which one process of a run had waves on the device, had a ready launch, and
/// waited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessTime {
    /// Time in ns in which the process had waves on the device.
    pub run_ns: u64,
    /// Time in ns in which the process had a launch that was ready and had not ended.
    pub(crate) alive_ns: u64,
    /// Time in ns in which processes had waves on the device while this one had a ready launch,
    /// summed over all processes, this one included.
    pub(crate) run_of_all_ns: u64,
    /// The longest time in ns that the process had a ready launch and no waves on the device.
    pub longest_wait_ns: u64,
    /// The time of the process, split by what it was spent on.
    pub(crate) spent: TimeSpent,
    /// The length in ns of the present wait (a ready launch and no waves on the device); 0 where
    /// the process does not wait.
    waits_ns: u64,
}

/// The times for which the processes of a run had waves on the device, had a ready launch, and
/// waited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// The times of each process (with waves, with a ready launch, and waiting), by its index in
    /// the workload.
    pub processes: Vec<ProcessTime>,
    /// Time in ns in which any process had waves on the device.
    pub busy_ns: u64,
}

/// The clocks that all processes share. Each adds up the time of one kind, such as that with waves
/// on the device, up to the tick `now`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clocks {
    pub(crate) now: Tick,
    /// Time in ns in which exactly one process had waves on the device; `more_ns` is the time in
    /// which several had.
    pub(crate) one_ns: u64,
    pub(crate) more_ns: u64,
    /// Time in ns in which processes had waves on the device, summed over all processes.
    pub(crate) run_ns: u128,
    /// Time in ns in which at least two processes had a ready launch that had not ended.
    pub(crate) shared_ns: u64,
}

/// The times of one process, added up to the last tick at which its activity changed, such as to
/// having waves on the device.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Account {
    pub(crate) time: ProcessTime,
    /// The wave-slot time of the process in wave-ns (waves on the device times ns);
    /// `shared_wave_ns` is the part while at least two processes had a ready launch.
    pub(crate) wave_ns: u128,
    pub(crate) shared_wave_ns: u128,
    pub(crate) doing: Doing,
    pub(crate) waves: u64,
    /// True if the process has a launch that is ready and has not ended.
    pub(crate) alive: bool,
    since: Clocks,
}

impl Account {
    /// Adds the time from the last change of the process's activity until `now` to the times of the
    /// process.
    pub(crate) fn settle(&mut self, now: &Clocks) {
        let (since, time) = (self.since, &mut self.time);
        let ns = now.now.since(since.now).0;
        if ns == 0 {
            return;
        }
        match self.doing {
            Doing::Host => time.spent.host_ns += ns,
            Doing::Dependency => time.spent.dependency_ns += ns,
            Doing::Turn => time.spent.turn_ns += ns,
            Doing::Room => time.spent.room_ns += ns,
            Doing::Runs => {
                time.run_ns += ns;
                time.spent.alone_ns += now.one_ns - since.one_ns;
                time.spent.beside_ns += now.more_ns - since.more_ns;
            }
        }
        if self.alive {
            time.alive_ns += ns;
            let of_all = u64::try_from(now.run_ns - since.run_ns).unwrap_or(u64::MAX);
            time.run_of_all_ns = time.run_of_all_ns.saturating_add(of_all);
        }
        let waits = self.alive && self.waves == 0;
        time.waits_ns = if waits { time.waits_ns + ns } else { 0 };
        time.longest_wait_ns = time.longest_wait_ns.max(time.waits_ns);
        self.wave_ns += u128::from(self.waves) * u128::from(ns);
        self.shared_wave_ns += u128::from(self.waves) * u128::from(now.shared_ns - since.shared_ns);
        self.since = *now;
    }

    /// Returns the time in ns for which the process has had waves on the device up to the tick
    /// `at`, which is not before its last change of activity.
    pub(crate) fn ran(&self, at: Tick) -> u64 {
        let runs = self.doing == Doing::Runs;
        self.time.run_ns + if runs { at.since(self.since.now).0 } else { 0 }
    }
}
