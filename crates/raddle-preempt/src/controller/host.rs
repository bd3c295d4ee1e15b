//! Which processes does a controller know, and how do they join and leave?

use alloc::vec::Vec;

use raddle_policy::{Level, ProcessId};

use super::Controller;
use super::process::{ControlledProcess, NextNumbers, PreemptionStage};
use crate::error::PreemptError;
use crate::error::Reason;

impl<T> Controller<T> {
    /// Adds a process, with its preemption flag (tested by each launch at its start) lowered and no
    /// launch submitted (seed 001, S2.1), and returns its id: the lowest free one, even if a
    /// process that has left had it. The numbers of submissions and captures continue from that
    /// earlier process. So handles of the earlier process stay invalid, and the new process's
    /// launches do not obey a flag that was raised for the earlier one.
    ///
    /// # Errors
    /// More processes than ids.
    pub fn join(&mut self, level: Level) -> Result<ProcessId, PreemptError> {
        let free = self.processes.iter().position(Option::is_none);
        let at = free.unwrap_or(self.processes.len());
        let id = ProcessId(u16::try_from(at).map_err(|_| PreemptError(Reason::TooManyProcesses))?);
        self.join_as(id, level).map(|()| id)
    }

    /// Adds a process under the id `process`, with the priority level `level`.
    ///
    /// # Errors
    /// The id is taken by a process that has not left, or by a process that died
    /// ([lost](Self::lost)) while the driver resets compute units.
    pub fn join_as(&mut self, process: ProcessId, level: Level) -> Result<(), PreemptError> {
        let least = process.index() + 1;
        if self.processes.len() < least {
            self.processes.resize_with(least, || None);
            self.before.resize_with(least, NextNumbers::default);
            self.listed.reserve(least.saturating_sub(self.listed.len()));
        }
        let places = self.processes.get_mut(process.index()).zip(self.before.get(process.index()));
        match places {
            Some((place @ None, before)) => *place = Some(ControlledProcess::new(level, *before)),
            _ => return Err(PreemptError(Reason::Taken { process })),
        }
        Ok(())
    }

    /// Sets the part of the device that a process runs on, by a number that the host chooses; 0 by
    /// default. Where the scope of a reset is a partition, the reset kills launches of all
    /// processes of one part.
    ///
    /// # Errors
    /// An unknown process; one that is preempted or has launches in the runtime.
    pub fn place(&mut self, process: ProcessId, part: u16) -> Result<(), PreemptError> {
        let it = self.process_mut(process)?;
        if !it.flight.is_empty() || it.is_preempted() {
            return Err(PreemptError(Reason::Busy { process }));
        }
        it.part = part;
        self.list(process);
        Ok(())
    }

    /// Removes a process. The launches that wait in its queues are dropped, and its streams are
    /// closed.
    ///
    /// # Errors
    /// An unknown process; one with launches in the runtime, or that is preempted. Wait for the
    /// launches, [resume](Self::resume) it and take the command that undoes the preemption first.
    pub fn leave(&mut self, process: ProcessId) -> Result<(), PreemptError> {
        let it = self.process(process)?;
        // A flag that is still raised would stop the first launches of the next process of this id.
        if !it.flight.is_empty() || it.is_preempted() {
            return Err(PreemptError(Reason::Busy { process }));
        }
        self.remove(process);
        Ok(())
    }

    /// Removes a process and returns it; `None` where there is none. Stores the numbers of its next
    /// submission and next capture, with which the next process with this id continues.
    pub(super) fn remove(&mut self, process: ProcessId) -> Option<ControlledProcess<T>> {
        self.listed.retain(|other| *other != process);
        let gone = self.processes.get_mut(process.index())?.take()?;
        if let Some(before) = self.before.get_mut(process.index()) {
            *before = gone.numbers();
        }
        Some(gone)
    }

    /// Removes a process that has died, of which the runtime has kept nothing: no launches, no
    /// preemption flags and no held or saved work. Returns the payloads of all its unfinished work,
    /// in the order of capture (number among all captured work of the process). Other processes are
    /// not affected. Where a reset was commanded for the process, its id stays taken until
    /// [`Report::Drained`](crate::Report) tells the end of the reset, the only report that may
    /// still come.
    ///
    /// # Errors
    /// An unknown process.
    pub fn lost(&mut self, process: ProcessId) -> Result<Vec<T>, PreemptError> {
        let it = self.process(process)?;
        let (stage, level, part) = (it.stage, it.level, it.part);
        let may_be_reset = it.may_be_reset();
        let Some(gone) = self.remove(process) else { return Ok(Vec::new()) };
        let mut payloads: Vec<(u64, T)> =
            gone.queues.into_payloads().chain(gone.flight.into_payloads()).collect();
        if stage == (PreemptionStage::Resetting { over: false }) {
            self.join_as(process, level)?;
            let ghost = self.process_mut(process)?;
            (ghost.stage, ghost.part, ghost.is_lost) = (stage, part, true);
        } else {
            self.count_resets(may_be_reset, false);
        }
        payloads.sort_unstable_by_key(|(order, _)| *order);
        Ok(payloads.into_iter().map(|(_, payload)| payload).collect())
    }
}
