//! How is carried out what the controller of preemptions says, and what does it hear?
//!
//! The controller (`raddle_preempt::Controller`, seed 001) alone decides what is submitted and when,
//! what comes back in which order, what a reset kills and when a process goes on. Here the commands of
//! its driver become actions, and what the device says becomes reports to that.

use raddle_policy::{Action, Actions, Fact, LaunchId, Preemption, ProcessId, StreamId, Tick};
use raddle_preempt::{
    Command, Declared, Heard, LaunchHandle, NoReset, Report, ResetScope, ResetVerdict, Runtime,
    Standing, SubmitCall,
};

use super::launch::Stage;
use super::lists::SubmittedLaunch;
use super::{Composed, Preemptions};
use crate::DispatchError;
use crate::answer::LoggedAnswer;
use crate::tally::RefusedReset;

/// What a device declares whose commands become actions. A dispatcher takes them one by one
/// (`Driver::step`), as it carries them out with all that it knows: nothing is called here.
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
    /// Carries out every command that there is; launches are submitted last, in their order of issue.
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

    /// What the controller submits.
    fn submission(&self, handle: LaunchHandle) -> Option<SubmittedLaunch> {
        let known = self.launches.get(self.driver.controller().payload(handle)?)?;
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
                actions.push(Action::Raise { process });
                self.journal.answer(now, LoggedAnswer::Raise { process });
            }
            Command::Lower { process } => {
                // Launches that are submitted later have numbers that no flag holds.
                self.journal.answer(now, LoggedAnswer::Lower { process });
            }
            Command::Reset { process } => self.reset(process, now, actions),
            Command::Hold { process } => self.remove(process, Preemption::Drain, now, actions)?,
            Command::Save { process } => self.remove(process, Preemption::Switch, now, actions)?,
            Command::Release { process } | Command::Restore { process } => {
                self.preemptions.returning.insert(process);
            }
            Command::Drained { process, resumed } => {
                self.drained(process, resumed, now, actions);
            }
            // Taken by the caller.
            Command::Submit { .. } => {}
        }
        Ok(())
    }

    /// Everything that a reset hits and that has begun is killed.
    fn reset(&mut self, process: ProcessId, now: Tick, actions: &mut Actions) {
        self.journal.answer(now, LoggedAnswer::Reset { process });
        let hit = |id: &LaunchId| {
            self.launches.get(id).is_some_and(|known| {
                // A launch that another reset kills already closes its compute units for that reset alone.
                !matches!(known.stage, Stage::Leaving(Preemption::Reset))
                    && known.has_started()
                    && known.handle.is_some_and(|it| self.driver.controller().is_hit(it))
            })
        };
        let submitted = self.processes.values().flat_map(|process| process.submitted.values());
        let mut killed = core::mem::take(&mut self.lists.leaving);
        killed.clear();
        killed.extend(submitted.copied().filter(hit));
        for &id in &killed {
            self.leave(id, Preemption::Reset, now, actions);
        }
        let single = self.policies.allocate.policy.reads_the_view();
        match self.driver.controller().declared().scope {
            // What is killed keeps its room until it is off, and nothing else is reset.
            ResetScope::Launch => {}
            ResetScope::Queue | ResetScope::Process if single => {
                let units = killed.iter().flat_map(|&id| self.book.units(id));
                self.preemptions.closed.extend(units.map(|cu| (process, cu)));
            }
            _ => {
                self.preemptions.resets.insert(process);
            }
        }
        self.lists.leaving = killed;
        actions.push(Action::Reset { process });
    }

    /// Everything of a process is held or saved.
    fn remove(
        &mut self,
        id: ProcessId,
        way: Preemption,
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        let Some(process) = self.processes.get_mut(&id) else { return Ok(()) };
        process.removing = true;
        let mut submitted = core::mem::take(&mut self.lists.leaving);
        submitted.clear();
        submitted.extend(process.submitted.values());
        for &launch in &submitted {
            self.leave(launch, way, now, actions);
        }
        self.lists.leaving = submitted;
        self.note_removed(id)
    }

    /// Where everything of a process is held or saved, its preemption is complete.
    pub(super) fn note_removed(&mut self, id: ProcessId) -> Result<(), DispatchError> {
        let Some(process) = self.processes.get_mut(&id).filter(|it| it.removing) else {
            return Ok(());
        };
        let off = |id: &LaunchId| {
            self.launches.get(id).is_none_or(|known| matches!(known.stage, Stage::Held(_)))
        };
        if process.submitted.values().all(off) {
            process.removing = false;
            self.driver.report(Report::Drained(id))?;
        }
        Ok(())
    }

    /// The preemption of a process is complete.
    fn drained(&mut self, process: ProcessId, resumed: bool, now: Tick, actions: &mut Actions) {
        self.journal.answer(now, LoggedAnswer::Drained { process, resumed });
        self.turns.arbiter.drained(process);
        self.reopen(process);
        if let Some(known) = self.processes.get(&process) {
            let (how, after) = (known.way, now.since(known.since));
            actions.push(Action::Drained { process, how, after });
        }
        if resumed {
            self.note_resumed(process, now);
        }
    }

    /// A process that was preempted goes on.
    pub(super) fn note_resumed(&mut self, id: ProcessId, now: Tick) {
        if let Some(process) = self.processes.get(&id) {
            self.preemptions.tally.resumed(id, now.since(process.since));
        }
    }

    /// The flag is visible: what it holds and has not begun leaves, and whether there is a reset is
    /// decided.
    pub(super) fn raised(&mut self, id: ProcessId) -> Result<(), DispatchError> {
        let process = self.processes.get(&id).ok_or(DispatchError::UnknownProcess(id))?;
        for launch in process.submitted.values() {
            let Some(known) = self.launches.get_mut(launch) else { continue };
            let leaves = known.handle.filter(|&it| self.driver.controller().leaves(it));
            if let Some(handle) = leaves.filter(|_| !known.has_started()) {
                self.driver.report(Report::Claimed(handle))?;
                known.claimed = true;
                self.ready.hide(known.submission);
                self.preemptions.exits.push(*launch);
            }
        }
        let heard = self.driver.report(Report::Raised(id))?;
        if let Heard::Verdict(ResetVerdict::NoReset(why)) = heard {
            // It leaves by the flag.
            if let Some(process) = self.processes.get_mut(&id) {
                process.way = Preemption::Flag;
            }
            self.preemptions.tally.refused(match why {
                NoReset::Empty => RefusedReset::NothingRuns,
                NoReset::NotIdempotent(handle) => {
                    let id = self.driver.controller().payload(handle);
                    let known = id.and_then(|id| self.launches.get(id));
                    match known.is_some_and(|known| known.launch.is_copy()) {
                        true => RefusedReset::CopyRuns,
                        false => RefusedReset::of(known.map(|known| known.launch.idempotent)),
                    }
                }
                NoReset::KilledOften(_) => RefusedReset::KilledOften,
                NoReset::OtherProcess(_) => RefusedReset::OtherProcess,
                // Of what the runtime has here, copies alone do not test the flag.
                _ => RefusedReset::CopyRuns,
            });
        }
        Ok(())
    }

    /// The reset of a process is over.
    pub(super) fn reset_over(&mut self, process: ProcessId) -> Result<(), DispatchError> {
        self.driver.report(Report::Drained(process))?;
        // What single streams have left over must be able to end.
        if self.driver.controller().declared().scope == ResetScope::Queue {
            self.reopen(process);
        }
        Ok(())
    }

    /// Its compute units may be used again.
    fn reopen(&mut self, process: ProcessId) {
        let Preemptions { resets, closed, .. } = &mut self.preemptions;
        let before = closed.len();
        closed.retain(|&(by, _)| by != process);
        if closed.len() < before {
            self.book.forget_freed();
        }
        self.allocate_stale |= resets.remove(&process) || closed.len() < before;
    }

    /// A launch has begun; the controller hears of the first time.
    pub(super) fn begun(&mut self, id: LaunchId) -> Result<(), DispatchError> {
        match self.launches.get_mut(&id) {
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

    /// Takes off what could not be taken off when it was asked for, as it was on its way back.
    pub(super) fn take_off_late(&mut self, now: Tick, actions: &mut Actions) {
        let mut late = core::mem::take(&mut self.preemptions.late);
        for id in late.drain(..) {
            let process = self.launches.get(&id).map(|known| known.launch.process);
            let process = process.and_then(|process| self.processes.get(&process));
            if let Some(process) = process.filter(|process| process.removing) {
                self.leave(id, process.way, now, actions);
            }
        }
        self.preemptions.late = late;
        let mut exits = core::mem::take(&mut self.preemptions.exits);
        exits.retain(|&id| {
            self.leave(id, Preemption::Flag, now, actions);
            // Once it is back on the device.
            let stage = self.launches.get(&id).map(|known| &known.stage);
            matches!(stage, Some(Stage::Held(_) | Stage::Returning))
        });
        self.preemptions.exits = exits;
    }

    /// One launch leaves, unless it is off already.
    fn leave(&mut self, id: LaunchId, way: Preemption, now: Tick, actions: &mut Actions) {
        let Some(known) = self.launches.get(&id) else { return };
        // A copy that runs is waited for.
        let runs_on = known.launch.is_copy() && known.begun;
        if runs_on || !matches!(known.stage, Stage::OnDevice | Stage::Travelling(_)) {
            return;
        }
        // A workgroup that was begun may hold LDS while no wave of it runs.
        let holds = self.book.resident_waves(id) > 0 || known.is_bound();
        let take_off = match way {
            // There is nothing to save.
            Preemption::Switch if !(known.has_started() && holds) => Preemption::Drain,
            way => way,
        };
        let launch = known.launch;
        if let Some(known) = self.launches.get_mut(&id) {
            self.ready.hide(known.submission);
            if let Stage::Travelling(at) = known.stage {
                self.transit.travelling.remove(&(at, known.submission, id));
            }
            known.stage = Stage::Leaving(take_off);
        }
        if take_off == Preemption::Drain {
            // What is bound to a compute unit holds LDS there, so it must be able to finish.
            self.show(id);
        }
        actions.push(Action::TakeOff { launch: id, how: take_off });
        self.journal.answer(now, LoggedAnswer::TakeOff { launch: id, how: take_off });
        self.tell_of(&launch, &Fact::Leaving { launch: &launch, how: take_off }, now);
    }

    /// Brings back what was held or saved of the processes that go on; what has no room yet comes
    /// later.
    pub(super) fn bring_back(&mut self, now: Tick, actions: &mut Actions) {
        let mut back = core::mem::take(&mut self.lists.back);
        back.clear();
        let is_held = |id: &LaunchId| {
            self.launches.get(id).is_some_and(|known| matches!(known.stage, Stage::Held(_)))
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
        let Some(known) = self.launches.get_mut(&id) else {
            return;
        };
        let (launch, before) = (known.launch, self.book.resident_waves(id));
        self.ready.hide(known.submission);
        if let Stage::Held(Some(lifted)) = core::mem::replace(&mut known.stage, Stage::Returning) {
            // Room is taken now, so that nothing else gets it while the restore is under way.
            if let Err(lifted) = self.book.lower(lifted) {
                known.stage = Stage::Held(Some(lifted));
                return;
            }
        }
        self.count_resident(&launch, before, now);
        actions.push(Action::Restore { launch: id });
        self.journal.answer(now, LoggedAnswer::Restore { launch: id });
        // A policy that keeps addresses must not give those away meanwhile.
        self.tell_of(&launch, &Fact::Returning { launch: &launch }, now);
    }
}
