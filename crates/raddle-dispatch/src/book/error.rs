//! Why does the account of resident workgroups refuse a start or an end?

use raddle_policy::{CuId, ErrorKind, LaunchId};

/// The reason why a [`Book`](crate::Book), the account of the workgroups on each compute unit,
/// refuses a start or an end; the account has not changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct BookError(pub(crate) Reason);

impl BookError {
    /// Returns the kind of the error, by which a program can decide how to continue.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self.0 {
            Reason::Overcommit { .. } => ErrorKind::NoRoom,
            Reason::Places { .. } | Reason::Demand { .. } => ErrorKind::Inconsistent,
            _ => ErrorKind::State,
        }
    }

    /// Returns the number of the law of the trait `Allocate` that a refused start breaks.
    pub(crate) const fn law(&self) -> u8 {
        match self.0 {
            Reason::NothingLeft { .. }
            | Reason::NotNext { .. }
            | Reason::NotTheNext { .. }
            | Reason::GoesOn { .. } => 1,
            Reason::CutAtBarrier { .. } | Reason::CutOne { .. } | Reason::CutGoesOn { .. } => 8,
            _ => 2,
        }
    }
}

/// The reason of a [`BookError`], with the values that its message needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Reason {
    /// No workgroup of the launch may start: all have started or are assigned to a compute unit, or
    /// the launch is being drained, so that only assigned ones may start.
    #[error("{launch} has no workgroup left to distribute")]
    NothingLeft { launch: LaunchId },
    /// The workgroup that was to start or to be assigned is not the next one of the launch.
    #[error("the next workgroup of {launch} is {next}")]
    NotNext { launch: LaunchId, next: u64 },
    /// The whole workgroups that were to start are not the next ones of the launch.
    #[error("a start of {launch} must name workgroups from {first} on, each once")]
    NotTheNext { launch: LaunchId, first: u64 },
    /// A workgroup that is assigned to a compute unit, or partly started, was to start on a unit
    /// other than its own, or with a wave other than its next one.
    #[error("workgroup {workgroup} of {launch} goes on at wave {wave} on {cu}")]
    GoesOn { launch: LaunchId, workgroup: u64, wave: u16, cu: CuId },
    /// A workgroup was to be cut (its waves spread over compute units), but its waves may meet at a
    /// barrier.
    #[error("{launch} is cut, whose waves may meet at a barrier")]
    CutAtBarrier { launch: LaunchId },
    /// A start of a cut workgroup (whose waves may be on different compute units) did not name
    /// exactly one part of the launch's next workgroup.
    #[error("{launch} is cut: one piece of workgroup {workgroup} starts")]
    CutOne { launch: LaunchId, workgroup: u64 },
    /// The waves that were to start are not the next ones of a workgroup that was cut (its waves
    /// may be on different compute units).
    #[error("workgroup {workgroup} of {launch} was cut and goes on at wave {wave}")]
    CutGoesOn { launch: LaunchId, workgroup: u64, wave: u16 },
    /// An answer was to start work of a launch that a preemption has saved off the device.
    #[error("{launch} is saved off the device; restore it first")]
    Saved { launch: LaunchId },
    /// More workgroups or waves were to start on a compute unit than it has room for.
    #[error("{launch} does not fit on {cu}: the answer over-commits it; ask `Cus::room` first")]
    Overcommit { launch: LaunchId, cu: CuId },
    /// More workgroups or waves of a launch were to end on a compute unit than are on it.
    #[error("{launch} is said to end on {cu}, where less of it lies; each workgroup ends once")]
    NotResident { launch: LaunchId, cu: CuId },
    /// The addresses of a start were not one for each wave, or named a SIMD that does not exist.
    #[error("{launch} starts with addresses: give one for each wave, on a SIMD that exists")]
    Places { launch: LaunchId },
    /// Waves started or ended out of order. Waves of a workgroup start in order, and each answer
    /// starts waves of one workgroup only. No more waves end than have started. A workgroup that
    /// started with addresses ends once, as a whole, and a part of a cut workgroup ends with the
    /// waves with which it started.
    #[error(
        "waves of workgroup {workgroup} of {launch} are out of order: start and end them in order, each once"
    )]
    Waves { launch: LaunchId, workgroup: u64 },
    /// A launch was to start work, but its id is that of a launch on the device that has another
    /// demand or another number of workgroups.
    #[error(
        "{launch} lies on the device with another demand or grid; give each launch an id of its own"
    )]
    Demand { launch: LaunchId },
}
