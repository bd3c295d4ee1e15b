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
            Reason::NotResident { .. } | Reason::Waves { .. } => ErrorKind::State,
            Reason::Places { .. } | Reason::Demand { .. } => ErrorKind::Inconsistent,
        }
    }
}

/// Reason of an error, with the values that its message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Reason {
    /// More workgroups or waves were to start on a compute unit than it has room for.
    #[error("{launch} does not fit on {cu}: the answer over-commits it; ask `Cus::room` first")]
    Overcommit { launch: LaunchId, cu: CuId },
    /// More workgroups or waves of a launch were to end on a compute unit than are on it.
    #[error("{launch} is said to end on {cu}, where less of it lies; each workgroup ends once")]
    NotResident { launch: LaunchId, cu: CuId },
    /// Addresses were given, but not one for each wave, or with a SIMD that does not exist.
    #[error("{launch} starts with addresses: give one for each wave, on a SIMD that exists")]
    Places { launch: LaunchId },
    /// Waves started or ended out of order. A partly started workgroup starts its waves in order,
    /// one workgroup in each answer, and ends no more waves than have started (which of them ended
    /// is not kept). A workgroup that started with addresses starts and ends once. One that was cut
    /// starts part by part, and each part ends as it started.
    #[error(
        "waves of workgroup {workgroup} of {launch} are out of order: start and end them in order, each once"
    )]
    Waves { launch: LaunchId, workgroup: u64 },
    /// Work is to start for a launch id that is on the device with another demand (resources of one
    /// workgroup).
    #[error("{launch} lies on the device with another demand; give each launch an id of its own")]
    Demand { launch: LaunchId },
}
