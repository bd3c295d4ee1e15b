//! What do the tables of the controllers say?
//!
//! Rows as plain values, in the units of the seed: registers, hardware warps, shared memory.
//! A smaller rank is more urgent, as everywhere here; the seed counts priorities the other way.

use raddle_policy::{CuId, LaunchId};

use crate::Route;

/// The resources that one SM holds, or has left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Resources {
    /// Registers.
    pub registers: u64,
    /// Hardware warps.
    pub warps: u64,
    /// Shared memory.
    pub shared: u64,
}

/// A kernel that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Id of the kernel; no other unfinished kernel has it.
    pub id: LaunchId,
    /// Rank of the kernel: the smaller, the more urgent. A level has
    /// [`Level::rank`](raddle_policy::Level::rank).
    pub rank: u64,
    /// Blocks, 1 or more.
    pub blocks: u64,
    /// Warps of a block, 1 or more.
    pub warps: u64,
    /// Registers of a warp.
    pub registers: u64,
    /// Shared memory of a block.
    pub shared: u64,
    /// True if the warps of a block meet at a barrier.
    pub barrier: bool,
}

/// A row of the kernel status register table: a kernel that has not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelRow {
    /// Id of the kernel.
    pub kernel: LaunchId,
    /// Rank of the kernel.
    pub rank: u64,
    /// Blocks not yet distributed.
    pub undistributed: u64,
}

/// A row of the SM status register table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmRow {
    /// Id of the SM.
    pub sm: CuId,
    /// Resources left on the SM.
    pub remaining: Resources,
    /// The most urgent rank among the blocks of the SM; `None` without blocks, less urgent than
    /// every rank.
    pub top: Option<u64>,
}

/// A row of the block status register table of one SM: a block that has not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockRow {
    /// Kernel of the block.
    pub kernel: LaunchId,
    /// Number of the block in its kernel.
    pub block: u64,
    /// Rank of the kernel.
    pub rank: u64,
    /// Warps that have not started.
    pub waiting: u64,
    /// Warps that run.
    pub running: u64,
    /// Warps that have ended.
    pub finished: u64,
}

/// A decision of the global controller (G3, G5, G6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The route on which the blocks go to the SM.
    pub route: Route,
    /// The kernel of the distributed blocks.
    pub kernel: LaunchId,
    /// The SM that gets the blocks.
    pub sm: CuId,
    /// The lowest number among the blocks.
    pub first: u64,
    /// The number of blocks; 1 but for whole blocks.
    pub count: u64,
    /// N1, the blocks that the SM could have taken; 0 but for whole blocks.
    pub n1: u64,
}

/// Warps that an SM controller started (L3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Started {
    /// Kernel of the warps.
    pub kernel: LaunchId,
    /// Number of the block in its kernel.
    pub block: u64,
    /// The SM that the warps run on.
    pub sm: CuId,
    /// Number of the first warp in its block.
    pub first: u64,
    /// The number of warps.
    pub count: u64,
    /// True if all warps of the block have started with these.
    pub last: bool,
    /// A handle to report the end of each warp by.
    pub handle: Handle,
}

/// A block on an SM, for the reports that its warps have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Handle {
    pub(crate) slot: u32,
    pub(crate) serial: u64,
}

/// The effects of the end of a warp (L4, L5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The SM on which the warp ran.
    pub sm: CuId,
    /// True if the warp was the last of its block.
    pub block_done: bool,
    /// True if the warp was the last of its kernel.
    pub kernel_done: bool,
}
