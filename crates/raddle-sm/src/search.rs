//! Which SM gets the next block of a kernel, and by which route (steps G2 to G6 of seed 003)?
//!
//! One search serves the tables of [`Controllers`](crate::Controllers), which know three resources,
//! and the policy `block-warp`, whose device also has SIMDs, workgroup slots and barriers.

use crate::index::{DemandSlot, Index, Of, SmKey};
use crate::{BlockWarpConfig, Choose};

/// Way in which a block comes to an SM, in the order in which the patent (seed 003) tries them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    /// The SM has room for whole blocks and reserves all their resources (step G3 of the patent,
    /// seed 003).
    Whole,
    /// The SM can start at least one warp of the block (the "first SM" in step G5 of the patent,
    /// seed 003).
    First,
    /// The SM runs only work of lower priority, and the block waits there for warp slots (the
    /// "second SM" in step G6 of the patent, seed 003).
    Second,
}

impl Route {
    /// Returns the name of the route: `whole`, `first` or `second`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::First => "first",
            Self::Second => "second",
        }
    }
}

/// Exact answers on how much room each SM has, which a search needs since the index alone finds
/// only SMs that may have room.
pub(crate) trait Room {
    /// Returns the number of whole blocks for which the SM has room now (N1 in the patent, seed
    /// 003).
    fn blocks(&self, sm: usize) -> u64;
    /// Returns the number of warps of a new block that can start on the SM now. With `strict` it is
    /// 0 unless the SM has more of each resource than one warp needs.
    fn warps(&self, sm: usize, strict: bool) -> u64;
    /// Returns the highest priority among the blocks of the SM; `None` where it has no block.
    fn top(&self, sm: usize) -> Option<u64>;
}

/// Needs and priority of a block, for the search of an SM.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SmWish {
    pub(crate) priority: u64,
    pub(crate) barrier: bool,
    /// Resources that a whole block needs, in the form in which the index keeps free amounts
    /// ([`SmKey`]).
    pub(crate) block: SmKey,
    /// Resources that the first warp of a block needs, in the form in which the index keeps free
    /// amounts ([`SmKey`]): one warp, its registers, and the shared memory of the block.
    pub(crate) warp: SmKey,
}

/// Returns (route, SM) for the next block of a kernel; the routes are tried in their order: whole,
/// first, second. `None` where no SM takes the block. `place` is the slot of the kernel's demand in
/// the index, which is up to date.
pub(crate) fn find(
    (index, place): (&Index, DemandSlot),
    room: &impl Room,
    wish: &SmWish,
    options: &BlockWarpConfig,
) -> Option<(Route, usize)> {
    let (lowest, block, warp) =
        (options.choose == Choose::Lowest, (place, Of::Block), (place, Of::Warp));
    let whole = if lowest {
        index.lowest(block, 0, |sm| room.blocks(sm) > 0)
    } else {
        index.most(block, |sm| room.blocks(sm))
    };
    if let Some(sm) = whole {
        return Some((Route::Whole, sm));
    }
    let warps = |sm| room.warps(sm, options.strict);
    let first = if wish.barrier && options.whole_blocks_for_barriers {
        None
    } else if lowest {
        index.lowest(warp, 0, |sm| warps(sm) > 0)
    } else {
        index.most(warp, warps)
    };
    if let Some(sm) = first {
        return Some((Route::First, sm));
    }
    let second = if lowest {
        index.lower(wish.priority, |sm| room.top(sm) < Some(wish.priority))
    } else {
        index.lowest_top(wish.priority, |sm| room.top(sm))
    };
    second.map(|sm| (Route::Second, sm))
}
