//! Which state of the dispatcher does an event change?
//!
//! Every event is checked before any state changes.

use alloc::collections::btree_map::Entry;

use raddle_preempt::{CapturedWork, Driver, Report, Wish};

use raddle_policy::{
    Barrier, Event, Fact, Hint, Launch, LaunchId, Level, Piece, Preemption, ProcessId, Refusal,
    StreamId, Tick, WaveSpan,
};

use super::Composed;
use super::control::SteppedRuntime;
use super::launch::{LaunchState, Stage};
use super::process::{Process, Stream};
use crate::DispatchError;
use crate::error::DispatchReason;

impl Composed {
    pub(super) fn hear(&mut self, event: &Event<'_>, now: Tick) -> Result<(), DispatchError> {
        match *event {
            Event::ProcessJoined { process, share } => self.joined(process, share, now),
            Event::ProcessLeft { process } => self.left(process, now),
            Event::LaunchIssued { launch } => self.launch_issued(launch, now),
            Event::LaunchReady { launch } => self.launch_ready(launch, now),
            // Without a window there is no buffer in which a copy could wait.
            Event::CopyIssued { .. } | Event::CopyReady { .. } | Event::CopyEnded { .. }
                if !self.ahead =>
            {
                Ok(())
            }
            Event::CopyIssued { copy, process, stream, level, lasts } => {
                self.copy_issued(copy, (process, stream), level, lasts, now)
            }
            Event::CopyReady { copy } => self.copy_ready(copy, now),
            Event::CopyEnded { copy } => self.copy_ended(copy, now),
            Event::WavesEnded { launch, waves, pieces } => {
                self.waves_ended(launch, waves, pieces, now)
            }
            Event::TakenOff { launch, how, .. } => self.taken_off(launch, how, now),
            Event::Restored { launch } => self.restored(launch, now),
            Event::Raised { process } => self.raised(process),
            Event::ResetOver { process } => self.reset_over(process),
            Event::Hint { process, stream, hint } => self.hinted(process, stream, hint),
            Event::Woke => {
                self.allocate_stale = true;
                Ok(())
            }
            // The enum may grow; an event that is not known here changes nothing.
            _ => Ok(()),
        }
    }

    fn joined(&mut self, id: ProcessId, share: u32, now: Tick) -> Result<(), DispatchError> {
        if self.processes.contains_key(&id) {
            return Err(DispatchError(DispatchReason::DuplicateProcess(id)));
        }
        if share == 0 {
            return Err(DispatchError(DispatchReason::NoShare(id)));
        }
        let process = Process::new(share, now);
        self.driver.host(|it| it.join_as(id, Level(0)))?;
        // A new process is paused until it has the turn.
        let _ = self.driver.wish(Wish::Pause { process: id })?;
        self.turns.arbiter.joined(id);
        self.processes.insert(id, process);
        self.policies.tell(&Fact::ProcessJoined { process: id, share }, now);
        Ok(())
    }

    fn left(&mut self, id: ProcessId, now: Tick) -> Result<(), DispatchError> {
        if !self.processes.contains_key(&id) {
            return Err(DispatchError(DispatchReason::UnknownProcess(id)));
        }
        let controller = self.driver.controller();
        if controller.buffered(id)? + controller.in_flight(id)? > 0 {
            return Err(DispatchError(DispatchReason::ProcessBusy(id)));
        }
        self.driver.host(|it| it.lost(id))?;
        self.turns.arbiter.left(id);
        self.preemptions.resetting.remove(&id);
        self.preemptions.resets.remove(&id);
        self.preemptions.returning.remove(&id);
        self.turns.lost.remove(&id);
        self.processes.remove(&id);
        self.transit.lines.retain(|&(process, _), _| process != id);
        self.policies.tell(&Fact::ProcessLeft { process: id }, now);
        Ok(())
    }

    /// Stores a hint that a program gives for one of its streams, or with `stream` `None` for the
    /// whole process. The turn policy is asked again, as it may use hints.
    fn hinted(
        &mut self,
        id: ProcessId,
        stream: Option<StreamId>,
        hint: Hint,
    ) -> Result<(), DispatchError> {
        let Some(process) = self.processes.get_mut(&id) else {
            return Err(DispatchError(DispatchReason::UnknownProcess(id)));
        };
        match stream {
            None => process.hints.take(hint),
            Some(stream) => open(&mut self.driver, process, id, stream)?.hints.take(hint),
        }
        process.streams_stale = true;
        self.turns.arbiter.ask_again();
        Ok(())
    }

    /// Records a launch that was issued and is not ready, if the dispatcher has a submission
    /// window; otherwise the launch is recorded when it is ready. A launch that can never run is
    /// refused only when it is ready, so that the work that waits for it stays in order.
    fn launch_issued(&mut self, launch: Launch, now: Tick) -> Result<(), DispatchError> {
        self.check_new(&launch)?;
        if self.ahead && self.never_fits(&launch).is_none() {
            self.enter(launch, true, now)?;
        }
        Ok(())
    }

    fn launch_ready(&mut self, launch: Launch, now: Tick) -> Result<(), DispatchError> {
        if let Some(known) = self.launches.get(launch.id).filter(|known| known.waits) {
            if known.launch != launch {
                return Err(DispatchError(DispatchReason::ReadyOther(launch.id)));
            }
            self.ready(launch.id, now);
            return Ok(());
        }
        self.check_new(&launch)?;
        match self.never_fits(&launch) {
            Some(refusal) => self.refused.push(refusal),
            None => self.enter(launch, false, now)?,
        }
        Ok(())
    }

    /// Records that an issued launch or copy is ready: all work for which it waited has ended.
    pub(super) fn ready(&mut self, id: LaunchId, now: Tick) {
        let Some(known) = self.launches.get_mut(id) else { return };
        known.waits = false;
        let on_device = matches!(known.stage, Stage::OnDevice);
        self.count_runnable(id, now);
        if on_device {
            self.show(id);
        }
    }

    pub(super) fn check_new(&self, launch: &Launch) -> Result<(), DispatchError> {
        let is_refused = || self.refused.iter().any(|refusal| refusal.launch == launch.id);
        let is_gone = || self.journal.rules.is_gone(launch.id) || is_refused();
        if self.launches.contains(launch.id) || is_gone() {
            return Err(DispatchError(DispatchReason::DuplicateLaunch(launch.id)));
        }
        if !self.processes.contains_key(&launch.process) {
            return Err(DispatchError(DispatchReason::UnknownProcess(launch.process)));
        }
        Ok(())
    }

    /// Returns the refusal of a launch that can never run on this device; `None` where the launch
    /// can run.
    fn never_fits(&self, launch: &Launch) -> Option<Refusal> {
        let mut least = *launch;
        if self.cuts && launch.barrier == Barrier::No {
            least.demand.waves = launch.demand.waves.min(1);
        }
        self.units.cus().never(&least)
    }

    pub(super) fn enter(
        &mut self,
        launch: Launch,
        waits: bool,
        now: Tick,
    ) -> Result<(), DispatchError> {
        let order = self.orders;
        self.orders += 1;
        if let Some(process) = self.processes.get_mut(&launch.process) {
            let stream = open(&mut self.driver, process, launch.process, launch.stream)?.name;
            let work = match launch.is_copy() {
                true => CapturedWork::opaque(launch.id),
                false => CapturedWork::kernel(launch.id, launch.idempotent),
            };
            // The buffer has no bound, so the answer, whether the work was taken, is not needed.
            let _ = self.driver.host(|it| it.captured(launch.process, stream, work))?;
        }
        self.launches.insert(launch.id, LaunchState::new(launch, waits, order, now));
        self.count_runnable(launch.id, now);
        Ok(())
    }

    fn waves_ended(
        &mut self,
        id: LaunchId,
        waves: WaveSpan,
        pieces: &[Piece],
        now: Tick,
    ) -> Result<(), DispatchError> {
        let Some(known) = self.launches.get_mut(id) else {
            return Err(DispatchError(DispatchReason::UnknownLaunch(id)));
        };
        let launch = known.launch;
        let before = known.on_device.resident_waves();
        self.units.end(&mut known.on_device, &launch, waves, pieces)?;
        let finished = known.on_device.is_over(&launch);
        self.allocate_stale = true;
        self.count_resident(&launch, before, now);
        self.policies.tell(&Fact::Ended { launch: &launch, waves, pieces }, now);
        if finished {
            self.forget(&launch, now)?;
        }
        Ok(())
    }

    /// Removes all state of a launch that has ended, or that will never run.
    pub(super) fn forget(&mut self, launch: &Launch, now: Tick) -> Result<(), DispatchError> {
        let Some(known) = self.launches.remove(launch.id) else { return Ok(()) };
        if !launch.is_copy() {
            self.journal.rules.gone(launch.id);
        }
        if let Some(handle) = known.handle {
            self.driver.report(Report::Finished(handle))?;
        }
        self.ready.hide(known.submission);
        if let Some(process) = self.processes.get_mut(&launch.process) {
            process.held -= usize::from(matches!(known.stage, Stage::Held));
            process.left(known.submission, launch);
            if known.counts && process.lost(launch, now) {
                self.turns.arbiter.ask_again();
            }
        }
        if !launch.is_copy() {
            self.policies.tell(&Fact::LaunchEnded { launch: launch.id }, now);
        }
        self.note_removed(launch.process)
    }

    fn taken_off(&mut self, id: LaunchId, how: Preemption, now: Tick) -> Result<(), DispatchError> {
        let known = self.known(id)?;
        if !matches!(known.stage, Stage::Leaving(asked) if asked == how) {
            return Err(DispatchError(DispatchReason::NotAsked { launch: id, what: "taken off" }));
        }
        let (launch, handle) = (known.launch, known.handle);
        let before = self.resident_waves(id);
        match handle.filter(|_| how.empties()) {
            Some(handle) if how.begins_again() => {
                self.driver.report(Report::Killed(handle))?;
                if let Some(known) = self.launches.get_mut(id) {
                    self.units.kill(&mut known.on_device, &launch);
                }
                self.unsubmit(&launch, now);
            }
            Some(handle) => {
                // A launch leaves by the flag only where the controller has raised one for it.
                self.driver.report(Report::Exited(handle))?;
                self.unsubmit(&launch, now);
            }
            None if how.saves() => {
                if let Some(known) = self.launches.get_mut(id) {
                    self.units.save(&mut known.on_device, &launch);
                    known.on_device.unbind();
                }
                self.hold(id)?;
            }
            None => self.hold(id)?,
        }
        self.allocate_stale = true;
        self.count_resident(&launch, before, now);
        self.tell_of(&launch, &Fact::TakenOff { launch: &launch, how }, now);
        self.note_removed(launch.process)
    }

    /// Records that a launch is off the device after a preemption, and stays submitted.
    fn hold(&mut self, id: LaunchId) -> Result<(), DispatchError> {
        let known = self.known_mut(id)?;
        known.stage = Stage::Held;
        let process = known.launch.process;
        if let Some(process) = self.processes.get_mut(&process) {
            process.held += 1;
        }
        Ok(())
    }

    /// Puts a killed launch, or one that left by the preemption flag, back into the buffer of its
    /// process, to be submitted again. The preemption controller keeps its position in the buffer.
    fn unsubmit(&mut self, launch: &Launch, now: Tick) {
        let Some(known) = self.launches.get_mut(launch.id) else {
            return;
        };
        (known.stage, known.handle) = (Stage::Buffered, None);
        (known.claimed, known.begun) = (false, false);
        let submission = known.submission;
        if let Some(process) = self.processes.get_mut(&launch.process) {
            process.left(submission, launch);
        }
        self.count_runnable(launch.id, now);
    }

    fn restored(&mut self, id: LaunchId, now: Tick) -> Result<(), DispatchError> {
        let process = self.known(id)?.launch.process;
        let removing = self.processes.get(&process).is_some_and(|process| process.removing);
        let known = self.known_mut(id)?;
        if !matches!(known.stage, Stage::Returning) {
            return Err(DispatchError(DispatchReason::NotAsked { launch: id, what: "restored" }));
        }
        let (launch, visible, submission) = (known.launch, known.visible, known.submission);
        known.back = Some(now);
        known.leaves_soon = removing;
        if visible > now {
            // The launch was held before its packet had reached the device.
            known.stage = Stage::Travelling(visible);
            self.transit.travelling.insert((visible, submission, id));
        } else {
            known.stage = Stage::OnDevice;
        }
        self.tell_of(&launch, &Fact::Restored { launch: &launch }, now);
        self.allocate_stale = true;
        if removing {
            // The launch leaves again in the same way, and starts no further workgroup before.
            self.preemptions.late.push((now, id));
        }
        if visible <= now {
            self.show(id);
        }
        Ok(())
    }
}

/// Returns the state of a stream of a process; a new stream is first opened in the preemption
/// controller.
fn open<'p>(
    driver: &mut Driver<LaunchId, SteppedRuntime>,
    process: &'p mut Process,
    id: ProcessId,
    stream: StreamId,
) -> Result<&'p mut Stream, DispatchError> {
    Ok(match process.streams.entry(stream) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(new) => new.insert(Stream::new(driver.host(|it| it.open(id))?)),
    })
}
