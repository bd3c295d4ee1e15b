//! What happened on the device, and which promises were broken?

use raddle_types::Idempotence;

use crate::control::Order;
use crate::schedule::Schedule;

/// Broken promises, counted: all 0, or something is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    /// A launch began before the ones in front of it in its stream had run.
    pub(crate) order: u64,
    /// A launch ran to its end twice.
    pub(crate) twice: u64,
    /// A launch counts as done and never ran to its end.
    pub(crate) lost: u64,
    /// More launches of a process unfinished than its window holds.
    pub(crate) window: u64,
    /// A launch that may not be run again was killed or stopped part-way.
    pub(crate) stopped: u64,
    /// A launch began while its process was preempted.
    pub(crate) preempted: u64,
    /// A launch left by a flag that was not raised for it.
    pub(crate) unasked: u64,
    /// Everything was resumed, the device had nothing to do, or no end of it, and something waited.
    pub(crate) hang: u64,
}

impl Faults {
    pub(crate) const NAMES: [&str; 8] =
        ["order", "twice", "lost", "window", "stopped", "preempted", "unasked", "hang"];

    pub(crate) const fn list(&self) -> [u64; 8] {
        let Self { order, twice, lost, window, stopped, preempted, unasked, hang } = *self;
        [order, twice, lost, window, stopped, preempted, unasked, hang]
    }

    pub(crate) fn none(&self) -> bool {
        *self == Self::default()
    }
}

/// What a run left behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct History {
    /// Every command: tick, process.
    pub(crate) orders: Vec<(u64, usize, Order)>,
    /// What became of each wish.
    pub(crate) wishes: Vec<(u64, usize, String)>,
    /// Full runs and partial runs of each job.
    pub(crate) full: Vec<u64>,
    pub(crate) partial: Vec<u64>,
    /// Rounds of workgroups that each job has run.
    pub(crate) rounds: Vec<u64>,
    /// Jobs in the order in which they were done.
    pub(crate) done: Vec<usize>,
    /// From each preemption that began to its end.
    pub(crate) latencies: Vec<u64>,
    pub(crate) most_in_flight: usize,
    pub(crate) end: u64,
    pub(crate) faults: Faults,
}

impl History {
    pub(crate) fn new(jobs: usize) -> Self {
        let [full, partial, rounds] = [(); 3].map(|()| vec![0; jobs]);
        Self { full, partial, rounds, ..Self::default() }
    }

    /// A launch begins to run.
    pub(crate) fn begins(&mut self, schedule: &Schedule, job: usize, preempted: bool) {
        let it = &schedule.jobs[job];
        let before = schedule.jobs[..job].iter().zip(&self.full);
        let mut before =
            before.filter(|(other, _)| (other.process, other.stream) == (it.process, it.stream));
        self.faults.order += u64::from(before.any(|(_, full)| *full == 0));
        self.faults.preempted += u64::from(preempted);
    }

    /// It has run to its end.
    pub(crate) fn ran(&mut self, job: usize) {
        self.full[job] += 1;
        self.faults.twice += u64::from(self.full[job] > 1);
        self.done.push(job);
    }

    /// It was killed, or stopped with a part of its workgroups run.
    pub(crate) fn stopped(&mut self, schedule: &Schedule, job: usize) {
        self.partial[job] += 1;
        let may = schedule.jobs[job].idempotent == Idempotence::Idempotent;
        self.faults.stopped += u64::from(!may);
    }

    pub(crate) fn in_flight(&mut self, schedule: &Schedule, launches: usize) {
        self.most_in_flight = self.most_in_flight.max(launches);
        self.faults.window += u64::from(launches > schedule.setup.options.window as usize);
    }

    /// Everything was resumed and nothing goes on: `left` launches still wait.
    pub(crate) fn close(&mut self, left: usize) {
        self.faults.hang += u64::from(left > 0);
        let missing = self.full.iter().filter(|full| **full == 0).count();
        self.faults.lost = missing.saturating_sub(left) as u64;
    }
}
