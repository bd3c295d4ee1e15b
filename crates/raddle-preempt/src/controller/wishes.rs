//! How is a process asked to leave the device, and to continue?

use raddle_policy::{Preemption, ProcessId};

use super::Controller;
use super::answers::{ResetVerdict, WishAnswer};
use super::process::PreemptionStage;
use crate::error::PreemptError;

impl<T> Controller<T> {
    /// Starts to take the work of a process off the device by the method `way`. `by` is the process
    /// that needs the device, which must be more urgent; with `None` no urgency is compared.
    ///
    /// # Errors
    /// An unknown process.
    pub fn preempt(
        &mut self,
        process: ProcessId,
        way: Preemption,
        by: Option<ProcessId>,
    ) -> Result<WishAnswer, PreemptError> {
        let level = self.process(process)?.level;
        if let Some(by) = by
            && (by == process || !self.process(by)?.level.outranks(level))
        {
            return Ok(WishAnswer::NotOutranked);
        }
        if !self.declared.abilities.can(way) {
            return Ok(WishAnswer::Missing(way));
        }
        let it = self.process_mut(process)?;
        if it.stage == PreemptionStage::Running {
            it.stage = PreemptionStage::Pausing;
            it.way = way;
            self.list(process);
            self.count_resets(false, way.begins_again());
            return Ok(WishAnswer::Begun);
        }
        let waited = core::mem::take(&mut it.resume_waits);
        Ok(if waited { WishAnswer::ResumeCancelled } else { WishAnswer::Already })
    }

    /// Pauses a process: none of its launches is submitted until it is resumed, which takes effect
    /// at once. Launches in the runtime go on. This is step S3.1 of seed 001 without a preemption.
    /// Changes nothing if a preemption is under way or complete.
    ///
    /// # Errors
    /// An unknown process.
    pub fn pause(&mut self, process: ProcessId) -> Result<(), PreemptError> {
        let it = self.process_mut(process)?;
        it.paused |= it.stage == PreemptionStage::Running;
        Ok(())
    }

    /// Replaces the method of a preemption under way by a stronger one: any other method in place
    /// of waiting, a reset (kill) in place of the preemption flag (tested by each launch at its
    /// start), a switch (save) in place of a drain. A refused reset may be requested again, but not
    /// after a reset was made. A resume that waits for the end of the preemption goes on waiting.
    ///
    /// # Errors
    /// An unknown process.
    pub fn escalate(
        &mut self,
        process: ProcessId,
        way: Preemption,
    ) -> Result<WishAnswer, PreemptError> {
        if !self.declared.abilities.can(way) {
            return Ok(WishAnswer::Missing(way));
        }
        let it = self.process_mut(process)?;
        let visible = match it.stage {
            PreemptionStage::Running | PreemptionStage::Preempted => {
                return Ok(WishAnswer::NotPreempted);
            }
            PreemptionStage::Pausing
            | PreemptionStage::Raising
            | PreemptionStage::Removing { over: false } => false,
            PreemptionStage::Removing { over: true } => return Ok(WishAnswer::NotStronger),
            PreemptionStage::Emptying => it.cut.is_some(),
            // A second reset is refused also when the first is over: not all launches that it
            // killed may be reported yet.
            PreemptionStage::MustReset | PreemptionStage::Resetting { .. } => {
                return Ok(WishAnswer::NotStronger);
            }
        };
        let again = visible && way == it.way && way.begins_again();
        if !again && !way.outdoes(it.way) {
            return Ok(WishAnswer::NotStronger);
        }
        let before = it.may_be_reset();
        it.way = way;
        if it.stage != PreemptionStage::Raising && !visible {
            it.stage = PreemptionStage::Pausing;
        }
        let verdict = if visible { self.decide(process)? } else { ResetVerdict::Reset };
        let now = self.process(process)?.may_be_reset();
        self.count_resets(before, now);
        self.list(process);
        Ok(match verdict {
            ResetVerdict::NoReset(why) => WishAnswer::NoReset(why),
            _ => WishAnswer::Begun,
        })
    }

    /// Ends the preemption or the pause of a process (seed 001, S4).
    ///
    /// # Errors
    /// An unknown process.
    pub fn resume(&mut self, process: ProcessId) -> Result<WishAnswer, PreemptError> {
        let it = self.process_mut(process)?;
        let paused = core::mem::take(&mut it.paused);
        let resumed = match it.stage {
            PreemptionStage::Running if !paused => WishAnswer::NotPreempted,
            PreemptionStage::Running => WishAnswer::Begun,
            PreemptionStage::Preempted => {
                it.go_on();
                WishAnswer::Begun
            }
            _ => {
                it.resume_waits = true;
                WishAnswer::Waits
            }
        };
        self.list(process);
        Ok(resumed)
    }
}
