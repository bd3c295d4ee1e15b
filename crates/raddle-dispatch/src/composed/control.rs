//! How are the commands of the preemption controller carried out, and what is reported to it?
//!
//! The controller (`raddle_preempt::Controller`, seed 001) alone decides which launches are
//! submitted and when, in which order launches come back, which ones a reset kills and when a
//! process goes on. This file turns the commands of the controller's driver into actions, and the
//! events of the device into reports to that driver.

use raddle_policy::{Action, Actions, Fact, LaunchId, Preemption, ProcessId, StreamId, Tick};
use raddle_preempt::{
    Command, Declared, Heard, LaunchHandle, NoReset, Report, ResetScope, Runtime, Standing,
    SubmitCall,
};

use super::launch::Stage;
use super::lists::SubmittedLaunch;
use super::{Composed, Preemptions};
use crate::DispatchError;
use crate::answer::LoggedAnswer;
use crate::error::DispatchReason;
use crate::tally::RefusedReset;

/// A runtime for the preemption driver that only declares which preemption methods the device has.
/// The driver never calls it: the dispatcher takes each command from the driver (`Driver::step`)
/// and carries it out itself.
pub(super) struct SteppedRuntime(pub(super) Declared);

impl Runtime<LaunchId> for SteppedRuntime {
    fn declared(&self) -> Declared {
        self.0
    }

    fn submit(&mut self, _: LaunchHandle, _: StreamId, _: LaunchId) -> SubmitCall {
        SubmitCall::UnderWay
    }
}

impl Composed {
    /// Carries out all commands of the preemption driver, by adding to `actions`; launches are
    /// submitted last, in their order of issue.
    pub(super) fn control(
        &mut self,
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        let mut batch = core::mem::take(&mut self.lists.batch);
        batch.clear();
        while let Some(command) = self.driver.step() {
            if let Command::Submit { handle, .. } = command {
                batch.extend(self.submission(handle));
            } else {
                self.carry_out(command, now, actions)?;
            }
        }
        self.bring_back(now, actions);
        batch.sort_unstable_by_key(|&(order, ..)| order);
        let submitted = self.submit(&batch, now, actions);
        self.lists.batch = batch;
        submitted
    }

    /// Returns the launch that the preemption controller knows by `handle` and has ordered to
    /// submit; `None` where there is none.
    fn submission(&self, handle: LaunchHandle) -> Option<SubmittedLaunch> {
        let known = self.launches.get(*self.driver.controller().payload(handle)?)?;
        Some((known.order, known.launch, handle))
    }

    fn carry_out(
        &mut self,
        command: Command,
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        match command {
            Command::Raise { process } => {
                let controller = self.driver.controller();
                let streams = self.processes.get(&process).into_iter().flat_map(|it| &it.streams);
                let cuts = streams.filter_map(|(&stream, own)| {
                    let cut = controller.cut(process, own.name).ok().flatten()?;
                    (cut.from < cut.to).then_some((stream, cut))
                });
                actions.raise(process, cuts);
                self.journal.answer(now, LoggedAnswer::Raise { process });
            }
            Command::Lower { process } => {
                actions.push(Action::Lower { process });
                self.journal.answer(now, LoggedAnswer::Lower { process });
            }
            Command::Reset { process } => self.reset(process, now, actions),
            Command::Hold { process } | Command::Save { process } => {
                self.remove(process, now, actions)?;
            }
            Command::Release { process } | Command::Restore { process } => {
                self.preemptions.returning.insert(process);
            }
            Command::Drained { process, resumed } => {
                self.drained(process, resumed, now, actions);
            }
            // The caller, `control`, has taken submissions out.
            Command::Submit { .. } => {}
        }
        Ok(())
    }

    /// Resets a process: adds the actions that kill all running launches which a reset of it
    /// covers, such as those of the process or of the whole device.
    fn reset(&mut self, process: ProcessId, now: Tick, actions: &mut Actions) {
        self.journal.answer(now, LoggedAnswer::Reset { process });
        self.preemptions.resetting.insert(process);
        let hit = |id: &LaunchId| {
            self.launches.get(*id).is_some_and(|known| {
                // A launch that another reset kills already closes its compute units for that reset alone.
                !matches!(known.stage, Stage::Leaving(how) if how.begins_again())
                    && known.begun
                    && known.handle.is_some_and(|it| self.driver.controller().is_hit(it))
            })
        };
        let submitted = self.processes.values().flat_map(|process| process.submitted.values());
        let mut killed = core::mem::take(&mut self.lists.leaving);
        killed.clear();
        killed.extend(submitted.copied().filter(hit));
        for &id in &killed {
            self.leave(id, Preemption::Reset, now, actions);
            let Some(known) = self.launches.get(id) else { continue };
            if self.preemptions.refused.remove(&known.launch.process).is_some()
                && let Some(process) = self.processes.get_mut(&known.launch.process)
            {
                process.way = Preemption::Reset;
            }
        }
        let single = self.policies.allocate.policy.reads_the_view();
        match self.driver.controller().declared().scope {
            // Killed launches keep their room until they are off, and nothing else is reset.
            ResetScope::Launch => {}
            ResetScope::Queue | ResetScope::Process if single => {
                let units = killed.iter().filter_map(|&id| self.launches.get(id));
                let units = units.flat_map(|known| known.on_device.units(&known.launch));
                self.preemptions.closed.extend(units.map(|cu| (process, cu)));
            }
            _ => {
                self.preemptions.resets.insert(process);
            }
        }
        self.lists.leaving = killed;
        actions.push(Action::Reset { process });
    }

    /// Takes all submitted launches of a process off the device by the method of its present
    /// preemption: drain (workgroups that have not started are held back) or switch (workgroups are
    /// saved).
    fn remove(
        &mut self,
        id: ProcessId,
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        let Some(process) = self.processes.get_mut(&id) else { return Ok(()) };
        process.removing = true;
        let way = process.way;
        let mut submitted = core::mem::take(&mut self.lists.leaving);
        submitted.clear();
        submitted.extend(process.submitted.values());
        for &launch in &submitted {
            self.remove_one(launch, way, now, actions);
        }
        self.lists.leaving = submitted;
        self.note_removed(id)
    }

    /// Reports to the preemption controller that the preemption of a process is complete, if all of
    /// its submitted launches are held (drain) or saved (switch) off the device.
    pub(super) fn note_removed(&mut self, id: ProcessId) -> Result<(), DispatchError> {
        let Some(process) = self.processes.get_mut(&id).filter(|it| it.removing) else {
            return Ok(());
        };
        if process.held == process.submitted.len() {
            process.removing = false;
            self.driver.report(Report::Drained(id))?;
        }
        Ok(())
    }

    /// Records that the preemption of a process is complete, and lets work start again on compute
    /// units that were closed for its reset. If `resumed` is true, the process runs again at once.
    fn drained(&mut self, process: ProcessId, resumed: bool, now: Tick, actions: &mut Actions) {
        self.journal.answer(now, LoggedAnswer::Drained { process, resumed });
        self.turns.arbiter.drained(process);
        self.reopen(process);
        if let Some(why) = self.preemptions.refused.remove(&process) {
            self.preemptions.tally.refuse(why);
        }
        if let Some(known) = self.processes.get(&process) {
            let (how, after) = (known.way, now.since(known.since));
            actions.push(Action::Drained { process, how, after });
        }
        if resumed {
            self.note_resumed(process, now);
        }
    }

    /// Counts the time for which a process was preempted: from the loss of its turn (the right to
    /// issue launches) until `now`, when it runs again.
    pub(super) fn note_resumed(&mut self, id: ProcessId, now: Tick) {
        if let Some(process) = self.processes.get(&id) {
            self.preemptions.tally.resumed(id, now.since(process.since));
        }
    }

    /// Records that launches on the device now see the raised preemption flag of a process.
    /// Launches for which it was raised and that have not begun leave; the preemption controller
    /// decides whether running launches are reset.
    pub(super) fn raised(&mut self, id: ProcessId) -> Result<(), DispatchError> {
        let process =
            self.processes.get(&id).ok_or(DispatchError(DispatchReason::UnknownProcess(id)))?;
        for launch in process.submitted.values() {
            let Some(known) = self.launches.get_mut(*launch) else { continue };
            let leaves = known.handle.filter(|&it| self.driver.controller().leaves(it));
            if let Some(handle) = leaves.filter(|_| !known.begun) {
                self.driver.report(Report::Claimed(handle))?;
                known.claimed = true;
                self.allocate_stale |= self.ready.hide(known.submission);
                self.preemptions.exits.push(*launch);
            }
        }
        let heard = self.driver.report(Report::Raised(id))?;
        if let Heard::NoReset(why) = heard {
            // Without a reset, the work of the process leaves by the flag.
            if let Some(process) = self.processes.get_mut(&id) {
                process.way = Preemption::Flag;
            }
            let why = match why {
                NoReset::Empty => RefusedReset::NothingRuns,
                NoReset::NotIdempotent(handle) => {
                    let id = self.driver.controller().payload(handle);
                    let known = id.and_then(|id| self.launches.get(*id));
                    match known.is_some_and(|known| known.launch.is_copy()) {
                        true => RefusedReset::CopyRuns,
                        false => RefusedReset::of(known.map(|known| known.launch.idempotent)),
                    }
                }
                NoReset::KilledOften(_) => RefusedReset::KilledOften,
                NoReset::OtherProcess(_) => RefusedReset::OtherProcess,
                // In this runtime, only copies do not test the flag.
                _ => RefusedReset::CopyRuns,
            };
            self.preemptions.refused.insert(id, why);
        }
        Ok(())
    }

    /// Records that the reset of a process, which kills its running launches, is over.
    pub(super) fn reset_over(&mut self, process: ProcessId) -> Result<(), DispatchError> {
        if !self.preemptions.resetting.contains(&process) {
            return Err(DispatchError(DispatchReason::NoReset(process)));
        }
        self.driver.report(Report::Drained(process))?;
        self.preemptions.resetting.remove(&process);
        // Launches of streams that were not reset are left over, and must be able to end.
        if self.driver.controller().declared().scope == ResetScope::Queue {
            self.reopen(process);
        }
        Ok(())
    }

    /// Opens the compute units, or the whole device, that the reset of a process had closed to new
    /// work.
    fn reopen(&mut self, process: ProcessId) {
        let Preemptions { resets, closed, .. } = &mut self.preemptions;
        let before = closed.len();
        closed.retain(|&(by, _)| by != process);
        if closed.len() < before {
            self.units.forget_freed();
        }
        self.allocate_stale |= resets.remove(&process) || closed.len() < before;
    }

    /// Records that a launch has begun to run. The first time, reports it to the preemption
    /// controller.
    pub(super) fn begun(&mut self, id: LaunchId) -> Result<(), DispatchError> {
        match self.launches.get_mut(id) {
            Some(known) if !known.begun => {
                known.begun = true;
                if let Some(handle) = known.handle {
                    self.driver.report(Report::Started(handle))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes off the device the launches that could not leave when the preemption of their process
    /// began, as they were still coming back or had just come back; also the launches that leave by
    /// a raised preemption flag.
    pub(super) fn take_off_late(&mut self, now: Tick, actions: &mut Actions) {
        let mut late = core::mem::take(&mut self.preemptions.late);
        late.retain(|&(leaves, id)| {
            if leaves > now {
                self.wake_at(leaves, now, actions);
                return true;
            }
            let process = self.launches.get(id).map(|known| known.launch.process);
            let process = process.and_then(|process| self.processes.get(&process));
            if let Some(process) = process.filter(|process| process.removing) {
                self.remove_one(id, process.way, now, actions);
            }
            false
        });
        self.preemptions.late.append(&mut late);
        let mut exits = core::mem::take(&mut self.preemptions.exits);
        exits.retain(|&id| {
            self.leave(id, Preemption::Flag, now, actions);
            // A launch that is held or on its way back stays in the list until it is on the device.
            let stage = self.launches.get(id).map(|known| &known.stage);
            matches!(stage, Some(Stage::Held | Stage::Returning))
        });
        self.preemptions.exits = exits;
    }

    /// Takes a launch off the device by the method `way`, at once or later. A launch that came back
    /// in this very tick, and was also taken off in the tick of its last return, would never make
    /// progress: it stays for as long as its return took.
    fn remove_one(&mut self, id: LaunchId, way: Preemption, now: Tick, actions: &mut Actions) {
        let Some(known) = self.launches.get_mut(id) else { return };
        let Some(time) = known.stays(now) else { return self.leave(id, way, now, actions) };
        self.allocate_stale |= self.ready.hide(known.submission);
        let leaves = now + time;
        self.preemptions.late.push((leaves, id));
        self.show(id);
        self.wake_at(leaves, now, actions);
    }

    /// Adds the action that takes one launch off the device by the method `way`, unless the launch
    /// is off or leaving already.
    fn leave(&mut self, id: LaunchId, way: Preemption, now: Tick, actions: &mut Actions) {
        let Some(known) = self.launches.get(id) else { return };
        // A running copy is not taken off: it runs to its end.
        let runs_on = known.launch.is_copy() && known.begun;
        if runs_on || !matches!(known.stage, Stage::OnDevice | Stage::Travelling(_)) {
            return;
        }
        // A workgroup that was begun may hold LDS while no wave of it runs.
        let holds = known.on_device.resident_waves() > 0 || known.on_device.waiting() > 0;
        let take_off = match way {
            // A launch that holds nothing on the device has nothing to save.
            way if way.saves() && !(known.has_started() && holds) => {
                way.gentler().unwrap_or(Preemption::Drain)
            }
            way => way,
        };
        let launch = known.launch;
        if let Some(known) = self.launches.get_mut(id) {
            // A launch behind this one may start now.
            self.allocate_stale |= self.ready.hide(known.submission);
            if let Stage::Travelling(at) = known.stage {
                self.transit.travelling.remove(&(at, known.submission, id));
            }
            (known.stage, known.leaves_soon) = (Stage::Leaving(take_off), false);
        }
        if take_off.drains() {
            // Workgroups that are bound to a compute unit hold LDS there, so they must be able to
            // end.
            self.show(id);
        }
        actions.push(Action::TakeOff { launch: id, how: take_off });
        self.journal.answer(now, LoggedAnswer::TakeOff { launch: id, how: take_off });
        self.tell_of(&launch, &Fact::Leaving { launch: &launch, how: take_off }, now);
    }

    /// Brings back the launches that a preemption has held (drain) or saved (switch), of processes
    /// that may run again. A saved launch whose old places are not free is tried again at a later
    /// decision.
    pub(super) fn bring_back(&mut self, now: Tick, actions: &mut Actions) {
        let mut back = core::mem::take(&mut self.lists.back);
        back.clear();
        let is_held = |id: &LaunchId| {
            self.launches.get(*id).is_some_and(|known| matches!(known.stage, Stage::Held))
        };
        let arbiter = &self.turns.arbiter;
        self.preemptions.returning.retain(|id| {
            debug_assert!(
                arbiter.standing(*id).is_some_and(Standing::has_turn),
                "only work of processes with the turn comes back, and {id} has lost it"
            );
            let process = self.processes.get(id);
            let before = back.len();
            let submitted = process.into_iter().flat_map(|process| process.submitted.values());
            back.extend(submitted.copied().filter(is_held));
            back.len() > before
        });
        for &id in &back {
            self.bring_back_one(id, now, actions);
        }
        self.lists.back = back;
    }

    fn bring_back_one(&mut self, id: LaunchId, now: Tick, actions: &mut Actions) {
        let Some(known) = self.launches.get_mut(id) else {
            return;
        };
        let (launch, before) = (known.launch, known.on_device.resident_waves());
        known.returns = now;
        self.allocate_stale |= self.ready.hide(known.submission);
        // The room is taken now, so that no other launch gets it while the restore is under way.
        if known.on_device.is_saved() && !self.units.restore(&mut known.on_device, &launch) {
            return;
        }
        known.stage = Stage::Returning;
        if let Some(process) = self.processes.get_mut(&launch.process) {
            process.held -= 1;
        }
        self.count_resident(&launch, before, now);
        actions.push(Action::Restore { launch: id });
        self.journal.answer(now, LoggedAnswer::Restore { launch: id });
        // A policy that keeps addresses must not give the addresses of this launch away meanwhile.
        self.tell_of(&launch, &Fact::Returning { launch: &launch }, now);
    }
}
