//! What do the tables of the controllers say?
//!
//! Rows as plain values, in the units of the seed: registers, hardware warps, shared memory.
//! A smaller rank is more urgent, as everywhere here; the seed counts priorities the other way.

use raddle_policy::{CuId, LaunchId};

use crate::Route;

/// What one SM holds, or has left.
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
    /// Its id; no other unfinished kernel has it.
    pub id: LaunchId,
    /// Its rank: the smaller, the more urgent. A level has [`Level::rank`](raddle_policy::Level::rank).
    pub rank: u64,
    /// Blocks, 1 or more.
    pub blocks: u64,
    /// Warps of a block, 1 or more.
    pub warps: u64,
    /// Registers of a warp.
    pub registers: u64,
    /// Shared memory of a block.
    pub shared: u64,
    /// Whether the warps of a block meet at a barrier.
    pub barrier: bool,
}

/// A row of the kernel status register table: a kernel that has not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelRow {
    /// Which.
    pub kernel: LaunchId,
    /// Its rank.
    pub rank: u64,
    /// Blocks not yet distributed.
    pub undistributed: u64,
}

/// A row of the SM status register table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmRow {
    /// Which.
    pub sm: CuId,
    /// What is left of its resources.
    pub remaining: Resources,
    /// The most urgent rank among its blocks; `None` without blocks, less urgent than every rank.
    pub top: Option<u64>,
}

/// A row of the block status register table of one SM: a block that has not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockRow {
    /// Of which kernel.
    pub kernel: LaunchId,
    /// Which block of it.
    pub block: u64,
    /// Its rank.
    pub rank: u64,
    /// Warps that have not started.
    pub waiting: u64,
    /// Warps that run.
    pub running: u64,
    /// Warps that have ended.
    pub finished: u64,
}

/// What the global controller decided (G3, G5, G6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// How.
    pub route: Route,
    /// Blocks of which kernel.
    pub kernel: LaunchId,
    /// To which SM.
    pub sm: CuId,
    /// The lowest of them.
    pub first: u64,
    /// How many; 1 but for whole blocks.
    pub count: u64,
    /// N1, the blocks that the SM could have taken; 0 but for whole blocks.
    pub n1: u64,
}

/// Warps that an SM controller started (L3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Started {
    /// Of which kernel.
    pub kernel: LaunchId,
    /// Of which block.
    pub block: u64,
    /// On which SM.
    pub sm: CuId,
    /// The first of them.
    pub first: u64,
    /// How many.
    pub count: u64,
    /// Whether all warps of the block have started with these.
    pub last: bool,
    /// To say that one of them has ended.
    pub handle: Handle,
}

/// A block on an SM, to report its warps by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Handle {
    pub(crate) slot: u32,
    pub(crate) serial: u64,
}

/// What the end of a warp meant (L4, L5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// On which SM.
    pub sm: CuId,
    /// Whether it was the last warp of its block.
    pub block_done: bool,
    /// Whether it was the last warp of its kernel.
    pub kernel_done: bool,
}
