//! For how long did each process run, live and wait?
//!
//! Run time = time with waves on the device; alive time = time with a launch ready that has not
//! ended; a wait = alive without waves. All are whole nanoseconds; with one process on the device
//! at a time, run times add up to the time that it was busy, and what they are above it is the time
//! that processes were on it together.
//!
//! A process is looked at when it changes, not at every tick: what passes meanwhile is read off
//! clocks that all processes share.

use raddle_policy::Tick;

use crate::device_time::{Doing, TimeSpent};

/// The time of one process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessTime {
    /// Time with waves on the device.
    pub run_ns: u64,
    /// Time with a launch that was ready and had not ended.
    pub(crate) alive_ns: u64,
    /// Run times of all processes, this one's included, while this one was alive.
    pub(crate) run_of_all_ns: u64,
    /// The longest time that the process was alive without waves on the device.
    pub longest_wait_ns: u64,
    /// The time of the process by what it was spent on.
    pub(crate) spent: TimeSpent,
    /// The length of the wait that goes on now, 0 where none does.
    waits_ns: u64,
}

/// The time of all processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// One a process.
    pub processes: Vec<ProcessTime>,
    /// Time with waves of any process on the device.
    pub busy_ns: u64,
}

/// The times that have passed for all processes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clocks {
    pub(crate) now: Tick,
    /// Time in which exactly one process ran, and time in which more did.
    pub(crate) one_ns: u64,
    pub(crate) more_ns: u64,
    /// Run times of all processes.
    pub(crate) run_ns: u128,
    /// Time in which at least two processes were runnable.
    pub(crate) shared_ns: u64,
}

/// The account of one process, up to its last change.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Account {
    pub(crate) time: ProcessTime,
    /// Wave-slot time, in wave-ns, and that while at least two processes were runnable.
    pub(crate) wave_ns: u128,
    pub(crate) shared_wave_ns: u128,
    pub(crate) doing: Doing,
    pub(crate) waves: u64,
    /// True if a launch of the process is ready and has not ended.
    pub(crate) alive: bool,
    since: Clocks,
}

impl Account {
    /// Adds up the time until now.
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

    /// Returns how long the process has run, up to a tick at or after its last change.
    pub(crate) fn ran(&self, at: Tick) -> u64 {
        let runs = self.doing == Doing::Runs;
        self.time.run_ns + if runs { at.since(self.since.now).0 } else { 0 }
    }
}
