//! Where is one process, and what of it may leave?

use raddle_policy::{Level, Preemption, ProcessId};

use super::answers::{ControllerOptions, Declared, FlagCut, LaunchHandle, NoReset, ProcessPhase};
use super::flight::{Flight, FlyingLaunch};
use super::queues::Queues;
use crate::progress;

/// How far a preemption is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PreemptionStage {
    /// None is under way.
    Running,
    /// Submit calls that were begun are waited for (S3.1, A8).
    Pausing,
    /// The driver was told to raise the flag (S3.2).
    Raising,
    /// The driver is to be told to reset (S3.3).
    MustReset,
    /// It was told; whether it has said that the reset is over.
    Resetting { over: bool },
    /// The runtime has to become empty.
    Emptying,
    /// The driver was told to hold or to save; whether it has said that nothing is on the device.
    Removing { over: bool },
    /// Complete.
    Preempted,
}

impl PreemptionStage {
    /// Whether the driver was told to reset for this process: what is killed may be reported. Also
    /// when the reset is said to be over, as reports come in any order.
    pub(super) const fn is_resetting(self) -> bool {
        matches!(self, Self::Resetting { .. })
    }
}

/// The next numbers of an id: they outlive its process.
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
    /// The way off of the preemption under way, or of the last one.
    pub(super) way: Preemption,
    /// A resume waits for the end of the preemption.
    pub(super) resume_waits: bool,
    /// The way off of a preemption that the driver is to be told to undo, before anything else.
    pub(super) undo: Option<Preemption>,
    pub(super) cut: Option<FlagCut>,
    /// The number of the next submission.
    pub(super) next: u64,
}

impl<T> ControlledProcess<T> {
    /// A process that goes on counting where the one before it has left off.
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

    /// Ends a preemption: what it did is to be undone.
    pub(super) const fn go_on(&mut self) {
        self.stage = PreemptionStage::Running;
        self.undo = Some(self.way);
    }

    /// Whether this launch may be killed, and may be stopped part-way.
    fn may_stop(flying: &FlyingLaunch<T>, options: ControllerOptions) -> bool {
        let spared = progress::is_spared(options.most_kills, flying.work.kills);
        flying.work.may_be_killed() && !spared
    }

    /// Which launches leave by the flag: all in the runtime, but those up to the last one that has
    /// to run to its end.
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

    /// Whether the flag is raised and seen by everything that starts. Behind a reset, too: what it did
    /// not hit still leaves. While one is decided on or under way nobody asks: the others had nothing in
    /// the runtime or were looked at, and submit nothing.
    fn is_leaving(&self) -> bool {
        let seen =
            matches!(self.stage, PreemptionStage::Resetting { .. } | PreemptionStage::Emptying);
        seen && self.cut.is_some()
    }

    /// Whether a reset may hit this process, which must be on its way out.
    pub(super) fn refuses_reset(
        &self,
        process: ProcessId,
        options: ControllerOptions,
    ) -> Option<NoReset> {
        if !self.is_leaving() {
            return Some(NoReset::OtherProcess(process));
        }
        let cut = self.cut?;
        // The first one in the order of submission is named.
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
