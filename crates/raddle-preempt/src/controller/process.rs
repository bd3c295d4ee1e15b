//! How far is the preemption of one process, and which of its launches may leave?

use raddle_policy::{Level, Preemption, ProcessId};

use super::answers::{ControllerOptions, Declared, FlagCut, LaunchHandle, NoReset, ProcessPhase};
use super::flight::{Flight, FlyingLaunch};
use super::queues::Queues;
use crate::progress;

/// The stages of a preemption, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PreemptionStage {
    /// Not preempted.
    Running,
    /// Waiting for submit calls that were begun (S3.1, A8).
    Pausing,
    /// The driver raises the flag (S3.2).
    Raising,
    /// The next command is the reset (S3.3).
    MustReset,
    /// The driver resets; `over` when it has reported the end.
    Resetting { over: bool },
    /// Waiting until the runtime has nothing of the process.
    Emptying,
    /// The driver holds or saves; `over` when it has reported that the device has nothing of it.
    Removing { over: bool },
    /// The preemption is complete.
    Preempted,
}

impl PreemptionStage {
    /// Whether killed launches may be reported: a reset was commanded. Also when it is over, as reports
    /// come in any order.
    pub(super) const fn is_resetting(self) -> bool {
        matches!(self, Self::Resetting { .. })
    }
}

/// The next submission and capture numbers of an id: they outlive its process.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NextNumbers {
    submission: u64,
    order: u64,
}

#[derive(Clone, Debug)]
pub(super) struct ControlledProcess<T> {
    pub(super) level: Level,
    pub(super) queues: Queues<T>,
    pub(super) flight: Flight<T>,
    pub(super) stage: PreemptionStage,
    /// The method of the preemption under way, or of the last one.
    pub(super) way: Preemption,
    /// A resume waits for the end of the preemption.
    pub(super) resume_waits: bool,
    /// The method of a preemption that the next command undoes.
    pub(super) undo: Option<Preemption>,
    pub(super) cut: Option<FlagCut>,
    /// The sequence number of the next submission.
    pub(super) next: u64,
}

impl<T> ControlledProcess<T> {
    /// A process that continues the numbers of the one that had its id before.
    pub(super) const fn new(level: Level, before: NextNumbers) -> Self {
        Self {
            level,
            queues: Queues::new(before.order),
            flight: Flight::new(),
            stage: PreemptionStage::Running,
            way: Preemption::Wait,
            resume_waits: false,
            undo: None,
            cut: None,
            next: before.submission,
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

    /// Ends a preemption.
    pub(super) const fn go_on(&mut self) {
        self.stage = PreemptionStage::Running;
        self.undo = Some(self.way);
    }

    /// Whether this launch may be killed or stopped part-way.
    fn may_stop(flying: &FlyingLaunch<T>, options: ControllerOptions) -> bool {
        let spared = progress::is_spared(options.most_kills, flying.work.kills);
        flying.work.may_be_killed() && !spared
    }

    /// The launches that leave by the flag: all in the runtime, but those up to the last one that has to
    /// run to its end.
    pub(super) fn cut(&self, declared: Declared, options: ControllerOptions) -> FlagCut {
        let mut from = self.next;
        let mut spared = 0;
        for (_, flying) in self.flight.iter() {
            from = from.min(flying.sequence);
            let stoppable = declared.latched || Self::may_stop(flying, options);
            if !flying.work.tests_flag() || !stoppable {
                spared = spared.max(flying.sequence + 1);
            }
        }
        FlagCut { from: from.max(spared), to: self.next }
    }

    /// Whether the flag is raised and visible to every launch that starts; also after a reset, as what
    /// that did not kill still leaves.
    fn is_leaving(&self) -> bool {
        let seen =
            matches!(self.stage, PreemptionStage::Resetting { .. } | PreemptionStage::Emptying);
        seen && self.cut.is_some()
    }

    /// Why a reset must not kill the launches of this process; `None` if it may.
    pub(super) fn refuses_reset(
        &self,
        process: ProcessId,
        options: ControllerOptions,
    ) -> Option<NoReset> {
        if !self.is_leaving() {
            return Some(NoReset::OtherProcess(process));
        }
        let cut = self.cut?;
        // The first in the order of submission is reported.
        let mut found: Option<(u64, NoReset)> = None;
        for (slot, flying) in self.flight.iter() {
            let handle = LaunchHandle { process, sequence: flying.sequence, slot };
            let why = if !flying.work.tests_flag() || !cut.holds(flying.sequence) {
                NoReset::NotFlagged(handle)
            } else if !flying.work.may_be_killed() {
                NoReset::NotIdempotent(handle)
            } else if !Self::may_stop(flying, options) {
                NoReset::KilledOften(handle)
            } else {
                continue;
            };
            if found.is_none_or(|(first, _)| flying.sequence < first) {
                found = Some((flying.sequence, why));
            }
        }
        found.map(|(_, why)| why)
    }
}
