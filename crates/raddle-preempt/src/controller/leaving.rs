//! Which launches leave by the preemption flag, and which may a reset kill (seed 001, S3.2, S3.3)?

use raddle_policy::{FlagCut, ProcessId, StreamId};

use super::Controller;
use super::answers::{LaunchHandle, NoReset, ResetVerdict};
use super::declared::{ControllerConfig, Declared, ResetScope};
use super::flight::{FlightState, FlyingLaunch, LaunchFate};
use super::process::{ControlledProcess, PreemptionStage};
use super::waiting::WaitingLaunch;
use crate::error::PreemptError;
use crate::error::Reason;
use crate::progress;

/// Returns whether a launch may be killed or stopped part-way: it may be run again, and was killed
/// fewer times than the setting `most_kills` allows.
fn may_stop<T>(work: &WaitingLaunch<T>, options: ControllerConfig) -> bool {
    work.may_be_killed() && !progress::is_spared(options.most_kills, work.kills)
}

/// Returns the reason why a reset must not hit the launch `flying`, whose handle is `handle`;
/// `None` where the reset may kill the launch or cannot reach it.
fn refuses<T>(
    handle: LaunchHandle,
    flying: &FlyingLaunch<T>,
    options: ControllerConfig,
) -> Option<NoReset> {
    match flying.fate {
        LaunchFate::Claimed => None,
        LaunchFate::Stays => Some(NoReset::NotFlagged(handle)),
        _ if !flying.work.may_be_killed() => Some(NoReset::NotIdempotent(handle)),
        _ if !may_stop(&flying.work, options) => Some(NoReset::KilledOften(handle)),
        _ => None,
    }
}

impl<T> ControlledProcess<T> {
    /// Raises the preemption flag, and decides which launches in the runtime leave by it at their
    /// start: in each stream, all behind the last launch that has to run to its end.
    pub(super) fn raise(&mut self, declared: Declared, options: ControllerConfig) {
        let Declared { latched, withdraws, .. } = declared;
        self.cut = Some(self.next);
        self.done.raised = true;
        self.flight.flag(|flying, behind| {
            if flying.work.tests_flag() {
                return latched || may_stop(&flying.work, options);
            }
            // A launch behind another one that has not ended cannot have begun, so it can be taken
            // out.
            let taken_out = withdraws && behind && flying.state != FlightState::Started;
            taken_out && !flying.work.has_peers()
        });
    }

    /// Returns the reason why a reset must not kill the process's launches in the runtime; `None`
    /// where it may. If several launches forbid the reset, the one submitted first is named.
    fn refuses_reset(&self, process: ProcessId, options: ControllerConfig) -> Option<NoReset> {
        if !self.is_leaving() {
            return Some(NoReset::OtherProcess(process));
        }
        let refusing =
            self.flying(process).filter_map(|(h, it)| Some((h.sequence, refuses(h, it, options)?)));
        refusing.min_by_key(|(sequence, _)| *sequence).map(|(_, why)| why)
    }

    /// Returns whether the process has a launch in the runtime that may have begun, so that a reset
    /// could hit it.
    fn has_target(&self) -> bool {
        self.flight.iter().any(|(_, flying)| flying.fate != LaunchFate::Claimed)
    }

    /// Returns whether a launch that the decided reset would kill is still in the runtime.
    pub(super) fn is_hit(&self) -> bool {
        self.flight.iter().any(|(_, flying)| flying.fate == LaunchFate::Hit)
    }

    /// Returns whether a reset must leave out the stream `stream`, as it could kill a launch that
    /// must not be killed.
    fn spares(&self, process: ProcessId, stream: StreamId, options: ControllerConfig) -> bool {
        let mut own = self.flying(process).filter(|(_, it)| it.stream == stream);
        own.any(|(handle, it)| refuses(handle, it, options).is_some())
    }

    /// Marks the launches that a reset kills: those that leave by the preemption flag (tested by
    /// each launch at its start) and may have begun. Where a reset kills the launches of single
    /// streams, it leaves out each stream with a launch that must not be killed. Returns whether
    /// any launch was marked.
    fn aim(&mut self, process: ProcessId, scope: ResetScope, options: ControllerConfig) -> bool {
        let mut any = false;
        for slot in 0..self.flight.slots() {
            let Some(stream) = self.flight.target(slot) else { continue };
            if scope != ResetScope::Queue || !self.spares(process, stream, options) {
                self.flight.hit(slot);
                any = true;
            }
        }
        any
    }

    /// Returns the range of a stream's submission numbers that leave by the raised preemption flag
    /// at their start. `None` where no flag is raised.
    pub(super) fn cut_of(&self, stream: StreamId) -> Option<FlagCut> {
        let to = self.cut?;
        let leaving = self.flight.iter().map(|(_, it)| it);
        let leaving = leaving.filter(|it| it.stream == stream && it.fate != LaunchFate::Stays);
        Some(FlagCut { from: leaving.map(|it| it.sequence).min().unwrap_or(to), to })
    }
}

impl<T> Controller<T> {
    /// Notes that every launch of the process that starts from now on sees the raised preemption
    /// flag. Returns whether a reset (kill) follows, or why not (seed 001, S3.3, A2, A11).
    ///
    /// # Errors
    /// An unknown process; one whose flag is not being raised.
    pub(super) fn raised(&mut self, process: ProcessId) -> Result<ResetVerdict, PreemptError> {
        let it = self.process_mut(process)?;
        if it.stage != PreemptionStage::Raising {
            return Err(PreemptError(Reason::NotTold { process, what: "to raise a flag" }));
        }
        let before = it.may_be_reset();
        it.stage = PreemptionStage::Emptying;
        let verdict =
            if it.way.begins_again() { self.decide(process)? } else { ResetVerdict::NotAsked };
        let now = self.process(process)?.may_be_reset();
        self.count_resets(before, now);
        self.list(process);
        Ok(verdict)
    }

    /// Decides whether a process is reset (its running launches are killed), once its raised
    /// preemption flag (which each launch tests at its start) is visible. If so, the reset is the
    /// next command. An unknown process is an error.
    pub(super) fn decide(&mut self, process: ProcessId) -> Result<ResetVerdict, PreemptError> {
        let (scope, options) = (self.declared.scope, self.options);
        let why = self.refuses_reset(process)?;
        let it = self.process_mut(process)?;
        match why {
            Some(why @ (NoReset::Empty | NoReset::OtherProcess(_))) => {
                return Ok(ResetVerdict::NoReset(why));
            }
            Some(why) if scope != ResetScope::Queue || !it.aim(process, scope, options) => {
                return Ok(ResetVerdict::NoReset(why));
            }
            Some(_) => {}
            None => {
                it.aim(process, scope, options);
            }
        }
        it.stage = PreemptionStage::MustReset;
        Ok(ResetVerdict::Reset)
    }

    /// Returns the reason why a reset of `process` (the killing of its running launches) must not
    /// be made now; `None` where it may. If the reset would also kill launches of other processes,
    /// these are checked too. An unknown process is an error.
    fn refuses_reset(&self, process: ProcessId) -> Result<Option<NoReset>, PreemptError> {
        let it = self.process(process)?;
        if !it.has_target() {
            return Ok(Some(NoReset::Empty));
        }
        let own = it.refuses_reset(process, self.options);
        if own.is_some() || !self.declared.scope.is_shared() {
            return Ok(own);
        }
        let mut others = self.others(process);
        Ok(others.find_map(|(id, it)| it.refuses_reset(id, self.options)))
    }
}
