//! How do flags, resets and the launches of lanes move on in a tick of the GPU?

use raddle_preempt::ResetScope;

use super::{Cuts, Device, Lane, Report, Running, Wrong};
use crate::control::Control;

impl<C: Control> Device<'_, C> {
    /// Stores a value to the flag of a process, which launches see from the tick `at` on.
    pub(super) fn store(&mut self, process: usize, at: u64, flag: Option<Cuts>) {
        let id = self.gpus[process].id;
        self.flags[id].soon.push_back((at, flag));
        self.see_flag(id);
    }

    /// Makes the flags that are due visible to launches, and reports a raised one to the
    /// controller.
    fn see_flag(&mut self, id: usize) {
        while self.flags[id].soon.front().is_some_and(|(at, _)| *at <= self.now) {
            let flag = self.flags[id].soon.pop_front().and_then(|(_, flag)| flag);
            self.flags[id].now = flag.clone();
            let owner = self.gpus.iter().position(|gpu| gpu.there && gpu.id == id);
            if let Some(process) = owner.filter(|_| flag.is_some())
                && std::mem::take(&mut self.gpus[process].raising)
            {
                self.control.raised(process);
                self.believes();
            }
        }
    }

    /// Asks the controller, for each launch in the runtime, whether it would accept a report of its
    /// kill.
    pub(super) fn believes(&mut self) {
        let mut there = Vec::new();
        for (process, gpu) in self.gpus.iter().enumerate().filter(|(_, gpu)| gpu.there) {
            for lane in &gpu.lanes {
                there.extend(lane.running.iter().map(|it| (process, it.sequence)));
                there.extend(lane.queue.iter().map(|it| (process, it.0)));
            }
        }
        self.history.believed.extend(self.control.believes(&there));
    }

    /// Carries out the reset of a process if it is due: kills the running launches that it hits.
    pub(super) fn hit(&mut self, process: usize) {
        if self.gpus[process].reset_at.is_none_or(|at| at > self.now) {
            return;
        }
        self.gpus[process].reset_at = None;
        let whole = self.schedule.setup.declared.scope == ResetScope::Device;
        for victim in 0..self.gpus.len() {
            if victim != process && !whole {
                continue;
            }
            for lane in 0..self.gpus[victim].lanes.len() {
                let Some(running) = self.gpus[victim].lanes[lane].running.take() else { continue };
                self.gpus[victim].lanes[lane].left = true;
                // The report of a kill comes after all earlier reports of the launch.
                self.hurry(victim, running.sequence);
                self.history.stopped(self.schedule, running.job);
                self.control.killed(victim, running.sequence);
            }
        }
        self.gpus[process].reset_until = Some(self.now + self.schedule.setup.reset);
        self.reset_over(process);
    }

    /// Delivers the report that a launch has started, if that report is still on its way.
    fn hurry(&mut self, process: usize, sequence: u64) {
        let this = |report: &Report| matches!(report, Report::Started(it) if *it == sequence);
        let found = self.reports.iter().find(|(_, (whose, it))| *whose == process && this(it));
        if let Some((&key, _)) = found {
            self.reports.remove(&key);
            self.started(process, sequence);
        }
    }

    fn reset_over(&mut self, process: usize) {
        if self.gpus[process].reset_until.take_if(|until| *until <= self.now).is_some() {
            self.control.drained(process);
            self.believes();
        }
    }

    /// Reports that held or saved work is off the device, if that is so.
    pub(super) fn removed(&mut self, process: usize) {
        let gpu = &mut self.gpus[process];
        let saved = gpu.saved_at.is_none_or(|at| at <= self.now);
        let still = |lane: &Lane| lane.running.is_none_or(|it| it.left == 0);
        if gpu.removing && saved && (gpu.still || gpu.lanes.iter().all(still)) {
            (gpu.removing, gpu.saved_at) = (false, None);
            self.control.drained(process);
        }
    }

    /// Moves the GPU on by one tick. Returns whether anything ran.
    pub(super) fn advance(&mut self) -> bool {
        let mut any = false;
        for process in 0..self.gpus.len() {
            for lane in 0..self.gpus[process].lanes.len() {
                any |= self.advance_lane(process, lane);
            }
        }
        (0..self.flags.len()).for_each(|id| self.see_flag(id));
        for process in 0..self.gpus.len() {
            self.hit(process);
            self.reset_over(process);
            self.removed(process);
        }
        any
    }

    fn advance_lane(&mut self, process: usize, lane: usize) -> bool {
        let still = self.gpus[process].still;
        let Some(running) = &mut self.gpus[process].lanes[lane].running else { return false };
        if still || running.left == 0 {
            return false;
        }
        running.left -= 1;
        if running.left > 0 {
            return true;
        }
        let it = *running;
        if it.leaves {
            self.gpus[process].lanes[lane].running = None;
            self.gpus[process].lanes[lane].left = true;
            if it.rounds_done > 0 {
                self.history.stopped(self.schedule, it.job);
            }
            self.report(process, it.sequence, Report::Exited(it.sequence));
            return true;
        }
        running.rounds_done += 1;
        self.history.round(self.schedule, it.job, it.rounds_done);
        if it.rounds_done + 1 == self.schedule.jobs[it.job].rounds() {
            self.gpus[process].lanes[lane].running = None;
            self.history.ran(it.job);
            self.history.end = self.now;
            self.report(process, it.sequence, Report::Finished(it.sequence));
        }
        true
    }

    /// Returns whether a launch leaves when it tests the flag now. Work that does not test it is
    /// taken out behind work that has left, where the runtime can do so.
    fn leaves(&self, process: usize, lane: usize, (sequence, job): (u64, usize)) -> bool {
        let own = self.flags[self.gpus[process].id].now.as_ref();
        let holds = |&(stream, from, to): &(usize, u64, u64)| {
            stream == lane && (from..to).contains(&sequence)
        };
        let flagged = match self.wrong {
            Wrong::OneFlagForAll => self.flags.iter().any(|flag| flag.now.is_some()),
            Wrong::Bit => own.is_some(),
            _ => own.is_some_and(|cuts| cuts.iter().any(holds)),
        };
        let taken_out =
            self.schedule.setup.declared.withdraws && self.gpus[process].lanes[lane].left;
        flagged && (self.schedule.jobs[job].tests_flag || taken_out)
    }

    /// Returns whether the compute units of this process are being reset.
    fn resetting(&self, process: usize) -> bool {
        let whole = self.schedule.setup.declared.scope == ResetScope::Device;
        let all = self.gpus.iter().enumerate();
        let mut mine = all.filter(|(id, _)| *id == process || whole);
        mine.any(|(_, gpu)| gpu.reset_until.is_some())
    }

    /// Starts the next launch of each free stream, and the next round of each running launch.
    /// Returns whether anything started.
    pub(super) fn start(&mut self) -> bool {
        let mut any = false;
        let each = !self.schedule.setup.declared.latched || self.wrong == Wrong::EachRoundLooks;
        for process in 0..self.gpus.len() {
            let gpu = &self.gpus[process];
            if gpu.held || gpu.still || self.resetting(process) {
                continue;
            }
            for lane in 0..self.gpus[process].lanes.len() {
                any |= self.next_round(process, lane, each);
                any |= self.next_launch(process, lane);
            }
        }
        any
    }

    fn next_round(&mut self, process: usize, lane: usize, each: bool) -> bool {
        let Some(it) = self.gpus[process].lanes[lane].running.filter(|it| it.left == 0) else {
            return false;
        };
        let looks = each && self.schedule.jobs[it.job].tests_flag;
        let leaves = looks && self.leaves(process, lane, (it.sequence, it.job));
        let left = if leaves { self.schedule.setup.exit } else { self.schedule.jobs[it.job].ticks };
        self.gpus[process].lanes[lane].running = Some(Running { left, leaves, ..it });
        true
    }

    fn next_launch(&mut self, process: usize, lane: usize) -> bool {
        let lanes = &mut self.gpus[process].lanes[lane];
        if lanes.running.is_some() {
            return false;
        }
        let Some((sequence, job)) = lanes.queue.pop_front() else { return false };
        let leaves = self.leaves(process, lane, (sequence, job));
        self.gpus[process].lanes[lane].left = leaves;
        if !leaves {
            self.history.begins(self.schedule, job, self.gpus[process].preempted);
        }
        let left = if leaves { self.schedule.setup.exit } else { self.schedule.jobs[job].ticks };
        let running = Running { sequence, job, rounds_done: 0, left, leaves };
        self.gpus[process].lanes[lane].running = Some(running);
        self.report(process, sequence, Report::Started(sequence));
        true
    }
}
