//! Where is there room in each of many maps of one resource?
//!
//! The maps lie side by side in one list of words, and beside them the length of each map's longest
//! run. A change updates that length by the free blocks around the run taken or given back.

use alloc::vec::Vec;
use core::ops::Range;

use crate::error::Reason;
use crate::map::Identity;
use crate::words::{self, BITS, NOWHERE, word_of, words_for};
use crate::{Error, RunPlan, View};

/// Several free maps of equal size for one resource, such as one map for the vector registers of
/// each SIMD of a device. A map has one bit for each block, which says whether the block is free.
/// The bank also stores the length of each map's longest run of free blocks.
///
/// Maps are named by their index, from 0. Where a device lacks the resource, its maps have 0
/// blocks, and only a run of 0 blocks fits.
///
/// ```
/// use raddle_bitmap::Bank;
///
/// let mut registers = Bank::new(3, 128)?;
/// let plan = registers.first_fit(1, 100).expect("it is empty");
/// registers.commit(1, plan)?;
/// assert_eq!([0, 1, 2].map(|map| registers.longest(map)), [128, 28, 128]);
/// # Ok::<(), raddle_bitmap::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Bank {
    identity: Identity,
    blocks: u32,
    /// Number of 64-bit words that hold the bits of one map.
    per: usize,
    /// Words of all maps, one map after the other; a bit of 1 is a free block, and bits past the
    /// last block of a map are 0.
    words: Vec<u64>,
    /// Length in blocks of each map's longest run of free blocks.
    longest: Vec<u32>,
    /// Number of free blocks of each map.
    free: Vec<u32>,
}

/// Copy of one map of a [`Bank`]: which of its blocks are free. `set_all` makes other maps equal to
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct MapState {
    blocks: u32,
    words: Vec<u64>,
    longest: u32,
    free: u32,
}

impl Bank {
    /// Returns a bank of `maps` maps of `blocks` blocks each, in which all blocks are free.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) where no memory could hold the maps.
    pub fn new(maps: usize, blocks: u32) -> Result<Self, Error> {
        let (per, mut words) = (words_for(blocks), Vec::new());
        let (mut longest, mut free) = (Vec::new(), Vec::new());
        let reserved = maps.checked_mul(per).is_some_and(|all| words.try_reserve(all).is_ok());
        if !reserved || longest.try_reserve(maps).is_err() || free.try_reserve(maps).is_err() {
            return Err(Error(Reason::TooManyMaps { maps }));
        }
        words.resize(maps * per, 0);
        longest.resize(maps, 0);
        free.resize(maps, 0);
        let mut bank = Self { identity: Identity::default(), blocks, per, words, longest, free };
        (0..maps).try_for_each(|map| bank.release(map, 0, blocks))?;
        Ok(bank)
    }

    /// Returns the number of free maps in this bank of maps.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.longest.len()
    }

    /// Returns whether the bank has no map.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.longest.is_empty()
    }

    /// Returns the number of blocks of each map.
    #[must_use]
    pub const fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Returns read access to the map with the index `map`; `None` where there is no such map, or
    /// where the maps have no blocks.
    #[must_use]
    pub fn view(&self, map: usize) -> Option<View<'_>> {
        (self.blocks > 0 && map < self.len()).then(|| View::trusted(self.words(map), self.blocks))
    }

    /// Returns the length of the longest free run of the map with the index `map`, in blocks; 0
    /// where there is no such map.
    #[inline]
    #[must_use]
    pub fn longest(&self, map: usize) -> u32 {
        self.longest.get(map).copied().unwrap_or_default()
    }

    /// Returns the length of the longest free run of each map, in blocks.
    #[inline(always)]
    #[must_use]
    #[doc(hidden)]
    pub fn longest_runs(&self) -> &[u32] {
        &self.longest
    }

    /// Returns the number of free blocks of the map with the index `map`; 0 where there is no such
    /// map.
    #[inline]
    #[must_use]
    pub fn free_blocks(&self, map: usize) -> u32 {
        self.free.get(map).copied().unwrap_or_default()
    }

    /// Finds the first run of at least `want` free blocks in the map with the index `map`. Returns
    /// a plan of the lowest `want` blocks of the run, which takes nothing yet; `None` where no run
    /// is that long. A plan for 0 blocks always starts at 0.
    #[inline]
    #[must_use]
    pub fn first_fit(&self, map: usize, want: u32) -> Option<RunPlan> {
        self.first_fit_from(map, 0, want)
    }

    /// Finds the lowest `want` free blocks in a row, at or after the block `from`, in the map with
    /// the index `map`. Returns a plan of these blocks, which takes nothing yet; `None` where there
    /// are none. A plan for 0 blocks always starts at 0.
    #[inline]
    #[must_use]
    pub fn first_fit_from(&self, map: usize, from: u32, want: u32) -> Option<RunPlan> {
        RunPlan::first(self.words(map), from, want, (&self.identity, map))
    }

    /// Returns a plan for exactly the `len` blocks from the block `start` of the map with the index
    /// `map`, which takes nothing yet; `None` where one of these blocks is not free.
    #[must_use]
    pub fn fit_at(&self, map: usize, start: u32, len: u32) -> Option<RunPlan> {
        let free = words::check(self.words(map), self.blocks, start, len, true);
        (map < self.len() && free.is_ok()).then_some(RunPlan::new(start, len, &self.identity, map))
    }

    /// Takes the blocks that a plan names in the map with the index `map`; the plan comes from a
    /// search of this map. Returns the first of these blocks.
    ///
    /// # Errors
    /// When there is no such map ([`OutOfRange`](crate::ErrorKind::OutOfRange)), a block of the run has been
    /// taken since the search ([`State`](crate::ErrorKind::State)), or the plan is of another map
    /// ([`Inconsistent`](crate::ErrorKind::Inconsistent)); nothing has changed then.
    #[inline(always)]
    pub fn commit(&mut self, map: usize, plan: RunPlan) -> Result<u32, Error> {
        let (start, len) = plan.of(&self.identity, map)?;
        self.change(map, start, len, true)?;
        Ok(start)
    }

    /// Takes the lowest `want` blocks in a row that are free in the map with the index `map`:
    /// [`first_fit`](Self::first_fit) and [`commit`](Self::commit) in one step. Returns the first
    /// block that was taken; `None`, with nothing changed, where no run is that long.
    #[inline(always)]
    #[doc(hidden)]
    pub fn take_first(&mut self, map: usize, want: u32) -> Option<u32> {
        if want == 0 {
            return Some(0);
        }
        // Maps of one word, which most are, take no call and no loop.
        if self.per == 1 && want <= BITS {
            let word = self.words.get_mut(map)?;
            let start = words::first_in_one(*word, want);
            if start == NOWHERE {
                return None;
            }
            words::flip_in_one(word, start, want);
            self.free[map] -= want;
            // A new search for the longest run costs less than an unpredictable branch.
            self.longest[map] = words::longest_in_one(*word);
            return Some(start);
        }
        self.take_first_of_many(map, want)
    }

    /// Takes the lowest `want` free blocks in a row of each of several maps: those with the indices
    /// from `first` on, one for each element of `starts`. Writes the first block taken from a map
    /// into its element. Returns whether each map had such a run; if not, blocks of some maps may
    /// be taken.
    #[inline(always)]
    #[doc(hidden)]
    pub fn take_first_of_each(&mut self, first: usize, want: u32, starts: &mut [u32]) -> bool {
        let maps = first..first + starts.len();
        if want.wrapping_sub(1) < BITS
            && let Some(mut word) = self.equal_word(maps.clone())
        {
            let start = words::first_in_one(word, want);
            if start == NOWHERE {
                return false;
            }
            words::flip_in_one(&mut word, start, want);
            let free = self.free[first] - want;
            self.fill(maps, word, words::longest_in_one(word), free);
            starts.fill(start);
            return true;
        }
        let each = maps.zip(starts);
        each.map(|(map, to)| self.take_first(map, want).map(|start| *to = start))
            .all(|it| it.is_some())
    }

    /// Takes run after run of `want` free blocks from several equal maps, each time the same blocks
    /// of every map, until no such run or no element of `starts` is left. Writes the first block of
    /// each run into the next element of `starts`; where `want` is 0, writes 0 into all of them.
    /// Returns the number of runs taken; `None`, with nothing changed, where the maps differ or
    /// there is no map.
    #[inline(always)]
    #[doc(hidden)]
    pub fn take_row_of_equal(
        &mut self,
        maps: Range<usize>,
        want: u32,
        starts: &mut [u32],
    ) -> Option<usize> {
        if want == 0 {
            starts.fill(0);
            return Some(starts.len());
        }
        if self.per != 1 || want > BITS {
            return self.take_row_of_many(maps, want, starts);
        }
        let mut word = self.equal_word(maps.clone())?;
        let (mut taken, mut free) = (0, self.free[maps.start]);
        for to in starts {
            let start = words::first_in_one(word, want);
            if start == NOWHERE {
                break;
            }
            words::flip_in_one(&mut word, start, want);
            (*to, taken, free) = (start, taken + 1, free - want);
        }
        self.fill(maps, word, words::longest_in_one(word), free);
        Some(taken)
    }

    /// Does the work of [`take_row_of_equal`](Self::take_row_of_equal) for maps of several words:
    /// takes runs of blocks from the first map, and then makes the other maps copies of it. Returns
    /// the number of runs taken; `None`, with nothing changed, where maps differ or there is no
    /// map.
    #[inline(never)]
    fn take_row_of_many(
        &mut self,
        maps: Range<usize>,
        want: u32,
        starts: &mut [u32],
    ) -> Option<usize> {
        let (first, per) = (maps.start, self.per);
        let words = self.words.get(first * per..maps.end * per)?;
        // Every map must be equal to the map before it.
        if words.get(per..)? != &words[..words.len() - per] {
            return None;
        }
        let mut taken = 0;
        while let Some(to) = starts.get_mut(taken)
            && let Some(start) = self.take_first(first, want)
        {
            (*to, taken) = (start, taken + 1);
        }
        if taken > 0 {
            for map in first + 1..maps.end {
                self.words.copy_within(first * per..(first + 1) * per, map * per);
            }
            let (longest, free) = (self.longest[first], self.free[first]);
            self.longest[maps.clone()].fill(longest);
            self.free[maps].fill(free);
        }
        Some(taken)
    }

    /// Returns a copy of the map with the index `map`, which says which blocks are free; `None` if
    /// there is no such map.
    #[must_use]
    #[doc(hidden)]
    pub fn state(&self, map: usize) -> Option<MapState> {
        let (&longest, &free) = self.longest.get(map).zip(self.free.get(map))?;
        Some(MapState { blocks: self.blocks, words: self.words(map).into(), longest, free })
    }

    /// Makes each map with an index in `maps` equal to the copy `to`. Indices beyond the last map
    /// are skipped; a copy with another number of blocks changes nothing.
    #[inline(always)]
    #[doc(hidden)]
    pub fn set_all(&mut self, maps: Range<usize>, to: &MapState) {
        let maps = maps.start.min(self.len())..maps.end.min(self.len());
        if to.blocks != self.blocks || maps.is_empty() {
            return;
        }
        let all_free = to.free == self.blocks;
        if all_free && self.free[maps.clone()].iter().all(|&free| free == self.blocks) {
            return;
        }
        let words = &mut self.words[maps.start * self.per..maps.end * self.per];
        match to.words.as_slice() {
            [] => {}
            &[word] => words.fill(word),
            _ => words.chunks_mut(self.per).for_each(|map| map.copy_from_slice(&to.words)),
        }
        self.longest[maps.clone()].fill(to.longest);
        self.free[maps].fill(to.free);
    }

    /// Gives back all taken blocks of each map with an index in `maps`. Maps are numbered from 0 in
    /// the bank; indices beyond the last map are skipped.
    #[inline(always)]
    #[doc(hidden)]
    pub fn release_all(&mut self, maps: Range<usize>) {
        let maps = maps.start.min(self.len())..maps.end.min(self.len());
        let last = u64::MAX >> (self.blocks.wrapping_neg() % BITS);
        if self.per == 1 {
            self.words[maps.clone()].fill(last);
            self.longest[maps.clone()].fill(self.blocks);
            self.free[maps].fill(self.blocks);
            return;
        }
        for map in maps {
            if self.free[map] == self.blocks {
                continue;
            }
            // Some block of the map is taken, so the map has a word.
            let at = (map + 1) * self.per - 1;
            self.words[map * self.per..at].fill(u64::MAX);
            self.words[at] = last;
            (self.longest[map], self.free[map]) = (self.blocks, self.blocks);
        }
    }

    /// Gives back a run of `len` blocks to each of several maps: the map with the index `first + i`
    /// gets back the blocks from `starts[i]` on.
    ///
    /// # Errors
    /// The error of the first run that cannot be released; the maps before it may have changed
    /// then.
    #[inline(always)]
    #[doc(hidden)]
    pub fn release_of_each(&mut self, first: usize, starts: &[u32], len: u32) -> Result<(), Error> {
        let maps = first..first + starts.len();
        if let [start, rest @ ..] = starts
            && rest.iter().all(|it| it == start)
            && len.wrapping_sub(1) < self.blocks
            && *start <= self.blocks - len
            && let Some(mut word) = self.equal_word(maps.clone())
        {
            words::check_in_one(word, *start, len, false)?;
            let (below, behind) = words::flip_in_one(&mut word, *start, len);
            let (longest, free) = (self.longest[first], self.free[first] + len);
            self.fill(maps, word, longest.max(below + len + behind), free);
            return Ok(());
        }
        maps.zip(starts).try_for_each(|(map, &start)| self.release(map, start, len))
    }

    /// Returns the one word of bits that all maps with these indices have; `None` if a map takes
    /// more than one word, or if the maps differ.
    #[inline(always)]
    fn equal_word(&self, maps: Range<usize>) -> Option<u64> {
        let [word, rest @ ..] = self.words.get(maps).filter(|_| self.per == 1)? else {
            return None;
        };
        rest.iter().fold(true, |all, it| all & (it == word)).then_some(*word)
    }

    /// Sets several maps of one word each to the same bits (`word`), length of the longest free run
    /// and number of free blocks.
    #[inline(always)]
    fn fill(&mut self, maps: Range<usize>, word: u64, longest: u32, free: u32) {
        self.words[maps.clone()].fill(word);
        self.longest[maps.clone()].fill(longest);
        self.free[maps].fill(free);
    }

    fn take_first_of_many(&mut self, map: usize, want: u32) -> Option<u32> {
        let words = self.words.get_mut(map * self.per..)?.get_mut(..self.per)?;
        let start = words::first_fit(words, 0, want);
        if start == NOWHERE {
            return None;
        }
        let (at, bit) = (word_of(start), start % BITS);
        let behind = if want <= BITS - bit {
            let (_, behind) = words::flip_in_one(&mut words[at], bit, want);
            let on = bit + want + behind == BITS;
            behind + if on { words::ones_from(words, start + want + behind) } else { 0 }
        } else {
            words::each_mask(start, want, words.len(), |word, mask| words[word] ^= mask);
            words::ones_from(words, start + want)
        };
        // The block below the run is taken, or the first run would begin there.
        self.mend(map, want, [0, behind], true);
        Some(start)
    }

    /// Gives back the `len` blocks from the block `start` to the map with the index `map`.
    ///
    /// # Errors
    /// When there is no such map ([`OutOfRange`](crate::ErrorKind::OutOfRange)), or one of the blocks is not
    /// taken ([`State`](crate::ErrorKind::State)) or lies past the end
    /// ([`OutOfRange`](crate::ErrorKind::OutOfRange)); nothing has changed then.
    #[inline(always)]
    pub fn release(&mut self, map: usize, start: u32, len: u32) -> Result<(), Error> {
        self.change(map, start, len, false)
    }

    /// Takes the `len` blocks from the block `start` of the map with the index `map` if `take` is
    /// true, else gives them back. Returns an error, with nothing changed, where that is not
    /// possible.
    #[inline(always)]
    fn change(&mut self, map: usize, start: u32, len: u32, take: bool) -> Result<(), Error> {
        if self.per == 1
            && len.wrapping_sub(1) < self.blocks
            && start <= self.blocks - len
            && let Some(word) = self.words.get_mut(map)
        {
            words::check_in_one(*word, start, len, take)?;
            let (below, behind) = words::flip_in_one(word, start, len);
            self.mend(map, len, [below, behind], take);
            return Ok(());
        }
        self.change_many(map, start, len, take)
    }

    #[inline(never)]
    fn change_many(&mut self, map: usize, start: u32, len: u32, take: bool) -> Result<(), Error> {
        if map >= self.len() {
            return Err(Error(Reason::NoSuchMap { at: map, maps: self.len() }));
        }
        let words = &mut self.words[map * self.per..][..self.per];
        let (at, bit) = (word_of(start), start % BITS);
        let inside = len <= self.blocks && start <= self.blocks - len;
        if !inside || len == 0 || len > BITS - bit {
            words::change(words, self.blocks, start, len, take)?;
            if len > 0 {
                let around =
                    [words::ones_below(words, start), words::ones_from(words, start + len)];
                self.mend(map, len, around, take);
            }
            return Ok(());
        }
        // From here on the run lies within a word, as most runs do.
        if words::check_in_one(words[at], bit, len, take).is_err() {
            return Err(words::refusal(start, len, take));
        }
        let (mut below, mut behind) = words::flip_in_one(&mut words[at], bit, len);
        if below == bit {
            below += words::ones_below(words, start - bit);
        }
        if bit + len + behind == BITS {
            behind += words::ones_from(words, start + len + behind);
        }
        self.mend(map, len, [below, behind], take);
        Ok(())
    }

    /// Updates the length of the longest free run and the number of free blocks that the bank
    /// stores for a map, after `len` blocks in a row were taken (`take` true) or given back.
    /// `below` and `behind` are the numbers of free blocks in a row right below these blocks and
    /// right behind them.
    #[inline(always)]
    fn mend(&mut self, map: usize, len: u32, [below, behind]: [u32; 2], take: bool) {
        let (longest, free) = (self.longest[map], self.free[map]);
        let (whole, left) = (below + len + behind, below.max(behind));
        self.free[map] = if take { free - len } else { free + len };
        self.longest[map] = match take {
            false => longest.max(whole),
            // The longest run changes only where a longest run was cut.
            true if whole < longest => longest,
            // All other runs together are no longer than the longer rest of this one.
            true if free - whole <= left => left,
            true => words::longest(self.words(map)),
        };
    }

    /// Returns the words with the bits of the map with the index `map`; an empty list where there
    /// is no such map.
    #[inline(always)]
    fn words(&self, map: usize) -> &[u64] {
        match self.per {
            1 => self.words.get(map..=map).unwrap_or_default(),
            per if map < self.len() => &self.words[map * per..][..per],
            _ => &[],
        }
    }
}
