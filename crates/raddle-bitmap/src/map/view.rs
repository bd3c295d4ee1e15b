//! How does a search read the blocks of a free map?

use core::fmt;

use super::polarity::Polarity;
use crate::Error;
use crate::error::Reason;
use crate::words::{self, BITS, Runs};

/// Read access to the blocks of a free map.
///
/// A view borrows from a [`FreeMap`](crate::FreeMap), or from words of your own that stand in
/// memory as a map does: bit `i % 64` of word `i / 64` is block `i`, 1 = free, bits past the last
/// block 0.
#[derive(Clone, Copy)]
pub struct View<'a> {
    words: &'a [u64],
    blocks: u32,
}

impl<'a> View<'a> {
    /// Makes the caller's own words readable as a map of `blocks` blocks.
    ///
    /// # Errors
    /// Without a block, with too few or too many words for this many blocks, and with a bit of 1
    /// past the last block.
    pub fn new(words: &'a [u64], blocks: u32) -> Result<Self, Error> {
        check(words, blocks, 0)?;
        Ok(Self { words, blocks })
    }

    /// Makes words readable as a map without a check; the caller knows that they keep the rules of
    /// [`View::new`].
    #[inline]
    pub(crate) const fn trusted(words: &'a [u64], blocks: u32) -> Self {
        Self { words, blocks }
    }

    pub(crate) const fn words(self) -> &'a [u64] {
        self.words
    }

    /// Returns the number of blocks of the map, free and taken; at least 1.
    #[must_use]
    pub const fn blocks(self) -> u32 {
        self.blocks
    }

    /// Returns the number of free blocks of the map.
    #[must_use]
    pub fn free_blocks(self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns whether the block with this number, from 0, is free; a block past the end is not.
    #[must_use]
    pub(crate) fn is_free(self, block: u32) -> bool {
        let word = self.words.get(words::word_of(block));
        word.is_some_and(|word| word >> (block % BITS) & 1 == 1)
    }

    /// Returns the length of the map's longest run of free blocks, in blocks.
    #[inline]
    #[must_use]
    pub fn longest(self) -> u32 {
        words::longest(self.words)
    }

    /// Returns the free runs (free blocks in a row) of the map, lowest first, as (first block,
    /// number of blocks).
    #[must_use]
    pub(crate) const fn runs(self) -> Runs<'a> {
        Runs::new(self.words, self.blocks)
    }

    /// Returns the first block of the shortest free run of at least `want` blocks, of equally long
    /// runs the lowest; `None` where no run is long enough.
    #[must_use]
    pub fn best_fit(self, want: u32) -> Option<u32> {
        // The comparison is strict, so that the earlier run wins a tie.
        self.fit_by(want, |len, shortest| len < shortest)
    }

    /// Returns the first block of the longest free run, of equally long runs the lowest; `None`
    /// where it has fewer than `want` blocks.
    #[must_use]
    pub fn worst_fit(self, want: u32) -> Option<u32> {
        self.fit_by(want, |len, longest| len > longest)
    }

    fn fit_by(self, want: u32, better: impl Fn(u32, u32) -> bool) -> Option<u32> {
        if want == 0 {
            return Some(0);
        }
        let mut best: Option<(u32, u32)> = None;
        for (start, len) in self.runs().filter(|&(_, len)| len >= want) {
            if best.is_none_or(|(_, other)| better(len, other)) {
                best = Some((start, len));
            }
        }
        best.map(|(start, _)| start)
    }

    /// Returns whether the `len` blocks from the block `start` on all exist and are all free.
    #[must_use]
    pub fn all_free(self, start: u32, len: u32) -> bool {
        words::check(self.words, self.blocks, start, len, true).is_ok()
    }

    /// Returns the map as text, with one digit for each block, block 0 first; `polarity` says which
    /// digit means free.
    pub fn digits(self, polarity: Polarity) -> impl fmt::Display + 'a {
        Digits { view: self, polarity }
    }
}

/// Checks words that are to be read as a map. There must be exactly as many as `blocks` blocks need
/// (64 to a word), and the bits past the last block must be all 0, or all the digit of an occupied
/// block; else it returns an error, as for 0 blocks. `flip` is the mask that turns the words, by
/// XOR, into words in which 1 means free.
pub(super) fn check(words: &[u64], blocks: u32, flip: u64) -> Result<(), Error> {
    if blocks == 0 {
        return Err(Error(Reason::NoBlocks));
    }
    if words.len() != words::words_for(blocks) {
        return Err(Error(Reason::WordCount { words: words.len(), blocks }));
    }
    let past = match blocks % BITS {
        0 => 0,
        used => u64::MAX << used,
    };
    let last = words.last().map_or(0, |last| last & past);
    // Bits past the end may be the digit for taken, or zeros.
    if last != flip & past && last != 0 { Err(Error(Reason::StrayBits { blocks })) } else { Ok(()) }
}

impl fmt::Debug for View<'_> {
    /// Writes the map as text, with one digit for each block, 1 = free, block 0 first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "View({})", self.digits(Polarity::FreeIsOne))
    }
}

struct Digits<'a> {
    view: View<'a>,
    polarity: Polarity,
}

impl fmt::Display for Digits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for block in 0..self.view.blocks() {
            let digit = self.polarity.digit(self.view.is_free(block));
            f.write_str(if digit { "1" } else { "0" })?;
        }
        Ok(())
    }
}
