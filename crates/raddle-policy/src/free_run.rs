//! How long are the free runs (free granules in a row) of a resource, and why did a workgroup wait?

use crate::Resource;

/// The free granules of one resource of a compute unit: their total, and the longest contiguous
/// run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FreeRun {
    /// All free granules of the resource, summed over the SIMDs.
    pub free: u64,
    /// The number of granules in the longest run of free ones. For a resource that belongs to the
    /// SIMDs, this is the sum of the longest run on each SIMD.
    pub longest: u64,
}

/// The resources that are allocated as contiguous runs of granules, in the order in which
/// [`Allocate::free_runs`](crate::Allocate::free_runs) lists them.
#[doc(hidden)]
pub const IN_RUNS: [Resource; 3] = [Resource::Vgpr, Resource::Sgpr, Resource::Lds];

/// The reason why a waiting workgroup did not get the first resource that it lacked, on the compute
/// unit that was tried first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[doc(hidden)]
pub enum WaitReason {
    /// Fewer granules are free than the workgroup needs.
    NotEnough,
    /// Enough granules are free, but in runs that are too short for the workgroup.
    InPieces,
    /// A free run is long enough, but the policy's search overlooks it.
    NotSeen,
}

/// A count of how often work waited for lack of one resource, for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct WaitTally {
    /// The first resource that the waiting workgroup lacked.
    pub resource: Resource,
    /// The reason why the resource was not sufficient for a workgroup: too little of it is free, no
    /// free run is long enough, or the allocator's search finds no run.
    pub reason: WaitReason,
    /// The number of times that an allocate policy left work waiting for this resource and reason.
    pub count: u64,
}
