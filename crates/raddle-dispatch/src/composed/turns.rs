//! Who may issue now, and by which way does the work of those who no longer may leave?

use raddle_policy::{
    Actions, LaunchId, Preemption, ProcessId, ProcessState, Tick, VictimLaunch, VictimView,
};
use raddle_preempt::{ProcessPhase, Resumed};

use super::Composed;
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
        let mut granted = std::mem::take(&mut self.lists.granted);
        revoked.clear();
        granted.clear();
        for (&id, process) in &mut self.processes {
            let may_issue = self.turns.may_issue.contains(&id);
            match (process.may_issue, may_issue) {
                (true, false) => revoked.push(id),
                (false, true) => granted.push(id),
                _ => {}
            }
            process.may_issue = may_issue;
            if may_issue {
                // The turn came back before the last wave of the one before had gone.
                if let Some(lost) = process.lost_turn.take() {
                    self.turns.tally.left(now.since(lost));
                }
            }
        }
        for &process in &revoked {
            self.revoke(process, now)?;
        }
        for &process in &granted {
            self.grant(process, now)?;
        }
        self.lists.revoked = revoked;
        self.lists.granted = granted;
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

    /// A process has the turn: it goes on, at once or when its preemption is over (A7).
    fn grant(&mut self, id: ProcessId, now: Tick) -> Result<(), DispatchError> {
        let preempted = self.controller.phase(id)? != ProcessPhase::Running;
        if self.controller.resume(id)? == Resumed::Now && preempted {
            self.note_resumed(id, now);
        }
        Ok(())
    }

    /// A process lost the turn: asks how its submitted work leaves, and lets the controller take it
    /// off. Where an earlier preemption is under way, that goes on, and the process no longer resumes
    /// at its end (A15).
    fn revoke(&mut self, id: ProcessId, now: Tick) -> Result<(), DispatchError> {
        let Some(process) = self.processes.get(&id) else { return Ok(()) };
        let under_way = self.controller.phase(id)? != ProcessPhase::Running;
        if under_way {
            // Nothing has to be in the runtime any more: that it resumes is what must be taken back.
            let _ = self.controller.preempt(id, process.way, None)?;
        }
        let Some(state) = process.state(id, now).filter(|_| !process.submitted.is_empty()) else {
            return Ok(self.controller.pause(id)?);
        };
        self.turns.tally.revoked += 1;
        if under_way {
            self.note_lost(&state, now);
            return Ok(());
        }
        let mut launches = std::mem::take(&mut self.lists.victims);
        launches.clear();
        let submitted = process.submitted.values();
        launches.extend(submitted.filter_map(|&launch| self.victim(launch)));
        let view = VictimView { process: &state, launches: &launches };
        let how = self.policies.preempt.policy.preempt(&view, now);
        self.lists.victims = launches;
        self.note_lost(&state, now);
        let name = how.map_or("never", Preemption::name);
        self.journal.answer(now, LoggedAnswer::Preempt { process: id, how: name });
        let Some(way) = how else { return Ok(self.controller.pause(id)?) };
        if let Some(process) = self.processes.get_mut(&id) {
            (process.way, process.since) = (way, now);
        }
        // Every way is declared, and nothing is under way.
        let _ = self.controller.preempt(id, way, None)?;
        Ok(())
    }

    /// What is resident from now on outlasts the turn.
    fn note_lost(&mut self, state: &ProcessState, now: Tick) {
        if state.resident_waves > 0
            && let Some(process) = self.processes.get_mut(&state.id)
        {
            process.lost_turn = Some(now);
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
}
