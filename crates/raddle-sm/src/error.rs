//! What is malformed?

use core::fmt;

use raddle_policy::{CuId, LaunchId};

/// What is malformed: a device, a kernel, a report of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A device without SMs.
    NoSms,
    /// A kernel under the id of one that has not finished.
    Known {
        /// Which.
        kernel: LaunchId,
    },
    /// A kernel without blocks.
    NoBlocks {
        /// Which.
        kernel: LaunchId,
    },
    /// A kernel whose blocks have no warps.
    NoWarps {
        /// Which.
        kernel: LaunchId,
    },
    /// Registers of a block beyond u64.
    Registers {
        /// Of which kernel.
        kernel: LaunchId,
    },
    /// An SM that there is not.
    SmOutside {
        /// Which.
        sm: CuId,
    },
    /// A warp is said to end that does not run; nothing has changed.
    NotRunning {
        /// The number of the distribution of its block.
        block: u64,
    },
    /// A job without ticks for each warp of each block.
    TickCount {
        /// Of which kernel.
        kernel: LaunchId,
        /// Given.
        given: usize,
        /// Blocks times warps.
        wanted: u64,
    },
    /// A warp that takes no time.
    NoTicks {
        /// Of which kernel.
        kernel: LaunchId,
    },
    /// A time beyond u64.
    Time {
        /// Of which kernel.
        kernel: LaunchId,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSms => f.write_str("a device without SMs can run nothing: give at least 1"),
            Self::Known { kernel } => {
                write!(f, "{kernel} has not finished: give each kernel an id of its own")
            }
            Self::NoBlocks { kernel } => write!(f, "{kernel} has no block: give at least 1"),
            Self::NoWarps { kernel } => {
                write!(f, "the blocks of {kernel} have no warp: give at least 1")
            }
            Self::Registers { kernel } => {
                write!(f, "a block of {kernel} needs more registers than 64 bits count: give fewer")
            }
            Self::SmOutside { sm } => write!(f, "{sm} is not there: name one of the device"),
            Self::NotRunning { block } => {
                write!(f, "no warp of distribution {block} runs: let each end once")
            }
            Self::TickCount { kernel, given, wanted } => {
                write!(f, "{given} durations for {wanted} warps of {kernel}: give one each")
            }
            Self::NoTicks { kernel } => {
                write!(f, "a warp of {kernel} takes 0 ticks: give at least 1")
            }
            Self::Time { kernel } => {
                write!(f, "a warp of {kernel} ends after the end of time: give fewer ticks")
            }
        }
    }
}

impl core::error::Error for Error {}
