//! What does the runtime report of launches, flags and resets?

use raddle_policy::{Preemption, ProcessId};

use super::answers::{Exit, Handle, NoReset, Verdict};
use super::flight::{Flying, State};
use super::process::Stage;
use super::{Controller, Error, Scope};

impl<T> Controller<T> {
    /// The submit call of a launch has returned. Said of one that has ended already, it changes
    /// nothing: a launch may end before the call that submitted it returns.
    ///
    /// # Errors
    /// An unknown process; a launch that was never submitted.
    #[inline]
    pub fn submitted(&mut self, handle: Handle) -> Result<(), Error> {
        let it = self.process_mut(handle.process)?;
        if it.flight.acknowledge(handle, State::Submitted) || handle.sequence < it.next {
            return Ok(());
        }
        Err(Error::NotInRuntime { handle })
    }

    /// The runtime did not take a launch: it waits again at its place, and is the next of its stream
    /// that is submitted. A driver that begins further submit calls of a stream before this one has
    /// returned has to see to it that these are refused too: they would overtake it.
    ///
    /// # Errors
    /// An unknown process; a launch that is not being submitted.
    pub fn not_submitted(&mut self, handle: Handle) -> Result<(), Error> {
        let it = self.process_mut(handle.process)?;
        let submitting = |flying: &Flying<T>| flying.state == State::Submitting;
        let Some(flying) = it.flight.remove_if(handle, submitting) else {
            return Err(Error::NotInRuntime { handle });
        };
        it.queues.put_back(flying.stream, flying.work);
        Ok(())
    }

    /// A launch has started, or at least looks at the flag now.
    ///
    /// # Errors
    /// An unknown process; a launch that is not in the runtime.
    #[inline]
    pub fn started(&mut self, handle: Handle) -> Result<(), Error> {
        let it = self.process_mut(handle.process)?;
        let known = it.flight.acknowledge(handle, State::Started);
        if known { Ok(()) } else { Err(Error::NotInRuntime { handle }) }
    }

    /// A launch has run to its end; what was captured with it. It is never run again (A13).
    ///
    /// # Errors
    /// An unknown process; a launch that is not in the runtime.
    #[inline]
    pub fn finished(&mut self, handle: Handle) -> Result<T, Error> {
        let it = self.process_mut(handle.process)?;
        let Some(flying) = it.flight.remove(handle) else {
            return Err(Error::NotInRuntime { handle });
        };
        Ok(flying.work.payload)
    }

    /// A launch has left by the flag, having done nothing, or (where workgroups look by themselves)
    /// a part. It waits again at its place (A4). In the second case it counts as killed
    /// ([`Options::most_kills`](crate::Options)) if it was said to have [started](Self::started).
    ///
    /// # Errors
    /// An unknown process; a launch that is not in the runtime.
    #[inline]
    pub fn exited(&mut self, handle: Handle) -> Result<Exit, Error> {
        let latched = self.declared.latched;
        let it = self.process_mut(handle.process)?;
        let Some(mut flying) = it.flight.remove(handle) else {
            return Err(Error::NotInRuntime { handle });
        };
        if !latched && flying.state == State::Started {
            // It may have been stopped part-way, and that is what minimum progress is about.
            flying.work.kills = flying.work.kills.saturating_add(1);
        }
        it.queues.put_back(flying.stream, flying.work);
        let asked = it.cut.is_some_and(|cut| cut.holds(handle.sequence));
        Ok(if asked { Exit::Flagged } else { Exit::Unasked })
    }

    /// A launch was killed by the reset. It waits again at its place (A4).
    ///
    /// # Errors
    /// An unknown process; a launch that is not in the runtime; one that no reset may have hit, as
    /// none was commanded (that one was decided on is not enough) or it was another process's.
    pub fn killed(&mut self, handle: Handle) -> Result<(), Error> {
        let it = self.process(handle.process)?;
        let leaves = || it.cut.is_some_and(|cut| cut.holds(handle.sequence));
        let hit = it.stage.is_resetting() || leaves() && self.everything_is_reset();
        if !hit && it.flight.get(handle).is_some() {
            return Err(Error::NoReset { handle });
        }
        let it = self.process_mut(handle.process)?;
        let Some(mut flying) = it.flight.remove(handle) else {
            return Err(Error::NotInRuntime { handle });
        };
        flying.work.kills = flying.work.kills.saturating_add(1);
        it.queues.put_back(flying.stream, flying.work);
        Ok(())
    }

    /// Every launch of the process that starts from now on sees the raised flag: what is in the
    /// runtime is looked at for a reset (S3.3, A2, A11).
    ///
    /// # Errors
    /// An unknown process; one whose flag is not being raised.
    pub fn raised(&mut self, process: ProcessId) -> Result<Verdict, Error> {
        let it = self.process_mut(process)?;
        if it.stage != Stage::Raising {
            return Err(Error::NotTold { process, what: "to raise a flag" });
        }
        it.stage = Stage::Emptying;
        if it.way != Preemption::Reset {
            return Ok(Verdict::NotAsked);
        }
        if let Some(why) = self.refuses_reset(process)? {
            return Ok(Verdict::NoReset(why));
        }
        self.process_mut(process)?.stage = Stage::MustReset;
        if self.declared.scope == Scope::Device {
            // From here on: whatever were submitted now would be hit without having been looked at.
            self.resets = self.resets.saturating_add(1);
        }
        Ok(Verdict::Reset)
    }

    /// Why what a reset hits may not be killed.
    fn refuses_reset(&self, process: ProcessId) -> Result<Option<NoReset>, Error> {
        let it = self.process(process)?;
        if it.flight.is_empty() {
            return Ok(Some(NoReset::Empty));
        }
        let own = it.refuses_reset(process, self.options);
        if own.is_some() || self.declared.scope == Scope::Process {
            return Ok(own);
        }
        let mut others = self.others(process);
        Ok(others.find_map(|(id, it)| it.refuses_reset(id, self.options)))
    }

    /// The reset is over, or nothing of the process that was to be held or saved is on the device.
    ///
    /// # Errors
    /// An unknown process; one for which the driver was told neither to reset, nor to hold or save.
    pub fn drained(&mut self, process: ProcessId) -> Result<(), Error> {
        let it = self.process_mut(process)?;
        match &mut it.stage {
            Stage::Resetting { over } if !*over => {
                *over = true;
                self.reset_is_over();
                Ok(())
            }
            Stage::Removing { over } if !*over => {
                *over = true;
                Ok(())
            }
            _ => Err(Error::NotTold { process, what: "to reset, hold or save" }),
        }
    }
}
