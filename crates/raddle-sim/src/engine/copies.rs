//! How are copies and fills issued, started and ended?
//!
//! A dispatcher with a submission window submits and starts them, unless its recipe says
//! `copies-apart`; under any other dispatcher they start when they are ready.

use raddle_policy::{Action, Event, LaunchId, ProcessId};

use super::Engine;
use crate::SimError;
use crate::queue::Due;
use crate::workload::Work;

impl Engine<'_> {
    /// Tells the dispatcher that a copy or fill was issued; does nothing for a kernel.
    pub(super) fn tell_copy(&mut self, copy: LaunchId) -> Result<(), SimError> {
        let (_, task) = self.tasks.plan(copy);
        let Work::Copy { lasts, .. } = task.work else { return Ok(()) };
        let process = ProcessId(self.tasks.records[copy.index()].process);
        let (stream, level) = (task.stream, task.level);
        self.tell(&Event::CopyIssued { copy, process, stream, level, lasts })
    }

    /// Starts a copy that was issued and waits for no other work. Where the dispatcher itself
    /// starts copies, only tells it that the copy is ready.
    pub(super) fn copy_ready(&mut self, copy: LaunchId) -> Result<(), SimError> {
        if !self.tasks.takes_copies() {
            self.start_copy(copy);
            return Ok(());
        }
        if self.tasks.lines_up(copy) {
            self.tell_copy(copy)?;
        }
        self.usage.gained(self.tasks.records[copy.index()].process);
        self.tell(&Event::CopyReady { copy })
    }

    /// Starts a copy now, or puts it in the queue of its copy engine if the engine is busy.
    fn start_copy(&mut self, copy: LaunchId) {
        if let Work::Copy { direction, .. } = self.tasks.plan(copy).1.work
            && self.engines.join(copy, direction)
        {
            self.run_copy(copy);
        }
    }

    fn run_copy(&mut self, copy: LaunchId) {
        let (_, task) = self.tasks.plan(copy);
        let Work::Copy { lasts, direction } = task.work else { return };
        self.tasks.records[copy.index()].started = Some(self.now);
        self.usage.copies(1, direction);
        self.move_memory(copy, true);
        self.queue.push(self.now + lasts, Due::Copy(copy));
    }

    /// Records that a copy begins (or, with `begins` false, ends) to use memory bandwidth, which
    /// slows neighbours down. The copy itself lasts as long as recorded, whatever its neighbours
    /// do.
    fn move_memory(&mut self, copy: LaunchId, begins: bool) {
        let (plan, _) = self.tasks.plan(copy);
        let Some(of) = plan.demand.as_ref().filter(|of| !of.apart) else { return };
        let record = &self.tasks.records[copy.index()];
        if let Some(task) = of.tasks.get(record.task as usize) {
            self.machine.copies(record.process, task.shared, begins);
        }
    }

    pub(super) fn copy_ended(&mut self, copy: LaunchId) -> Result<(), SimError> {
        let Work::Copy { direction, .. } = self.tasks.plan(copy).1.work else { return Ok(()) };
        self.usage.copies(-1, direction);
        self.move_memory(copy, false);
        if let Some(next) = self.engines.leave(direction) {
            self.run_copy(next);
        }
        if self.tasks.takes_copies() {
            self.tell(&Event::CopyEnded { copy })?;
        }
        self.ended(copy)
    }

    /// Carries out an action if it concerns a copy. Returns whether it did.
    pub(super) fn act_on_copy(&mut self, action: &Action) -> Result<bool, SimError> {
        let (id, starts, what) = match *action {
            Action::Submit { launch, .. } => (launch, false, "submit"),
            Action::TakeOff { launch, .. } => (launch, false, "take off"),
            Action::Restore { launch } => (launch, false, "restore"),
            Action::StartCopy { copy } => (copy, true, "start"),
            _ => return Ok(false),
        };
        let record = self.tasks.records.get(id.index()).copied();
        let is_copy =
            record.is_some_and(|_| matches!(self.tasks.plan(id).1.work, Work::Copy { .. }));
        let state = match record {
            _ if !is_copy && !starts => return Ok(false),
            Some(_) if !is_copy => "not a copy",
            Some(record) if record.started.is_some() || self.engines.has(id) => "begun",
            Some(record) if record.ready.is_none() && (starts || !self.tasks.is_told(id)) => {
                "not ready"
            }
            Some(record) => {
                match *action {
                    Action::TakeOff { how, .. } => self.queue.push(self.now, Due::CopyOff(id, how)),
                    Action::Restore { .. } => self.queue.push(self.now, Due::CopyBack(id)),
                    Action::StartCopy { .. } => {
                        self.usage.lost(record.process);
                        self.start_copy(id);
                    }
                    _ => {}
                }
                return Ok(true);
            }
            None => "unknown",
        };
        Err(SimError::Action { at: self.now, launch: id, what, state })
    }
}
