//! Which repetitions of one process have begun, and which launch is issued next?

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use raddle_policy::{Tick, Ticks};

use crate::workload::ProcessPlan;

/// The repetitions of one process while it runs, and the waits between its launches, copies and
/// fills.
#[derive(Debug)]
pub(super) struct Lane {
    /// The index in `children` at which the entries of each task (launch, copy or fill) begin, by
    /// task. These entries are the tasks that wait for it.
    child_start: Vec<u32>,
    children: Vec<u32>,
    /// The number of tasks (launches, copies or fills) of the same repetition that must end before
    /// each task may start, by task.
    pub(super) needs: Vec<u32>,
    /// The first tasks (launches, copies or fills) of each stream, by stream: those that wait for
    /// no other task of the stream in the same repetition.
    pub(super) heads: Vec<Vec<u32>>,
    /// The last task (launch, copy or fill) of each stream, by stream; `None` for an empty stream.
    /// The first tasks of the stream in the next repetition wait for it.
    pub(super) last: Vec<Option<u32>>,
    /// The repetitions of the process that have begun so far.
    pub(super) repeats: Vec<Repeat>,
    /// The next launch to issue in each repetition that has launches left, the earliest first.
    issuing: BinaryHeap<Reverse<Issue>>,
    /// The number of repetitions of the process that have issued a launch.
    pub(super) begun: u32,
    /// The number of repetitions of the process in which all launches have ended.
    pub(super) ended: u32,
    /// The planned tick at which the host may issue its next launch; `None` where nothing is
    /// planned.
    pub(super) alarm: Option<Tick>,
    /// The index of the repetition whose launches the host issues now, where the host waits for the
    /// device (closed loop).
    pub(super) issuing_now: u32,
}

/// One repetition of a process's profile, once it has begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repeat {
    /// The id of the first launch of the repetition.
    pub(super) base: u32,
    /// The time of the run at which the repetition began, in ticks.
    pub(super) offset: Ticks,
    /// The number of launches, copies and fills of the repetition that have not ended.
    pub(super) left: u32,
    /// The ticks by which launches that end together with peers on other devices are later than
    /// recorded, so far in the repetition.
    pub(super) late: Ticks,
    /// The ticks for which the repetition waited until its host was free, where the host waits for
    /// the device (closed loop).
    pub(super) queued: Ticks,
    /// The time of the run that the host has reached in this repetition, where the host waits for
    /// the device (closed loop).
    pub(super) host: Ticks,
    /// The time of the recording that the host has reached in this repetition, at the time `host`
    /// of the run.
    pub(super) recorded: Ticks,
    /// The index, in the order of arrival, of the launch that the host issues next; `pause` is the
    /// index of the host's next wait for the device.
    pub(super) cursor: u32,
    pub(super) pause: u32,
    /// True if the launch at `cursor` has been put into the queue of launches to issue.
    pub(super) lined_up: bool,
}

impl Repeat {
    /// Returns a repetition of `left` launches, copies and fills that begins at `offset`, and of
    /// which none has been issued; `base` is the id of the first.
    pub(super) const fn new(base: u32, offset: Ticks, left: u32) -> Self {
        let recorded = Ticks::ZERO;
        let (cursor, pause, lined_up) = (0, 0, false);
        let (late, queued) = (Ticks::ZERO, Ticks::ZERO);
        Self { base, offset, left, late, queued, host: offset, recorded, cursor, pause, lined_up }
    }
}

/// The next launch to issue in a repetition, ordered by tick, then by repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Issue {
    pub(super) at: Tick,
    pub(super) iteration: u32,
    /// The index of the launch in `by_arrival`, the plan's list in the order of issue.
    pub(super) cursor: u32,
}

impl Lane {
    pub(super) fn new(plan: &ProcessPlan) -> Self {
        let tasks = &plan.tasks;
        let mut child_start = vec![0u32; tasks.len() + 1];
        let mut needs = vec![0u32; tasks.len()];
        let pairs = || {
            let after = (0u32..).zip(tasks).filter_map(|(task, it)| Some((it.after?, task)));
            after.chain(plan.waits.iter().map(|wait| (wait.source, wait.task)))
        };
        for (parent, task) in pairs() {
            child_start[parent as usize + 1] += 1;
            needs[task as usize] += 1;
        }
        for position in 1..child_start.len() {
            child_start[position] += child_start[position - 1];
        }
        let mut fill = child_start.clone();
        let mut children = vec![0u32; *child_start.last().unwrap_or(&0) as usize];
        let mut heads = vec![Vec::new(); plan.streams as usize];
        let mut last = vec![None; plan.streams as usize];
        for (parent, task) in pairs() {
            let at = &mut fill[parent as usize];
            children[*at as usize] = task;
            *at += 1;
        }
        for (position, task) in (0u32..).zip(tasks) {
            if task.after.is_none() {
                heads[task.stream.index()].push(position);
            }
            last[task.stream.index()] = Some(position);
        }
        Self {
            child_start,
            children,
            needs,
            heads,
            last,
            repeats: Vec::new(),
            issuing: BinaryHeap::new(),
            begun: 0,
            ended: 0,
            alarm: None,
            issuing_now: 0,
        }
    }

    pub(super) fn children_of(&self, task: u32) -> &[u32] {
        let from = self.child_start[task as usize] as usize;
        &self.children[from..self.child_start[task as usize + 1] as usize]
    }

    /// Returns the launch that the host issues next, of all repetitions that have begun; `None`
    /// where no launch is left.
    pub(super) fn next(&self) -> Option<Issue> {
        self.issuing.peek().map(|Reverse(issue)| *issue)
    }

    /// Removes the next launch from the queue of launches to issue.
    pub(super) fn pass(&mut self) {
        self.issuing.pop();
    }

    /// Puts the launch with the index `cursor` in the order of arrival, of the repetition
    /// `iteration`, into the queue of launches to issue. Returns false where the index is past the
    /// last launch.
    pub(super) fn line_up(&mut self, plan: &ProcessPlan, iteration: u32, cursor: u32) -> bool {
        let Some(&task) = plan.by_arrival.get(cursor as usize) else {
            return false;
        };
        let offset = self.repeats[iteration as usize].offset;
        let at = Tick(offset.0) + plan.tasks[task as usize].arrival;
        self.push(Issue { at, iteration, cursor });
        true
    }

    pub(super) fn push(&mut self, issue: Issue) {
        self.issuing.push(Reverse(issue));
    }
}
