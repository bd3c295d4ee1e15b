//! Which length does the grouped search of seed 000 (E5) report? That of a row of free groups.

use super::{Need, Search, same_size};
use crate::error::Reason;
use crate::words::{BITS, Fold, run_starts};
use crate::{Error, View};

/// Search that reports a lower bound of the longest free run, in whole groups of blocks (method E5
/// of the patent, seed 000): the map is cut into equal groups, and the number of blocks in the
/// longest row of entirely free groups is reported.
///
/// With groups of g blocks and a longest run of L, the answer is a multiple of g, at least
/// `g * max(0, (L + 1) / g - 1)` and at most L. A run that begins or ends within a group counts
/// only with the groups that it fills.
///
/// ```
/// use raddle_bitmap::{FreeMap, Grouped, Polarity, Search};
///
/// let map = FreeMap::from_digits("0111111011110000", Polarity::FreeIsOne)?;
/// assert_eq!(Grouped::new(16, 4)?.longest(map.view())?, 4);
/// assert_eq!(map.longest(), 6);
/// # Ok::<(), raddle_bitmap::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grouped {
    blocks: u32,
    groups: u32,
}

impl Grouped {
    /// Returns the search for maps of `blocks` blocks that are cut into `groups` equal groups (N
    /// and Z in the patent, seed 000).
    ///
    /// # Errors
    /// Without a block; with groups outside 1..N-1 ([`OutOfRange`](crate::ErrorKind::OutOfRange)); where they do not
    /// divide the blocks evenly ([`Inconsistent`](crate::ErrorKind::Inconsistent)).
    pub const fn new(blocks: u32, groups: u32) -> Result<Self, Error> {
        if blocks == 0 {
            return Err(Error(Reason::NoBlocks));
        }
        if groups == 0 || groups >= blocks {
            return Err(Error(Reason::GroupCount { groups, blocks }));
        }
        if !blocks.is_multiple_of(groups) {
            return Err(Error(Reason::UnevenGroups { groups, blocks }));
        }
        Ok(Self { blocks, groups })
    }

    /// Returns the search for maps of `blocks` blocks that are cut into groups of `size` blocks;
    /// the patent (seed 000) prefers a size of 4.
    ///
    /// # Errors
    /// Without a block ([`OutOfRange`](crate::ErrorKind::OutOfRange)); where the size does not divide the
    /// blocks, or is less than 2 ([`OutOfRange`](crate::ErrorKind::OutOfRange)).
    pub const fn of_size(blocks: u32, size: u32) -> Result<Self, Error> {
        if size < 2 || !blocks.is_multiple_of(size) {
            return Err(Error(Reason::GroupSize { size, blocks }));
        }
        Self::new(blocks, blocks / size)
    }

    /// Returns the number of blocks of the maps for which the search is made (N in the patent, seed
    /// 000).
    #[must_use]
    pub const fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Returns the number of groups into which the search cuts a map (Z in the patent, seed 000).
    #[must_use]
    pub const fn groups(&self) -> u32 {
        self.groups
    }

    /// Returns the number of blocks of a group, at least 2 (N / Z in the patent, seed 000).
    #[must_use]
    pub const fn size(&self) -> u32 {
        self.blocks / self.groups
    }

    /// Returns the number of blocks in the longest row of entirely free groups, for groups that do
    /// not cross words. Works word by word, and clears the bits of groups that are not entirely
    /// free.
    fn within_words(&self, map: View<'_>) -> u32 {
        let size = self.size();
        let one_group = u64::MAX >> (BITS - size);
        // The mask `lowest` has the lowest bit of each group.
        let lowest = u64::MAX / one_group;
        let mut fold = Fold::default();
        for &word in map.words() {
            let free = run_starts(word, size) & lowest;
            fold = fold.with(free.wrapping_mul(one_group));
        }
        fold.longest()
    }

    fn group_by_group(&self, map: View<'_>) -> u32 {
        let (size, mut run, mut best) = (self.size(), 0, 0);
        for group in 0..self.groups {
            run = if map.all_free(group * size, size) { run + size } else { 0 };
            best = best.max(run);
        }
        best
    }
}

impl Search for Grouped {
    fn is_exact(&self) -> bool {
        false
    }

    /// Returns the number of blocks in the longest row of groups that are entirely free.
    ///
    /// # Errors
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) where map and search differ in size.
    fn longest(&self, map: View<'_>) -> Result<u32, Error> {
        same_size(self.blocks, map)?;
        let fits_words = BITS.is_multiple_of(self.size());
        Ok(if fits_words { self.within_words(map) } else { self.group_by_group(map) })
    }

    fn need(&self, want: u32) -> Option<Need> {
        let run = want.div_ceil(self.size());
        (run <= self.groups).then_some(Need { cell: self.size(), run })
    }
}
