//! How far is the preemption of one process?

use raddle_policy::{Level, Preemption, ProcessId};

use super::answers::{Command, LaunchHandle, ProcessPhase};
use super::flight::{Flight, FlyingLaunch};
use super::queues::Queues;

/// Stages of the preemption of a process, in the order in which a preemption passes through them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PreemptionStage {
    /// No preemption of the process is under way or complete, so its launches are submitted.
    Running,
    /// The preemption waits until all submit calls under way have returned (seed 001, S3.1, A8).
    Pausing,
    /// The preemption flag, which launches test at their start, is being raised (seed 001, S3.2)
    /// and is not yet visible to them.
    Raising,
    /// The next command is the reset (kill) that was decided on (seed 001, S3.3).
    MustReset,
    /// The driver resets the compute units, which kills running launches; `over` is true when it
    /// has reported the end of the reset.
    Resetting { over: bool },
    /// The preemption of the process waits until no launch of the process is in the runtime.
    Emptying,
    /// The driver takes the work of the process off the device by holding workgroups back or saving
    /// them; `over` is true when it has reported that the device has none of it.
    Removing { over: bool },
    /// The preemption is complete: no work of the process is on the device.
    Preempted,
}

impl PreemptionStage {
    /// Returns whether killed launches may be reported, since a reset was commanded. True also
    /// after the end of the reset, because reports come in any order.
    pub(super) const fn is_resetting(self) -> bool {
        matches!(self, Self::Resetting { .. })
    }

    /// Returns whether a reset of the process (killing of its running launches) was decided on and
    /// has not ended: it is the next command or under way.
    pub(super) const fn is_reset_pending(self) -> bool {
        matches!(self, Self::MustReset | Self::Resetting { over: false })
    }
}

/// Measures of a preemption (raised flag, held workgroups, saved work), each true where the driver
/// was commanded to take it and has yet to undo it.
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

    /// Returns the command that undoes the measure that was taken last; `None` where all are
    /// undone.
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

/// Next submission number and next capture number of a process id; both go on counting when another
/// process gets the id.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NextNumbers {
    submission: u64,
    order: u64,
}

#[derive(Clone, Debug)]
pub(super) struct ControlledProcess<T> {
    pub(super) level: Level,
    /// Part of the device that the process runs on, numbered by the host; 0 by default.
    pub(super) part: u16,
    pub(super) queues: Queues<T>,
    pub(super) flight: Flight<T>,
    pub(super) stage: PreemptionStage,
    /// True where the process was paused, so that it submits nothing although no preemption is
    /// under way.
    pub(super) paused: bool,
    /// Method of the preemption that is under way, or of the last one that was.
    pub(super) way: Preemption,
    /// True where the host has requested a resume that takes effect at the end of the preemption
    /// under way.
    pub(super) resume_waits: bool,
    /// Measures that the driver has taken for the preemption under way, and that a resume has to
    /// undo.
    pub(super) done: Measures,
    /// Measures of the ended preemption (raised preemption flag, held workgroups, saved work) that
    /// the next commands undo.
    pub(super) undo: Measures,
    /// First submission number to which the raised preemption flag (tested by each launch at its
    /// start) does not apply. Launches with lower numbers may leave by the flag. `None` while no
    /// flag is raised.
    pub(super) cut: Option<u64>,
    /// Number of the next submission of the process. A raised preemption flag (tested by each
    /// launch at its start) applies to a range of such numbers.
    pub(super) next: u64,
    /// Number that changes whenever something happens that a blocked thread of the host may be
    /// waiting for.
    pub(super) generation: u64,
    /// True where the process died while the driver resets the compute units (kills running
    /// launches). Its id is taken until the reset is over.
    pub(super) is_lost: bool,
    /// True where the process is in the controller's list of processes that may have a command.
    pub(super) is_listed: bool,
}

impl<T> ControlledProcess<T> {
    /// Returns a process with the urgency `level`, which continues the numbers `before` of the
    /// previous process with its id.
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

    /// Returns whether the process submits nothing because of a preemption that is under way,
    /// complete, or not undone yet.
    #[inline]
    pub(super) fn is_preempted(&self) -> bool {
        self.stage != PreemptionStage::Running || self.undo.any()
    }

    /// Ends a preemption; the next commands undo its measures: the raised preemption flag (which
    /// each launch tests at its start), the hold on workgroups or the save.
    pub(super) const fn go_on(&mut self) {
        self.stage = PreemptionStage::Running;
        self.undo = self.done;
        self.done = Measures { raised: false, held: false, saved: false };
    }

    /// Changes the generation number of the process, so that threads of the host that wait for the
    /// process check again.
    pub(super) const fn turn_over(&mut self) {
        self.generation = self.generation.wrapping_add(1);
    }

    pub(super) fn flying(
        &self,
        process: ProcessId,
    ) -> impl Iterator<Item = (LaunchHandle, &FlyingLaunch<T>)> {
        self.flight.iter().map(move |(slot, flying)| {
            (LaunchHandle { process, sequence: flying.sequence, slot }, flying)
        })
    }

    /// Returns whether a reset of the process (killing of its running launches) was requested and
    /// has neither been refused nor ended.
    pub(super) fn may_be_reset(&self) -> bool {
        let undecided = matches!(self.stage, PreemptionStage::Pausing | PreemptionStage::Raising);
        (undecided && self.way.begins_again()) || self.stage.is_reset_pending()
    }

    /// Returns whether the preemption flag (tested by each launch at its start) is raised and
    /// visible to every launch of the process that starts. True also after a reset, because
    /// launches that the reset did not kill still leave by the flag.
    pub(super) fn is_leaving(&self) -> bool {
        let seen =
            matches!(self.stage, PreemptionStage::Resetting { .. } | PreemptionStage::Emptying);
        seen && self.cut.is_some()
    }

    /// Returns whether the controller has a command for the process's preemption now.
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
