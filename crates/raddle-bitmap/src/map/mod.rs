//! Which blocks of a map are free? Units: blocks, counted from 0.
//!
//! One type over two kinds of storage: words of a fixed number in place ([`Map64`] to [`Map2048`]),
//! or a list of words that can grow ([`FreeMap`]).

mod change;
mod fragmentation;
mod plan;
mod polarity;
mod store;
mod text;
mod view;

use alloc::vec::Vec;

pub use fragmentation::{FitRefusal, Fragmentation, Refusals};
pub use plan::RunPlan;
pub use polarity::Polarity;
pub use store::WordStore;
pub use view::View;

use crate::words::{self, BITS};
use crate::{Error, runs};

/// A map of any number of blocks; it can [`grow`](FreeMap::grow).
pub type FreeMap = Map<Vec<u64>>;
/// A map of at most `64 * W` blocks, in place.
pub type FixedMap<const W: usize> = Map<[u64; W]>;
/// A map of at most 64 blocks, in place.
pub type Map64 = FixedMap<1>;
/// A map of at most 128 blocks, in place.
pub type Map128 = FixedMap<2>;
/// A map of at most 256 blocks, in place.
pub type Map256 = FixedMap<4>;
/// A map of at most 2,048 blocks, in place.
pub type Map2048 = FixedMap<32>;

/// A map of equal blocks, each free or taken; 1 to `u32::MAX` of them.
///
/// One bit a block. Searches reserve nothing: they give a [`RunPlan`], and only
/// [`commit`](Self::commit) takes it. Use it by one of its names: [`FreeMap`], or [`Map64`],
/// [`Map128`], [`Map256`], [`Map2048`] and [`FixedMap`], which need no heap.
///
/// ```
/// use raddle_bitmap::{Map128, Polarity};
///
/// let mut map = Map128::from_digits("0111011011110", Polarity::FreeIsOne)?;
/// assert_eq!((map.longest(), map.free_blocks()), (4, 9));
/// let starts = |plan: Option<raddle_bitmap::RunPlan>| plan.map(|plan| plan.start());
/// assert_eq!(starts(map.first_fit(2)), Some(1));
/// assert_eq!(starts(map.best_fit(2)), Some(5));
/// assert_eq!(starts(map.worst_fit(2)), Some(8));
/// let plan = map.best_fit(2).expect("there is one");
/// assert_eq!(map.commit(plan)?, 5);
/// assert_eq!(format!("{map:?}"), "Map(0111000011110)");
/// # Ok::<(), raddle_bitmap::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Map<S> {
    /// 1 = free; bits past the last block are 0.
    words: S,
    blocks: u32,
    free: u32,
}

impl<S: WordStore> Map<S> {
    /// A map of `blocks` free blocks.
    ///
    /// # Errors
    /// Without a block ([`Error::NoBlocks`]), and with more than a fixed form holds
    /// ([`Error::TooManyBlocks`]).
    pub fn new(blocks: u32) -> Result<Self, Error> {
        let mut map = Self { words: storage(blocks)?, blocks, free: blocks };
        let words = map.words.words_mut();
        words::each_mask(0, blocks, words.len(), |word, mask| words[word] |= mask);
        Ok(map)
    }

    /// How many blocks there are, free and taken.
    #[must_use]
    pub const fn blocks(&self) -> u32 {
        self.blocks
    }

    /// How many blocks are free.
    #[must_use]
    pub const fn free_blocks(&self) -> u32 {
        self.free
    }

    /// Whether a block is free; one past the end is not.
    #[must_use]
    pub fn is_free(&self, block: u32) -> bool {
        self.view().is_free(block)
    }

    #[inline]
    pub(crate) const fn storage(&self) -> &S {
        &self.words
    }

    /// The map as every [`Search`](crate::Search) looks at it.
    #[inline]
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View::trusted(self.words.words(), self.blocks)
    }

    /// The length of the longest run of free blocks.
    #[inline]
    #[must_use]
    pub fn longest(&self) -> u32 {
        runs::longest(self.words.words())
    }

    /// The free runs, lowest first: start and length.
    pub fn runs(&self) -> words::Runs<'_> {
        self.view().runs()
    }

    /// The first free run of at least `want` blocks, its lowest `want` blocks. For 0 blocks that
    /// is start 0, always; so it is with the other two.
    #[inline]
    #[must_use]
    pub fn first_fit(&self, want: u32) -> Option<RunPlan> {
        self.first_fit_from(0, want)
    }

    /// As [`first_fit`](Self::first_fit), among the starts at or after `from`.
    ///
    /// Runs of one length that are each to be taken before the next is sought can be found without
    /// taking any: the next lies at or after the end of the one before.
    #[inline]
    #[must_use]
    pub fn first_fit_from(&self, from: u32, want: u32) -> Option<RunPlan> {
        let start = match want {
            0 => 0,
            _ => runs::first_fit(self.words.words(), from, want),
        };
        (start != words::NOWHERE).then_some(RunPlan::new(start, want))
    }

    /// The shortest free run of at least `want` blocks, its lowest `want` blocks; ties to the
    /// lowest start.
    #[must_use]
    pub fn best_fit(&self, want: u32) -> Option<RunPlan> {
        let mut best: Option<(u32, u32)> = None;
        for (start, len) in self.runs().filter(|&(_, len)| len >= want) {
            // Strictly shorter, so that the earlier one wins a tie.
            if best.is_none_or(|(_, shortest)| len < shortest) {
                best = Some((start, len));
            }
            if len == want {
                break;
            }
        }
        plan(best, want)
    }

    /// The longest free run, if it has at least `want` blocks: its lowest `want` blocks; ties to
    /// the lowest start.
    #[must_use]
    pub fn worst_fit(&self, want: u32) -> Option<RunPlan> {
        let mut worst: Option<(u32, u32)> = None;
        for (start, len) in self.runs().filter(|&(_, len)| len >= want) {
            if worst.is_none_or(|(_, longest)| len > longest) {
                worst = Some((start, len));
            }
        }
        plan(worst, want)
    }

    /// A plan for exactly this run, where it is free.
    #[inline]
    #[must_use]
    pub fn fit_at(&self, start: u32, len: u32) -> Option<RunPlan> {
        self.check(start, len, true).is_ok().then_some(RunPlan::new(start, len))
    }
}

/// A plan for the lowest blocks of a run; nothing lies at 0.
fn plan(run: Option<(u32, u32)>, want: u32) -> Option<RunPlan> {
    let start = if want == 0 { Some(0) } else { run.map(|(start, _)| start) };
    start.map(|start| RunPlan::new(start, want))
}

/// Storage for `blocks` blocks, all taken.
fn storage<S: WordStore>(blocks: u32) -> Result<S, Error> {
    match blocks {
        0 => Err(Error::NoBlocks),
        _ if blocks > S::MOST => Err(Error::TooManyBlocks { blocks: blocks.into(), most: S::MOST }),
        _ => Ok(S::zeroed(words::words_for(blocks))),
    }
}

impl FreeMap {
    /// Adds free blocks behind the last one.
    ///
    /// # Errors
    /// [`Error::TooManyBlocks`] above `u32::MAX` blocks in all; nothing has changed then.
    pub fn grow(&mut self, by: u32) -> Result<(), Error> {
        let blocks = u64::from(self.blocks) + u64::from(by);
        let many = Error::TooManyBlocks { blocks, most: u32::MAX };
        let blocks = u32::try_from(blocks).map_err(|_| many)?;
        self.words.resize(words::words_for(blocks), 0);
        let words = &mut self.words;
        words::each_mask(self.blocks, by, words.len(), |word, mask| words[word] |= mask);
        self.blocks = blocks;
        self.free += by;
        Ok(())
    }
}

const _: () = assert!(BITS == 64, "`Map64` to `Map2048` are named after words of 64 bits");
