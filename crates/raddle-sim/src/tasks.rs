//! Which launches has each host issued, and which of them no longer wait for other launches?
//!
//! Each repetition of a profile takes a block of consecutive ids, one for each launch, copy or
//! fill.

mod gaps;
mod host;
mod lane;
mod line;
mod repeat;

use raddle_policy::{CuShape, Cus, LaunchId, Tick, Ticks};

use crate::repetition::Repetition;
use crate::workload::{ProcessPlan, Workload};
use crate::{Record, SimError};
use lane::{Lane, Repeat};
use repeat::{REPEAT_CAP_LAUNCHES, followers, time_cap};

/// The state of one launch, copy or fill in a run.
#[derive(Clone, Copy, Debug, Default)]
struct TaskState {
    issued: bool,
    /// True if the issue of the launch follows other work instead of its recorded time. It comes a
    /// recorded gap after the work for which it waits, or together with the launch before it.
    in_gap: bool,
    /// The number of launches that must still end before this launch may start.
    waits: u32,
    ended: bool,
    /// True if this launch and all work for which it waits were issued. A dispatcher that wants to
    /// know of launches in advance may then be told of it.
    in_line: bool,
    /// True if the dispatcher has been told that the launch was issued.
    told: bool,
    /// True if the launch was submitted to the device and is not kept off it by a preemption.
    placed: bool,
}

impl TaskState {
    /// Returns whether all launches for which this launch waits have ended.
    const fn is_free(&self) -> bool {
        self.waits == 0
    }
}

/// A launch that its host has issued, of which the dispatcher is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Issued {
    pub(crate) id: LaunchId,
    /// True if all work for which the launch waits has ended.
    pub(crate) free: bool,
}

impl Issued {
    const fn free(id: u32) -> Self {
        Self { id: LaunchId(id), free: true }
    }
}

/// A note that a repetition of a process has begun or ended, for the main loop of the simulator
/// (the engine).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) process: u16,
    pub(crate) iteration: u32,
    pub(crate) ended: bool,
    /// True if the makespan of the run (time to the end of all counted work) lasts at least until
    /// this moment.
    pub(crate) counts: bool,
}

/// The launches of all processes in all repetitions begun so far, with their states.
#[derive(Debug)]
pub(crate) struct Tasks<'w> {
    workload: &'w Workload,
    lanes: Vec<Lane>,
    standing: Vec<TaskState>,
    pub(crate) records: Vec<Record>,
    /// The number of launches and copies of each process that were issued and have not ended, by
    /// process.
    pub(crate) open: Vec<u64>,
    /// The begins and ends of repetitions that the engine has not yet processed.
    pub(crate) marks: Vec<Mark>,
    /// The recorded gaps that have begun and that the engine has not yet processed: (tick at which
    /// the gap ends, launch that the host issues then).
    pub(crate) gaps: Vec<(Tick, LaunchId)>,
    /// The process with the longest recorded span of those that repeat back to back, the lowest of
    /// equals; `None` where none does.
    longest: Option<usize>,
    /// The number of launches that must still end before the run ends (see [`Workload::leading`]);
    /// `led` is that number at the start of the run.
    leading: u64,
    led: u64,
    /// The latest tick of the run at which a closed loop is to end; 0 where none has such a tick.
    until: Ticks,
    /// The time in ns since the start of the run after which no repetition begins.
    time_cap: u64,
    pub(crate) repeat_capped: bool,
    /// The most launches that the run may keep in memory, repetitions included.
    most_launches: usize,
    /// The processes that begin a request when a process ends one, by the process that ends it.
    followers: Vec<Vec<u16>>,
    /// The processes whose next launch must be planned anew, as it may now be due at another time.
    roused: Vec<u16>,
    /// True if the dispatcher is told of launches in advance, while they still wait for others.
    looks_ahead: bool,
    /// True if the dispatcher itself submits and starts copies.
    takes_copies: bool,
    /// A device of one empty compute unit, to test whether a launch can ever fit.
    empty: Cus,
}

impl<'w> Tasks<'w> {
    pub(crate) fn new(
        workload: &'w Workload,
        (looks_ahead, takes_copies): (bool, bool),
        shape: CuShape,
    ) -> Result<Self, SimError> {
        workload.check_repetition()?;
        let led = workload.leading();
        let most = workload.processes.iter().map(|plan| plan.tasks.len() as u64).sum::<u64>();
        let most = most.saturating_add(workload.requested());
        let mut tasks = Self {
            workload,
            lanes: workload.processes.iter().map(Lane::new).collect(),
            standing: Vec::new(),
            records: Vec::new(),
            open: vec![0; workload.processes.len()],
            marks: Vec::new(),
            gaps: Vec::new(),
            longest: workload.longest(),
            leading: led,
            led,
            until: workload.until(),
            time_cap: time_cap(workload),
            repeat_capped: false,
            most_launches: usize::try_from(most)
                .unwrap_or(usize::MAX)
                .saturating_add(REPEAT_CAP_LAUNCHES),
            followers: followers(workload),
            roused: (0u16..).zip(&workload.processes).map(|(process, _)| process).collect(),
            looks_ahead,
            takes_copies: looks_ahead && takes_copies,
            empty: Cus::new(shape, 1),
        };
        for (process, plan) in workload.processes.iter().enumerate() {
            match &plan.repetition {
                Repetition::After(_) => {}
                _ => tasks.begin(process, tasks.offset(process, 0))?,
            }
        }
        Ok(tasks)
    }

    pub(crate) const fn workload(&self) -> &'w Workload {
        self.workload
    }

    pub(crate) fn plan(&self, id: LaunchId) -> (&'w ProcessPlan, &'w crate::Task) {
        let record = &self.records[id.index()];
        let plan = &self.workload.processes[usize::from(record.process)];
        (plan, &plan.tasks[record.task as usize])
    }

    /// Returns the tick from which the launch latency of a launch counts. This is the tick of its
    /// issue. For a launch before the host's first wait it is earlier, by the time for which its
    /// request waited for the host: the host prepared the launch meanwhile.
    pub(crate) fn latency_from(&self, id: LaunchId) -> Tick {
        let record = &self.records[id.index()];
        let (plan, task) = self.plan(id);
        let host = plan.host.as_ref().filter(|host| host.is_before_all(task.arrival));
        let Some(_) = host else { return record.arrival };
        let lane = &self.lanes[usize::from(record.process)];
        let queued = lane.repeats[record.iteration as usize].queued;
        Tick(record.arrival.0.saturating_sub(queued.0))
    }

    /// Returns (number of the meeting, repetition) of a launch that ends together with launches of
    /// other processes (a meeting); `None` for other launches.
    pub(crate) fn meeting(&self, id: LaunchId) -> Option<(u32, u32)> {
        let record = &self.records[id.index()];
        let all = &self.plan(id).0.meetings;
        let at = all.binary_search_by_key(&record.task, |meeting| meeting.task).ok()?;
        Some((all[at].number, record.iteration))
    }

    /// Returns the tick at which the launches on other devices (peers) end with which this launch
    /// ends together; `None` where it has none.
    pub(crate) fn peers_end(&self, id: LaunchId) -> Option<Tick> {
        let record = &self.records[id.index()];
        let peers = self.plan(id).1.peers?;
        let lane = &self.lanes[usize::from(record.process)];
        let repeat = lane.repeats.get(record.iteration as usize)?;
        Some(Tick(repeat.offset.0) + peers + repeat.late)
    }

    pub(crate) fn share(&self, process: u16) -> u32 {
        self.workload.processes[usize::from(process)].share
    }

    pub(crate) fn iterations(&self) -> Vec<u32> {
        self.lanes.iter().map(|lane| lane.begun).collect()
    }

    /// Returns the tick at which each repetition began, by process, then by repetition.
    pub(crate) fn began(&self) -> Vec<Vec<Tick>> {
        let arrivals = |lane: &Lane| lane.repeats.iter().map(|it| Tick(it.offset.0)).collect();
        self.lanes.iter().map(arrivals).collect()
    }

    pub(crate) fn began_at(&self, process: u16, iteration: u32) -> Tick {
        Tick(self.lanes[usize::from(process)].repeats[iteration as usize].offset.0)
    }

    /// Records whether a launch was submitted and is not kept off the device by a preemption
    /// (`placed`). Returns whether this changed.
    pub(crate) fn place(&mut self, id: LaunchId, placed: bool) -> bool {
        let before = &mut self.standing[id.index()].placed;
        std::mem::replace(before, placed) != placed
    }

    pub(crate) fn is_placed(&self, id: LaunchId) -> bool {
        self.standing[id.index()].placed
    }

    /// Returns the time of the run at which a repetition of a process begins, if it waits for no
    /// other one: the given time of a request, else the sum of the recorded spans of all
    /// repetitions before.
    fn offset(&self, process: usize, iteration: usize) -> Ticks {
        let plan = &self.workload.processes[process];
        let since = plan.times().get(iteration).copied();
        let since = since.unwrap_or(Ticks(plan.span.0.saturating_mul(iteration as u64)));
        plan.start + since
    }

    /// Begins one more repetition of a process at the time `offset`, and gives each of its
    /// launches, copies and fills an id.
    fn begin(&mut self, process: usize, offset: Ticks) -> Result<(), SimError> {
        let plan = &self.workload.processes[process];
        let base = self.records.len();
        let end = base + plan.tasks.len();
        if u32::try_from(end).is_err() {
            return Err(SimError::TooManyLaunches);
        }
        let lane = &mut self.lanes[process];
        let iteration = lane.repeats.len() as u32;
        lane.repeats.push(Repeat::new(base as u32, offset, plan.tasks.len() as u32));
        if plan.host.is_none() {
            lane.line_up(plan, iteration, 0);
        }
        for (task, position) in plan.tasks.iter().zip(0u32..) {
            self.records.push(Record {
                process: process as u16,
                task: position,
                iteration,
                units: 0,
                workgroups: 0,
                arrival: Tick(offset.0) + task.arrival,
                ready: None,
                started: None,
                ended: None,
                refused: false,
            });
        }
        self.standing.resize(end, TaskState::default());
        for (task, position) in plan.tasks.iter().zip(base..) {
            let waits_for_before = iteration > 0 && task.after.is_none() && {
                let lane = &self.lanes[process];
                let last = lane.last[task.stream.index()];
                let before = lane.repeats[iteration as usize - 1].base;
                last.is_some_and(|last| !self.standing[(before + last) as usize].ended)
            };
            let needs = self.lanes[process].needs[position - base];
            self.standing[position].waits = needs + u32::from(waits_for_before);
        }
        if plan.host.is_some() {
            self.go_on(process, Tick(offset.0));
        }
        Ok(())
    }

    /// Returns the tick at which the host of a process issues its next launch; `None` where no
    /// launch is left.
    fn next_arrival(&self, process: usize) -> Option<Tick> {
        let (plan, lane) = (&self.workload.processes[process], &self.lanes[process]);
        let issued = lane.next().map(|issue| issue.at);
        let begun = self.next_request(process).and_then(|offset| {
            let first = plan.first()?;
            Some(Tick(offset.0) + first)
        });
        issued.into_iter().chain(begun).min()
    }

    /// Returns the time at which the next request of a process with given request times begins;
    /// `None` where no request is left.
    fn next_request(&self, process: usize) -> Option<Ticks> {
        let next = self.lanes[process].repeats.len();
        let times = self.workload.processes[process].times();
        (next < times.len()).then(|| self.offset(process, next))
    }

    /// Returns (tick at which the host may issue its next launch, process) for each process in
    /// `roused` whose next launch is due earlier than planned. Empties `roused`.
    pub(crate) fn alarms(&mut self) -> Vec<(Tick, u16)> {
        let roused = std::mem::take(&mut self.roused);
        roused.into_iter().filter_map(|process| Some((self.alarm(process)?, process))).collect()
    }

    /// Plans the next launch of a process, and returns the tick at which its host may issue it.
    /// `None` where it is planned for that tick or an earlier one already, or where no launch is
    /// left.
    fn alarm(&mut self, process: u16) -> Option<Tick> {
        let at = self.next_arrival(usize::from(process))?;
        let alarm = &mut self.lanes[usize::from(process)].alarm;
        if alarm.is_some_and(|before| before <= at) {
            return None;
        }
        *alarm = Some(at);
        Some(at)
    }

    /// Issues all launches of a host that are due. Adds to `told` the launches of which the
    /// dispatcher is to be told now: those that wait for no other launch, and others if it looks
    /// ahead.
    pub(crate) fn arrive(
        &mut self,
        process: usize,
        now: Tick,
        told: &mut Vec<Issued>,
    ) -> Result<(), SimError> {
        let plan = &self.workload.processes[process];
        let alarm = &mut self.lanes[process].alarm;
        *alarm = alarm.filter(|&at| at > now);
        self.roused.push(process as u16);
        while self.next_arrival(process).is_some_and(|at| at <= now) {
            while let Some(offset) = self.next_request(process).filter(|at| at.0 <= now.0) {
                self.begin(process, offset)?;
            }
            let Some(issue) = self.lanes[process].next().filter(|issue| issue.at <= now) else {
                break;
            };
            let stops = issue.iteration > 0 && !self.goes_on(process, now);
            let lane = &mut self.lanes[process];
            lane.pass();
            if stops {
                continue;
            }
            let base = lane.repeats[issue.iteration as usize].base;
            let id = base + plan.by_arrival[issue.cursor as usize];
            lane.begun += u32::from(issue.cursor == 0);
            if issue.cursor == 0 && plan.has_requests() {
                let (process, iteration) = (process as u16, issue.iteration);
                self.marks.push(Mark { process, iteration, ended: false, counts: false });
            }
            let task = &plan.tasks[plan.by_arrival[issue.cursor as usize] as usize];
            if self.comes_later(base, task) && !self.standing[id as usize].is_free() {
                self.standing[id as usize].in_gap = true;
            } else {
                self.issue(LaunchId(id), told);
            }
            if plan.host.is_some() {
                // A host that waited issues later than at the recorded time.
                self.records[id as usize].arrival = now;
                self.issued_closed(process, issue, now);
            } else if !self.lanes[process].line_up(plan, issue.iteration, issue.cursor + 1) {
                self.again(process, now)?;
            }
        }
        Ok(())
    }

    /// Records that a launch is issued, and adds it to `told` if the dispatcher is to be told of it
    /// now.
    fn issue(&mut self, id: LaunchId, told: &mut Vec<Issued>) {
        self.standing[id.index()].issued = true;
        self.open[usize::from(self.records[id.index()].process)] += 1;
        self.line_up(id.0, told);
    }

    /// Records that a launch has ended or was refused, and adds to `told` the launches of which the
    /// dispatcher is now to be told, as they waited only for this one.
    pub(crate) fn finish(
        &mut self,
        id: LaunchId,
        now: Tick,
        told: &mut Vec<Issued>,
    ) -> Result<(), SimError> {
        let record = self.records[id.index()];
        self.standing[id.index()].ended = true;
        let process = usize::from(record.process);
        self.open[process] -= 1;
        let plan = &self.workload.processes[process];
        let leads = record.iteration == 0 && self.longest == Some(process);
        self.leading -= u64::from(leads || !plan.times().is_empty());
        let lane = &mut self.lanes[process];
        let repeat = &mut lane.repeats[record.iteration as usize];
        repeat.left -= 1;
        if let Some(peers) = plan.tasks[record.task as usize].peers {
            let recorded = repeat.offset.0.saturating_add(peers.0);
            repeat.late = repeat.late.max(Ticks(now.0.saturating_sub(recorded)));
        }
        let Repeat { base, left, .. } = *repeat;
        lane.ended += u32::from(left == 0);
        for &child in lane.children_of(record.task) {
            release(&mut self.standing, base + child, told);
        }
        let stream = plan.tasks[record.task as usize].stream;
        let is_last = lane.last[stream.index()] == Some(record.task);
        if let (true, Some(next)) = (is_last, lane.repeats.get(record.iteration as usize + 1)) {
            for &head in &lane.heads[stream.index()] {
                release(&mut self.standing, next.base + head, told);
            }
            let next = next.base;
            for at in 0..self.lanes[process].heads[stream.index()].len() {
                self.begin_gap(next + self.lanes[process].heads[stream.index()][at], now);
            }
        }
        for at in 0..self.lanes[process].children_of(record.task).len() {
            let child = base + self.lanes[process].children_of(record.task)[at];
            self.begin_gap(child, now);
            self.follow(child, told);
        }
        if plan.host.is_some() {
            self.go_on(process, now);
        }
        if left == 0 { self.ended_whole(process, record.iteration, now) } else { Ok(()) }
    }

    /// Returns the launches that never ended although they were issued, or would have been once
    /// others had ended. Leaves out those cut off as their process stopped repeating.
    pub(crate) fn unfinished(&self, now: Tick) -> Vec<LaunchId> {
        let ids = (0u32..).map(LaunchId).zip(&self.standing);
        let stands = |(id, it): &(LaunchId, &TaskState)| {
            !it.ended && (it.issued || (it.in_gap && !self.stops(*id, now)))
        };
        let lasts = |id: &LaunchId| !self.is_cut_off(*id, now);
        ids.filter(stands).map(|(id, _)| id).filter(lasts).collect()
    }

    /// Returns (number that have ended, number of all) of those launches for whose ends the run
    /// waits.
    pub(crate) const fn progress(&self) -> (u64, u64) {
        (self.led - self.leading, self.led)
    }
}

fn release(standing: &mut [TaskState], id: u32, told: &mut Vec<Issued>) {
    let standing = &mut standing[id as usize];
    standing.waits = standing.waits.saturating_sub(1);
    if standing.is_free() && standing.issued && !standing.ended {
        told.push(Issued::free(id));
    }
}

#[cfg(test)]
mod tests {
    use raddle_policy::{Activity, Barrier, Demand, Idempotence, KernelCall, Level, StreamId};

    use super::*;
    use crate::workload::{Task, Work};

    #[test]
    fn a_nanosecond_beside_a_second_stops_repeating() {
        let work = Work::Kernel {
            workgroups: 1,
            workgroup: Ticks(1),
            demand: Demand::default(),
            barrier: Barrier::No,
            context_bytes: 0,
        };
        let task = Task {
            stream: StreamId(0),
            level: Level(0),
            arrival: Ticks(0),
            after: None,
            gap: None,
            idempotent: Idempotence::Unknown,
            activity: Activity::UNKNOWN,
            call: KernelCall::UNKNOWN,
            peers: None,
            work,
        };
        let one = |span| ProcessPlan { span: Ticks(span), ..ProcessPlan::new("p", vec![task]) };
        let workload = Workload { processes: vec![one(1_000_000_000), one(1)], repeat: true };
        let shape = CuShape {
            simds: 1,
            waves_per_simd: 1,
            vgpr_per_simd: 1,
            sgpr: 1,
            lds: 1,
            workgroups: 1,
            barriers: 1,
        };
        let mut tasks = Tasks::new(&workload, (false, false), shape).expect("two launches");
        tasks.most_launches = 100;
        let mut ready = Vec::new();
        tasks.arrive(1, Tick(1_000_000), &mut ready).expect("few launches");
        assert!(tasks.repeat_capped);
        assert_eq!(tasks.records.len(), 100);
    }
}
