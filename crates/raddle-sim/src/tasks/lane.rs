//! Where does one process stand: which repetitions have begun, and what is issued next?

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use raddle_policy::{Tick, Ticks};

use crate::workload::ProcessPlan;

/// One process while it runs.
#[derive(Debug)]
pub(super) struct Lane {
    /// Tasks that wait for a task: positions in `children`, by task.
    child_start: Vec<u32>,
    children: Vec<u32>,
    /// By task, how many tasks of the same repetition it waits for.
    pub(super) needs: Vec<u32>,
    /// By stream, the tasks that wait for nothing in the same repetition.
    pub(super) heads: Vec<Vec<u32>>,
    /// By stream, its last task: the heads of the next repetition wait for it.
    pub(super) last: Vec<Option<u32>>,
    /// Every repetition so far.
    pub(super) repeats: Vec<Repeat>,
    /// Repetitions that have still something to issue, by when the next launch is due.
    issuing: BinaryHeap<Reverse<Issue>>,
    /// Repetitions that have issued something.
    pub(super) begun: u32,
    /// Repetitions that have ended as a whole.
    pub(super) ended: u32,
    /// When the host is visited next because it may issue something.
    pub(super) alarm: Option<Tick>,
    /// In a closed loop: the repetition whose launches the host issues.
    pub(super) issuing_now: u32,
}

/// One repetition of a profile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repeat {
    /// The id of the first launch.
    pub(super) base: u32,
    /// When the repetition began.
    pub(super) offset: Ticks,
    /// Tasks of the repetition that have not ended.
    pub(super) left: u32,
    /// How much later than recorded the peers of the repetition are.
    pub(super) late: Ticks,
    /// In a closed loop: how long the repetition waited for its host.
    pub(super) queued: Ticks,
    /// In a closed loop: the time that the host has reached.
    pub(super) host: Ticks,
    /// The recorded time of the same place.
    pub(super) recorded: Ticks,
    /// The launch that the host issues next, and the pause that comes next.
    pub(super) cursor: u32,
    pub(super) pause: u32,
    /// True if the launch at `cursor` is due already.
    pub(super) lined_up: bool,
}

impl Repeat {
    /// Returns a repetition that begins at `offset`, whose host has not begun.
    pub(super) const fn new(base: u32, offset: Ticks, left: u32) -> Self {
        let recorded = Ticks::ZERO;
        let (cursor, pause, lined_up) = (0, 0, false);
        let (late, queued) = (Ticks::ZERO, Ticks::ZERO);
        Self { base, offset, left, late, queued, host: offset, recorded, cursor, pause, lined_up }
    }
}

/// The next launch of a repetition; the earliest, then that of the earlier repetition, comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Issue {
    pub(super) at: Tick,
    pub(super) iteration: u32,
    /// Position in `by_arrival`.
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

    /// Returns the launch that the host issues next, of all repetitions that have begun.
    pub(super) fn next(&self) -> Option<Issue> {
        self.issuing.peek().map(|Reverse(issue)| *issue)
    }

    /// Passes over the launch that the host issues next.
    pub(super) fn pass(&mut self) {
        self.issuing.pop();
    }

    /// Puts the launch at `cursor` of a repetition in line; `false` where there is none.
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
