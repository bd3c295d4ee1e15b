//! Which blocks of a map are free? Units: blocks, counted from 0.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::Error;
use crate::words::{self, BITS};

/// A map of equal blocks, each free or taken.
///
/// One bit a block. A plain implementation, correct before it is fast: searching takes time linear
/// in the words of the map.
#[derive(Clone, PartialEq, Eq)]
pub struct FreeMap {
    /// 1 = free; bits past the last block are 0.
    words: Vec<u64>,
    blocks: u32,
    free: u32,
}

/// A free run that a search found. Nothing is reserved: only [`FreeMap::commit`] takes it.
///
/// Neither `Copy` nor `Clone`, so that no run is taken twice.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a plan reserves nothing; give it to `FreeMap::commit`"]
pub struct Plan {
    start: u32,
    len: u32,
}

impl Plan {
    /// The first block of the run; 0 for an empty one.
    #[must_use]
    pub const fn start(&self) -> u32 {
        self.start
    }

    /// How many blocks the run has.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.len
    }

    /// Whether the run has no block: it takes nothing.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl FreeMap {
    /// A map of `blocks` free blocks; it takes one bit each.
    #[must_use]
    pub fn new(blocks: u32) -> Self {
        let mut words = vec![0; blocks.div_ceil(BITS) as usize];
        words::each_mask(0, blocks, |word, mask| words[word] |= mask);
        Self { words, blocks, free: blocks }
    }

    /// How many blocks there are, free and taken.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.blocks
    }

    /// Whether there is no block at all.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.blocks == 0
    }

    /// How many blocks are free.
    #[must_use]
    pub const fn free_blocks(&self) -> u32 {
        self.free
    }

    /// Whether a block is free; one past the end is not.
    #[must_use]
    pub fn is_free(&self, block: u32) -> bool {
        let word = self.words.get(words::word_of(block));
        word.is_some_and(|word| word >> (block % BITS) & 1 == 1)
    }

    /// The lowest start of `want` free blocks in a row; for 0 blocks that is 0, always.
    #[must_use]
    pub fn first_fit(&self, want: u32) -> Option<Plan> {
        self.first_fit_from(0, want)
    }

    /// As [`first_fit`](Self::first_fit), among the starts at or after `from`.
    ///
    /// Runs of one length that are each to be taken before the next is sought can be found without
    /// taking any: the next lies at or after the end of the one before.
    #[inline]
    #[must_use]
    pub fn first_fit_from(&self, from: u32, want: u32) -> Option<Plan> {
        let start = match want {
            0 => Some(0),
            1..=BITS => words::first_short(&self.words, from, want),
            _ => words::first_long(&self.words, from, self.blocks, want),
        };
        start.map(|start| Plan { start, len: want })
    }

    /// A plan for exactly this run, where it is free.
    #[inline]
    #[must_use]
    pub fn fit_at(&self, start: u32, len: u32) -> Option<Plan> {
        self.check(start, len, true).is_ok().then_some(Plan { start, len })
    }

    /// The length of the longest run of free blocks.
    #[must_use]
    pub fn longest_run(&self) -> u32 {
        let (mut at, mut longest) = (0, 0);
        while at < self.blocks {
            let start = words::seek(&self.words, at, self.blocks, 0);
            at = words::seek(&self.words, start, self.blocks, u64::MAX);
            longest = longest.max(at - start);
        }
        longest
    }

    /// Takes the run of a plan; its start.
    ///
    /// # Errors
    /// When a block of it has been taken since the search, or the plan is of a larger map; nothing
    /// has changed then.
    #[inline]
    pub fn commit(&mut self, plan: Plan) -> Result<u32, Error> {
        let Plan { start, len } = plan;
        self.check(start, len, true)?;
        words::each_mask(start, len, |word, mask| self.words[word] &= !mask);
        self.free -= len;
        Ok(start)
    }

    /// Gives back `len` blocks from `start`.
    ///
    /// # Errors
    /// When one of them is not taken, or lies past the end; nothing has changed then.
    #[inline]
    pub fn release(&mut self, start: u32, len: u32) -> Result<(), Error> {
        self.check(start, len, false)?;
        words::each_mask(start, len, |word, mask| self.words[word] |= mask);
        self.free += len;
        Ok(())
    }

    /// Whether the whole run lies in the map and is free, or taken.
    #[inline]
    fn check(&self, start: u32, len: u32, free: bool) -> Result<(), Error> {
        let blocks = self.blocks;
        if len > blocks || start > blocks - len {
            return Err(Error::OutOfRange { start, len, blocks });
        }
        let flip = if free { u64::MAX } else { 0 };
        let mut wrong = 0;
        words::each_mask(start, len, |word, mask| {
            wrong |= (self.words[word] ^ flip) & mask;
        });
        match (wrong, free) {
            (0, _) => Ok(()),
            (_, true) => Err(Error::Taken { start, len }),
            (_, false) => Err(Error::NotTaken { start, len }),
        }
    }
}

impl fmt::Debug for FreeMap {
    /// One digit a block, 1 = free, block 0 first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FreeMap(")?;
        for block in 0..self.blocks {
            f.write_str(if self.is_free(block) { "1" } else { "0" })?;
        }
        f.write_str(")")
    }
}
