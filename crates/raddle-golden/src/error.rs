//! Why does a golden model refuse its input?

use raddle_policy::{LaunchId, Refusal};
use raddle_preempt::PreemptError;

/// Reason why a golden model refuses its input. Indices count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message says what each variant and field is")]
pub enum ModelError {
    // Bitmap.
    #[error(
        "requests must be of 1 block to all blocks, the smallest first, and fill levels of 0 to 100 percent, the lowest first"
    )]
    Churn,
    #[error("{numerator}/{denominator} is no share: give 0/1 to 1/1")]
    Share { numerator: u64, denominator: u64 },
    #[error(transparent)]
    Map(#[from] raddle_bitmap::Error),

    // Circuits.
    #[error("there is no block: give at least 1")]
    NoBlocks,
    #[error("{blocks} blocks are too many here: give at most {most}")]
    TooManyBlocks { blocks: u32, most: u32 },
    #[error("{given} {what} make no circuit: give {least} to {most}")]
    RtlSize { what: &'static str, given: u32, least: u32, most: u32 },

    // Match.
    #[error(
        "the head of channel {channel} has {groups} wave groups, compute unit {cu} has {simds} SIMDs: give one each"
    )]
    GroupCount { channel: usize, groups: usize, cu: usize, simds: usize },
    #[error("compute unit {cu} has no pointer, so waves cannot be balanced there: give it one")]
    NoPointer { cu: usize },
    #[error("the waves of the head of channel {channel} want more than 64 bits count: give less")]
    Wanted { channel: usize },
    #[error(transparent)]
    Part(#[from] raddle_workgroup::Error),

    // Placement.
    #[error("a kernel without threads: give at least 1")]
    NoThreads,
    #[error("no workgroup can ever be placed: {0}")]
    NeverFits(Refusal),
    #[error("{what} = {given} is more than any compute unit could count: give less")]
    TooLarge { what: &'static str, given: u32 },

    // SM.
    #[error("a warp of {kernel} ends after the end of time: give fewer ticks")]
    WarpTime { kernel: LaunchId },
    #[error(transparent)]
    Controllers(#[from] raddle_sm::Error),

    // Preempt.
    #[error("launch {launch} ends after the end of time: give fewer ticks")]
    LaunchTime { launch: usize },
    #[error("a reset ends after the end of time: give fewer ticks")]
    ResetTime,
    #[error("the run has more than {most} steps: give fewer launches or wishes")]
    Steps { most: u64 },
    #[error(transparent)]
    Controller(#[from] PreemptError),
}
