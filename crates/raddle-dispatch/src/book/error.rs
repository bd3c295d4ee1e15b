//! Why does the book refuse an entry?

use raddle_policy::{CuId, LaunchId};

/// The reason why the book refuses an entry; nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message says what each field is")]
pub enum BookError {
    /// More was to start on a compute unit than it has room for.
    #[error("{launch} does not fit on {cu}: the answer over-commits it; ask `Cus::room` first")]
    Overcommit { launch: LaunchId, cu: CuId },
    /// More was to end on a compute unit than is resident there.
    #[error("{launch} is said to end on {cu}, where less of it lies; each workgroup ends once")]
    NotResident { launch: LaunchId, cu: CuId },
    /// Addresses were given, but not one for each wave, or on a SIMD that does not exist.
    #[error("{launch} starts with addresses: give one for each wave, on a SIMD that exists")]
    Places { launch: LaunchId },
    /// Waves out of order: a partly started workgroup starts its waves in order, one workgroup an
    /// answer, and ends no more than have started (which of them ended is not kept); a workgroup
    /// known by name starts and ends once; one that was cut starts part by part, and each part
    /// ends as it started.
    #[error(
        "waves of workgroup {workgroup} of {launch} are out of order: start and end them in order, each once"
    )]
    Waves { launch: LaunchId, workgroup: u64 },
    /// The launch is resident under this id with another demand.
    #[error("{launch} lies on the device with another demand; give each launch an id of its own")]
    Demand { launch: LaunchId },
}
