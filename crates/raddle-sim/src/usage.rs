//! How much wave-slot time has each process used?

use raddle_policy::Tick;
use raddle_trace::CopyDirection;

use crate::blockers::{Blockers, is_held_up};
use crate::device_time::{DeviceClock, DeviceTime, Doing, Standings, TimeSpent};
use crate::times::{Account, Clocks, Times};

/// The wave-slot time (waves on the device times ns) and the other times of all processes, added up
/// at each change of activity.
#[derive(Debug)]
pub(crate) struct Usage {
    /// The number of waves that each process has on the device now.
    waves: Vec<u64>,
    /// The number of launches of each process that are ready and have not ended.
    unfinished: Vec<u64>,
    /// The number of launches of each process that were submitted to the device and are not kept
    /// off it by a preemption.
    placed: Vec<u64>,
    /// The number of processes with a launch that is ready and has not ended.
    runnable: usize,
    accounts: Vec<Account>,
    clocks: Clocks,
    standings: Standings,
    device: DeviceClock,
    busy_ns: u64,
    blockers: Blockers,
    /// The processes whose activity has changed since their times were last added up, each once.
    changed: Vec<u16>,
    is_changed: Vec<bool>,
    /// The number of wave slots of the device.
    slots: u64,
}

/// The wave-slot times and other times of a whole run, as they go into its outcome.
#[derive(Debug)]
pub(crate) struct UsedUp {
    pub(crate) wave_ns: Vec<u128>,
    /// The wave-slot time of each process while at least two processes had a ready launch that had
    /// not ended, in wave-ns.
    pub(crate) shared_wave_ns: Vec<u128>,
    pub(crate) times: Times,
    pub(crate) device_time: DeviceTime,
    /// The wave-slot time that all processes used up to the end of the makespan, in wave-ns;
    /// `device_time` has the time of the device over the same span.
    pub(crate) window_wave_ns: u128,
    pub(crate) blocked_ns: Vec<u64>,
}

impl Usage {
    pub(crate) fn new(processes: usize, slots: u64) -> Self {
        let mut standings = Standings::default();
        // The engine has checked that there are no more processes than a u16 counts.
        standings.doing[Doing::Host as usize] = processes as u32;
        Self {
            waves: vec![0; processes],
            unfinished: vec![0; processes],
            placed: vec![0; processes],
            runnable: 0,
            accounts: vec![Account::default(); processes],
            clocks: Clocks::default(),
            standings,
            device: DeviceClock::default(),
            busy_ns: 0,
            blockers: Blockers::new(processes),
            changed: Vec::new(),
            is_changed: vec![false; processes],
            slots,
        }
    }

    pub(crate) fn waves(&self) -> &[u64] {
        &self.waves
    }

    pub(crate) fn unfinished(&self) -> &[u64] {
        &self.unfinished
    }

    pub(crate) fn placed(&self) -> &[u64] {
        &self.placed
    }

    /// Marks the activity of a process as changed: it has issued work, or some of its work has
    /// ended.
    pub(crate) fn touch(&mut self, process: u16) {
        if !std::mem::replace(&mut self.is_changed[usize::from(process)], true) {
            self.changed.push(process);
        }
    }

    /// Records that `waves` waves of a process were placed on the device.
    pub(crate) fn came(&mut self, process: u16, waves: u64) {
        self.waves[usize::from(process)] += waves;
        self.touch(process);
    }

    /// Records that `waves` waves of a process ended or were taken off the device.
    pub(crate) fn went(&mut self, process: u16, waves: u64) {
        self.waves[usize::from(process)] -= waves;
        self.touch(process);
    }

    /// Records that one more launch of a process is on the device and may run or, where `placed` is
    /// false, one fewer.
    pub(crate) fn place(&mut self, process: u16, placed: bool) {
        let count = &mut self.placed[usize::from(process)];
        *count = if placed { *count + 1 } else { *count - 1 };
        self.touch(process);
    }

    /// Adds `more`, which may be negative, to the number of running copies: copies within the
    /// device's memory and all others (also those of unknown direction, `None`) count apart.
    pub(crate) fn copies(&mut self, more: i32, direction: Option<CopyDirection>) {
        let count = match direction {
            Some(CopyDirection::Inside) => &mut self.standings.inside,
            _ => &mut self.standings.copies,
        };
        *count = count.saturating_add_signed(more);
    }

    /// Moves the clocks on to `now`; `issued` has the number of launches of each process that are
    /// issued and have not ended.
    pub(crate) fn advance(&mut self, now: Tick, issued: &[u64]) {
        let ns = now.since(self.clocks.now).0;
        if ns == 0 {
            return;
        }
        let mut changed = std::mem::take(&mut self.changed);
        for process in changed.drain(..).map(usize::from) {
            self.is_changed[process] = false;
            self.stand(process, issued[process]);
        }
        self.changed = changed;
        self.device.pass(ns, &self.standings, self.slots);
        let running = self.standings.running();
        self.busy_ns += if running > 0 { ns } else { 0 };
        let clocks = &mut self.clocks;
        clocks.now = now;
        clocks.one_ns += if running == 1 { ns } else { 0 };
        clocks.more_ns += if running > 1 { ns } else { 0 };
        clocks.run_ns += u128::from(running) * u128::from(ns);
        clocks.shared_ns += if self.runnable >= 2 { ns } else { 0 };
    }

    /// Adds the time since the last change to the times of a process, and sets its activity from
    /// now on; `issued` is the number of its launches that are issued and have not ended.
    fn stand(&mut self, process: usize, issued: u64) {
        let (waves, alive) = (self.waves[process], self.unfinished[process] > 0);
        let ready = self.unfinished[process];
        let doing = Doing::of(waves, self.placed[process], ready, issued);
        let before = self.accounts[process].doing;
        if is_held_up(before) || is_held_up(doing) {
            let now = self.clocks.now;
            self.blockers.count(process, &self.accounts, now, is_held_up(before));
        }
        let account = &mut self.accounts[process];
        account.settle(&self.clocks);
        self.standings.doing[before as usize] -= 1;
        self.standings.doing[doing as usize] += 1;
        self.standings.waves = self.standings.waves - account.waves + waves;
        (account.doing, account.waves, account.alive) = (doing, waves, alive);
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

    /// Returns a mutable reference to the number of a process's launches that are ready and have
    /// not ended, and marks the process as changed.
    fn changed(&mut self, process: u16) -> &mut u64 {
        self.touch(process);
        &mut self.unfinished[usize::from(process)]
    }

    /// Makes the present moment the end of the makespan: later time of the device is not in the
    /// results.
    pub(crate) fn mark(&mut self) {
        self.device.mark();
        self.blockers.mark(&self.accounts, self.clocks.now);
    }

    /// Returns the time of a process so far, split by what it was spent on.
    pub(crate) fn spent(&mut self, process: u16) -> TimeSpent {
        let account = &mut self.accounts[usize::from(process)];
        account.settle(&self.clocks);
        account.time.spent
    }

    /// Adds up all times at the end of the run, and returns them.
    pub(crate) fn finish(self) -> UsedUp {
        let Self { mut accounts, clocks, busy_ns, .. } = self;
        accounts.iter_mut().for_each(|account| account.settle(&clocks));
        let processes = accounts.iter().map(|account| account.time).collect();
        let (device_time, window_wave_ns) = self.device.finish();
        UsedUp {
            wave_ns: accounts.iter().map(|account| account.wave_ns).collect(),
            shared_wave_ns: accounts.iter().map(|account| account.shared_wave_ns).collect(),
            times: Times { processes, busy_ns },
            device_time,
            window_wave_ns,
            blocked_ns: self.blockers.finish(),
        }
    }
}

#[cfg(test)]
mod tests;
