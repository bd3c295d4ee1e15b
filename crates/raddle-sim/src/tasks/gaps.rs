//! When does a host issue work whose launch call was not recorded?

use std::collections::BTreeSet;

use raddle_policy::{LaunchId, Tick, Ticks};

use super::{Issued, Tasks};
use crate::Record;
use crate::workload::{RecordedGap, Task};

impl Tasks<'_> {
    /// Issues a launch after its recorded gap (from the end of the work for which it waits to its
    /// issue), unless the process has stopped repeating.
    pub(crate) fn issue_late(&mut self, id: LaunchId, now: Tick, told: &mut Vec<Issued>) {
        if self.stops(id, now) {
            return;
        }
        let mut issued = vec![id];
        while let Some(id) = issued.pop() {
            self.records[id.index()].arrival = now;
            self.issue(id, told);
            let Record { process, task, iteration, .. } = self.records[id.index()];
            let lane = &self.lanes[usize::from(process)];
            let base = lane.repeats[iteration as usize].base;
            for &child in lane.children_of(task) {
                let plan = &self.workload.processes[usize::from(process)].tasks[child as usize];
                let with = matches!(plan.gap, Some(RecordedGap::Device(_)));
                let standing = &mut self.standing[(base + child) as usize];
                if with && plan.after == Some(task) && std::mem::take(&mut standing.in_gap) {
                    issued.push(LaunchId(base + child));
                }
            }
        }
    }

    /// Returns whether a launch that was not issued yet will never be issued: it is in a repetition
    /// after the first, and its process has stopped repeating.
    pub(super) fn stops(&self, id: LaunchId, now: Tick) -> bool {
        let Record { process, iteration, .. } = self.records[id.index()];
        iteration > 0 && !self.goes_on(usize::from(process), now)
    }

    /// Returns whether a launch waits for work of its repetition that will never be issued, as its
    /// process has stopped repeating. This happens where a launch waits for work of another stream
    /// that is issued later.
    pub(super) fn is_cut_off(&self, id: LaunchId, now: Tick) -> bool {
        let mut seen = BTreeSet::new();
        let mut next = if self.stops(id, now) { vec![id.0] } else { Vec::new() };
        while let Some(id) = next.pop() {
            let state = &self.standing[id as usize];
            if state.ended || !seen.insert(id) {
                continue;
            }
            if !state.issued {
                return true;
            }
            let Record { process, task, iteration, .. } = self.records[id as usize];
            let base = self.lanes[usize::from(process)].repeats[iteration as usize].base;
            let waits = self.workload.processes[usize::from(process)].waits_of(task);
            next.extend(waits.iter().map(|wait| base + wait.source));
            next.extend(self.parent(id));
        }
        false
    }

    /// Returns whether a task (launch, copy or fill) is issued later than at its recorded time: a
    /// recorded gap after the end of other tasks, or together with the task before it in its
    /// stream, which has not been issued. `base` is the id of the first launch of the task's
    /// repetition.
    pub(super) fn comes_later(&self, base: u32, task: &Task) -> bool {
        match task.gap {
            Some(RecordedGap::Host(_)) => true,
            Some(RecordedGap::Device(_)) => {
                task.after.is_some_and(|after| !self.standing[(base + after) as usize].issued)
            }
            None => false,
        }
    }

    /// Begins the recorded gap of a launch if all work for which it waits has ended: the host
    /// issues the launch at the end of the gap.
    pub(super) fn begin_gap(&mut self, id: u32, now: Tick) {
        let standing = &mut self.standing[id as usize];
        // A launch that waits for another one twice is looked at twice.
        if standing.is_free() && std::mem::take(&mut standing.in_gap) {
            let gap = match self.plan(LaunchId(id)).1.gap {
                Some(RecordedGap::Host(gap) | RecordedGap::Device(gap)) => gap,
                None => Ticks::ZERO,
            };
            self.gaps.push((now + gap, LaunchId(id)));
        }
    }
}
