//! Which issued launches is a dispatcher told of before they are ready, and in which order?
//!
//! A dispatcher that wants this is told of launches in the order of issue, and never before work
//! for which they wait. A copy does not test the preemption flag: work for which it waits in other
//! streams could leave by the flag, and a preemption would wait for both for ever. So the
//! dispatcher is told of a copy when that other work has ended, and then of work that waits for the
//! copy. Where a copy is behind a launch that will be refused, the dispatcher is told of the copy
//! when the launch is refused: that launch is in no stream of the dispatcher, so the copy would not
//! leave with it.

use raddle_policy::{Launch, LaunchId, ProcessId};

use super::{Issued, TaskState, Tasks};
use crate::workload::{TaskWait, Work};

impl Tasks<'_> {
    /// Adds a launch that was just issued to `told`, the launches of which the dispatcher is to be
    /// told, if it waits for no other work. A dispatcher that wants to know of launches in advance
    /// is also told of waiting launches, each after the launches for which it waits.
    pub(super) fn line_up(&mut self, id: u32, told: &mut Vec<Issued>) {
        let free = self.standing[id as usize].is_free();
        if free {
            told.push(Issued::free(id));
        }
        self.follow(id, told);
    }

    /// Adds an issued launch to `told`, for a dispatcher that wants to know of launches in advance.
    /// Does so only if that dispatcher knows all work for which the launch waits, or if the work
    /// has ended. Then does the same for the launches that wait for this one.
    pub(super) fn follow(&mut self, id: u32, told: &mut Vec<Issued>) {
        let TaskState { issued, in_line, .. } = self.standing[id as usize];
        if !self.looks_ahead || !issued || in_line || !self.parents_are_in_line(id) {
            return;
        }
        let mut next = vec![id];
        while let Some(id) = next.pop() {
            let is_hidden = !self.takes_copies && self.is_copy(id);
            let standing = &mut self.standing[id as usize];
            standing.in_line = true;
            // A dispatcher that takes no copies hears of work behind a copy as if that were not there.
            if !standing.is_free() && !is_hidden {
                standing.told = true;
                told.push(Issued { id: LaunchId(id), free: false });
            }
            let waits = |child: &u32| {
                let TaskState { issued, in_line, .. } = self.standing[*child as usize];
                issued && !in_line && self.parents_are_in_line(*child)
            };
            next.extend(self.children(id).filter(waits));
        }
    }

    /// Returns whether all work for which a launch waits is known to the dispatcher or has ended.
    /// Where the dispatcher starts copies itself, a copy must not wait for unfinished work of
    /// another stream.
    fn parents_are_in_line(&self, id: u32) -> bool {
        if self.standing[id as usize].is_free() {
            return true;
        }
        let in_line = |it: u32| self.standing[it as usize].in_line;
        let ended = |it: u32| self.standing[it as usize].ended;
        let record = &self.records[id as usize];
        let plan = &self.workload.processes[usize::from(record.process)];
        let lane = &self.lanes[usize::from(record.process)];
        let base = lane.repeats[record.iteration as usize].base;
        let task = &plan.tasks[record.task as usize];
        let is_copy = self.takes_copies && matches!(task.work, Work::Copy { .. });
        let is_there = |wait: &TaskWait| {
            let elsewhere = plan.tasks[wait.source as usize].stream != task.stream;
            let source = base + wait.source;
            if is_copy && elsewhere { ended(source) } else { in_line(source) }
        };
        let behind = |it: u32| match is_copy && self.may_be_refused(it) {
            true => ended(it),
            false => in_line(it),
        };
        self.parent(id).is_none_or(behind) && plan.waits_of(record.task).iter().all(is_there)
    }

    fn is_copy(&self, id: u32) -> bool {
        matches!(self.plan(LaunchId(id)).1.work, Work::Copy { .. })
    }

    /// Returns whether a workgroup of a launch does not fit on an empty compute unit, so that the
    /// dispatcher will refuse the launch.
    fn may_be_refused(&self, id: u32) -> bool {
        match self.plan(LaunchId(id)).1.work {
            Work::Kernel { workgroups, demand, .. } => {
                let launch = Launch::new(LaunchId(id), ProcessId(0), workgroups, demand);
                self.empty.never(&launch).is_some()
            }
            Work::Unfit { .. } => true,
            _ => false,
        }
    }

    /// Returns the launch that must end before this launch in its stream: one of its own
    /// repetition, or the last of the repetition before; `None` where there is none.
    pub(super) fn parent(&self, id: u32) -> Option<u32> {
        let record = &self.records[id as usize];
        let (plan, lane) = (
            &self.workload.processes[usize::from(record.process)],
            &self.lanes[usize::from(record.process)],
        );
        let task = &plan.tasks[record.task as usize];
        let iteration = record.iteration as usize;
        match task.after {
            Some(after) => Some(lane.repeats[iteration].base + after),
            None => {
                let before = lane.repeats.get(iteration.checked_sub(1)?)?;
                Some(before.base + lane.last[task.stream.index()]?)
            }
        }
    }

    /// Returns the launches that wait for a launch: in its own repetition, and in the next
    /// repetition if that has begun.
    fn children(&self, id: u32) -> impl Iterator<Item = u32> {
        let record = &self.records[id as usize];
        let (plan, lane) = (
            &self.workload.processes[usize::from(record.process)],
            &self.lanes[usize::from(record.process)],
        );
        let base = lane.repeats[record.iteration as usize].base;
        let stream = plan.tasks[record.task as usize].stream.index();
        let next = lane.repeats.get(record.iteration as usize + 1);
        let next = next.filter(|_| lane.last[stream] == Some(record.task));
        let heads = next
            .into_iter()
            .flat_map(move |next| lane.heads[stream].iter().map(|head| next.base + head));
        lane.children_of(record.task).iter().map(move |child| base + child).chain(heads)
    }

    /// Records that the dispatcher is told of a launch that waits only for its launch latency.
    /// Returns whether it must be told now, as it wants to know of launches in advance and has not
    /// heard of this one.
    pub(crate) fn lines_up(&mut self, id: LaunchId) -> bool {
        let Some(standing) = self.standing.get_mut(id.index()) else { return false };
        let told = std::mem::replace(&mut standing.told, true);
        self.looks_ahead && !told && (self.takes_copies || !self.is_copy(id.0))
    }

    /// Returns whether the dispatcher itself submits and starts copies.
    pub(crate) const fn takes_copies(&self) -> bool {
        self.takes_copies
    }

    /// Returns whether the dispatcher may have been told of a launch: it was told in advance, or no
    /// work for which it waits is left.
    pub(crate) fn is_told(&self, id: LaunchId) -> bool {
        self.standing.get(id.index()).is_some_and(|it| it.in_line || it.is_free())
    }
}
