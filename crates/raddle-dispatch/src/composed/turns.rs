//! Which processes may issue now, and in which way does the work of the other processes leave?
//!
//! The arbiter (`raddle_preempt::Arbiter`) asks the turn and the preempt policy; its wishes go to
//! the driver of the preemption controller.

use alloc::format;
use alloc::vec::Vec;

use raddle_policy::{
    Actions, Preempt, Preemption, ProcessId, StreamId, StreamState, Tick, Turn, VictimLaunch,
    VictimView,
};
use raddle_preempt::{Abilities, CaptureOrder, Decided, ProcessPhase, Standing, Wish, WishAnswer};

use super::launch::Stage;
use super::process::Process;
use super::{Composed, Turns};
use crate::DispatchError;
use crate::answer::{LoggedAnswer, WrittenLoad};

/// A preempt policy whose answers are replaced by gentler methods where the device cannot carry
/// them out.
struct Able<'p> {
    policy: &'p mut dyn Preempt,
    abilities: Abilities,
}

impl Preempt for Able<'_> {
    fn preempt(&mut self, victim: &VictimView<'_>, now: Tick) -> Option<Preemption> {
        let wanted = self.policy.preempt(victim, now);
        let mut ways = core::iter::successors(wanted, |way| way.gentler());
        ways.find(|&way| self.abilities.can(way))
    }
}

impl Composed {
    /// Asks the turn policy which processes may issue launches, if it is due to be asked, and
    /// begins to preempt the processes that lose the turn.
    pub(super) fn take_turns(
        &mut self,
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        if !self.turns.arbiter.is_due(now) {
            return Ok(());
        }
        let mut decided = core::mem::take(&mut self.lists.decided);
        let outcome = self.ask_whose_turn(&mut decided, now);
        let taken = outcome.and_then(|()| self.take_turn(&decided, now, actions));
        self.lists.decided = decided;
        taken
    }

    fn ask_whose_turn(&mut self, decided: &mut Decided, now: Tick) -> Result<(), DispatchError> {
        let states = &mut self.lists.states;
        states.clear();
        states.extend(self.processes.iter().filter_map(|(&id, process)| process.state(id, now)));
        let Self { processes, launches, .. } = self;
        let victims = |id: ProcessId, victims: &mut Vec<VictimLaunch>| {
            let process = processes.get(&id)?;
            let mut away = false;
            victims.extend(process.submitted.values().filter_map(|launch| {
                let known = launches.get(*launch)?;
                away |= matches!(known.stage, Stage::Held | Stage::Returning);
                let victim = VictimLaunch::new(known.launch, known.submitted);
                let resident_waves = known.on_device.resident_waves();
                Some(victim.with_unstarted(known.left()).with_resident_waves(resident_waves))
            }));
            away.then_some(process.way)
        };
        let policies = &mut self.policies;
        let abilities = self.driver.controller().declared().abilities;
        let mut able = Able { policy: &mut *policies.preempt.policy, abilities };
        let asked: (&mut dyn Turn, &mut dyn Preempt) = (&mut *policies.turn.policy, &mut able);
        let outcome = self.turns.arbiter.decide(asked, states, victims, now, decided);
        outcome.map_err(|error| match error.broken_law() {
            Some(law) => policies.turn.broke("turn", law),
            None => error.into(),
        })
    }

    fn take_turn(
        &mut self,
        decided: &Decided,
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        let until = decided.until();
        if let Some(law) = decided.broken() {
            self.note_broken("turn", law, now);
        }
        let load = self.policies.turn.policy.load().map(WrittenLoad::from);
        self.journal
            .answer(now, LoggedAnswer::Turn { may_issue: decided.may_issue().into(), until, load });
        if let Some(until) = until {
            self.wake_at(until, now, actions);
        }
        for &(process, way) in decided.ways() {
            let how = way.map_or("never", Preemption::name);
            self.journal.answer(now, LoggedAnswer::Preempt { process, how: how.into() });
            if let Some((process, way)) = self.processes.get_mut(&process).zip(way) {
                (process.way, process.since) = (way, now);
            }
        }
        decided.wishes().iter().try_for_each(|&wish| self.wish(wish, now))
    }

    /// Asks the turn policy, if it chooses among streams, which streams of each process that has
    /// the turn may submit launches.
    pub(super) fn choose_streams(
        &mut self,
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        if !self.by_stream {
            return Ok(());
        }
        let has_turn =
            |id: &ProcessId| self.turns.arbiter.standing(*id).is_some_and(Standing::has_turn);
        let due = |process: &Process| {
            process.streams_stale || process.streams_until.is_some_and(|until| until <= now)
        };
        let asked = self.processes.iter().filter(|(id, process)| has_turn(id) && due(process));
        let asked: Vec<ProcessId> = asked.map(|(&id, _)| id).collect();
        asked.into_iter().try_for_each(|id| self.choose_streams_of(id, now, actions))
    }

    fn choose_streams_of(
        &mut self,
        id: ProcessId,
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        let Some(process) = self.processes.get_mut(&id) else { return Ok(()) };
        (process.streams_stale, process.streams_until) = (false, None);
        let Some(state) = process.state(id, now) else { return Ok(()) };
        let states: Vec<StreamState> = process.stream_states(now).collect();
        let turn = &mut self.policies.turn;
        let mut named = Vec::new();
        let until = loop {
            named.clear();
            let until = turn.policy.streams(&state, &states, now, &mut named);
            let known = |id: &StreamId| states.iter().any(|state| state.id == *id);
            if !named.is_empty() && named.iter().all(known) && until.is_none_or(|it| it > now) {
                break until;
            }
            let law = format!("law 5: streams {named:?} of {id} until {until:?} at tick {now}");
            if !turn.policy.broke_law(&law) {
                return Err(turn.broke("turn", law));
            }
            self.journal.answer(now, LoggedAnswer::Broke { slot: "turn", law: &law });
            self.replaced.push(format!("`{}` (turn) at tick {now}: {law}", turn.name));
        };
        let may_issue = &named[..];
        self.journal.answer(now, LoggedAnswer::Streams { process: id, may_issue, until });
        process.streams_until = until;
        for (stream, known) in &mut process.streams {
            let holds = !named.contains(stream);
            if core::mem::replace(&mut known.held, holds) != holds {
                let from = CaptureOrder(0);
                self.driver.host(|it| match holds {
                    true => it.hold(id, known.name, from),
                    false => it.release(id, known.name, from),
                })?;
            }
        }
        if let Some(until) = until {
            self.wake_at(until, now, actions);
        }
        Ok(())
    }

    fn wish(&mut self, wish: Wish, now: Tick) -> Result<(), DispatchError> {
        if let Wish::Resume { process: id } = wish {
            // The streams of a process that comes back are chosen anew.
            self.processes.entry(id).and_modify(|process| process.streams_stale = true);
            // If the process still has waves of its last turn, their overrun ends here.
            if let Some(lost) = self.turns.lost.remove(&id) {
                self.turns.tally.left(now.since(lost));
            }
            let preempted = self.driver.controller().phase(id)? != ProcessPhase::Running;
            // The process goes on at once, or when its preemption is over (A7).
            if self.driver.wish(wish)? == WishAnswer::Begun && preempted {
                self.note_resumed(id, now);
            }
            return Ok(());
        }
        let (Wish::Preempt { process, .. } | Wish::Pause { process }) = wish else { return Ok(()) };
        // Work that found no room to come back returns when its process has the turn again.
        self.preemptions.returning.remove(&process);
        if let Some(known) = self.processes.get(&process).filter(|it| !it.submitted.is_empty()) {
            self.turns.tally.revoked += 1;
            if known.resident_waves > 0 {
                // Waves that are resident from now on outlast the turn.
                self.turns.lost.insert(process, now);
            }
        }
        // Abilities that the device lacks were taken out of the wish before.
        let _ = self.driver.wish(wish)?;
        Ok(())
    }

    /// Counts an overrun (time for which work outlasts its turn, the right to issue launches) for
    /// each process that lost the turn and has no wave left on the device. Must be called at the
    /// end of a decision, as within a decision a process may have no waves for a moment.
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
