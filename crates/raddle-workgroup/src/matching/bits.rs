//! Which compute units are in a set, and which is the first?
//!
//! A bit a compute unit, and above each word of them one bit that says whether any is set: the first
//! of 65,536 is found by looking at a few words.

use alloc::vec;
use alloc::vec::Vec;

const BITS: usize = u64::BITS as usize;

/// A set of positions `0..len`.
#[derive(Clone, Debug)]
pub(super) struct Bits {
    words: Vec<u64>,
    /// Bit `w` of this list: word `w` is not 0.
    some: Vec<u64>,
}

impl Bits {
    /// Positions of a word.
    pub(super) const WORD: usize = BITS;

    /// All of `len` positions.
    pub(super) fn full(len: usize) -> Self {
        let mut set = Self::empty(len);
        (0..len).for_each(|at| set.insert(at));
        set
    }

    /// None of `len` positions.
    pub(super) fn empty(len: usize) -> Self {
        let words = len.div_ceil(BITS);
        Self { words: vec![0; words], some: vec![0; words.div_ceil(BITS)] }
    }

    /// Adds a position below `len`.
    #[inline]
    pub(super) fn insert(&mut self, at: usize) {
        self.words[at / BITS] |= 1 << (at % BITS);
        let word = at / BITS;
        self.some[word / BITS] |= 1 << (word % BITS);
    }

    /// Takes a position out.
    #[inline]
    pub(super) fn remove(&mut self, at: usize) {
        let word = at / BITS;
        self.words[word] &= !(1 << (at % BITS));
        if self.words[word] == 0 {
            self.some[word / BITS] &= !(1 << (word % BITS));
        }
    }

    /// The word that holds a position, at its place `position % 64`; 0 beyond the last.
    #[inline]
    pub(super) fn word_of(&self, position: usize) -> u64 {
        self.words.get(position / BITS).copied().unwrap_or_default()
    }

    /// Whether there is none.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.some.iter().all(|&some| some == 0)
    }

    /// The lowest position.
    #[inline]
    pub(super) fn first(&self) -> Option<usize> {
        let (block, some) = (0..).zip(&self.some).find(|&(_, &some)| some != 0)?;
        Some(self.lowest_of(block * BITS + some.trailing_zeros() as usize))
    }

    /// The lowest position at or above `from`.
    #[inline]
    pub(super) fn first_from(&self, from: usize) -> Option<usize> {
        let word = from / BITS;
        let here = self.words.get(word)? >> (from % BITS);
        if here != 0 {
            return Some(from + here.trailing_zeros() as usize);
        }
        let next = word + 1;
        let mut some = self.some.get(next / BITS)? & (u64::MAX << (next % BITS));
        let mut block = next / BITS;
        while some == 0 {
            block += 1;
            some = *self.some.get(block)?;
        }
        Some(self.lowest_of(block * BITS + some.trailing_zeros() as usize))
    }

    /// Of a word that is not 0.
    #[inline]
    fn lowest_of(&self, word: usize) -> usize {
        word * BITS + self.words[word].trailing_zeros() as usize
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;
    use crate::contract::XorShift;

    #[test]
    fn a_set_of_any_size_is_a_set() {
        for len in [1, 63, 64, 65, 128, 4_096, 4_097, 10_000, 65_536] {
            let (mut draws, mut naive) = (XorShift::default(), BTreeSet::new());
            let mut set = Bits::empty(len);
            for step in 0..600 {
                let at = (draws.draw() % len as u64) as usize;
                if step % 3 == 2 {
                    // Half of these are in it.
                    let at = naive.range(at..).next().copied().unwrap_or(at);
                    set.remove(at);
                    naive.remove(&at);
                } else {
                    set.insert(at);
                    naive.insert(at);
                }
                let from = (draws.draw() % (len as u64 + 2)) as usize;
                assert_eq!(set.first(), naive.first().copied());
                assert_eq!(set.is_empty(), naive.is_empty());
                assert_eq!(set.word_of(at) >> (at % 64) & 1 == 1, naive.contains(&at));
                assert_eq!(set.first_from(from), naive.range(from..).next().copied(), "{from}");
            }
            let full = Bits::full(len);
            assert!((0..len).all(|at| full.first_from(at) == Some(at)));
            naive.iter().for_each(|&at| set.remove(at));
            assert_eq!((set.first(), set.first_from(0)), (None, None));
        }
    }
}
