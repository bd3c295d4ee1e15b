//! Which SM gets the next block of a kernel, and by which route (G2 to G6)?
//!
//! The same search serves the tables of [`Controllers`](crate::Controllers), which know three
//! resources, and the policy, which asks the dispatcher's book about SIMDs, slots and barriers too.

use core::cmp::Reverse;

use crate::index::{Index, Key, lower_than, times};
use crate::{Choose, Options};

/// How a block comes to its SM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    /// G3: the SM takes whole blocks, and everything that they need at once.
    Whole,
    /// G5: the first SM, which can start one warp of it at least.
    First,
    /// G6: the second SM, on which all work is of lower priority.
    Second,
}

impl Route {
    /// `whole`, `first` or `second`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::First => "first",
            Self::Second => "second",
        }
    }
}

/// What a search wants to know of an SM; exact, where the index only narrows down.
pub(crate) trait Room {
    /// N1: whole blocks that it takes now.
    fn blocks(&self, sm: usize) -> u64;
    /// Warps of one new block that can start now; with `strict`, more than one must be able to.
    fn warps(&self, sm: usize, strict: bool) -> u64;
    /// The highest priority among its blocks.
    fn top(&self, sm: usize) -> Option<u64>;
}

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish {
    pub(crate) priority: u64,
    pub(crate) barrier: bool,
    /// What a whole block needs.
    pub(crate) block: Key,
    /// What the first warp needs: one warp, and the shared memory of the block (C2).
    pub(crate) warp: Key,
}

/// The route and the SM, if any: whole, then first, then second.
pub(crate) fn find(
    index: &Index,
    room: &impl Room,
    wish: &Wish,
    options: &Options,
) -> Option<(Route, usize)> {
    if let Some(sm) = whole(index, room, wish, options.choose) {
        return Some((Route::Whole, sm));
    }
    if !(wish.barrier && options.whole_blocks_for_barriers)
        && let Some(sm) = first(index, room, wish, options)
    {
        return Some((Route::First, sm));
    }
    second(index, room, wish, options.choose).map(|sm| (Route::Second, sm))
}

fn whole(index: &Index, room: &impl Room, wish: &Wish, choose: Choose) -> Option<usize> {
    match choose {
        Choose::Lowest => index.lowest(&wish.block, 0, |sm| room.blocks(sm) > 0),
        Choose::MostFree => {
            index.best(&wish.block, |key| times(key, &wish.block, 3), |sm| room.blocks(sm))
        }
    }
}

fn first(index: &Index, room: &impl Room, wish: &Wish, options: &Options) -> Option<usize> {
    let warps = |sm| room.warps(sm, options.strict);
    match options.choose {
        Choose::Lowest => index.lowest(&wish.warp, 0, |sm| warps(sm) > 0),
        Choose::MostFree => index.best(&wish.warp, |key| times(key, &wish.warp, 2), warps),
    }
}

fn second(index: &Index, room: &impl Room, wish: &Wish, choose: Choose) -> Option<usize> {
    let need = [0, 0, 0, lower_than(wish.priority)];
    let lower = |sm: usize| room.top(sm) < Some(wish.priority);
    match choose {
        Choose::Lowest => index.lowest(&need, 0, lower),
        Choose::MostFree => {
            // The lower the top, the better; no top at all is the best.
            let bound = |key: &Key| {
                let above_none = u64::from((i32::MAX - key[3]).unsigned_abs());
                Some(Reverse(above_none.checked_sub(1)))
            };
            index.best(&need, bound, |sm| lower(sm).then(|| Reverse(room.top(sm))))
        }
    }
}
