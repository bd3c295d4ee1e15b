//! Why does the account of resident workgroups refuse a start or an end?

use raddle_policy::{CuId, ErrorKind, LaunchId};

/// The reason why the account of what is on each compute unit refuses a start or an end; nothing
/// has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct BookError(pub(crate) Reason);

impl BookError {
    /// Returns the kind of the error, by which a program may go on.
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

/// Reason of an error, with the values that its message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Reason {
    /// All workgroups have started or are assigned, or only assigned workgroups may start.
    #[error("{launch} has no workgroup left to distribute")]
    NothingLeft { launch: LaunchId },
    /// One workgroup was to start or to be assigned that is not the next one.
    #[error("the next workgroup of {launch} is {next}")]
    NotNext { launch: LaunchId, next: u64 },
    /// Whole workgroups were to start that are not the next ones.
    #[error("a start of {launch} must name workgroups from {first} on, each once")]
    NotTheNext { launch: LaunchId, first: u64 },
    /// A workgroup that is assigned to a compute unit, or partly started, was to start elsewhere or
    /// from another wave on.
    #[error("workgroup {workgroup} of {launch} goes on at wave {wave} on {cu}")]
    GoesOn { launch: LaunchId, workgroup: u64, wave: u16, cu: CuId },
    /// A workgroup was to be cut whose waves may wait for each other.
    #[error("{launch} is cut, whose waves may meet at a barrier")]
    CutAtBarrier { launch: LaunchId },
    /// Other parts were to start than one of the next workgroup.
    #[error("{launch} is cut: one piece of workgroup {workgroup} starts")]
    CutOne { launch: LaunchId, workgroup: u64 },
    /// Other waves were to start than the next ones of a workgroup that was cut.
    #[error("workgroup {workgroup} of {launch} was cut and goes on at wave {wave}")]
    CutGoesOn { launch: LaunchId, workgroup: u64, wave: u16 },
    /// Work was to start of a launch that is saved.
    #[error("{launch} is saved off the device; restore it first")]
    Saved { launch: LaunchId },
    /// More workgroups or waves were to start on a compute unit than it has room for.
    #[error("{launch} does not fit on {cu}: the answer over-commits it; ask `Cus::room` first")]
    Overcommit { launch: LaunchId, cu: CuId },
    /// More workgroups or waves of a launch were to end on a compute unit than are on it.
    #[error("{launch} is said to end on {cu}, where less of it lies; each workgroup ends once")]
    NotResident { launch: LaunchId, cu: CuId },
    /// Addresses were given, but not one for each wave, or with a SIMD that does not exist.
    #[error("{launch} starts with addresses: give one for each wave, on a SIMD that exists")]
    Places { launch: LaunchId },
    /// Waves started or ended out of order. Waves start in order, of one workgroup in each answer,
    /// and no more end than have started (which of them ended is not kept). A workgroup that
    /// started with addresses ends once. A part of one that was cut ends as it started.
    #[error(
        "waves of workgroup {workgroup} of {launch} are out of order: start and end them in order, each once"
    )]
    Waves { launch: LaunchId, workgroup: u64 },
    /// Work is to start for a launch id that is on the device with another demand (resources of one
    /// workgroup).
    #[error(
        "{launch} lies on the device with another demand or grid; give each launch an id of its own"
    )]
    Demand { launch: LaunchId },
}
