//! What happened on the device, and which promises were broken?

use raddle_policy::Idempotence;

use crate::control::Order;
use crate::schedule::Schedule;

/// Counts of broken promises: each is 0 unless something is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    /// Number of launches that began before those in front of them in their stream had run.
    pub(crate) order: u64,
    /// Number of launches that ran to their end twice.
    pub(crate) twice: u64,
    /// Number of launches that count as done and never ran to their end.
    pub(crate) lost: u64,
    /// Number of times that more launches of a process were unfinished than its window holds.
    pub(crate) window: u64,
    /// Number of launches that were killed or stopped part-way although they may not be run again.
    pub(crate) stopped: u64,
    /// Number of launches that began while their process was preempted.
    pub(crate) preempted: u64,
    /// Number of submissions during a preemption, and of preemptions that went on while a submit
    /// call was under way.
    pub(crate) pause: u64,
    /// Number of resets while no launch of the process was in the runtime.
    pub(crate) idle: u64,
    /// Number of wishes that were answered or carried out otherwise than the wishes before them
    /// require.
    pub(crate) wish: u64,
    /// Number of synchronising calls that returned before the work that they wait for had run, or
    /// never.
    pub(crate) sync: u64,
    /// Number of launches that left by a flag that was not raised for them.
    pub(crate) unasked: u64,
    /// Number of launches that began although their process had left, or whose report was taken for
    /// that of another process.
    pub(crate) gone: u64,
    /// Number of launches that still waited when all processes had been resumed and the device was
    /// idle, or never came to rest.
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

/// The record of a run of a simulated device: commands, answers, and the runs of each job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct History {
    /// The commands as (tick, process, command), in their order.
    pub(crate) orders: Vec<(u64, usize, Order)>,
    /// The answers to wishes as (tick, process, answer), in their order.
    pub(crate) wishes: Vec<(u64, usize, String)>,
    /// The number of full runs of each job; the next field counts its partial runs.
    pub(crate) full: Vec<u64>,
    pub(crate) partial: Vec<u64>,
    /// The number of times that each workgroup of each job ran to its end: the value of a counter
    /// that it would have added to.
    pub(crate) added: Vec<Vec<u64>>,
    /// True for each job that was dropped: it waited when its process left, or was never captured.
    pub(crate) dropped: Vec<bool>,
    /// The indices of the jobs, in the order in which they were done.
    pub(crate) done: Vec<usize>,
    /// The ticks from the beginning of each preemption to its end.
    pub(crate) latencies: Vec<u64>,
    pub(crate) most_in_flight: usize,
    /// The number of synchronising calls that would have returned.
    pub(crate) syncs: u64,
    /// The number of launches that were reported before the call that submitted them had returned.
    pub(crate) early: u64,
    /// For each launch in the runtime when a reset was decided on, commanded or over: true if the
    /// controller would have accepted a report that it was killed.
    pub(crate) believed: Vec<bool>,
    /// The number of different process ids that were given out.
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

    /// Notes that a process has left. Its jobs that have not run are dropped; of the captured ones
    /// there must be `said` of them, as many as the controller dropped.
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

    /// Notes that the round number `round` of the workgroups of a job, counted from 0, has run.
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
        self.faults.window += u64::from(launches > schedule.setup.options.window() as usize);
    }

    /// Notes the end of a run, after all processes were resumed and nothing goes on: `left`
    /// launches wait.
    pub(crate) fn close(&mut self, left: usize) {
        self.faults.hang += u64::from(left > 0);
        let all = self.full.iter().zip(&self.dropped);
        let missing = all.filter(|(full, dropped)| **full == 0 && !**dropped).count();
        self.faults.lost += missing.saturating_sub(left) as u64;
    }
}
