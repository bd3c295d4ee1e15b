//! Why does a map refuse a change?

use core::fmt;

/// Why a map refuses a change; nothing has changed then. All positions are in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A block of the planned run is taken: somebody else came first.
    Taken {
        /// First block of the run.
        start: u32,
        /// Its length.
        len: u32,
    },
    /// A block of the run to be released is free already.
    NotTaken {
        /// First block of the run.
        start: u32,
        /// Its length.
        len: u32,
    },
    /// The run reaches past the end of the map.
    OutOfRange {
        /// First block of the run.
        start: u32,
        /// Its length.
        len: u32,
        /// Blocks of the map.
        blocks: u32,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken { start, len } => {
                write!(f, "{len} blocks from {start} are not all free any more: search again")
            }
            Self::NotTaken { start, len } => write!(
                f,
                "{len} blocks from {start} are not all taken: release what was taken, once"
            ),
            Self::OutOfRange { start, len, blocks } => write!(
                f,
                "{len} blocks from {start} do not lie in a map of {blocks}: use the map of the plan"
            ),
        }
    }
}

impl core::error::Error for Error {}
