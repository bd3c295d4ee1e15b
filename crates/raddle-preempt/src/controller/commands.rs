//! Which command does a controller give its driver next?
//!
//! A preemption by flag or reset goes through the command `Raise` and the report `raised` even if
//! no launch is in the runtime: then the flag applies to no launch and nothing is reset. So a
//! driver has one path, and a resume always finds a flag to lower.

use raddle_policy::{ProcessId, StreamId};

use super::Controller;
use super::answers::{Command, LaunchHandle};
use super::flight::{FlightState, FlyingLaunch, LaunchFate};
use super::process::{ControlledProcess, PreemptionStage};
use crate::error::PreemptError;

impl<T> Controller<T> {
    /// Returns the next command for a process; `None` where there is none before the driver reports
    /// something. Commands of a process are carried out in the order in which they are given.
    ///
    /// A reset of one process may also kill launches of other processes. Until such a reset is
    /// over, refused or no longer needed (then [`Command::Drained`] comes in its place), these
    /// other processes get no command to submit. After that, call this again for each of them, or
    /// call [`next_any`](Self::next_any).
    ///
    /// # Errors
    ///
    /// An unknown process.
    #[inline]
    pub fn next(&mut self, process: ProcessId) -> Result<Option<Command>, PreemptError> {
        let (window, most_waiting) = (self.options.window as usize, self.options.most_waiting);
        let resetting = self.resets > 0 && self.is_reset_around(process);
        let it = self.process_mut(process)?;
        if it.is_preempted() {
            return self.preempting(process);
        }
        if resetting || it.paused || it.flight.len() >= window {
            return Ok(None);
        }
        if most_waiting.is_some() {
            // A submission makes room in the queues: a host that waits for room looks again.
            it.turn_over();
        }
        let Some(NextSubmission { sequence, slot, stream }) = it.submit() else { return Ok(None) };
        Ok(Some(Command::Submit { handle: LaunchHandle { process, sequence, slot }, stream }))
    }

    /// Returns the next command for any process; `None` where there is none before the driver
    /// reports something. Where several processes have commands, they are served in rotation.
    pub fn next_any(&mut self) -> Option<Command> {
        while let Some(process) = self.listed.pop_front() {
            if let Ok(Some(command)) = self.next(process) {
                self.listed.push_back(process);
                return Some(command);
            }
            if let Ok(it) = self.process_mut(process) {
                it.is_listed = false;
            }
        }
        None
    }

    /// Returns whether [`next`](Self::next) has a command for a process.
    ///
    /// # Errors
    /// An unknown process.
    pub fn is_due(&self, process: ProcessId) -> Result<bool, PreemptError> {
        let it = self.process(process)?;
        if it.is_preempted() {
            return Ok(it.has_step());
        }
        let room = it.flight.len() < self.options.window as usize;
        let resetting = self.resets > 0 && self.is_reset_around(process);
        Ok(room && !it.paused && !resetting && it.queues.is_ready())
    }

    /// Returns whether [`next_any`](Self::next_any) has a command for any process.
    #[must_use]
    #[doc(hidden)]
    pub fn is_any_due(&self) -> bool {
        self.listed.iter().any(|&process| self.is_due(process) == Ok(true))
    }

    /// Adds a process to the list of processes for which a command may be due, unless it is listed
    /// already.
    #[inline]
    pub(super) fn list(&mut self, process: ProcessId) {
        if let Ok(it) = self.process_mut(process)
            && !core::mem::replace(&mut it.is_listed, true)
        {
            self.listed.push_back(process);
        }
    }

    /// Adds every process to the list of processes for which a command may be due.
    pub(super) fn list_all(&mut self) {
        // The number of processes is at most the number of ids.
        let all = u16::try_from(self.processes.len()).unwrap_or(u16::MAX);
        (0..=all).for_each(|process| self.list(ProcessId(process)));
    }

    /// Returns the next command that carries out the preemption of a process, or that undoes the
    /// preemption at its end; `None` where the driver must report something first. An unknown
    /// process is an error.
    #[inline(never)]
    fn preempting(&mut self, process: ProcessId) -> Result<Option<Command>, PreemptError> {
        let (declared, options) = (self.declared, self.options);
        let it = self.process_mut(process)?;
        if it.stage == PreemptionStage::MustReset && !it.is_hit() {
            // If all launches to be killed have ended since the verdict, there is no reset: an idle
            // runtime is not reset (A3).
            it.stage = PreemptionStage::Emptying;
            self.count_resets(true, false);
        }
        let it = self.process_mut(process)?;
        if let Some(command) = it.undo.undo(process) {
            if !it.undo.raised && !it.done.raised {
                it.cut = None;
            }
            return Ok(Some(command));
        }
        Ok(match it.stage {
            PreemptionStage::Pausing if it.flight.unacknowledged > 0 => None,
            PreemptionStage::Pausing if it.way.empties() => {
                it.stage = PreemptionStage::Raising;
                it.raise(declared, options);
                Some(Command::Raise { process })
            }
            PreemptionStage::Pausing if it.way.saves() => {
                it.stage = PreemptionStage::Removing { over: false };
                it.done.saved = true;
                Some(Command::Save { process })
            }
            PreemptionStage::Pausing if it.way.holds() => {
                it.stage = PreemptionStage::Removing { over: false };
                it.done.held = true;
                Some(Command::Hold { process })
            }
            PreemptionStage::Pausing => {
                it.stage = PreemptionStage::Emptying;
                it.emptied(process)
            }
            PreemptionStage::MustReset => {
                it.stage = PreemptionStage::Resetting { over: false };
                Some(Command::Reset { process })
            }
            PreemptionStage::Resetting { over: true } | PreemptionStage::Emptying => {
                it.emptied(process)
            }
            PreemptionStage::Removing { over: true } => Some(it.drained(process)),
            _ => None,
        })
    }
}

/// Fields of a [`Command::Submit`]. A separate small struct is copied word by word, and keeps the
/// function that asks for it short enough to be inlined.
struct NextSubmission {
    sequence: u64,
    slot: u32,
    stream: StreamId,
}

impl<T> ControlledProcess<T> {
    /// Submits a waiting launch of the process: of those that may be submitted, the one that the
    /// host issued (the controller captured) first. Returns the fields of its submit command;
    /// `None` where no launch may be submitted.
    #[inline(never)]
    fn submit(&mut self) -> Option<NextSubmission> {
        let (stream, work) = self.queues.pop()?;
        let sequence = self.next;
        self.next = sequence.saturating_add(1);
        let (state, fate) = (FlightState::Submitting, LaunchFate::Stays);
        let slot = self.flight.insert(FlyingLaunch { work, stream, sequence, state, fate });
        Some(NextSubmission { sequence, slot, stream })
    }

    /// Ends the preemption and returns [`Command::Drained`] if the runtime has no more launch of
    /// the process; `None` where it has one.
    fn emptied(&mut self, process: ProcessId) -> Option<Command> {
        self.flight.is_empty().then(|| self.drained(process))
    }

    fn drained(&mut self, process: ProcessId) -> Command {
        self.stage = PreemptionStage::Preempted;
        let resumed = core::mem::take(&mut self.resume_waits);
        if resumed {
            self.go_on();
        }
        Command::Drained { process, resumed }
    }
}

#[cfg(test)]
mod tests {
    use raddle_policy::{Idempotence, Level};

    use super::*;
    use crate::{CapturedWork, ControllerConfig, Declared, Report};

    /// Checks that nothing is submitted while a process has one unfinished launch more than the
    /// window (the limit on its launches in the runtime) allows: check 2 in the digest, a summary
    /// of seed 001. As no calls lead to that state, the test submits 9 launches and then lowers the
    /// window to 8. Checks with other numbers of launches are in `tests/it/checks.rs`.
    #[test]
    fn check_2_with_9_unfinished_nothing_is_submitted() -> Result<(), PreemptError> {
        let mut controller = Controller::new(
            Declared::default(),
            ControllerConfig { window: 9, ..ControllerConfig::default() },
        )?;
        let process = controller.join(Level(0))?;
        let stream = controller.open(process)?;
        for launch in 0..12 {
            let work = CapturedWork::kernel(launch, Idempotence::Unknown);
            let _ = controller.captured(process, stream, work)?;
        }
        let mut flying = alloc::vec::Vec::new();
        while let Some(Command::Submit { handle, .. }) = controller.next(process)? {
            flying.push(handle);
        }
        controller.options.window = 8;
        for unfinished in [9, 8] {
            assert_eq!(controller.in_flight(process)?, unfinished);
            assert_eq!(controller.next(process)?, None, "{unfinished}");
            controller.report(Report::Finished(flying[unfinished - 8]))?;
        }
        assert_eq!(controller.in_flight(process)?, 7);
        assert!(matches!(controller.next(process)?, Some(Command::Submit { .. })), "7: one more");
        assert_eq!(controller.next(process)?, None, "8 again");
        Ok(())
    }
}
