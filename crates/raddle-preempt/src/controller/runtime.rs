//! What does a driver report to its controller about launches, flags and resets?

use alloc::vec::Vec;

use raddle_policy::{Idempotence, ProcessId};

use super::Controller;
use super::answers::{Heard, LaunchHandle, Report};
use super::flight::{FlightState, FlyingLaunch, LaunchFate};
use super::process::PreemptionStage;
use crate::error::PreemptError;
use crate::error::Reason;

impl<T> Controller<T> {
    /// Takes in a report about the runtime, and returns its effect.
    ///
    /// # Errors
    /// An unknown process; a launch that is not in the runtime; a report that does not fit the state
    /// of the launch or the commands that were given. After an error nothing has changed.
    #[inline]
    pub fn report(&mut self, report: Report) -> Result<Heard<T>, PreemptError> {
        match report {
            Report::Submitted(handle) => self.submitted(handle),
            Report::Started(handle) => self.started(handle),
            Report::Finished(handle) => return self.finished(handle).map(Heard::Ended),
            Report::Failed(handle) => return self.finished(handle).map(Heard::Ended),
            Report::Exited(handle) => return self.exited(handle),
            Report::Raised(process) => return self.raised(process).map(Heard::from),
            Report::Killed(handle) => self.killed(handle),
            Report::Claimed(handle) => self.claimed(handle),
            Report::Drained(process) => self.drained(process),
            Report::NotSubmitted(handle) => self.not_submitted(handle),
            Report::Judged(handle, verdict) => self.judged(handle, verdict),
        }?;
        Ok(Heard::Noted)
    }

    /// Notes that the submit call of a launch has returned. Changes nothing if the launch has ended
    /// already, as it may before its submit call returns.
    ///
    /// # Errors
    /// An unknown process; a launch that was never submitted.
    #[inline]
    fn submitted(&mut self, handle: LaunchHandle) -> Result<(), PreemptError> {
        let it = self.process_mut(handle.process)?;
        if !it.flight.acknowledge(handle, FlightState::Submitted) && handle.sequence >= it.next {
            return Err(PreemptError(Reason::NotInRuntime { handle }));
        }
        if it.is_preempted() {
            self.list(handle.process);
        }
        Ok(())
    }

    /// Puts back a launch that the runtime refused. The launch waits again in its stream, and is
    /// submitted before every later launch of the stream. A driver that has begun further submit
    /// calls of the stream must make these fail too, as their launches would overtake this one.
    ///
    /// # Errors
    /// An unknown process; a launch that is not being submitted.
    fn not_submitted(&mut self, handle: LaunchHandle) -> Result<(), PreemptError> {
        let it = self.process_mut(handle.process)?;
        let submitting = |flying: &FlyingLaunch<T>| flying.state == FlightState::Submitting;
        let Some(flying) = it.flight.remove_if(handle, submitting) else {
            return Err(PreemptError(Reason::NotInRuntime { handle }));
        };
        it.queues.put_back(flying.stream, flying.work);
        self.list(handle.process);
        Ok(())
    }

    /// Sets whether a launch may be run again, where only the launch's arguments show that. The
    /// driver reports it before the launch is submitted; it replaces the verdict given at the
    /// capture.
    ///
    /// # Errors
    /// An unknown process; a launch that is not being submitted.
    fn judged(
        &mut self,
        handle: LaunchHandle,
        idempotent: Idempotence,
    ) -> Result<(), PreemptError> {
        let flying = self.process_mut(handle.process)?.flight.get_mut(handle);
        match flying.filter(|flying| flying.state == FlightState::Submitting) {
            Some(flying) => flying.work.judge(idempotent),
            None => return Err(PreemptError(Reason::NotInRuntime { handle })),
        }
        Ok(())
    }

    /// Notes that a launch has started, or at least tests the preemption flag now.
    ///
    /// # Errors
    /// An unknown process; a launch that is not in the runtime.
    #[inline]
    fn started(&mut self, handle: LaunchHandle) -> Result<(), PreemptError> {
        let it = self.process_mut(handle.process)?;
        if !it.flight.acknowledge(handle, FlightState::Started) {
            return Err(PreemptError(Reason::NotInRuntime { handle }));
        }
        if it.is_preempted() {
            self.list(handle.process);
        }
        Ok(())
    }

    /// Removes a launch that has run to its end, and returns its payload (the host's own data). The
    /// launch is never run again (seed 001, A13).
    ///
    /// # Errors
    /// An unknown process; a launch that is not in the runtime.
    #[inline]
    fn finished(&mut self, handle: LaunchHandle) -> Result<T, PreemptError> {
        let it = self.process_mut(handle.process)?;
        let Some(flying) = it.flight.remove(handle) else {
            return Err(PreemptError(Reason::NotInRuntime { handle }));
        };
        it.queues.finished(flying.work.order);
        it.turn_over();
        it.forget_if_closed(flying.stream);
        self.list(handle.process);
        Ok(flying.work.payload)
    }

    /// Notes that a launch will certainly leave by the preemption flag (tested by each launch at
    /// its start) without having begun. So no reset kills it, and it cannot forbid a reset. A
    /// driver may report this from the command `Raise` on; when the launch has left, the driver
    /// also reports that it has exited.
    ///
    /// # Errors
    /// An unknown process; a launch that is not in the runtime, that has started, or that does not
    /// leave.
    fn claimed(&mut self, handle: LaunchHandle) -> Result<(), PreemptError> {
        let it = self.process_mut(handle.process)?;
        let Some(flying) = it.flight.get_mut(handle) else {
            return Err(PreemptError(Reason::NotInRuntime { handle }));
        };
        if flying.fate == LaunchFate::Stays || flying.state == FlightState::Started {
            return Err(PreemptError(Reason::NotTold {
                process: handle.process,
                what: "that this launch leaves before it has begun",
            }));
        }
        flying.fate = LaunchFate::Claimed;
        self.list(handle.process);
        Ok(())
    }

    /// Puts back a launch that has left by the preemption flag, so that it waits again in its
    /// stream (seed 001, A4), and returns whether the flag was raised for it. Where each workgroup
    /// tests the flag, the launch counts as killed
    /// ([`ControllerConfig::most_kills`](crate::ControllerConfig)) if it was reported as
    /// [started](Self::started).
    ///
    /// # Errors
    /// An unknown process; a launch that is not in the runtime.
    #[inline]
    fn exited(&mut self, handle: LaunchHandle) -> Result<Heard<T>, PreemptError> {
        let latched = self.declared.latched;
        let it = self.process_mut(handle.process)?;
        let Some(mut flying) = it.flight.remove(handle) else {
            return Err(PreemptError(Reason::NotInRuntime { handle }));
        };
        if !latched && flying.state == FlightState::Started {
            // A started launch may have been stopped part-way.
            flying.work.kills = flying.work.kills.saturating_add(1);
        }
        it.queues.put_back(flying.stream, flying.work);
        self.list(handle.process);
        Ok(if flying.fate == LaunchFate::Stays { Heard::Unasked } else { Heard::Left })
    }

    /// Puts back a launch that the reset killed, so that it waits again in its stream (seed 001,
    /// A4).
    ///
    /// # Errors
    /// An unknown process; a launch that is not in the runtime; one that no commanded reset may
    /// have killed.
    fn killed(&mut self, handle: LaunchHandle) -> Result<(), PreemptError> {
        if self.process(handle.process)?.flight.get(handle).is_some() && !self.is_hit(handle) {
            return Err(PreemptError(Reason::NoReset { handle }));
        }
        let it = self.process_mut(handle.process)?;
        let Some(mut flying) = it.flight.remove(handle) else {
            return Err(PreemptError(Reason::NotInRuntime { handle }));
        };
        flying.work.kills = flying.work.kills.saturating_add(1);
        it.queues.put_back(flying.stream, flying.work);
        self.list(handle.process);
        Ok(())
    }

    /// Returns whether a commanded reset, of the launch's process or another process, kills the
    /// launch if it is running.
    #[must_use]
    pub fn is_hit(&self, handle: LaunchHandle) -> bool {
        let Ok(it) = self.process(handle.process) else { return false };
        match it.flight.get(handle).map(|flying| flying.fate) {
            Some(LaunchFate::Hit) if it.stage.is_resetting() => true,
            Some(LaunchFate::Leaves | LaunchFate::Hit) => self.is_reset_commanded(it.part),
            _ => false,
        }
    }

    /// Returns the launches that a commanded reset, whose end has not been reported yet, kills if
    /// they are running; in no particular order.
    pub(crate) fn hits(&self) -> Vec<LaunchHandle> {
        // The number of processes is at most the number of ids.
        let all = (0..=u16::MAX).map(ProcessId).zip(&self.processes);
        let there = all.filter_map(|(id, it)| Some((id, it.as_ref()?)));
        let flying = there.flat_map(|(id, it)| it.flying(id).map(|(handle, _)| handle));
        flying.filter(|handle| self.is_hit(*handle)).collect()
    }

    /// Notes that the commanded reset of the process (killing of its running launches) is over, or
    /// that a hold or save of its workgroups has taken all its work off the device.
    ///
    /// # Errors
    /// An unknown process; one for which no reset, hold or save was commanded.
    fn drained(&mut self, process: ProcessId) -> Result<(), PreemptError> {
        let place = self.processes.get_mut(process.index());
        let it =
            place.and_then(Option::as_mut).ok_or(PreemptError(Reason::NoProcess { process }))?;
        match &mut it.stage {
            PreemptionStage::Resetting { over } if !*over => {
                *over = true;
                if it.is_lost {
                    self.remove(process);
                }
                self.count_resets(true, false);
            }
            PreemptionStage::Removing { over } if !*over => *over = true,
            // If a drain is over in the moment in which a switch takes its place, nothing is left
            // to save.
            PreemptionStage::Pausing if it.done.held => {
                it.stage = PreemptionStage::Removing { over: true };
            }
            _ => {
                return Err(PreemptError(Reason::NotTold {
                    process,
                    what: "to reset, hold or save",
                }));
            }
        }
        self.list(process);
        Ok(())
    }
}
