//! Which blocks of a map are free? Units: blocks, counted from 0.

mod change;
mod fragmentation;
mod plan;
mod polarity;
mod text;
mod view;

use alloc::vec::Vec;

pub use fragmentation::{FitRefusal, Fragmentation};
pub(crate) use plan::Identity;
pub use plan::RunPlan;
pub use polarity::Polarity;
pub use view::View;

use crate::Error;
use crate::error::Reason;
use crate::words;

/// Record of which of 1 to `u32::MAX` equal blocks of a resource are free and which are taken. A
/// map can [`grow`](Self::grow).
///
/// Each block is one bit. Searches reserve nothing: they return a [`RunPlan`], and only
/// [`commit`](Self::commit) takes its run.
///
/// ```
/// use raddle_bitmap::{FreeMap, Polarity};
///
/// let mut map = FreeMap::from_digits("0111011011110", Polarity::FreeIsOne)?;
/// assert_eq!((map.longest(), map.free_blocks()), (4, 9));
/// let starts = |plan: Option<raddle_bitmap::RunPlan>| plan.map(|plan| plan.start());
/// assert_eq!(starts(map.first_fit(2)), Some(1));
/// assert_eq!(starts(map.best_fit(2)), Some(5));
/// assert_eq!(starts(map.worst_fit(2)), Some(8));
/// let plan = map.best_fit(2).expect("there is one");
/// assert_eq!(map.commit(plan)?, 5);
/// assert_eq!(format!("{map:?}"), "FreeMap(0111000011110)");
/// # Ok::<(), raddle_bitmap::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct FreeMap {
    /// Words of the map, with one bit for each block: 1 = free. Bits past the last block are 0.
    words: Vec<u64>,
    blocks: u32,
    free: u32,
    identity: Identity,
}

impl FreeMap {
    /// Returns a map of `blocks` blocks, all of which are free.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) without a block, or where the allocator has no
    /// memory for the map.
    pub fn new(blocks: u32) -> Result<Self, Error> {
        if blocks == 0 {
            return Err(Error(Reason::NoBlocks));
        }
        let mut map = Self { words: Vec::new(), blocks: 0, free: 0, identity: Identity::default() };
        map.grow(blocks)?;
        Ok(map)
    }

    /// Returns the number of blocks of the map, free and taken.
    #[must_use]
    pub const fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Returns the number of free blocks of the map.
    #[must_use]
    pub const fn free_blocks(&self) -> u32 {
        self.free
    }

    /// Returns whether the block with this number, from 0, is free; a block past the end is not.
    #[must_use]
    pub fn is_free(&self, block: u32) -> bool {
        self.view().is_free(block)
    }

    /// Returns read access to the map, in the form in which every [`Search`](crate::Search) takes
    /// it.
    #[inline]
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View::trusted(&self.words, self.blocks)
    }

    /// Returns the length of the map's longest run of free blocks, in blocks.
    #[inline]
    #[must_use]
    pub fn longest(&self) -> u32 {
        words::longest(&self.words)
    }

    /// Returns the free runs (free blocks in a row) of the map, lowest first, as (first block,
    /// number of blocks).
    pub fn runs(&self) -> words::Runs<'_> {
        self.view().runs()
    }

    /// Finds the first run of at least `want` free blocks. Returns a plan of the lowest `want`
    /// blocks of the run, which takes nothing yet; `None` where no run is that long. A plan for 0
    /// blocks always starts at 0, also in [`best_fit`](Self::best_fit) and
    /// [`worst_fit`](Self::worst_fit).
    #[inline]
    #[must_use]
    pub fn first_fit(&self, want: u32) -> Option<RunPlan> {
        self.first_fit_from(0, want)
    }

    /// Finds the first run of at least `want` free blocks. Returns a plan of the lowest `want`
    /// blocks of the run, which takes nothing yet, or the reason why no run is long enough.
    ///
    /// # Errors
    /// When no run is long enough; the refusal has the numbers of wanted and of free blocks.
    #[inline]
    pub fn try_fit(&self, want: u32) -> Result<RunPlan, FitRefusal> {
        self.first_fit(want).ok_or_else(|| FitRefusal {
            want,
            free: self.free_blocks(),
            longest: self.longest(),
        })
    }

    /// Finds the lowest `want` free blocks in a row that start at or after the block `from`.
    /// Returns a plan of these blocks, which takes nothing yet; `None` where there are none. A plan
    /// for 0 blocks always starts at 0.
    ///
    /// To plan several runs of one length before any of them is taken, search for each run from the
    /// end of the run before it.
    #[inline]
    #[must_use]
    pub fn first_fit_from(&self, from: u32, want: u32) -> Option<RunPlan> {
        RunPlan::first(&self.words, from, want, (&self.identity, 0))
    }

    /// Finds the shortest run of at least `want` free blocks, of equally long runs the lowest.
    /// Returns a plan of the lowest `want` blocks of the run, which takes nothing yet; `None` where
    /// no run is that long.
    #[must_use]
    pub fn best_fit(&self, want: u32) -> Option<RunPlan> {
        let start = self.view().best_fit(want)?;
        Some(RunPlan::new(start, want, &self.identity, 0))
    }

    /// Finds the longest run of free blocks, of equally long runs the lowest. Returns a plan of the
    /// lowest `want` blocks of the run, which takes nothing yet; `None` where the run has fewer
    /// than `want` blocks.
    #[must_use]
    pub fn worst_fit(&self, want: u32) -> Option<RunPlan> {
        let start = self.view().worst_fit(want)?;
        Some(RunPlan::new(start, want, &self.identity, 0))
    }

    /// Finds the lowest `want` free blocks in a row that start at or after the block `after`, or
    /// else the lowest of the whole map. Returns a plan of these blocks, which takes nothing yet;
    /// `None` where no run is that long. This is next fit if `after` is the end of the blocks that
    /// were taken last.
    #[must_use]
    pub fn next_fit(&self, after: u32, want: u32) -> Option<RunPlan> {
        self.first_fit_from(after, want).or_else(|| self.first_fit(want))
    }

    /// Returns a plan for exactly the `len` blocks from the block `start` on, which takes nothing
    /// yet; `None` where one of these blocks is not free.
    #[inline]
    #[must_use]
    pub fn fit_at(&self, start: u32, len: u32) -> Option<RunPlan> {
        self.view().all_free(start, len).then_some(RunPlan::new(start, len, &self.identity, 0))
    }

    /// Adds `by` free blocks behind the last block of the map.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) above `u32::MAX` blocks in all, or where the
    /// allocator has no memory for them; nothing has changed then.
    pub fn grow(&mut self, by: u32) -> Result<(), Error> {
        let blocks = u64::from(self.blocks) + u64::from(by);
        let many = Error(Reason::TooManyBlocks { blocks, most: u32::MAX });
        let blocks = u32::try_from(blocks).map_err(|_| many)?;
        let (wanted, had) = (words::words_for(blocks), self.words.len());
        let reserved = self.words.try_reserve_exact(wanted.saturating_sub(had));
        reserved.map_err(|_| Error(Reason::NoMemory { blocks }))?;
        self.words.resize(wanted, 0);
        let words = &mut self.words;
        words::each_mask(self.blocks, by, words.len(), |word, mask| words[word] |= mask);
        self.blocks = blocks;
        self.free += by;
        Ok(())
    }
}
