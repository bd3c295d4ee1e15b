//! What does the host report: processes, streams, launches, wishes?

use raddle_policy::{Level, Preemption, ProcessId, StreamId};

use super::Controller;
use super::answers::{CaptureOrder, CapturedWork, Preempted, ProcessPhase, Resumed};
use super::process::{ControlledProcess, PreemptionStage};
use crate::error::PreemptError;

impl<T> Controller<T> {
    /// A process joins: its flag is low, nothing of it is submitted (S2.1). Ids of processes that
    /// have left are reused, the lowest first. Submission numbers and [`CaptureOrder`]s of an id are not:
    /// they continue, so handles of the earlier process name nothing, and a late view of its flag makes
    /// no launch of the new one leave.
    ///
    /// # Errors
    /// More processes than ids.
    pub fn join(&mut self, level: Level) -> Result<ProcessId, PreemptError> {
        let free = self.processes.iter().position(Option::is_none);
        let at = free.unwrap_or(self.processes.len());
        let id = ProcessId(u16::try_from(at).map_err(|_| PreemptError::TooManyProcesses)?);
        let before = self.before.get(at).copied().unwrap_or_default();
        let process = Some(ControlledProcess::new(level, before));
        match self.processes.get_mut(at) {
            Some(place) => *place = process,
            None => {
                self.processes.push(process);
                self.before.push(before);
            }
        }
        Ok(id)
    }

    /// A process opens a stream. Streams are numbered from 0.
    ///
    /// # Errors
    /// An unknown process; more streams than ids.
    pub fn open(&mut self, process: ProcessId) -> Result<StreamId, PreemptError> {
        self.process_mut(process)?.queues.open().ok_or(PreemptError::TooManyStreams { process })
    }

    /// A process leaves. What waits in its queues is dropped; its streams are closed.
    ///
    /// # Errors
    /// An unknown process; one with launches in the runtime, or that is preempted. Wait for the
    /// launches, [resume](Self::resume) it and take the command that undoes the preemption first.
    pub fn leave(&mut self, process: ProcessId) -> Result<(), PreemptError> {
        let it = self.process(process)?;
        // A flag that is still raised would stop the first launches of the next process of this id.
        let undone = it.phase() == ProcessPhase::Running && it.undo.is_none();
        if !it.flight.is_empty() || !undone {
            return Err(PreemptError::Busy { process });
        }
        let numbers = it.numbers();
        let places =
            self.processes.get_mut(process.index()).zip(self.before.get_mut(process.index()));
        if let Some((place, before)) = places {
            (*place, *before) = (None, numbers);
        }
        Ok(())
    }

    /// A launch or copy was captured (S2.2): it goes behind everything of its stream, also while the
    /// process is preempted (A14).
    ///
    /// # Errors
    /// An unknown process or stream.
    #[inline]
    pub fn captured(
        &mut self,
        process: ProcessId,
        stream: StreamId,
        work: CapturedWork<T>,
    ) -> Result<CaptureOrder, PreemptError> {
        let order = self.process_mut(process)?.queues.push(stream, work);
        order.map(CaptureOrder).ok_or(PreemptError::NoStream { process, stream })
    }

    /// Whether everything of the process that was captured up to `order` has finished: what a
    /// synchronising call waits for (A15). Preempted launches have not.
    ///
    /// # Errors
    /// An unknown process.
    pub fn reached(&self, process: ProcessId, order: CaptureOrder) -> Result<bool, PreemptError> {
        let it = self.process(process)?;
        let flying = it.flight.iter().map(|(_, flying)| flying.work.order).min();
        let oldest = it.queues.oldest().into_iter().chain(flying).min();
        Ok(oldest.is_none_or(|oldest| oldest > order.0))
    }

    /// Takes the work of a process off the device by this method; `by` is the process that asks.
    ///
    /// # Errors
    /// An unknown process.
    pub fn preempt(
        &mut self,
        process: ProcessId,
        way: Preemption,
        by: Option<ProcessId>,
    ) -> Result<Preempted, PreemptError> {
        let level = self.process(process)?.level;
        if let Some(by) = by
            && (by == process || !self.process(by)?.level.outranks(level))
        {
            return Ok(Preempted::NotOutranked);
        }
        if !self.declared.abilities.can(way) {
            return Ok(Preempted::Missing(way));
        }
        let it = self.process_mut(process)?;
        if it.stage == PreemptionStage::Running {
            it.stage = PreemptionStage::Pausing;
            it.way = way;
            return Ok(Preempted::Begun);
        }
        let waited = core::mem::take(&mut it.resume_waits);
        Ok(if waited { Preempted::ResumeCancelled } else { Preempted::Already })
    }

    /// Ends the preemption of a process (S4).
    ///
    /// # Errors
    /// An unknown process.
    pub fn resume(&mut self, process: ProcessId) -> Result<Resumed, PreemptError> {
        let it = self.process_mut(process)?;
        Ok(match it.stage {
            PreemptionStage::Running => Resumed::Running,
            PreemptionStage::Preempted => {
                it.go_on();
                Resumed::Now
            }
            _ => {
                it.resume_waits = true;
                Resumed::Waits
            }
        })
    }
}
