//! What happened on the device, and which promises were broken?

use raddle_policy::Idempotence;

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
    /// Something was submitted in a preemption, or a preemption went on while a submit call was under
    /// way.
    pub(crate) pause: u64,
    /// A reset, and nothing of its process was in the runtime.
    pub(crate) idle: u64,
    /// A wish was answered or carried out otherwise than the wishes before it ask for.
    pub(crate) wish: u64,
    /// A synchronising call came back before what it waits for had run, or never.
    pub(crate) sync: u64,
    /// A launch left by a flag that was not raised for it.
    pub(crate) unasked: u64,
    /// Something of a process that has left began, or what was said of it was taken for another's.
    pub(crate) gone: u64,
    /// Everything was resumed, the device had nothing to do, or no end of it, and something waited.
    pub(crate) hang: u64,
}

impl Faults {
    pub(crate) const NAMES: [&str; 13] = [
        "order",
        "twice",
        "lost",
        "window",
        "stopped",
        "preempted",
        "pause",
        "idle",
        "wish",
        "sync",
        "unasked",
        "gone",
        "hang",
    ];

    pub(crate) const fn list(&self) -> [u64; 13] {
        let Self { order, twice, lost, window, stopped, preempted, .. } = *self;
        let Self { pause, idle, wish, sync, unasked, gone, hang, .. } = *self;
        [
            order, twice, lost, window, stopped, preempted, pause, idle, wish, sync, unasked, gone,
            hang,
        ]
    }

    pub(crate) fn none(&self) -> bool {
        *self == Self::default()
    }
}

/// The record of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct History {
    /// Every command, with its tick and process.
    pub(crate) orders: Vec<(u64, usize, Order)>,
    /// The answer to each wish, with its tick and process.
    pub(crate) wishes: Vec<(u64, usize, String)>,
    /// Full runs and partial runs of each job.
    pub(crate) full: Vec<u64>,
    pub(crate) partial: Vec<u64>,
    /// The number of times that each workgroup of each job has run to its end: what it would have
    /// added.
    pub(crate) added: Vec<Vec<u64>>,
    /// Jobs that were dropped: waiting when their process left, or captured never.
    pub(crate) dropped: Vec<bool>,
    /// Jobs in the order in which they were done.
    pub(crate) done: Vec<usize>,
    /// The ticks from the beginning of each preemption to its end.
    pub(crate) latencies: Vec<u64>,
    pub(crate) most_in_flight: usize,
    /// The number of times that a synchronising call would have come back.
    pub(crate) syncs: u64,
    /// The number of launches that were reported before the call that submitted them had returned.
    pub(crate) early: u64,
    /// For each launch in the runtime when a reset was decided on, commanded or over: whether it
    /// would have been taken for killed.
    pub(crate) believed: Vec<bool>,
    /// Ids that were given to processes, each counted once.
    pub(crate) ids: u64,
    pub(crate) end: u64,
    pub(crate) faults: Faults,
}

impl History {
    pub(crate) fn new(schedule: &Schedule) -> Self {
        let jobs = schedule.jobs.len();
        let [full, partial] = [(); 2].map(|()| vec![0; jobs]);
        let added = schedule.jobs.iter().map(|job| vec![0; job.groups as usize]).collect();
        Self { full, partial, added, dropped: vec![false; jobs], ..Self::default() }
    }

    /// Notes that a process has left: jobs that have not run are dropped, and of the captured jobs
    /// there must be as many of them as the controller says that it dropped.
    pub(crate) fn left(
        &mut self,
        schedule: &Schedule,
        process: usize,
        captured: &[usize],
        said: usize,
    ) {
        let waited = captured.iter().filter(|&&job| self.full[job] == 0).count();
        self.faults.lost += waited.saturating_sub(said) as u64;
        self.faults.twice += said.saturating_sub(waited) as u64;
        for (at, job) in schedule.jobs.iter().enumerate() {
            self.dropped[at] |= job.process == process && self.full[at] == 0;
        }
    }

    /// Notes the answer to a synchronising call that waits for the last of `captured`, the first
    /// jobs captured.
    pub(crate) fn synced(&mut self, captured: &[usize], reached: bool) {
        let ran = captured.iter().all(|&job| self.full[job] > 0);
        self.faults.sync += u64::from(reached && !ran);
        self.syncs += u64::from(reached);
    }

    /// Notes that a round of the workgroups of a job, from 0, has run.
    pub(crate) fn round(&mut self, schedule: &Schedule, job: usize, round: u64) {
        let wide = schedule.jobs[job].wide;
        let first = (round * wide) as usize;
        self.added[job].iter_mut().skip(first).take(wide as usize).for_each(|it| *it += 1);
    }

    /// Notes that a launch begins to run.
    pub(crate) fn begins(&mut self, schedule: &Schedule, job: usize, preempted: bool) {
        let it = &schedule.jobs[job];
        let before = schedule.jobs[..job].iter().zip(&self.full);
        let mut before =
            before.filter(|(other, _)| (other.process, other.stream) == (it.process, it.stream));
        self.faults.order += u64::from(before.any(|(_, full)| *full == 0));
        self.faults.preempted += u64::from(preempted);
        self.faults.gone += u64::from(self.dropped[job]);
    }

    /// Notes that a launch has run to its end.
    pub(crate) fn ran(&mut self, job: usize) {
        self.full[job] += 1;
        self.faults.twice += u64::from(self.full[job] > 1);
        self.done.push(job);
    }

    /// Notes that a launch was killed, or stopped with a part of its workgroups run.
    pub(crate) fn stopped(&mut self, schedule: &Schedule, job: usize) {
        self.partial[job] += 1;
        let may = schedule.jobs[job].idempotent == Idempotence::Idempotent;
        self.faults.stopped += u64::from(!may);
    }

    pub(crate) fn in_flight(&mut self, schedule: &Schedule, launches: usize) {
        self.most_in_flight = self.most_in_flight.max(launches);
        self.faults.window += u64::from(launches > schedule.setup.options.window as usize);
    }

    /// Notes that everything was resumed and nothing goes on: `left` launches still wait.
    pub(crate) fn close(&mut self, left: usize) {
        self.faults.hang += u64::from(left > 0);
        let all = self.full.iter().zip(&self.dropped);
        let missing = all.filter(|(full, dropped)| **full == 0 && !**dropped).count();
        self.faults.lost += missing.saturating_sub(left) as u64;
    }
}
