//! How fast is the way in which the Linux kernel finds a free area in a bitmap?
//!
//! The algorithm of `bitmap_find_next_zero_area`: the next zero, then the next one inside the area
//! that would start there; if there is one, on from behind it. Both look at whole words. The map is
//! kept as there, 1 = taken.

use crate::contender::{Contender, FirstFit, Longest, Pool};

use super::{set_run, taken};

pub(crate) struct Linux<const W: usize>([u64; W]);

impl<const W: usize> Linux<W> {
    const BLOCKS: u32 = 64 * W as u32;

    /// The map with 1 = free.
    pub(crate) fn free_words(&self) -> [u64; W] {
        self.0.map(|word| !word)
    }

    /// The next bit at or after `from` that is 1 once `flip` is applied; `end` where there is none
    /// below it.
    #[inline]
    fn next(&self, from: u32, end: u32, flip: u64) -> u32 {
        if from >= end {
            return end;
        }
        let mut at = from as usize / 64;
        let mut word = (self.0[at] ^ flip) & (u64::MAX << (from % 64));
        while word == 0 {
            at += 1;
            if 64 * at as u32 >= end {
                return end;
            }
            word = self.0[at] ^ flip;
        }
        (64 * at as u32 + word.trailing_zeros()).min(end)
    }

    #[inline]
    fn next_zero(&self, from: u32) -> u32 {
        self.next(from, Self::BLOCKS, u64::MAX)
    }

    #[inline]
    fn next_one(&self, from: u32, end: u32) -> u32 {
        self.next(from, end, 0)
    }

    /// The lowest start at or after `from` of so many zeros.
    #[inline]
    fn next_zero_area(&self, mut from: u32, want: u32) -> Option<u32> {
        loop {
            let start = self.next_zero(from);
            let end = start + want;
            if end > Self::BLOCKS {
                return None;
            }
            let taken = self.next_one(start, end);
            if taken == end {
                return Some(start);
            }
            from = taken + 1;
        }
    }
}

impl<const W: usize> Contender for Linux<W> {
    const NAME: &'static str = "linux";

    fn of(words: &[u64]) -> Self {
        Self(taken(words))
    }
}

impl<const W: usize> FirstFit for Linux<W> {
    #[inline]
    fn first_fit(&mut self, want: u32) -> Option<u32> {
        self.next_zero_area(0, want)
    }
}

impl<const W: usize> Longest for Linux<W> {
    /// From area to area: each has to be longer than the best so far.
    #[inline]
    fn longest(&self) -> u32 {
        let (mut best, mut from) = (0, 0);
        while let Some(start) = self.next_zero_area(from, best + 1) {
            let end = self.next_one(start + best + 1, Self::BLOCKS);
            best = end - start;
            from = end + 1;
        }
        best
    }
}

/// The longest run by the kernel's loop over all clear ranges, whatever their length.
pub(crate) struct LinuxRanges<const W: usize>(Linux<W>);

impl<const W: usize> Contender for LinuxRanges<W> {
    const NAME: &'static str = "linux-ranges";

    fn of(words: &[u64]) -> Self {
        Self(Linux::of(words))
    }
}

impl<const W: usize> Longest for LinuxRanges<W> {
    #[inline]
    fn longest(&self) -> u32 {
        let (mut best, mut from) = (0, 0);
        loop {
            let start = self.0.next_zero(from);
            let end = self.0.next_one(start, Linux::<W>::BLOCKS);
            if end == start {
                return best;
            }
            best = best.max(end - start);
            from = end + 1;
        }
    }
}

impl<const W: usize> Pool for Linux<W> {
    type Held = u32;

    fn empty() -> Self {
        Self([0; W])
    }

    #[inline]
    fn take(&mut self, len: u32) -> Option<u32> {
        let start = self.next_zero_area(0, len)?;
        set_run(&mut self.0, start, len, true);
        Some(start)
    }

    #[inline]
    fn give(&mut self, start: u32, len: u32) {
        set_run(&mut self.0, start, len, false);
    }

    fn start(held: u32) -> u32 {
        held
    }
}
