//! How much of what is free lies in one run, and why did work wait?

use crate::Resource;

/// Free granules of one resource of a compute unit, summed over its SIMDs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FreeRun {
    /// All of them.
    pub free: u64,
    /// Those of the longest run of each SIMD, or of the compute unit.
    pub longest: u64,
}

/// The resources that are handed out in runs, in the order of what is told of them.
pub const IN_RUNS: [Resource; 3] = [Resource::Vgpr, Resource::Sgpr, Resource::Lds];

/// Why a workgroup did not go on the compute unit that was asked first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum WaitReason {
    /// Less is free than it wants.
    NotEnough,
    /// Enough is free, in pieces that are too short.
    InPieces,
    /// A run is long enough, and the search does not see it.
    NotSeen,
}

/// How often that was so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTally {
    /// What it lacked first.
    pub resource: Resource,
    /// Why.
    pub reason: WaitReason,
    /// Questions.
    pub count: u64,
}
