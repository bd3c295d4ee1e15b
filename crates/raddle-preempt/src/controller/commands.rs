//! What is a driver to do next?
//!
//! A preemption by flag or reset goes through `Raise` and `raised` also where nothing is in the
//! runtime: its [`FlagCut`](super::FlagCut) holds nothing and nothing is reset, but a driver has one path, and
//! a resume always finds a flag to lower. That costs an idle process the time of one store.

use raddle_policy::{Preemption, ProcessId, StreamId};

use super::Controller;
use super::answers::{Command, LaunchHandle};
use super::flight::{FlightState, FlyingLaunch};
use super::process::{ControlledProcess, PreemptionStage};
use crate::error::PreemptError;

impl<T> Controller<T> {
    /// What to do next for a process, `None` for nothing: then there is nothing until something is
    /// reported. Commands of a process are carried out in the order in which they are given.
    ///
    /// Of a process that joins while another resets the whole device, and of every one that was
    /// there, nothing is submitted until that reset is over, or is not needed any more (then
    /// [`Command::Drained`] comes in its place): ask all of them again then.
    ///
    /// # Errors
    /// An unknown process.
    #[inline]
    pub fn next(&mut self, process: ProcessId) -> Result<Option<Command>, PreemptError> {
        let (window, resetting) = (self.options.window as usize, self.resetting());
        let it = self.process_mut(process)?;
        if it.stage != PreemptionStage::Running || it.undo.is_some() {
            return self.preempting(process);
        }
        if resetting || it.flight.len() >= window {
            return Ok(None);
        }
        let Some(NextSubmission { sequence, slot, stream }) = it.submit() else { return Ok(None) };
        Ok(Some(Command::Submit { handle: LaunchHandle { process, sequence, slot }, stream }))
    }

    /// The next command of a preemption, or of its end.
    #[inline(never)]
    fn preempting(&mut self, process: ProcessId) -> Result<Option<Command>, PreemptError> {
        let (declared, options) = (self.declared, self.options);
        let it = self.process_mut(process)?;
        if it.stage == PreemptionStage::MustReset && it.flight.is_empty() {
            // What was looked at has ended since: an idle runtime is not reset (A3).
            it.stage = PreemptionStage::Emptying;
            self.reset_is_over();
        }
        let it = self.process_mut(process)?;
        if let Some(undo) = it.undo.take()
            && let Some(command) = it.undone(process, undo)
        {
            return Ok(Some(command));
        }
        Ok(match it.stage {
            PreemptionStage::Running => return self.next(process),
            PreemptionStage::Pausing if it.flight.unacknowledged > 0 => None,
            PreemptionStage::Pausing => match it.way {
                Preemption::Wait => {
                    it.stage = PreemptionStage::Emptying;
                    it.emptied(process)
                }
                Preemption::Flag | Preemption::Reset => {
                    it.stage = PreemptionStage::Raising;
                    let cut = it.cut(declared, options);
                    it.cut = Some(cut);
                    Some(Command::Raise { process, cut })
                }
                Preemption::Drain => {
                    it.stage = PreemptionStage::Removing { over: false };
                    Some(Command::Hold { process })
                }
                Preemption::Switch => {
                    it.stage = PreemptionStage::Removing { over: false };
                    Some(Command::Save { process })
                }
            },
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

/// What a command to submit is made of. As an answer of its own it is read as it was written, word
/// by word, and what calls for it is short enough to become a part of its caller.
struct NextSubmission {
    sequence: u64,
    slot: u32,
    stream: StreamId,
}

impl<T> ControlledProcess<T> {
    /// Submits what was captured first.
    #[inline(never)]
    fn submit(&mut self) -> Option<NextSubmission> {
        let (stream, work) = self.queues.pop()?;
        let sequence = self.next;
        self.next = sequence.saturating_add(1);
        let state = FlightState::Submitting;
        let slot = self.flight.insert(FlyingLaunch { work, stream, sequence, state });
        Some(NextSubmission { sequence, slot, stream })
    }

    /// What undoes a preemption.
    fn undone(&mut self, process: ProcessId, way: Preemption) -> Option<Command> {
        match way {
            Preemption::Wait => None,
            Preemption::Flag | Preemption::Reset => {
                self.cut = None;
                Some(Command::Lower { process })
            }
            Preemption::Drain => Some(Command::Release { process }),
            Preemption::Switch => Some(Command::Restore { process }),
        }
    }

    /// The end of a preemption, if nothing is left in the runtime.
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
    use crate::{CapturedWork, ControllerOptions, Declared};

    /// Check 2 of the digest with one more than the window, which no sequence of calls leads to: the
    /// window is made smaller here. The other counts are in `tests/it/checks.rs`.
    #[test]
    fn check_2_with_9_unfinished_nothing_is_submitted() -> Result<(), PreemptError> {
        let mut controller = Controller::new(
            Declared::default(),
            ControllerOptions { window: 9, ..ControllerOptions::default() },
        )?;
        let process = controller.join(Level(0))?;
        let stream = controller.open(process)?;
        for launch in 0..12 {
            controller.captured(
                process,
                stream,
                CapturedWork::kernel(launch, Idempotence::Unknown),
            )?;
        }
        let mut flying = alloc::vec::Vec::new();
        while let Some(Command::Submit { handle, .. }) = controller.next(process)? {
            flying.push(handle);
        }
        controller.options.window = 8;
        for unfinished in [9, 8] {
            assert_eq!(controller.in_flight(process)?, unfinished);
            assert_eq!(controller.next(process)?, None, "{unfinished}");
            controller.finished(flying[unfinished - 8])?;
        }
        assert_eq!(controller.in_flight(process)?, 7);
        assert!(matches!(controller.next(process)?, Some(Command::Submit { .. })), "7: one more");
        assert_eq!(controller.next(process)?, None, "8 again");
        Ok(())
    }
}
