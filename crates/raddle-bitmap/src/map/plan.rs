//! Which free blocks in a row has a search found, which nobody has taken yet?

use core::sync::atomic::{AtomicUsize, Ordering};

use crate::error::Reason;
use crate::{Error, words};

/// Identity of a free map or bank of maps, unique in the process; a plan stores it, so that the
/// plan is not used on another map. A clone gets an identity of its own; a comparison of maps
/// ignores identities.
#[derive(Debug)]
pub(crate) struct Identity(usize);

impl Default for Identity {
    fn default() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl Clone for Identity {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Identity {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Identity {}

/// Plan to take free blocks in a row that a search found. A plan reserves nothing: only
/// [`FreeMap::commit`](crate::FreeMap::commit) or [`Bank::commit`](crate::Bank::commit) takes the
/// blocks.
///
/// A plan is neither `Copy` nor `Clone`, so that no run is taken twice.
///
/// ```compile_fail,E0277
/// fn twice<T: Clone>(_: T) {}
/// twice(raddle_bitmap::FreeMap::new(8).unwrap().first_fit(1));
/// ```
#[derive(Debug)]
#[must_use = "a plan reserves nothing; give it to `commit`"]
pub struct RunPlan {
    start: u32,
    len: u32,
    /// (identity of the map or bank, index of the map in the bank) for which the plan was made.
    of: (usize, usize),
}

/// Plans are equal if they name the same blocks (first block and number of blocks), whichever map
/// they were made for.
impl PartialEq for RunPlan {
    fn eq(&self, other: &Self) -> bool {
        (self.start, self.len) == (other.start, other.len)
    }
}

impl Eq for RunPlan {}

impl RunPlan {
    #[inline]
    pub(crate) const fn new(start: u32, len: u32, of: &Identity, map: usize) -> Self {
        Self { start, len, of: (of.0, map) }
    }

    /// Returns (first block, number of blocks) if the plan was made for the map with the index
    /// `map` of the map or bank `of`; an error otherwise.
    #[inline]
    pub(crate) fn of(&self, of: &Identity, map: usize) -> Result<(u32, u32), Error> {
        let &Self { start, len, .. } = self;
        if self.of == (of.0, map) {
            Ok((start, len))
        } else {
            Err(Error(Reason::OtherMap { start, len }))
        }
    }

    /// Returns a plan for the lowest `want` free blocks (bits of 1) in a row at or after the block
    /// `from`; `None` where there are none. A plan for 0 blocks always starts at 0.
    #[inline]
    pub(crate) fn first(
        words: &[u64],
        from: u32,
        want: u32,
        (of, map): (&Identity, usize),
    ) -> Option<Self> {
        let start = if want == 0 { 0 } else { words::first_fit(words, from, want) };
        (start != words::NOWHERE).then_some(Self::new(start, want, of, map))
    }

    /// Returns the first of the blocks that the plan would take; 0 for a plan without blocks.
    #[must_use]
    pub const fn start(&self) -> u32 {
        self.start
    }

    /// Returns the number of blocks that the plan would take.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.len
    }

    /// Returns whether the plan has no block: such a plan takes nothing.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}
