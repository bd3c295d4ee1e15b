//! Which devices, kernels and reports do the controllers refuse?

use raddle_policy::{CuId, ErrorKind, LaunchId};

/// Reason why a device, a kernel or the report of a warp is refused; nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct Error(pub(crate) Reason);

impl Error {
    /// Returns the kind of the error, so that a program can decide how to go on.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self.0 {
            Reason::NoSms
            | Reason::NoBlocks { .. }
            | Reason::NoWarps { .. }
            | Reason::SmOutside { .. } => ErrorKind::OutOfRange,
            Reason::Registers { .. } => ErrorKind::Overflow,
            Reason::Known { .. } | Reason::NotRunning { .. } => ErrorKind::State,
        }
    }

    /// Returns the kernel that is at fault; `None` where it is no single one.
    #[must_use]
    pub const fn kernel(&self) -> Option<LaunchId> {
        match self.0 {
            Reason::Known { kernel }
            | Reason::NoBlocks { kernel }
            | Reason::NoWarps { kernel }
            | Reason::Registers { kernel } => Some(kernel),
            _ => None,
        }
    }
}

/// Reason of an error, with the values that its message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Reason {
    #[error("a device without SMs can run nothing: give at least 1")]
    NoSms,
    #[error("{kernel} has not finished: give each kernel an id of its own")]
    Known { kernel: LaunchId },
    #[error("{kernel} has no block: give at least 1")]
    NoBlocks { kernel: LaunchId },
    #[error("the blocks of {kernel} have no warp: give at least 1")]
    NoWarps { kernel: LaunchId },
    #[error("a block of {kernel} needs more registers than 64 bits count: give fewer")]
    Registers { kernel: LaunchId },
    #[error("{sm} is not there: name one of the device")]
    SmOutside { sm: CuId },
    #[error("no warp of distribution {block} runs: let each end once")]
    NotRunning { block: u64 },
}
