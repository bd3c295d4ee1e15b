//! What does the driver report of launches, flags and resets?

use raddle_policy::{Preemption, ProcessId};

use super::Controller;
use super::answers::{Exit, LaunchHandle, NoReset, ResetScope, ResetVerdict};
use super::flight::{FlightState, FlyingLaunch};
use super::process::PreemptionStage;
use crate::error::PreemptError;

impl<T> Controller<T> {
    /// The submit call of a launch has returned. No change if the launch has ended already: it may end
    /// before the call that submitted it returns.
    ///
    /// # Errors
    /// An unknown process; a launch that was never submitted.
    #[inline]
    pub fn submitted(&mut self, handle: LaunchHandle) -> Result<(), PreemptError> {
        let it = self.process_mut(handle.process)?;
        if it.flight.acknowledge(handle, FlightState::Submitted) || handle.sequence < it.next {
            return Ok(());
        }
        Err(PreemptError::NotInRuntime { handle })
    }

    /// The runtime refused a launch: it waits again at its place, and is the next of its stream that is
    /// submitted. A driver that begins further submit calls of the stream before this one has returned
    /// must make them fail too, as they would overtake it.
    ///
    /// # Errors
    /// An unknown process; a launch that is not being submitted.
    pub fn not_submitted(&mut self, handle: LaunchHandle) -> Result<(), PreemptError> {
        let it = self.process_mut(handle.process)?;
        let submitting = |flying: &FlyingLaunch<T>| flying.state == FlightState::Submitting;
        let Some(flying) = it.flight.remove_if(handle, submitting) else {
            return Err(PreemptError::NotInRuntime { handle });
        };
        it.queues.put_back(flying.stream, flying.work);
        Ok(())
    }

    /// A launch has started, or at least tests the flag now.
    ///
    /// # Errors
    /// An unknown process; a launch that is not in the runtime.
    #[inline]
    pub fn started(&mut self, handle: LaunchHandle) -> Result<(), PreemptError> {
        let it = self.process_mut(handle.process)?;
        let known = it.flight.acknowledge(handle, FlightState::Started);
        if known { Ok(()) } else { Err(PreemptError::NotInRuntime { handle }) }
    }

    /// A launch has run to its end: its payload. It is never run again (A13).
    ///
    /// # Errors
    /// An unknown process; a launch that is not in the runtime.
    #[inline]
    pub fn finished(&mut self, handle: LaunchHandle) -> Result<T, PreemptError> {
        let it = self.process_mut(handle.process)?;
        let Some(flying) = it.flight.remove(handle) else {
            return Err(PreemptError::NotInRuntime { handle });
        };
        Ok(flying.work.payload)
    }

    /// A launch has left by the flag, and waits again at its place (A4). Where each workgroup tests the
    /// flag, it counts as killed ([`ControllerOptions::most_kills`](crate::ControllerOptions)) if it was
    /// reported as [started](Self::started).
    ///
    /// # Errors
    /// An unknown process; a launch that is not in the runtime.
    #[inline]
    pub fn exited(&mut self, handle: LaunchHandle) -> Result<Exit, PreemptError> {
        let latched = self.declared.latched;
        let it = self.process_mut(handle.process)?;
        let Some(mut flying) = it.flight.remove(handle) else {
            return Err(PreemptError::NotInRuntime { handle });
        };
        if !latched && flying.state == FlightState::Started {
            // It may have been stopped part-way.
            flying.work.kills = flying.work.kills.saturating_add(1);
        }
        it.queues.put_back(flying.stream, flying.work);
        let asked = it.cut.is_some_and(|cut| cut.holds(handle.sequence));
        Ok(if asked { Exit::Flagged } else { Exit::Unasked })
    }

    /// A launch was killed by the reset. It waits again at its place (A4).
    ///
    /// # Errors
    /// An unknown process; a launch that is not in the runtime; one that no commanded reset may have
    /// killed.
    pub fn killed(&mut self, handle: LaunchHandle) -> Result<(), PreemptError> {
        let it = self.process(handle.process)?;
        let leaves = || it.cut.is_some_and(|cut| cut.holds(handle.sequence));
        let hit = it.stage.is_resetting() || leaves() && self.everything_is_reset();
        if !hit && it.flight.get(handle).is_some() {
            return Err(PreemptError::NoReset { handle });
        }
        let it = self.process_mut(handle.process)?;
        let Some(mut flying) = it.flight.remove(handle) else {
            return Err(PreemptError::NotInRuntime { handle });
        };
        flying.work.kills = flying.work.kills.saturating_add(1);
        it.queues.put_back(flying.stream, flying.work);
        Ok(())
    }

    /// Every launch of the process that starts from now on sees the raised flag: whether a reset may
    /// follow is decided now (S3.3, A2, A11).
    ///
    /// # Errors
    /// An unknown process; one whose flag is not being raised.
    pub fn raised(&mut self, process: ProcessId) -> Result<ResetVerdict, PreemptError> {
        let it = self.process_mut(process)?;
        if it.stage != PreemptionStage::Raising {
            return Err(PreemptError::NotTold { process, what: "to raise a flag" });
        }
        it.stage = PreemptionStage::Emptying;
        if it.way != Preemption::Reset {
            return Ok(ResetVerdict::NotAsked);
        }
        if let Some(why) = self.refuses_reset(process)? {
            return Ok(ResetVerdict::NoReset(why));
        }
        self.process_mut(process)?.stage = PreemptionStage::MustReset;
        if self.declared.scope == ResetScope::Device {
            // From here on: what were submitted now would be killed without a check.
            self.resets = self.resets.saturating_add(1);
        }
        Ok(ResetVerdict::Reset)
    }

    /// Why there must be no reset.
    fn refuses_reset(&self, process: ProcessId) -> Result<Option<NoReset>, PreemptError> {
        let it = self.process(process)?;
        if it.flight.is_empty() {
            return Ok(Some(NoReset::Empty));
        }
        let own = it.refuses_reset(process, self.options);
        if own.is_some() || self.declared.scope == ResetScope::Process {
            return Ok(own);
        }
        let mut others = self.others(process);
        Ok(others.find_map(|(id, it)| it.refuses_reset(id, self.options)))
    }

    /// The reset is over, or the device has nothing of the process that is held or saved.
    ///
    /// # Errors
    /// An unknown process; one for which no reset, hold or save was commanded.
    pub fn drained(&mut self, process: ProcessId) -> Result<(), PreemptError> {
        let it = self.process_mut(process)?;
        match &mut it.stage {
            PreemptionStage::Resetting { over } if !*over => {
                *over = true;
                self.reset_is_over();
                Ok(())
            }
            PreemptionStage::Removing { over } if !*over => {
                *over = true;
                Ok(())
            }
            _ => Err(PreemptError::NotTold { process, what: "to reset, hold or save" }),
        }
    }
}
