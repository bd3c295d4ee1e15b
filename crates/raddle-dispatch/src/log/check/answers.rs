//! Which state of the checker of decision logs does an answer change, and which rule may it break?

use raddle_policy::{CuId, LaunchId, Preemption, ProcessId};
use raddle_preempt::ResetScope;

use super::checker::{Checker, Pieces};
use super::fault::LogRule;
use super::seen::{SeenFlag, SeenLaunch, SeenPreemption, SeenStage};
use crate::answer::LoggedAnswer;

impl Checker {
    pub(super) fn answered<P: Pieces>(&mut self, answer: &LoggedAnswer<'_, P>) {
        match *answer {
            LoggedAnswer::Turn { ref may_issue, .. } => {
                self.may_issue.clear();
                self.may_issue.extend_from_slice(may_issue);
            }
            LoggedAnswer::Preempt { process, ref how } => self.preempt(process, how),
            LoggedAnswer::Submit { launch, call, .. } => self.submit(launch, call),
            LoggedAnswer::Start { launch, waves, cut, ref pieces, .. } => {
                let waves = waves.or(cut);
                if pieces.is_some() && waves.is_none_or(|(first, _)| first == 0) {
                    self.distributes(launch);
                }
                let count = waves.map(|(_, count)| u64::from(count));
                self.start(launch, count, pieces.as_ref());
            }
            LoggedAnswer::StartCopy { copy: launch } | LoggedAnswer::Assign { launch, .. } => {
                self.distributes(launch);
                self.begin(launch);
            }
            LoggedAnswer::TakeOff { launch, how } => self.take_off(launch, how),
            LoggedAnswer::Restore { launch } => self.restore(launch),
            LoggedAnswer::Refuse(ref refusal) => self.forget(refusal.launch),
            LoggedAnswer::Raise { process } => self.raise(process),
            LoggedAnswer::Lower { process } => {
                self.processes.entry(process).or_default().flag = SeenFlag::Low;
            }
            LoggedAnswer::Reset { process } => self.reset(process),
            LoggedAnswer::Drained { process, .. } => self.drained(process),
            LoggedAnswer::Wait { .. }
            | LoggedAnswer::WakeAt { .. }
            | LoggedAnswer::Broke { .. }
            | LoggedAnswer::Streams { .. }
            | LoggedAnswer::Unknown => {}
        }
    }

    fn preempt(&mut self, id: ProcessId, how: &str) {
        if how == "never" {
            return;
        }
        let holds = Preemption::ALL.into_iter().any(|way| way.name() == how && way.holds());
        let since = self.line;
        let process = self.processes.entry(id).or_default();
        if let Some(before) = process.preemption.replace(SeenPreemption { holds, since }) {
            self.fault(LogRule::PAUSE, || {
                format!("{id} is preempted, whose preemption of line {} is under way", before.since)
            });
        }
        let process = self.processes.get(&id).filter(|_| holds);
        for id in process.into_iter().flat_map(|process| process.runtime.ids()) {
            if let Some(launch) = self.launches.get_mut(id)
                && launch.stage == SeenStage::Submitted
            {
                launch.stage = SeenStage::Staying;
            }
        }
    }

    fn submit(&mut self, id: LaunchId, call: bool) {
        let buffered = |launch: &&SeenLaunch| launch.stage == SeenStage::Buffered;
        let Some(launch) = self.launches.get(id).filter(buffered) else {
            return self.fault(LogRule::ONCE, || {
                format!("{id} is submitted, which is in the runtime or has ended")
            });
        };
        let (owner, order, early) = (launch.process, launch.order, self.waits_before(launch));
        if early {
            self.fault(LogRule::ORDER, || {
                format!("{id} of {owner} is submitted before an earlier one of its stream")
            });
        }
        if !self.may_issue.contains(&owner) {
            self.fault(LogRule::TURN, || format!("{owner} submits {id} without the turn"));
        }
        let window = self.window.map_or(usize::MAX, |window| window as usize);
        let process = self.processes.entry(owner).or_default();
        let (preemption, flag) = (process.preemption, process.flag);
        process.runtime.insert(order, id);
        if process.runtime.len() > window {
            self.fault(LogRule::WINDOW, || format!("{id} of {owner} is one too many"));
        }
        if let Some(preemption) = preemption {
            self.fault(LogRule::PAUSE, || {
                let line = preemption.since;
                format!("{owner} submits {id}, and its preemption of line {line} is not over")
            });
        }
        if flag != SeenFlag::Low {
            self.fault(LogRule::FLAG, || format!("{owner} submits {id} while its flag is raised"));
        }
        if self.scope == ResetScope::Device && self.processes.values().any(|it| it.resetting) {
            self.fault(LogRule::UNITS, || format!("{id} is submitted while the device is reset"));
        }
        if let Some(launch) = self.launches.get_mut(id) {
            (launch.stage, launch.called) = (SeenStage::Submitted, call);
            self.buffers[launch.buffer].remove(launch.order);
        }
    }

    /// Checks rule 3 of logs when a launch starts, or assigns to a compute unit, a workgroup that
    /// was not assigned before: no preemption must be holding the launch.
    pub(super) fn distributes(&mut self, id: LaunchId) {
        let staying = |launch: &&SeenLaunch| launch.stage == SeenStage::Staying;
        let Some(launch) = self.launches.get(id).filter(staying) else { return };
        let owner = launch.process;
        let preemption = self.processes.get(&owner).and_then(|it| it.preemption);
        if let Some(SeenPreemption { since, .. }) = preemption {
            self.fault(LogRule::PAUSE, || {
                format!("{id} of {owner} starts, which the preemption of line {since} holds")
            });
        }
    }

    /// Records that a launch starts a workgroup or assigns one to a compute unit. Checks that the
    /// launch is ready and on the device (rule 5 of logs), and that no earlier launch of its stream
    /// waits to be submitted (rule 4).
    pub(super) fn begin(&mut self, id: LaunchId) {
        let Some(launch) = self.launches.get(id) else {
            return self.fault(LogRule::ONCE, || format!("{id} starts, which has ended"));
        };
        let runs = match launch.stage {
            SeenStage::Submitted | SeenStage::Staying => true,
            SeenStage::Leaving(how) => how.drains(),
            _ => false,
        };
        let (strange, early) = (!runs || !launch.ready, !launch.begun && self.waits_before(launch));
        if strange {
            self.fault(LogRule::ONCE, || format!("{id} starts, which is not ready on the device"));
        }
        if early {
            self.fault(LogRule::ORDER, || {
                format!("{id} begins while an earlier one of its stream waits in the buffer")
            });
        }
        if let Some(launch) = self.launches.get_mut(id) {
            launch.begun = true;
        }
    }

    fn start<P: Pieces>(&mut self, id: LaunchId, count: Option<u64>, pieces: Option<&P>) {
        self.begin(id);
        let Some((launch, pieces)) = self.launches.get_mut(id).zip(pieces) else { return };
        let each = count.unwrap_or(launch.waves);
        let mut closed = None;
        for piece in pieces.each() {
            let waves = each.saturating_mul(piece.count.into());
            let there = launch.units.entry(piece.cu).or_default();
            *there = there.saturating_add(waves);
            launch.started = launch.started.saturating_add(waves);
            closed = closed.or_else(|| Some((piece.cu, *self.closed.get(&piece.cu)?)));
        }
        let twice = launch.started > launch.whole;
        if twice {
            self.fault(LogRule::ONCE, || format!("more workgroups of {id} start than there are"));
        }
        self.is_open(id, closed);
    }

    /// Checks rule 9 of logs when a launch starts: its compute units must not be in reset, nor the
    /// whole device. `closed` is a compute unit of the start that is in reset, if any, with the
    /// process that is reset.
    pub(super) fn is_open(&mut self, id: LaunchId, closed: Option<(CuId, ProcessId)>) {
        let device = self.scope == ResetScope::Device;
        let mut processes = self.processes.iter().take_while(|_| device);
        let reset = processes.find(|(_, it)| it.resetting);
        let whole = reset.map(|(&process, _)| (CuId(0), process));
        if let Some((cu, process)) = closed.or(whole) {
            self.fault(LogRule::UNITS, || {
                format!("{id} starts on {cu}, which the reset of {process} resets")
            });
        }
    }

    fn take_off(&mut self, id: LaunchId, how: Preemption) {
        let Some(launch) = self.launches.get_mut(id).filter(|it| it.is_in_runtime()) else {
            return self.fault(LogRule::ONCE, || format!("{id} is taken off, which is not there"));
        };
        let (owner, begun, is_copy) = (launch.process, launch.begun, launch.whole == 0);
        launch.stage = SeenStage::Leaving(how);
        if how.empties() {
            // From now on the launch is among those of its stream that go first.
            self.buffers[launch.buffer].insert(launch.order, id);
        }
        if how.begins_again() {
            return self.kill(id, owner);
        }
        if begun && (how == Preemption::Flag || is_copy) {
            self.fault(LogRule::STOPPED, || format!("{id} leaves by {} and has begun", how.name()));
        }
        let process = self.processes.entry(owner).or_default();
        if how == Preemption::Flag && process.flag != SeenFlag::Visible {
            self.fault(LogRule::FLAG, || {
                format!("{id} leaves by a flag that {owner} does not see")
            });
        }
    }

    /// Records that a launch is killed, and checks that this is allowed (rules 7 and 8 of logs):
    /// its process must see its raised preemption flag, and every submitted launch of the process
    /// that does not leave by the flag must be one that may be killed. Where single streams are
    /// reset, only launches of the stream count.
    fn kill(&mut self, id: LaunchId, owner: ProcessId) {
        let most = self.most_kills;
        let stream = self.launches.get(id).map(|launch| launch.stream);
        let stream = stream.filter(|_| self.scope == ResetScope::Queue);
        let process = self.processes.entry(owner).or_default();
        let spared = process.runtime.ids().find(|&other| {
            self.launches.get(other).is_some_and(|it| {
                let spared = most.is_some_and(|most| it.kills >= most);
                stream.is_none_or(|stream| it.stream == stream)
                    && it.stage != SeenStage::Leaving(Preemption::Flag)
                    && (!it.idempotent.may_be_killed() || spared)
            })
        });
        if process.flag != SeenFlag::Visible {
            self.fault(LogRule::RESET, || format!("{id} is killed, and {owner} sees no flag"));
        }
        if let Some(spared) = spared {
            self.fault(LogRule::STOPPED, || {
                format!("{id} is killed, and {spared} of {owner} may not be")
            });
        }
        if self.scope == ResetScope::Launch {
            return;
        }
        if let Some(launch) = self.launches.get(id) {
            // The reset of another process may have killed the launch.
            let by = self.resets.unwrap_or(owner);
            self.closed.extend(launch.units.keys().map(|&cu| (cu, by)));
        }
    }

    /// Records that the preemption of a process is complete: its compute units are open to new work
    /// again. Checks that each submitted launch of the process is held, is saved, or has ended
    /// (rule 3 of logs).
    fn drained(&mut self, owner: ProcessId) {
        let process = self.processes.entry(owner).or_default();
        let holds = process.preemption.take().is_some_and(|preemption| preemption.holds);
        let held = |id: LaunchId| {
            self.launches.get(id).is_none_or(|launch| launch.stage == SeenStage::Held)
        };
        let left = process.runtime.ids().find(|&id| !(holds && held(id)));
        self.closed.retain(|_, whose| *whose != owner);
        if let Some(left) = left {
            self.fault(LogRule::PAUSE, || {
                format!("the preemption of {owner} is said to be over, and {left} is on the device")
            });
        }
    }

    fn restore(&mut self, id: LaunchId) {
        let Some(launch) = self.launches.get_mut(id) else {
            return self.fault(LogRule::ONCE, || format!("{id} is restored, which has ended"));
        };
        let (owner, early) = (launch.process, launch.stage != SeenStage::Held);
        launch.stage = SeenStage::Returning;
        let preempted = self.processes.entry(owner).or_default().preemption.is_some();
        if early || preempted {
            self.fault(LogRule::PAUSE, || {
                format!("{id} of {owner} is restored, and its preemption is not over")
            });
        }
        if !self.may_issue.contains(&owner) {
            self.fault(LogRule::TURN, || format!("{owner} restores {id} without the turn"));
        }
    }

    fn raise(&mut self, owner: ProcessId) {
        let process = self.processes.entry(owner).or_default();
        let before = std::mem::replace(&mut process.flag, SeenFlag::Raised);
        let called = |&id: &LaunchId| self.launches.get(id).is_some_and(|launch| launch.called);
        let call = process.runtime.ids().find(called);
        if before != SeenFlag::Low || process.preemption.is_none() {
            self.fault(LogRule::FLAG, || format!("the flag of {owner} is raised a second time"));
        }
        if let Some(call) = call {
            self.fault(LogRule::FLAG, || {
                format!("the flag of {owner} is raised before {call} has been submitted")
            });
        }
    }

    fn reset(&mut self, owner: ProcessId) {
        let process = self.processes.entry(owner).or_default();
        process.resetting = true;
        self.resets = Some(owner);
        let (flag, idle) = (process.flag, process.runtime.len() == 0);
        if flag != SeenFlag::Visible {
            self.fault(LogRule::RESET, || format!("{owner} is reset before its flag is visible"));
        }
        if idle {
            self.fault(LogRule::RESET, || format!("{owner} is reset and has nothing submitted"));
        }
    }
}
