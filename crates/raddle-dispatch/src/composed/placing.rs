//! How do launches reach the device, and where do their workgroups go?

use alloc::format;

use crate::book::Asked;
use raddle_policy::{
    Action, Actions, Answer, CuId, Cus, Fact, Launch, LaunchId, Piece, Place, ProcessId, ReadyView,
    Refusal, Round, Submission, Tick, WaveSpan,
};
use raddle_preempt::Report;

use super::Composed;
use super::launch::{LaunchState, Stage};
use super::lists::SubmittedLaunch;
use crate::DispatchError;
use crate::answer::LoggedAnswer;
use crate::error::DispatchReason;

impl Composed {
    /// Adds the actions that submit launches, as the preemption controller has ordered, in their
    /// order of issue.
    pub(super) fn submit(
        &mut self,
        batch: &[SubmittedLaunch],
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        // Launches of one stream that follow each other are submitted together.
        let lane =
            |&(_, launch, _): &SubmittedLaunch| (launch.process, launch.stream, launch.is_copy());
        for launches in batch.chunk_by(|a, b| lane(a) == lane(b)) {
            if launches.iter().any(|(_, launch, _)| launch.is_copy()) {
                // Copies have no packets, and the device sees them at once.
                for copy in launches {
                    self.submit_one(copy, Submission::default(), now, now, actions)?;
                }
            } else if self.policies.path.policy.overlaps() {
                self.submit_in_line(launches, now, actions)?;
            } else {
                self.submit_together(launches, now, actions)?;
            }
        }
        Ok(())
    }

    /// Submits launches of one stream together. To submit a launch costs time; all of them can
    /// start when the sum of these times has passed.
    fn submit_together(
        &mut self,
        launches: &[SubmittedLaunch],
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        let mut vias = core::mem::take(&mut self.lists.vias);
        vias.clear();
        vias.extend(launches.iter().map(|(_, launch, _)| self.policies.path.policy.submit(launch)));
        let visible = vias.iter().fold(now, |visible, via| visible + via.cost);
        for (launch, &via) in launches.iter().zip(&vias) {
            self.submit_one(launch, via, visible, now, actions)?;
        }
        self.lists.vias = vias;
        Ok(())
    }

    /// Submits launches of one stream one after the other. To submit a launch costs time; each can
    /// start when the times of the launches before it and its own have passed.
    fn submit_in_line(
        &mut self,
        launches: &[SubmittedLaunch],
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        for submitted in launches {
            let (_, launch, _) = submitted;
            let via = self.policies.path.policy.submit(launch);
            let line = self.transit.lines.entry((launch.process, launch.stream)).or_insert(now);
            *line = now.max(*line) + via.cost;
            let visible = *line;
            self.submit_one(submitted, via, visible, now, actions)?;
        }
        Ok(())
    }

    fn submit_one(
        &mut self,
        (_, launch, handle): &SubmittedLaunch,
        via: Submission,
        visible: Tick,
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        // The call returns at once; the launch path decides how long the way to the device takes.
        self.driver.report(Report::Submitted(*handle))?;
        let submission = self.submissions;
        self.submissions += 1;
        if let Some(known) = self.launches.get_mut(launch.id) {
            known.stage = Stage::Travelling(visible);
            known.handle = Some(*handle);
            known.submission = submission;
            known.submitted = now;
            known.visible = visible;
        }
        if let Some(process) = self.processes.get_mut(&launch.process) {
            process.entered(submission, launch);
        }
        self.count_runnable(launch.id, now);
        self.transit.travelling.insert((visible, submission, launch.id));
        actions.push(Action::Submit { launch: launch.id, sequence: handle.sequence(), via });
        self.journal.answer(now, LoggedAnswer::submit(launch.id, &via));
        self.tell_of(launch, &Fact::Submitted { launch }, now);
        self.wake_at(visible, now, actions);
        Ok(())
    }

    /// Shows the allocate policy the launches that have reached the device by now.
    pub(super) fn arrive(&mut self, now: Tick) {
        while let Some(&(at, submission, id)) = self.transit.travelling.first() {
            if at > now {
                break;
            }
            self.transit.travelling.remove(&(at, submission, id));
            if let Some(known) = self.launches.get_mut(id) {
                known.stage = Stage::OnDevice;
            }
            self.show(id);
        }
    }

    /// Asks the allocate policy again and again, and carries out its answers, until it answers to
    /// wait.
    pub(super) fn place(&mut self, now: Tick, actions: &mut Actions) -> Result<(), DispatchError> {
        if !self.preemptions.resets.is_empty() || !core::mem::take(&mut self.allocate_stale) {
            return Ok(());
        }
        // The lists leave `self` while a policy fills them, and come back for the next decision.
        let mut round = core::mem::take(&mut self.lists.round);
        let outcome = self.ask_until_it_waits(&mut round, now, actions);
        self.lists.round = round;
        outcome
    }

    fn ask_until_it_waits(
        &mut self,
        round: &mut Round,
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        while !self.ready.launches().is_empty() {
            match self.ask_once(round, now, actions) {
                Ok(waits) if waits => break,
                Ok(_) => {}
                Err(DispatchError(DispatchReason::Policy { slot, policy, what })) => {
                    if !self.policies.allocate.policy.broke_law(&what) {
                        return Err(DispatchError(DispatchReason::Policy { slot, policy, what }));
                    }
                    self.note_broken(slot, &what, now);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Asks the allocate policy once, and carries out its answer. Returns whether the answer was to
    /// wait. A part of an answer that breaks a law of the trait `Allocate` changes nothing.
    fn ask_once(
        &mut self,
        round: &mut Round,
        now: Tick,
        actions: &mut Actions,
    ) -> Result<bool, DispatchError> {
        round.clear();
        let cus = open_units(self.units.cus(), &self.preemptions.closed, &mut self.lists.open);
        let view = ReadyView::new(self.ready.launches(), cus);
        match self.policies.allocate.policy.allocate_round(&view, now, round) {
            Answer::Start { launch, waves } => {
                for (launch, waves, pieces, places) in round.starts(launch, waves) {
                    self.start(launch, waves, (pieces, places), now, actions)?;
                }
            }
            Answer::Assign { launch, workgroup, cu } => {
                self.assign(launch, workgroup, cu, now, actions)?;
            }
            Answer::Never { refusal } => self.never(refusal, now, actions)?,
            Answer::Wait { retry_at: Some(at) } if at <= now => {
                let what = format!("law 9: at tick {now} it asks to be asked again at tick {at}");
                return Err(self.policies.allocate.broke("allocate", what));
            }
            Answer::Wait { retry_at } => {
                let refusals = &round.refusals;
                self.journal.answer(now, LoggedAnswer::Wait { refusals, retry_at });
                // A refused workgroup need be tried again only where something is freed from now
                // on.
                self.units.watch();
                if let Some(at) = retry_at {
                    self.wake_at(at, now, actions);
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns (launch, number in the order of submission) of a launch that the allocate policy
    /// sees; an error where the policy named a launch that it does not see.
    fn in_view(&self, id: LaunchId) -> Result<(Launch, u64), DispatchError> {
        let shown = |known: &&LaunchState| self.ready.get(known.submission, id).is_some();
        let known = self.launches.get(id).filter(shown);
        let entry = known.map(|known| (known.launch, known.submission));
        entry.ok_or_else(|| {
            self.policies.allocate.broke("allocate", format!("law 1: {id} is not in the view"))
        })
    }

    fn start(
        &mut self,
        id: LaunchId,
        waves: WaveSpan,
        (pieces, places): (&[Piece], &[Place]),
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        let (launch, submission) = self.in_view(id)?;
        let known =
            self.launches.get_mut(id).ok_or(DispatchError(DispatchReason::UnknownLaunch(id)))?;
        let before = known.on_device.resident_waves();
        let asked = Asked { launch: &launch, draining: known.draining(), waves, pieces, places };
        if let Err(fault) = self.units.start(&mut known.on_device, asked) {
            let what = format!("law {}: {fault}", fault.law());
            return Err(self.policies.allocate.broke("allocate", what));
        }
        let entry = known.entry();
        let more = known.unstarted();
        self.begun(id)?;
        if more {
            self.ready.show(submission, entry);
        } else {
            self.ready.hide(submission);
        }
        self.count_resident(&launch, before, now);
        actions.start(id, waves, pieces, places);
        self.journal.start(now, &launch, waves, pieces, places);
        self.policies.tell(&Fact::Started { launch: &launch, waves, pieces, places }, now);
        Ok(())
    }

    fn assign(
        &mut self,
        id: LaunchId,
        workgroup: u64,
        cu: CuId,
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        let (launch, submission) = self.in_view(id)?;
        let known = self.known_mut(id)?;
        let assigned = known.on_device.assign(&launch, workgroup, cu);
        let entry = known.entry();
        assigned.map_err(|fault| {
            self.policies.allocate.broke("allocate", format!("law {}: {fault}", fault.law()))
        })?;
        self.begun(id)?;
        self.ready.show(submission, entry);
        actions.push(Action::Assign { launch: id, workgroup, cu });
        self.journal.answer(now, LoggedAnswer::Assign { launch: id, workgroup, cu });
        self.policies.tell(&Fact::Assigned { launch: &launch, workgroup, cu }, now);
        Ok(())
    }

    /// Refuses a launch that the allocate policy says it will never place, although an empty
    /// compute unit has room for the launch.
    fn never(
        &mut self,
        refusal: Refusal,
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        let id = refusal.launch;
        let (launch, _) = self.in_view(id)?;
        if self.known(id)?.has_started() {
            let what = format!("{id} has started, so it cannot be refused for ever");
            return Err(self.policies.allocate.broke("allocate", what));
        }
        actions.push(Action::Refuse { refusal });
        self.journal.answer(now, LoggedAnswer::Refuse(refusal));
        self.gave_up = true;
        self.forget(&launch, now)
    }
}

/// Returns the compute units as the allocate policy sees them: while some are being reset, a copy
/// in which these have no free resources. `copy` is the memory for it.
fn open_units<'a>(
    all: &'a Cus,
    closed: &[(ProcessId, CuId)],
    copy: &'a mut Option<Cus>,
) -> &'a Cus {
    if closed.is_empty() {
        return all;
    }
    let open = copy.get_or_insert_with(|| all.clone());
    open.clone_from(all);
    closed.iter().for_each(|&(_, cu)| open.close(cu));
    open
}
