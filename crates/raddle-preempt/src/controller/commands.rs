//! What does a driver do next?
//!
//! A preemption by flag or reset goes through `Raise` and `raised` also where nothing is in the
//! runtime: its [`FlagCut`](super::FlagCut) is empty and nothing is reset. So a driver has one path, and a
//! resume always finds a flag to lower.

use raddle_policy::{Preemption, ProcessId, StreamId};

use super::Controller;
use super::answers::{Command, LaunchHandle};
use super::flight::{FlightState, FlyingLaunch};
use super::process::{ControlledProcess, PreemptionStage};
use crate::error::PreemptError;

impl<T> Controller<T> {
    /// The next command for a process; `None` until something is reported. Commands of a process are
    /// carried out in the order in which they are given.
    ///
    /// While one process resets the whole device, nothing is submitted of any process until that reset
    /// is over or no longer needed (then [`Command::Drained`] comes in its place): call this again for
    /// all of them then.
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
            // All of it has ended since the verdict: an idle runtime is not reset (A3).
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

/// The parts of a command to submit. As a struct of its own it is copied word by word, and the
/// caller is short enough to be inlined.
struct NextSubmission {
    sequence: u64,
    slot: u32,
    stream: StreamId,
}

impl<T> ControlledProcess<T> {
    /// Submits the launch that was captured first.
    #[inline(never)]
    fn submit(&mut self) -> Option<NextSubmission> {
        let (stream, work) = self.queues.pop()?;
        let sequence = self.next;
        self.next = sequence.saturating_add(1);
        let state = FlightState::Submitting;
        let slot = self.flight.insert(FlyingLaunch { work, stream, sequence, state });
        Some(NextSubmission { sequence, slot, stream })
    }

    /// The command that undoes a preemption by this method.
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
