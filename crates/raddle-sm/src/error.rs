//! Why do the controllers of SMs refuse a device, a kernel, or a report that a warp has ended?

use raddle_policy::{CuId, ErrorKind, LaunchId};

/// Reason why the controllers refuse a device, a kernel or the report that a warp has ended;
/// nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error(pub(crate) Reason);

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

impl core::error::Error for Error {}

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

    /// Returns the kernel that the error is about; `None` where it is about no kernel.
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

/// Reason of an error of the SM controllers, with the values that its message shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    NoSms,
    Known { kernel: LaunchId },
    NoBlocks { kernel: LaunchId },
    NoWarps { kernel: LaunchId },
    Registers { kernel: LaunchId },
    SmOutside { sm: CuId },
    NotRunning { block: u64 },
}

raddle_policy::texts! { Reason:
    NoSms => "a device without SMs can run nothing: give at least 1";
    Known { kernel } => "{kernel} has not finished: give each kernel an id of its own";
    NoBlocks { kernel } => "{kernel} has no block: give at least 1";
    NoWarps { kernel } => "the blocks of {kernel} have no warp: give at least 1";
    Registers { kernel } =>
        "a block of {kernel} needs more registers than 64 bits count: give fewer";
    SmOutside { sm } => "{sm} is not there: name one of the device";
    NotRunning { block } => "no warp of distribution {block} runs: let each end once";
}
