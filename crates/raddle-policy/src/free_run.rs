//! How large are the free runs, and why did work wait?

use crate::Resource;

/// Free granules of one resource of a compute unit, summed over its SIMDs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FreeRun {
    /// All free granules.
    pub free: u64,
    /// The free granules in the longest run of each SIMD, or of the compute unit.
    pub longest: u64,
}

/// The resources that are allocated as contiguous runs, in the order of their figures.
pub const IN_RUNS: [Resource; 3] = [Resource::Vgpr, Resource::Sgpr, Resource::Lds];

/// The reason why a workgroup did not start on the compute unit that was tried first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum WaitReason {
    /// Less is free than the workgroup needs.
    NotEnough,
    /// Enough is free, but in runs that are too short.
    InPieces,
    /// A run is long enough, but the search does not report it.
    NotSeen,
}

/// The count of how often work waited for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTally {
    /// The first resource that was lacking.
    pub resource: Resource,
    /// The reason.
    pub reason: WaitReason,
    /// The number of questions to the policy.
    pub count: u64,
}
