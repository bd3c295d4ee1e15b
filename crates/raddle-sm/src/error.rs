//! Which devices, kernels and reports do the controllers refuse?

use raddle_policy::{CuId, LaunchId};

/// Reason why a device, a kernel or the report of a warp is refused; nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message says what each variant and field is")]
pub enum Error {
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
