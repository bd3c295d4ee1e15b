//! Which launch does a host that waits for the device (closed loop) issue next, and when?
//!
//! The host issues the launches of one repetition at a time, and begins the next repetition when it
//! has issued and waited for everything of the one before. Between two launches, as much time
//! passes as was recorded.

use raddle_policy::{Tick, Ticks};

use super::Tasks;
use super::lane::Issue;

impl Tasks<'_> {
    /// Records that the host of a process, which waits for the device (closed loop), has issued a
    /// launch, and moves the host to its next launch or wait.
    pub(super) fn issued_closed(&mut self, process: usize, issue: Issue, now: Tick) {
        let plan = &self.workload.processes[process];
        let repeat = &mut self.lanes[process].repeats[issue.iteration as usize];
        let task = plan.by_arrival[issue.cursor as usize];
        repeat.cursor = issue.cursor + 1;
        repeat.lined_up = false;
        repeat.host = Ticks(now.0);
        repeat.recorded = plan.tasks[task as usize].arrival;
        self.go_on(process, now);
    }

    /// Moves the host of a process, which waits for the device (closed loop), forward to its next
    /// launch, or to a wait for work that has not ended.
    pub(super) fn go_on(&mut self, process: usize, now: Tick) {
        let plan = &self.workload.processes[process];
        let Some(pauses) = &plan.host else { return };
        loop {
            let at = self.lanes[process].issuing_now;
            let before = at.checked_sub(1).map(|at| self.lanes[process].repeats[at as usize].host);
            let Some(repeat) = self.lanes[process].repeats.get_mut(at as usize) else { return };
            if repeat.lined_up {
                return;
            }
            if repeat.cursor == 0 && repeat.pause == 0 {
                let before = before.map_or(Ticks::ZERO, |before| before + plan.think);
                repeat.host = repeat.host.max(before);
                repeat.queued = Ticks(repeat.host.0.saturating_sub(repeat.offset.0));
            }
            let repeat = *repeat;
            if let Some(pause) = pauses.before(repeat.cursor, repeat.pause) {
                let ids = pause.tasks.iter().map(|&task| (repeat.base + task) as usize);
                if !ids.clone().all(|id| self.standing[id].ended) {
                    return;
                }
                // A launch that was refused has no end.
                let ends = ids.filter_map(|id| self.records[id].ended).max();
                let begins = later(repeat.host, repeat.recorded, pause.begins);
                let returns = begins.max(Ticks(ends.unwrap_or_default().0)) + pause.tail;
                let repeat = &mut self.lanes[process].repeats[at as usize];
                repeat.host = returns;
                repeat.recorded = pause.returns;
                repeat.pause += 1;
                continue;
            }
            let Some(&task) = plan.by_arrival.get(repeat.cursor as usize) else {
                self.lanes[process].issuing_now += 1;
                continue;
            };
            let arrival = plan.tasks[task as usize].arrival;
            let due = later(repeat.host, repeat.recorded, arrival);
            let issue = Issue { at: Tick(due.0).max(now), iteration: at, cursor: repeat.cursor };
            self.lanes[process].repeats[at as usize].lined_up = true;
            self.lanes[process].push(issue);
            self.roused.push(process as u16);
        }
    }
}

/// Converts a time of the recording, `to`, to a time of the run, given that the host reached the
/// time `recorded` of the recording at the time `host` of the run.
fn later(host: Ticks, recorded: Ticks, to: Ticks) -> Ticks {
    Ticks(host.0.saturating_add(to.0).saturating_sub(recorded.0))
}
