//! How far is the preemption of one process?

use raddle_policy::{Level, Preemption, ProcessId};

use super::answers::{Command, LaunchHandle, ProcessPhase};
use super::flight::{Flight, FlyingLaunch};
use super::queues::Queues;

/// The stages of a preemption, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PreemptionStage {
    /// No preemption is under way or complete.
    Running,
    /// The preemption waits for submit calls that were begun (S3.1, A8).
    Pausing,
    /// The driver raises the flag (S3.2).
    Raising,
    /// The next command is the reset (S3.3).
    MustReset,
    /// The driver resets; `over` when it has reported the end.
    Resetting { over: bool },
    /// The preemption waits until the runtime has nothing of the process.
    Emptying,
    /// The driver holds or saves; `over` when it has reported that the device has nothing of it.
    Removing { over: bool },
    /// The preemption is complete.
    Preempted,
}

impl PreemptionStage {
    /// Returns whether killed launches may be reported, as a reset was commanded; also when the
    /// reset is over, as reports come in any order.
    pub(super) const fn is_resetting(self) -> bool {
        matches!(self, Self::Resetting { .. })
    }

    /// Returns whether a reset is decided on and not over.
    pub(super) const fn is_reset_pending(self) -> bool {
        matches!(self, Self::MustReset | Self::Resetting { over: false })
    }
}

/// The measures against a process that a driver was commanded to take, and has to undo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Measures {
    pub(super) raised: bool,
    pub(super) held: bool,
    pub(super) saved: bool,
}

impl Measures {
    pub(super) const fn any(self) -> bool {
        self.raised || self.held || self.saved
    }

    /// Returns the command that undoes the latest measure.
    pub(super) const fn undo(&mut self, process: ProcessId) -> Option<Command> {
        if self.saved {
            self.saved = false;
            return Some(Command::Restore { process });
        }
        if self.held {
            self.held = false;
            return Some(Command::Release { process });
        }
        if self.raised {
            self.raised = false;
            return Some(Command::Lower { process });
        }
        None
    }
}

/// The next submission and capture numbers of an id, which outlive its process.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NextNumbers {
    submission: u64,
    order: u64,
}

#[derive(Clone, Debug)]
pub(super) struct ControlledProcess<T> {
    pub(super) level: Level,
    /// The part of the device that the process has.
    pub(super) part: u16,
    pub(super) queues: Queues<T>,
    pub(super) flight: Flight<T>,
    pub(super) stage: PreemptionStage,
    /// Set if nothing is submitted although no preemption is under way.
    pub(super) paused: bool,
    /// The method of the preemption under way, or of the last one.
    pub(super) way: Preemption,
    /// Set if a resume waits for the end of the preemption.
    pub(super) resume_waits: bool,
    /// The measures taken in the preemption under way.
    pub(super) done: Measures,
    /// The measures that the next commands undo.
    pub(super) undo: Measures,
    /// The first submission that no longer sees the raised flag; `None` while no flag is raised.
    pub(super) cut: Option<u64>,
    /// The sequence number of the next submission.
    pub(super) next: u64,
    /// A number that changes whenever something may have come true that a host blocks on.
    pub(super) generation: u64,
    /// Set if the process was lost while the driver resets: its id is taken until the reset is
    /// over.
    pub(super) is_lost: bool,
    /// Set if the process stands in the list of processes that may have a command.
    pub(super) is_listed: bool,
}

impl<T> ControlledProcess<T> {
    /// Returns a process that continues the numbers of the one that had its id before.
    pub(super) const fn new(level: Level, before: NextNumbers) -> Self {
        Self {
            level,
            part: 0,
            queues: Queues::new(before.order),
            flight: Flight::new(),
            stage: PreemptionStage::Running,
            paused: false,
            way: Preemption::Wait,
            resume_waits: false,
            done: Measures { raised: false, held: false, saved: false },
            undo: Measures { raised: false, held: false, saved: false },
            cut: None,
            next: before.submission,
            generation: 0,
            is_lost: false,
            is_listed: false,
        }
    }

    pub(super) const fn numbers(&self) -> NextNumbers {
        NextNumbers { submission: self.next, order: self.queues.next_order() }
    }

    pub(super) const fn phase(&self) -> ProcessPhase {
        match self.stage {
            PreemptionStage::Running => ProcessPhase::Running,
            PreemptionStage::Preempted => ProcessPhase::Preempted,
            _ => ProcessPhase::Draining,
        }
    }

    /// Returns whether the process submits nothing, as a preemption is under way, complete or not
    /// undone.
    #[inline]
    pub(super) fn is_preempted(&self) -> bool {
        self.stage != PreemptionStage::Running || self.undo.any()
    }

    /// Ends a preemption; its measures are undone by the next commands.
    pub(super) const fn go_on(&mut self) {
        self.stage = PreemptionStage::Running;
        self.undo = self.done;
        self.done = Measures { raised: false, held: false, saved: false };
    }

    /// Changes the generation, so that hosts that wait for something of this process look again.
    pub(super) const fn turn_over(&mut self) {
        self.generation = self.generation.wrapping_add(1);
    }

    /// Returns the launches in the runtime, with their handles.
    pub(super) fn flying(
        &self,
        process: ProcessId,
    ) -> impl Iterator<Item = (LaunchHandle, &FlyingLaunch<T>)> {
        self.flight.iter().map(move |(slot, flying)| {
            (LaunchHandle { process, sequence: flying.sequence, slot }, flying)
        })
    }

    /// Returns whether the process is to leave by a reset that is neither refused nor over.
    pub(super) fn may_be_reset(&self) -> bool {
        let undecided = matches!(self.stage, PreemptionStage::Pausing | PreemptionStage::Raising);
        (undecided && self.way.begins_again()) || self.stage.is_reset_pending()
    }

    /// Returns whether the flag is raised and visible to every launch that starts; also after a
    /// reset, as launches that the reset did not kill still leave.
    pub(super) fn is_leaving(&self) -> bool {
        let seen =
            matches!(self.stage, PreemptionStage::Resetting { .. } | PreemptionStage::Emptying);
        seen && self.cut.is_some()
    }

    /// Returns whether a driver that requests the next command of a preemption would get one.
    pub(super) fn has_step(&self) -> bool {
        match self.stage {
            _ if self.undo.any() => true,
            PreemptionStage::Pausing => {
                let ends = self.way != Preemption::Wait || self.flight.is_empty();
                self.flight.unacknowledged == 0 && ends
            }
            PreemptionStage::MustReset => self.flight.is_empty() || self.is_hit(),
            PreemptionStage::Removing { over: true } => true,
            PreemptionStage::Resetting { over: true } | PreemptionStage::Emptying => {
                self.flight.is_empty()
            }
            _ => false,
        }
    }
}
