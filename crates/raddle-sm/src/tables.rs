//! Which rows have the controllers' tables of kernels, SMs and blocks?
//!
//! Rows are plain values, in the units of the seed: registers, hardware warps, shared memory. A
//! smaller rank is more urgent, as everywhere in raddle; in the seed a larger priority is.

use raddle_policy::{CuId, LaunchId};

use crate::Route;

/// Amounts of registers, warp slots and shared memory of one SM: all that it has, or all that is
/// free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Resources {
    /// Number of registers, in a unit that the caller chooses for SMs and kernels alike.
    pub registers: u64,
    /// Number of warp slots of the SM, or of those that are free; each slot holds one warp at a
    /// time.
    pub warps: u64,
    /// Amount of shared memory, in a unit that the caller chooses for SMs and kernels alike.
    pub shared: u64,
}

/// Kernel that arrives at the controllers, with its size and its needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Id of the kernel; no other unfinished kernel has it.
    pub id: LaunchId,
    /// Rank of the kernel: the smaller, the more urgent.
    /// [`Level::rank`](raddle_policy::Level::rank) gives the rank of a level.
    pub rank: u64,
    /// Number of thread blocks of the kernel, 1 or more.
    pub blocks: u64,
    /// Number of warps of one block, 1 or more.
    pub warps: u64,
    /// Registers that one warp needs, in a unit that the caller chooses for SMs and kernels alike.
    pub registers: u64,
    /// Shared memory that one block needs, in a unit that the caller chooses for SMs and kernels
    /// alike.
    pub shared: u64,
    /// True if the warps of a block meet at a barrier.
    pub barrier: bool,
}

/// Row of the table of kernels: a kernel that has not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct KernelRow {
    pub(crate) kernel: LaunchId,
    pub(crate) rank: u64,
    pub(crate) undistributed: u64,
}

impl KernelRow {
    /// Returns the id of the kernel that the row of the table describes.
    #[must_use]
    pub const fn kernel(&self) -> LaunchId {
        self.kernel
    }

    /// Returns the rank of the kernel: the smaller, the more urgent.
    #[must_use]
    pub const fn rank(&self) -> u64 {
        self.rank
    }

    /// Returns the number of blocks of the kernel that were not yet distributed to an SM.
    #[must_use]
    pub const fn undistributed(&self) -> u64 {
        self.undistributed
    }
}

/// Row of the table of SMs: an SM with its free resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct SmRow {
    pub(crate) sm: CuId,
    pub(crate) remaining: Resources,
    pub(crate) top: Option<u64>,
}

impl SmRow {
    /// Returns the id of the SM that the row of the table describes.
    #[must_use]
    pub const fn sm(&self) -> CuId {
        self.sm
    }

    /// Returns the resources that are free on the SM.
    #[must_use]
    pub const fn remaining(&self) -> Resources {
        self.remaining
    }

    /// Returns the rank of the most urgent block on the SM, the smaller the more urgent; `None`
    /// where the SM has no block.
    #[must_use]
    pub const fn top(&self) -> Option<u64> {
        self.top
    }
}

/// Row of the table of blocks of one SM: a block that has not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct BlockRow {
    pub(crate) kernel: LaunchId,
    pub(crate) block: u64,
    pub(crate) rank: u64,
    pub(crate) waiting: u64,
    pub(crate) running: u64,
    pub(crate) finished: u64,
}

impl BlockRow {
    /// Returns the id of the kernel that the block belongs to.
    #[must_use]
    pub const fn kernel(&self) -> LaunchId {
        self.kernel
    }

    /// Returns the number of the block in its kernel, from 0.
    #[must_use]
    pub const fn block(&self) -> u64 {
        self.block
    }

    /// Returns the rank of the kernel that the block belongs to: the smaller, the more urgent.
    #[must_use]
    pub const fn rank(&self) -> u64 {
        self.rank
    }

    /// Returns the number of warps of the block that have not started.
    #[must_use]
    pub const fn waiting(&self) -> u64 {
        self.waiting
    }

    /// Returns the number of warps of the block that run now.
    #[must_use]
    pub const fn running(&self) -> u64 {
        self.running
    }

    /// Returns the number of warps of the block that have ended.
    #[must_use]
    pub const fn finished(&self) -> u64 {
        self.finished
    }
}

/// Decision of the global controller to give blocks of a kernel to an SM (steps G3, G5 and G6 of
/// the patent, seed 003).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    pub(crate) route: Route,
    pub(crate) kernel: LaunchId,
    pub(crate) sm: CuId,
    pub(crate) first: u64,
    pub(crate) count: u64,
    pub(crate) n1: u64,
}

impl Decision {
    /// Returns the route by which the blocks come to the SM.
    #[must_use]
    pub const fn route(&self) -> Route {
        self.route
    }

    /// Returns the id of the kernel whose blocks are distributed.
    #[must_use]
    pub const fn kernel(&self) -> LaunchId {
        self.kernel
    }

    /// Returns the id of the SM that gets the blocks.
    #[must_use]
    pub const fn sm(&self) -> CuId {
        self.sm
    }

    /// Returns the number, within the kernel, of the first block that the SM gets.
    #[must_use]
    pub const fn first(&self) -> u64 {
        self.first
    }

    /// Returns the number of blocks that the SM gets; 1 on a route other than `Whole`.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the number of whole blocks for which the SM had room (N1 in the patent, seed 003); 0
    /// on a route other than `Whole`.
    #[must_use]
    pub const fn n1(&self) -> u64 {
        self.n1
    }
}

/// Warps of one block that the controller of an SM started together (step L3 of the patent, seed
/// 003).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Started {
    /// Id of the kernel that the warps belong to.
    pub(crate) kernel: LaunchId,
    /// Number of the block in its kernel, from 0.
    pub(crate) block: u64,
    /// SM on which the warps run.
    pub(crate) sm: CuId,
    /// Number, within the block, of the first warp that started.
    pub(crate) first: u64,
    /// Number of warps of the block that started together.
    pub(crate) count: u64,
    /// True if all warps of the block have now started.
    pub(crate) last: bool,
    /// Handle of the block, with which the end of each warp is reported.
    pub(crate) handle: Handle,
}

impl Started {
    /// Returns the id of the kernel that the warps belong to.
    #[must_use]
    pub const fn kernel(&self) -> LaunchId {
        self.kernel
    }

    /// Returns the number of the block in its kernel, from 0.
    #[must_use]
    pub const fn block(&self) -> u64 {
        self.block
    }

    /// Returns the SM on which the warps run.
    #[must_use]
    pub const fn sm(&self) -> CuId {
        self.sm
    }

    /// Returns the number, within the block, of the first warp that started.
    #[must_use]
    pub const fn first(&self) -> u64 {
        self.first
    }

    /// Returns the number of warps of the block that started together.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns whether all warps of the block have now started.
    #[must_use]
    pub const fn last(&self) -> bool {
        self.last
    }

    /// Returns the handle of the block, with which the end of each warp is reported.
    #[must_use]
    pub const fn handle(&self) -> Handle {
        self.handle
    }
}

/// Handle of a block on an SM, with which the end of its warps is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Handle {
    pub(crate) slot: u32,
    pub(crate) serial: u64,
}

/// Effects of the end of one warp (steps L4 and L5 of the patent, seed 003).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// SM on which the warp ran.
    pub(crate) sm: CuId,
    /// True if all warps of the warp's block have now ended.
    pub(crate) block_done: bool,
    /// True if all warps of the warp's kernel have now ended.
    pub(crate) kernel_done: bool,
}

impl Ended {
    /// Returns the SM on which the warp ran.
    #[must_use]
    pub const fn sm(&self) -> CuId {
        self.sm
    }

    /// Returns whether all warps of the warp's block have now ended.
    #[must_use]
    pub const fn block_done(&self) -> bool {
        self.block_done
    }

    /// Returns whether all warps of the warp's kernel have now ended.
    #[must_use]
    pub const fn kernel_done(&self) -> bool {
        self.kernel_done
    }
}
