//! Which launches has each host issued, and which of them wait for nothing any more?
//!
//! Ids: each repetition of a profile takes a block of ids, one a task, in order.

use raddle_types::{LaunchId, Tick, Ticks};

use crate::plan::{ProcessPlan, Workload};
use crate::{Record, SimError};

/// A repeating process stops when its time passes this many spans of the longest profile.
const REPEAT_CAP_SPANS: u64 = 10;
/// All repetitions together hold at most this many launches beside the first ones: what is kept of
/// each takes some 80 bytes.
const REPEAT_CAP_LAUNCHES: usize = 1 << 22;

/// Where one launch stands.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    issued: bool,
    free: bool,
    ended: bool,
}

/// All launches of all processes so far.
#[derive(Debug)]
pub(crate) struct Tasks<'w> {
    workload: &'w Workload,
    lanes: Vec<Lane>,
    standing: Vec<Standing>,
    pub(crate) records: Vec<Record>,
    /// The process with the longest span, lowest first.
    longest: usize,
    pub(crate) repeat_capped: bool,
    /// The most launches, repetitions included.
    most_launches: usize,
}

/// One process while it runs.
#[derive(Debug)]
struct Lane {
    /// Tasks that wait for a task: positions in `children`, by task.
    child_start: Vec<u32>,
    children: Vec<u32>,
    /// Tasks of a stream that wait for nothing in the same repetition.
    heads: Vec<Vec<u32>>,
    /// The task of a stream that all of the next repetition waits for.
    last: Vec<Option<u32>>,
    /// The first id of each repetition.
    bases: Vec<u32>,
    /// The next one in `by_arrival`.
    cursor: usize,
    /// Repetitions of which something was issued.
    begun: u32,
    /// Tasks of the first repetition that have not ended.
    left: usize,
}

impl Lane {
    fn new(plan: &ProcessPlan) -> Self {
        let tasks = &plan.tasks;
        let mut child_start = vec![0u32; tasks.len() + 1];
        for task in tasks {
            if let Some(parent) = task.after {
                child_start[parent as usize + 1] += 1;
            }
        }
        for position in 1..child_start.len() {
            child_start[position] += child_start[position - 1];
        }
        let mut fill = child_start.clone();
        let mut children = vec![0u32; *child_start.last().unwrap_or(&0) as usize];
        let mut heads = vec![Vec::new(); plan.streams as usize];
        let mut last = vec![None; plan.streams as usize];
        for (position, task) in (0u32..).zip(tasks) {
            match task.after {
                Some(parent) => {
                    let at = &mut fill[parent as usize];
                    children[*at as usize] = position;
                    *at += 1;
                }
                None => heads[task.stream.index()].push(position),
            }
            last[task.stream.index()] = Some(position);
        }
        Self {
            child_start,
            children,
            heads,
            last,
            bases: Vec::new(),
            cursor: 0,
            begun: 0,
            left: tasks.len(),
        }
    }

    fn children_of(&self, task: u32) -> &[u32] {
        let from = self.child_start[task as usize] as usize;
        &self.children[from..self.child_start[task as usize + 1] as usize]
    }
}

impl<'w> Tasks<'w> {
    pub(crate) fn new(workload: &'w Workload) -> Result<Self, SimError> {
        let spans = workload.processes.iter().enumerate();
        let longest =
            spans.rev().max_by_key(|(_, plan)| plan.span).map_or(0, |(position, _)| position);
        let mut tasks = Self {
            workload,
            lanes: workload.processes.iter().map(Lane::new).collect(),
            standing: Vec::new(),
            records: Vec::new(),
            longest,
            repeat_capped: false,
            most_launches: REPEAT_CAP_LAUNCHES
                + workload.processes.iter().map(|plan| plan.tasks.len()).sum::<usize>(),
        };
        for process in 0..workload.processes.len() {
            tasks.begin(process)?;
        }
        Ok(tasks)
    }

    pub(crate) fn plan(&self, id: LaunchId) -> (&'w ProcessPlan, &'w crate::Task) {
        let record = &self.records[id.index()];
        let plan = &self.workload.processes[usize::from(record.process)];
        (plan, &plan.tasks[record.task as usize])
    }

    pub(crate) fn share(&self, process: u16) -> u32 {
        self.workload.processes[usize::from(process)].share
    }

    pub(crate) fn iterations(&self) -> Vec<u32> {
        self.lanes.iter().map(|lane| lane.begun).collect()
    }

    /// When a repetition of a process begins.
    fn offset(&self, process: usize, iteration: usize) -> Ticks {
        let plan = &self.workload.processes[process];
        plan.start + Ticks(plan.span.0.saturating_mul(iteration as u64))
    }

    /// Ids for one more repetition of a process.
    fn begin(&mut self, process: usize) -> Result<(), SimError> {
        let plan = &self.workload.processes[process];
        let base = self.records.len();
        let end = base + plan.tasks.len();
        if u32::try_from(end).is_err() {
            return Err(SimError::TooManyLaunches);
        }
        let lane = &mut self.lanes[process];
        let iteration = lane.bases.len() as u32;
        lane.bases.push(base as u32);
        lane.cursor = 0;
        let offset = self.offset(process, iteration as usize);
        for (task, position) in plan.tasks.iter().zip(0u32..) {
            self.records.push(Record {
                process: process as u16,
                task: position,
                iteration,
                arrival: Tick(offset.0) + task.arrival,
                ready: None,
                started: None,
                ended: None,
                refused: false,
            });
        }
        self.standing.resize(end, Standing::default());
        for (task, position) in plan.tasks.iter().zip(base..) {
            let waits_for_before = iteration > 0 && {
                let lane = &self.lanes[process];
                let last = lane.last[task.stream.index()];
                let before = lane.bases[iteration as usize - 1];
                last.is_some_and(|last| !self.standing[(before + last) as usize].ended)
            };
            self.standing[position].free = task.after.is_none() && !waits_for_before;
        }
        Ok(())
    }

    /// When the host of a process issues its next launch.
    pub(crate) fn next_arrival(&self, process: usize) -> Option<Tick> {
        let (plan, lane) = (&self.workload.processes[process], &self.lanes[process]);
        let task = *plan.by_arrival.get(lane.cursor)?;
        Some(self.records[(lane.bases.last()? + task) as usize].arrival)
    }

    /// The host issues everything that is due; what waits for nothing goes to `ready`.
    pub(crate) fn arrive(
        &mut self,
        process: usize,
        now: Tick,
        ready: &mut Vec<LaunchId>,
    ) -> Result<(), SimError> {
        while self.next_arrival(process).is_some_and(|at| at <= now) {
            let lane = &mut self.lanes[process];
            let base = *lane.bases.last().expect("next_arrival found a repetition");
            if lane.bases.len() > 1 && self.lanes[self.longest].left == 0 {
                self.lanes[process].cursor = usize::MAX;
                return Ok(());
            }
            let lane = &mut self.lanes[process];
            let id = base + self.workload.processes[process].by_arrival[lane.cursor];
            lane.begun += u32::from(lane.cursor == 0);
            lane.cursor += 1;
            let standing = &mut self.standing[id as usize];
            standing.issued = true;
            if standing.free {
                ready.push(LaunchId(id));
            }
            if lane.cursor == self.workload.processes[process].tasks.len() {
                self.again(process, now)?;
            }
        }
        Ok(())
    }

    /// A process has issued everything: it begins anew while the longest has not ended.
    fn again(&mut self, process: usize, now: Tick) -> Result<(), SimError> {
        if !self.workload.repeat || process == self.longest || self.lanes[self.longest].left == 0 {
            return Ok(());
        }
        let longest = &self.workload.processes[self.longest];
        let cap = longest.start.0.saturating_add(longest.span.0.saturating_mul(REPEAT_CAP_SPANS));
        let plan = &self.workload.processes[process];
        let next = self.offset(process, self.lanes[process].bases.len());
        // At the end of all time offsets no longer grow, so repeating would never end.
        let stands_still = next.0 <= self.offset(process, self.lanes[process].bases.len() - 1).0;
        let full = self.records.len() + plan.tasks.len() > self.most_launches;
        if now.0 > cap || stands_still || full {
            self.repeat_capped = true;
            return Ok(());
        }
        self.begin(process)
    }

    /// A launch has ended or was refused; what waited for it only goes to `ready`.
    pub(crate) fn finish(&mut self, id: LaunchId, ready: &mut Vec<LaunchId>) {
        let record = self.records[id.index()];
        self.standing[id.index()].ended = true;
        let process = usize::from(record.process);
        if record.iteration == 0 {
            self.lanes[process].left -= 1;
        }
        let lane = &self.lanes[process];
        let base = lane.bases[record.iteration as usize];
        for &child in lane.children_of(record.task) {
            release(&mut self.standing, base + child, ready);
        }
        let stream = self.workload.processes[process].tasks[record.task as usize].stream;
        let is_last = lane.last[stream.index()] == Some(record.task);
        if let (true, Some(&next)) = (is_last, lane.bases.get(record.iteration as usize + 1)) {
            for &head in &lane.heads[stream.index()] {
                release(&mut self.standing, next + head, ready);
            }
        }
    }

    /// Launches that were issued and never ended.
    pub(crate) fn unfinished(&self) -> Vec<LaunchId> {
        let stands = |standing: &Standing| standing.issued && !standing.ended;
        let ids = (0u32..).zip(&self.standing);
        ids.filter(|(_, standing)| stands(standing)).map(|(id, _)| LaunchId(id)).collect()
    }

    /// Launches that have ended, and launches begun so far.
    pub(crate) fn progress(&self) -> (usize, usize) {
        let lane = &self.lanes[self.longest.min(self.lanes.len().saturating_sub(1))];
        let total = self.workload.processes[self.longest].tasks.len();
        (total - lane.left, total)
    }
}

fn release(standing: &mut [Standing], id: u32, ready: &mut Vec<LaunchId>) {
    let standing = &mut standing[id as usize];
    standing.free = true;
    if standing.issued && !standing.ended {
        ready.push(LaunchId(id));
    }
}

#[cfg(test)]
mod tests {
    use raddle_types::{Barrier, Demand, Idempotence, Level, StreamId};

    use super::*;
    use crate::plan::{Task, Work};

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
            idempotent: Idempotence::Unknown,
            work,
        };
        let one = |span| ProcessPlan { span: Ticks(span), ..ProcessPlan::new("p", vec![task]) };
        let workload = Workload { processes: vec![one(1_000_000_000), one(1)], repeat: true };
        let mut tasks = Tasks::new(&workload).expect("two launches");
        tasks.most_launches = 100;
        let mut ready = Vec::new();
        tasks.arrive(1, Tick(1_000_000), &mut ready).expect("few launches");
        assert!(tasks.repeat_capped);
        assert_eq!(tasks.records.len(), 100);
    }
}
