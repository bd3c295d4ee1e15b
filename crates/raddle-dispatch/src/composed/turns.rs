//! Who may issue now, and by which way does the work of those who no longer may leave?
//!
//! The arbiter of preemptions asks both policies (`raddle_preempt::Arbiter`); what it wishes goes to the
//! driver.

use raddle_policy::{Actions, Preempt, Preemption, ProcessId, Tick, Turn, VictimLaunch};
use raddle_preempt::{Decided, PreemptError, ProcessPhase, Resumed, Wish, WishAnswer};

use super::{Composed, Turns};
use crate::DispatchError;
use crate::log::{LoggedAnswer, WrittenLoad};

impl Composed {
    /// Asks the turn policy if it has to be asked, and takes off the work of those revoked.
    pub(super) fn take_turns(
        &mut self,
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        if !self.turns.arbiter.is_due(now) {
            return Ok(());
        }
        let mut decided = std::mem::take(&mut self.lists.decided);
        let outcome = self.ask_whose_turn(&mut decided, now);
        let taken = outcome.and_then(|()| self.take_turn(&decided, now, actions));
        self.lists.decided = decided;
        taken
    }

    fn ask_whose_turn(&mut self, decided: &mut Decided, now: Tick) -> Result<(), DispatchError> {
        let states = &mut self.lists.states;
        states.clear();
        states.extend(self.processes.iter().filter_map(|(&id, process)| process.state(id, now)));
        let Self { processes, launches, book, .. } = self;
        let victims = |id: ProcessId, victims: &mut Vec<VictimLaunch>| {
            let submitted = processes.get(&id).into_iter().flat_map(|it| it.submitted.values());
            victims.extend(submitted.filter_map(|launch| {
                let known = launches.get(launch)?;
                Some(VictimLaunch {
                    launch: known.launch,
                    unstarted: known.undistributed() + known.waiting(),
                    resident_waves: book.resident_waves(*launch),
                    submitted: known.submitted,
                })
            }));
        };
        let policies = &mut self.policies;
        let asked: (&mut dyn Turn, &mut dyn Preempt) =
            (&mut *policies.turn.policy, &mut *policies.preempt.policy);
        let outcome = self.turns.arbiter.decide(asked, states, victims, now, decided);
        outcome.map_err(|error| match error {
            PreemptError::BrokenTurn { what } => policies.turn.broke("turn", what),
            error => error.into(),
        })
    }

    fn take_turn(
        &mut self,
        decided: &Decided,
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        let &Decided { ref wishes, ref ways, ref may_issue, until, broken } = decided;
        if let Some(law) = broken {
            self.note_broken("turn", law, now);
        }
        let load = self.policies.turn.policy.load().map(WrittenLoad::from);
        self.journal.answer(now, LoggedAnswer::Turn { may_issue: may_issue.into(), until, load });
        if let Some(until) = until {
            self.wake_at(until, now, actions);
        }
        for &(process, way) in ways {
            let how = way.map_or("never", Preemption::name);
            self.journal.answer(now, LoggedAnswer::Preempt { process, how: how.into() });
            if let Some((process, way)) = self.processes.get_mut(&process).zip(way) {
                (process.way, process.since) = (way, now);
            }
        }
        wishes.iter().try_for_each(|&wish| self.wish(wish, now))
    }

    fn wish(&mut self, wish: Wish, now: Tick) -> Result<(), DispatchError> {
        if let Wish::Resume { process: id } = wish {
            // The turn came back before the last wave of the one before had gone.
            if let Some(lost) = self.turns.lost.remove(&id) {
                self.turns.tally.left(now.since(lost));
            }
            let preempted = self.driver.controller().phase(id)? != ProcessPhase::Running;
            // It goes on at once, or when its preemption is over (A7).
            if self.driver.wish(wish)? == WishAnswer::Resumed(Resumed::Now) && preempted {
                self.note_resumed(id, now);
            }
            return Ok(());
        }
        let (Wish::Preempt { process, .. } | Wish::Pause { process }) = wish else { return Ok(()) };
        if let Some(known) = self.processes.get(&process).filter(|it| !it.submitted.is_empty()) {
            self.turns.tally.revoked += 1;
            if known.resident_waves > 0 {
                // What is resident from now on outlasts the turn.
                self.turns.lost.insert(process, now);
            }
        }
        self.driver.wish(wish)?;
        Ok(())
    }

    /// Counts processes whose last wave has ended since they lost the turn. Called at the end of a
    /// decision: within one, a process may have no resident wave before its next workgroups start.
    pub(super) fn note_overruns(&mut self, now: Tick) {
        let Turns { lost, tally, .. } = &mut self.turns;
        lost.retain(|id, since| {
            let runs = self.processes.get(id).is_some_and(|process| process.resident_waves > 0);
            if !runs {
                tally.left(now.since(*since));
            }
            runs
        });
    }
}
