//! Who may issue now, and how does the work of those who no longer may leave?

use raddle_policy::{
    Action, Actions, Fact, LaunchId, Preemption, ProcessId, ProcessState, Tick, VictimLaunch,
    VictimView,
};

use super::Composed;
use super::launch::Stage;
use crate::DispatchError;
use crate::log::LoggedAnswer;

impl Composed {
    /// Asks the turn policy if it has to be asked, and takes off the work of those revoked.
    pub(super) fn take_turns(
        &mut self,
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        if !self.turns.stale && self.turns.until.is_none_or(|until| now < until) {
            return Ok(());
        }
        self.turns.stale = false;
        let states = &mut self.lists.states;
        states.clear();
        states.extend(self.processes.iter().filter_map(|(&id, process)| process.state(id, now)));
        self.turns.may_issue.clear();
        let until = self.policies.turn.policy.turn(states, now, &mut self.turns.may_issue);
        self.check_turn(&self.lists.states, until, now)?;
        self.turns.until = until;
        let may_issue = &self.turns.may_issue;
        self.journal.answer(now, LoggedAnswer::Turn { may_issue, until });
        if let Some(until) = until {
            self.wake_at(until, now, actions);
        }
        let mut revoked = std::mem::take(&mut self.lists.revoked);
        revoked.clear();
        for (&id, process) in &mut self.processes {
            let may_issue = self.turns.may_issue.contains(&id);
            if process.may_issue && !may_issue {
                revoked.push(id);
            }
            process.may_issue = may_issue;
            if may_issue {
                process.leaving = None;
                // The turn came back before the last wave of the one before had gone.
                if let Some(lost) = process.lost_turn.take() {
                    self.turns.tally.left(now.since(lost));
                }
            }
        }
        for &process in &revoked {
            self.revoke(process, now, actions);
        }
        self.lists.revoked = revoked;
        Ok(())
    }

    /// Laws 1 to 3 of `Turn`.
    fn check_turn(
        &self,
        states: &[ProcessState],
        until: Option<Tick>,
        now: Tick,
    ) -> Result<(), DispatchError> {
        let named = &self.turns.may_issue;
        let runnable = |id: &ProcessId| states.iter().any(|state| state.id == *id);
        let twice = (1..named.len()).any(|i| named[i..].contains(&named[i - 1]));
        let what = if twice || !named.iter().all(runnable) {
            "law 1: it names a process that is not runnable, or one twice"
        } else if named.is_empty() && !states.is_empty() {
            "law 2: processes are runnable and none may issue"
        } else if until.is_some_and(|until| until <= now) {
            "law 3: the turn ends before it begins"
        } else {
            return Ok(());
        };
        Err(self.policies.turn.broke("turn", what))
    }

    /// A process lost the turn: asks how its submitted work leaves, and takes it off.
    fn revoke(&mut self, id: ProcessId, now: Tick, actions: &mut Actions) {
        let Some(state) = self.processes.get(&id).and_then(|process| process.state(id, now)) else {
            return;
        };
        let mut launches = std::mem::take(&mut self.lists.victims);
        launches.clear();
        if let Some(process) = self.processes.get(&id) {
            launches.extend(process.submitted.values().filter_map(|&launch| self.victim(launch)));
        }
        if !launches.is_empty() {
            self.take_off(&state, &launches, now, actions);
        }
        self.lists.victims = launches;
    }

    /// Asks how these launches, all that the process has submitted, leave, and takes them off.
    fn take_off(
        &mut self,
        state: &ProcessState,
        launches: &[VictimLaunch],
        now: Tick,
        actions: &mut Actions,
    ) {
        let id = state.id;
        self.turns.tally.revoked += 1;
        if state.resident_waves > 0
            && let Some(process) = self.processes.get_mut(&id)
        {
            process.lost_turn = Some(now);
        }
        let view = VictimView { process: state, launches };
        let how = self.policies.preempt.policy.preempt(&view, now);
        self.journal.answer(
            now,
            LoggedAnswer::Preempt { process: id, how: how.map_or("never", Preemption::name) },
        );
        if let Some(process) = self.processes.get_mut(&id) {
            process.leaving = how;
        }
        let Some(how) = how else { return };
        let all_may_be_killed = launches.iter().all(|v| v.launch.idempotent.may_be_killed());
        for victim in launches {
            self.leave(victim.launch.id, how, all_may_be_killed, now, actions);
        }
    }

    /// Counts processes whose last wave has ended since they lost the turn. Called at the end of a
    /// decision: within one, a process may have no resident wave before its next workgroups start.
    pub(super) fn note_overruns(&mut self, now: Tick) {
        for process in self.processes.values_mut() {
            if process.resident_waves == 0
                && let Some(lost) = process.lost_turn.take()
            {
                self.turns.tally.left(now.since(lost));
            }
        }
    }

    fn victim(&self, id: LaunchId) -> Option<VictimLaunch> {
        let known = self.launches.get(&id)?;
        Some(VictimLaunch {
            launch: known.launch,
            unstarted: known.undistributed() + known.waiting(),
            resident_waves: self.book.resident_waves(id),
            submitted: known.submitted,
        })
    }

    /// Launches that came back after their process had lost the turn again leave as it does.
    pub(super) fn chase(&mut self, now: Tick, actions: &mut Actions) {
        let mut late = std::mem::take(&mut self.turns.late);
        for id in late.drain(..) {
            let process = self.launches.get(&id).map(|known| known.launch.process);
            let process = process.and_then(|process| self.processes.get(&process));
            let Some(process) = process.filter(|process| !process.may_issue) else { continue };
            let Some(how) = process.leaving else { continue };
            let killable = |id: &LaunchId| {
                self.launches.get(id).is_some_and(|it| it.launch.idempotent.may_be_killed())
            };
            let all_may_be_killed = process.submitted.values().all(killable);
            self.leave(id, how, all_may_be_killed, now, actions);
        }
        // Nothing comes late while a decision is made.
        self.turns.late = late;
    }

    /// One launch leaves, as the design's table says.
    fn leave(
        &mut self,
        id: LaunchId,
        how: Preemption,
        all_may_be_killed: bool,
        now: Tick,
        actions: &mut Actions,
    ) {
        let Some(known) = self.launches.get(&id) else {
            return;
        };
        // A workgroup that was begun may hold LDS while no wave of it runs.
        let holds = self.book.resident_waves(id) > 0 || known.is_bound();
        if !matches!(known.stage, Stage::OnDevice | Stage::Travelling(_)) {
            return;
        }
        let take_off = match (how, known.has_started()) {
            (Preemption::Flag | Preemption::Reset, false) => Preemption::Flag,
            (Preemption::Reset, true) if all_may_be_killed => Preemption::Reset,
            (Preemption::Drain, _) | (Preemption::Switch, false) => Preemption::Drain,
            (Preemption::Switch, true) if holds => Preemption::Switch,
            (Preemption::Switch, true) => Preemption::Drain,
            // Wait leaves it where it is; what runs under flag runs to its end.
            _ => return,
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
        self.policies.tell(&Fact::Leaving { launch: &launch, how: take_off }, now);
    }

    /// Lets the launches that were taken off go on, for every process that may issue.
    pub(super) fn bring_back(&mut self, now: Tick, actions: &mut Actions) {
        let mut back = std::mem::take(&mut self.lists.back);
        back.clear();
        for process in self.processes.values().filter(|process| process.may_issue) {
            back.extend(process.submitted.values().copied().filter(|id| {
                self.launches.get(id).is_some_and(|known| {
                    matches!(known.stage, Stage::Held(_) | Stage::Leaving(Preemption::Drain))
                })
            }));
        }
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
        if let Stage::Held(Some(lifted)) = std::mem::replace(&mut known.stage, Stage::Returning) {
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
        self.policies.tell(&Fact::Returning { launch: &launch }, now);
    }
}
