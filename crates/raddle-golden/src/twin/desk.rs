//! Which launches and processes, in which state, did a log's policies see when they answered?
//!
//! The state is computed from the lines of the log alone, by the rules of `raddle-policy` on the
//! views that policies get.

use std::collections::{BTreeMap, BTreeSet};

use raddle_policy::{Barrier, Launch, LaunchId, Preemption, ProcessId, StreamId};

use super::line::Submitted;
use super::processes::Processes;
use super::unit::{Part, Unit};

/// State of a launch between the host and its end: on its way to the device, on the device, or
/// removed by a preemption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Buffered,
    Travelling,
    OnDevice,
    /// On the device, although its process loses the turn: the launch is about to leave.
    Staying,
    Leaving(Preemption),
    Held,
    Returning,
}

/// A launch or a copy that the decision log has named and that has not ended.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) launch: Launch,
    pub(super) ready: bool,
    pub(super) stage: Stage,
    /// Number of the submission of the launch or copy, counted over all submissions of the decision
    /// log.
    pub(super) submission: u64,
    pub(super) visible: u64,
    /// Lowest workgroup of the launch that is neither started nor assigned to a compute unit.
    pub(super) next: u64,
    /// Workgroups that were assigned to a compute unit but had not started when a preemption saved
    /// the launch, so that they have to be placed again.
    returned: BTreeSet<u64>,
    /// Workgroups that are assigned or partly started, by number, each as (compute unit, number of
    /// waves that have started).
    pub(super) bound: BTreeMap<u64, (u16, u16)>,
    /// Number of waves that have started of the workgroup `next`, if that workgroup was cut into
    /// waves that start separately.
    pub(super) cut: u16,
    /// Number of waves of the launch that have started and not ended.
    pub(super) resident: u64,
    /// Number of waves of the launch that were saved when it was preempted.
    saved: u64,
    ended: u64,
    /// True if the launch or copy counts as work of its process, because it is ready or submitted.
    /// A process with such work is runnable.
    counts: bool,
}

impl Job {
    fn new(launch: Launch, ready: bool) -> Self {
        Self {
            launch,
            ready,
            stage: Stage::Buffered,
            submission: 0,
            visible: 0,
            next: 0,
            returned: BTreeSet::new(),
            bound: BTreeMap::new(),
            cut: 0,
            resident: 0,
            saved: 0,
            ended: 0,
            counts: false,
        }
    }

    pub(super) fn is_submitted(&self) -> bool {
        self.stage != Stage::Buffered
    }

    /// Returns the number of the launch's next workgroup, if the launch has simply to start its
    /// workgroups in order from there on; `None` if a workgroup has started in part or has to be
    /// placed again.
    pub(super) fn fresh(&self) -> Option<u64> {
        let fresh = self.stage == Stage::OnDevice && self.ready && self.cut == 0;
        (fresh && self.bound.is_empty() && self.returned.is_empty()).then_some(self.next)
    }

    /// Returns the range of workgroups of the launch to be placed next, as (first, end): first
    /// those that came back after a preemption, then those that were never placed.
    fn head(&self) -> (u64, u64) {
        match self.returned.first() {
            Some(&first) if self.cut == 0 => {
                let run = (first..).zip(&self.returned).take_while(|(at, group)| at == *group);
                (first, first + run.count() as u64)
            }
            _ => (self.next, self.launch.workgroups),
        }
    }

    fn advance(&mut self, workgroup: u64) {
        if !self.returned.remove(&workgroup) {
            self.next = self.next.max(workgroup.saturating_add(1));
        }
    }
}

/// A launch that still has workgroups to be placed, as the allocate policy sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) launch: Launch,
    pub(super) submission: u64,
    /// First workgroup that is to be placed; the workgroups to be placed are the range `next ..
    /// end`.
    pub(super) next: u64,
    pub(super) end: u64,
    /// Number of waves that have started of the workgroup `next`, if that workgroup was cut into
    /// waves that start separately.
    pub(super) cut: u16,
}

/// A launch of a process that loses its turn, as preempt policies see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Victim {
    pub(super) launch: Launch,
    /// Number of the launch's waves on the device.
    pub(super) resident: u64,
}

/// State of all launches and processes of a log, as its lines so far describe it.
#[derive(Debug)]
pub(super) struct Desk {
    pub(super) now: u64,
    pub(super) jobs: BTreeMap<LaunchId, Job>,
    pub(super) processes: Processes,
    /// Launches that the allocate policy sees, in the order of submission.
    pub(super) view: Vec<Entry>,
    /// Number of changes, until now, of the launches that the allocate policy sees. After a change,
    /// the check asks its naive model of the policy again.
    pub(super) changes: u64,
    /// True if the decision log names launches and copies before they are ready, because launches
    /// may wait in a buffer until they are submitted.
    ahead: bool,
    /// True if workgroups without a barrier may be cut into waves that start separately.
    cuts: bool,
    empty: Unit,
    submissions: u64,
    /// Launches that were submitted in the present step of the decision log, as (launch, cost in
    /// ticks).
    batch: Vec<(LaunchId, u64)>,
    travelling: BTreeSet<(u64, u64, LaunchId)>,
    /// Processes whose launches are being removed from the device by a preemption after which they
    /// can come back.
    pub(super) removing: BTreeSet<ProcessId>,
    /// True if the host can send a launch to the device while the launch before it runs. For each
    /// stream, `lines` has the tick until which the host is busy sending its launches.
    overlap: bool,
    lines: BTreeMap<(ProcessId, StreamId), u64>,
}

impl Desk {
    pub(super) fn new(empty: Unit, (ahead, cuts, overlap): (bool, bool, bool)) -> Self {
        Self {
            now: 0,
            jobs: BTreeMap::new(),
            processes: Processes::default(),
            view: Vec::new(),
            changes: 0,
            ahead,
            cuts,
            empty,
            submissions: 0,
            batch: Vec::new(),
            travelling: BTreeSet::new(),
            removing: BTreeSet::new(),
            overlap,
            lines: BTreeMap::new(),
        }
    }

    /// Removes a process, which has left, and its launches from the state of the decision log.
    pub(super) fn left(&mut self, process: ProcessId) {
        self.removing.remove(&process);
        let of = |(&id, job): (&LaunchId, &Job)| (job.launch.process == process).then_some(id);
        let left: Vec<LaunchId> = self.jobs.iter().filter_map(of).collect();
        left.into_iter().for_each(|id| self.forget(id));
        self.processes.left(process);
        self.lines.retain(|&(owner, _), _| owner != process);
    }

    pub(super) fn issued(&mut self, launch: Launch) {
        if self.ahead && !self.never_fits(&launch) {
            self.enter(launch, false);
        }
    }

    pub(super) fn copy_issued(&mut self, copy: Launch) {
        if self.ahead {
            self.enter(copy, false);
        }
    }

    pub(super) fn ready(&mut self, launch: Launch) {
        if self.jobs.contains_key(&launch.id) {
            self.is_ready(launch.id);
        } else if !self.never_fits(&launch) {
            self.enter(launch, true);
        }
    }

    /// Marks a launch or copy that was issued as ready: everything that it waits for has ended.
    pub(super) fn is_ready(&mut self, id: LaunchId) {
        if let Some(job) = self.jobs.get_mut(&id) {
            job.ready = true;
            self.count(id);
            self.show(id);
        }
    }

    fn never_fits(&self, launch: &Launch) -> bool {
        let mut demand = launch.demand;
        if self.cuts && launch.barrier == Barrier::No {
            demand.waves = demand.waves.min(1);
        }
        launch.workgroups == 0 || self.empty.room(&demand) == 0
    }

    fn enter(&mut self, launch: Launch, ready: bool) {
        self.jobs.insert(launch.id, Job::new(launch, ready));
        self.count(launch.id);
    }

    /// Updates whether a launch makes its process runnable, which it does while it is ready or
    /// submitted.
    fn count(&mut self, id: LaunchId) {
        let Some(job) = self.jobs.get_mut(&id) else { return };
        let counts = job.ready || job.is_submitted();
        if std::mem::replace(&mut job.counts, counts) != counts {
            let (process, level) = (job.launch.process, job.launch.level);
            self.processes.work(process, level, counts, self.now);
        }
    }

    /// Removes a launch, which has ended or was refused, from the state of the decision log.
    pub(super) fn forget(&mut self, id: LaunchId) {
        self.hide(id);
        let Some(job) = self.jobs.remove(&id) else { return };
        self.processes.resident(job.launch.process, job.resident, 0, self.now);
        if job.counts {
            self.processes.work(job.launch.process, job.launch.level, false, self.now);
        }
    }

    pub(super) fn submitted(&mut self, answer: &Submitted) {
        self.batch.push((answer.launch, answer.cost));
        let Some(job) = self.jobs.get_mut(&answer.launch) else { return };
        (job.stage, job.submission, job.visible) = (Stage::Travelling, self.submissions, self.now);
        self.submissions += 1;
        self.count(answer.launch);
    }

    /// Computes when the launches that one step of the decision log submits reach the device, and
    /// hands over those that have arrived. Launches of one stream in a row arrive together, when
    /// all of them are sent; with `overlap`, one after the other. Copies arrive at the tick of
    /// their submission.
    pub(super) fn arrive(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        let Self { jobs, lines, now, .. } = self;
        let lane = |id: &LaunchId| {
            jobs.get(id).map(|it| (it.launch.process, it.launch.stream, it.launch.is_copy()))
        };
        let mut arrivals = Vec::new();
        for launches in batch.chunk_by(|a, b| lane(&a.0) == lane(&b.0)) {
            let Some((process, stream, copy)) = lane(&launches[0].0) else { continue };
            let all = launches.iter().fold(*now, |sum, it| sum.saturating_add(it.1));
            for &(id, cost) in launches {
                let visible = if copy {
                    *now
                } else if self.overlap {
                    let line = lines.entry((process, stream)).or_insert(*now);
                    *line = (*now).max(*line).saturating_add(cost);
                    *line
                } else {
                    all
                };
                arrivals.push((id, visible));
            }
        }
        for (id, visible) in arrivals {
            if let Some(job) = self.jobs.get_mut(&id).filter(|it| it.stage == Stage::Travelling) {
                job.visible = visible;
                self.travelling.insert((visible, job.submission, id));
            }
        }
        while let Some(&(at, submission, id)) = self.travelling.first() {
            if at > self.now {
                break;
            }
            self.travelling.remove(&(at, submission, id));
            if let Some(job) = self.jobs.get_mut(&id).filter(|it| it.submission == submission)
                && job.stage == Stage::Travelling
            {
                job.stage = Stage::OnDevice;
                self.show(id);
            }
        }
    }

    /// Updates the launch `id` in the list that the allocate policy sees, or removes it from the
    /// list.
    pub(super) fn show(&mut self, id: LaunchId) {
        self.hide(id);
        let Some(job) = self.jobs.get(&id).filter(|it| !it.launch.is_copy() && it.ready) else {
            return;
        };
        let (next, end) = match job.stage {
            Stage::OnDevice => job.head(),
            // Workgroups bound to a compute unit still start there, so the entry stays, with no
            // next workgroup.
            Stage::Staying => (job.launch.workgroups, job.launch.workgroups),
            Stage::Leaving(how) if how.drains() => (job.launch.workgroups, job.launch.workgroups),
            _ => return,
        };
        if next < end || !job.bound.is_empty() {
            let cut = if matches!(job.stage, Stage::OnDevice) { job.cut } else { 0 };
            let (launch, submission) = (job.launch, job.submission);
            let at = self.view.partition_point(|entry| entry.submission < submission);
            self.view.insert(at, Entry { launch, submission, next, end, cut });
        }
    }

    fn hide(&mut self, id: LaunchId) {
        let submission = self.jobs.get(&id).map_or(u64::MAX, |it| it.submission);
        let at = self.view.partition_point(|entry| entry.submission < submission);
        if self.view.get(at).is_some_and(|entry| entry.launch.id == id) {
            self.view.remove(at);
        }
        self.changes += 1;
    }

    /// Records that a workgroup of a launch, or some waves of the workgroup, start; returns `false`
    /// if the launch is not known.
    pub(super) fn started(&mut self, id: LaunchId, part: Part) -> bool {
        let Some(job) = self.jobs.get_mut(&id) else { return false };
        let whole = job.launch.demand.waves;
        let (first, count) = part.waves.bounds(whole);
        let end = first.saturating_add(count);
        match part.waves {
            raddle_policy::WaveSpan::Cut { .. } => {
                job.cut = if end < whole { end } else { 0 };
                if job.cut == 0 {
                    job.advance(part.workgroup);
                }
            }
            _ if end >= whole => {
                if job.bound.remove(&part.workgroup).is_none() {
                    job.advance(part.workgroup);
                }
            }
            _ => {
                if job.bound.insert(part.workgroup, (part.cu, end)).is_none() {
                    job.advance(part.workgroup);
                }
            }
        }
        let before = job.resident;
        job.resident += u64::from(count);
        let (process, after) = (job.launch.process, job.resident);
        self.processes.resident(process, before, after, self.now);
        self.show(id);
        true
    }

    /// Records that the next `workgroups` whole workgroups of a launch start on the device.
    pub(super) fn started_whole(&mut self, id: LaunchId, workgroups: u64) {
        let Some(job) = self.jobs.get_mut(&id) else { return };
        let before = job.resident;
        job.next += workgroups;
        job.resident += workgroups * u64::from(job.launch.demand.waves);
        let (process, after) = (job.launch.process, job.resident);
        self.processes.resident(process, before, after, self.now);
        self.show(id);
    }

    pub(super) fn assigned(&mut self, id: LaunchId, workgroup: u64, cu: u16) {
        if let Some(job) = self.jobs.get_mut(&id) {
            job.advance(workgroup);
            job.bound.insert(workgroup, (cu, 0));
            self.show(id);
        }
    }

    /// Records that waves of a launch ended; returns whether the launch has ended with them.
    pub(super) fn ended(&mut self, id: LaunchId, waves: u64) -> bool {
        self.changes += 1;
        let Some(job) = self.jobs.get_mut(&id) else { return false };
        let before = job.resident;
        job.resident = job.resident.saturating_sub(waves);
        job.ended = job.ended.saturating_add(waves);
        let over = job.ended
            >= job.launch.workgroups.saturating_mul(u64::from(job.launch.demand.waves).max(1));
        let (process, after) = (job.launch.process, job.resident);
        self.processes.resident(process, before, after, self.now);
        over
    }

    /// Records that a launch was asked to leave the device by this method, and has not left yet.
    pub(super) fn leaves(&mut self, id: LaunchId, how: Preemption) {
        self.hide(id);
        if let Some(job) = self.jobs.get_mut(&id) {
            job.stage = Stage::Leaving(how);
            if how.drains() {
                self.show(id);
            }
        }
    }

    /// Records that a preemption is about to remove the launches of a process from the device. From
    /// now on they start no workgroups but those already assigned to a compute unit.
    pub(super) fn removes(&mut self, process: ProcessId) {
        self.removing.insert(process);
        let there = |job: &&Job| job.launch.process == process && job.stage == Stage::OnDevice;
        let there: Vec<_> = self.jobs.values().filter(there).map(|job| job.launch.id).collect();
        for id in there {
            if let Some(job) = self.jobs.get_mut(&id) {
                job.stage = Stage::Staying;
            }
            self.show(id);
        }
    }

    /// Returns whether a launch of a process was taken off the device by a preemption and is not
    /// back yet.
    pub(super) fn is_away(&self, process: ProcessId) -> bool {
        let mut jobs = self.jobs.values().filter(|job| job.launch.process == process);
        jobs.any(|job| matches!(job.stage, Stage::Held | Stage::Returning))
    }

    /// Records that a launch left the device by the method by which it was asked to leave.
    pub(super) fn taken_off(&mut self, id: LaunchId, how: Preemption) {
        self.hide(id);
        let Some(job) = self.jobs.get_mut(&id) else { return };
        let (before, process) = (job.resident, job.launch.process);
        job.stage = if how.empties() { Stage::Buffered } else { Stage::Held };
        if how.begins_again() {
            (job.next, job.ended, job.cut) = (0, 0, 0);
            (job.resident, job.saved) = (0, 0);
            job.bound.clear();
            job.returned.clear();
        }
        if how.saves() {
            (job.saved, job.resident) = (job.resident, 0);
            let waits = job.bound.iter().filter(|(_, bound)| bound.1 == 0);
            job.returned.extend(waits.map(|(&workgroup, _)| workgroup));
            job.bound.retain(|_, bound| bound.1 > 0);
            while job.cut == 0 && job.next > 0 && job.returned.remove(&(job.next - 1)) {
                job.next -= 1;
            }
        }
        let after = job.resident;
        self.processes.resident(process, before, after, self.now);
        self.count(id);
    }

    /// Records that a launch was asked to come back to the device, and that its saved waves are on
    /// their way.
    pub(super) fn returns(&mut self, id: LaunchId) {
        self.hide(id);
        let Some(job) = self.jobs.get_mut(&id) else { return };
        let before = job.resident;
        job.stage = Stage::Returning;
        job.resident = before.saturating_add(std::mem::take(&mut job.saved));
        let (process, after) = (job.launch.process, job.resident);
        self.processes.resident(process, before, after, self.now);
    }

    pub(super) fn restored(&mut self, id: LaunchId) {
        let now = self.now;
        let Some(job) = self.jobs.get_mut(&id) else { return };
        job.stage = Stage::Travelling;
        if job.visible > now {
            self.travelling.insert((job.visible, job.submission, id));
        } else {
            let leaves = self.removing.contains(&job.launch.process);
            job.stage = if leaves { Stage::Staying } else { Stage::OnDevice };
            self.show(id);
        }
    }
}
