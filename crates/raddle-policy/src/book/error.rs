//! Why does the book refuse an entry?

use core::fmt;

use crate::{CuId, LaunchId};

/// Why the book refuses an entry; nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BookError {
    /// More was to start on a compute unit than it has room for.
    Overcommit {
        /// Which launch.
        launch: LaunchId,
        /// Where.
        cu: CuId,
    },
    /// More was to end on a compute unit than lies there.
    NotResident {
        /// Which launch.
        launch: LaunchId,
        /// Where.
        cu: CuId,
    },
    /// Addresses were given, but not one for each wave, or on a SIMD that does not exist.
    Places {
        /// Which launch.
        launch: LaunchId,
    },
    /// Waves out of order: a partly started workgroup starts its waves in order, one workgroup an
    /// answer, and ends no more than have started (which of them ended is not kept); a workgroup
    /// known by name starts and ends once; one that was cut starts part by part, and each part
    /// ends as it started.
    Waves {
        /// Which launch.
        launch: LaunchId,
        /// Which workgroup.
        workgroup: u64,
    },
    /// The launch is resident under this id with another demand.
    Demand {
        /// Which launch.
        launch: LaunchId,
    },
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overcommit { launch, cu } => write!(
                f,
                "{launch} does not fit on {cu}: the answer over-commits it; ask `Cus::room` first"
            ),
            Self::NotResident { launch, cu } => write!(
                f,
                "{launch} is said to end on {cu}, where less of it lies; each workgroup ends once"
            ),
            Self::Places { launch } => write!(
                f,
                "{launch} starts with addresses: give one for each wave, on a SIMD that exists"
            ),
            Self::Waves { launch, workgroup } => write!(
                f,
                "waves of workgroup {workgroup} of {launch} are out of order: start and end them \
                 in order, each once"
            ),
            Self::Demand { launch } => write!(
                f,
                "{launch} lies on the device with another demand; give each launch an id of its own"
            ),
        }
    }
}

impl core::error::Error for BookError {}
