//! Which compute units are in a set, and which is the first?
//!
//! The set has one bit for each compute unit, and for each word of these bits one bit that is set
//! if the word is not 0, so the first of 65,536 is found by reading a few words.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

const BITS: usize = u64::BITS as usize;

/// A set of compute units, by index. A policy keeps the units that may take more work in one, to
/// find the first of them.
///
/// ```
/// use raddle_policy::CuSet;
///
/// let mut open = CuSet::full(100);
/// (0..70).for_each(|cu| open.remove(cu));
/// assert_eq!((open.first(), open.first_from(99), open.first_from(100)), (Some(70), Some(99), None));
/// ```
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct CuSet {
    words: Vec<u64>,
    /// One bit for each word in `words`, so that empty words are skipped: bit `w` is set if word
    /// `w` is not 0.
    some: Vec<u64>,
}

impl Clone for CuSet {
    fn clone(&self) -> Self {
        Self { words: self.words.clone(), some: self.some.clone() }
    }

    /// Makes this set a copy of `source`, and reuses the memory that this set has if it is large
    /// enough.
    fn clone_from(&mut self, source: &Self) {
        self.words.clone_from(&source.words);
        self.some.clone_from(&source.some);
    }
}

impl CuSet {
    /// Returns the set of all `len` compute units.
    #[must_use]
    pub fn full(len: usize) -> Self {
        let mut set = Self::empty(len);
        set.insert_all(0..len);
        set
    }

    /// Returns an empty set that can have compute units with an index below `len`.
    #[must_use]
    pub fn empty(len: usize) -> Self {
        let words = len.div_ceil(BITS);
        Self { words: vec![0; words], some: vec![0; words.div_ceil(BITS)] }
    }

    /// Makes the set able to have compute units with an index below `len`; it keeps its present
    /// compute units.
    pub fn grow(&mut self, len: usize) {
        self.words.resize(len.div_ceil(BITS).max(self.words.len()), 0);
        self.some.resize(self.words.len().div_ceil(BITS), 0);
    }

    /// Adds a compute unit, given by its index; does nothing for an index beyond the last one that
    /// the set can have.
    #[inline]
    pub fn insert(&mut self, cu: usize) {
        let word = cu / BITS;
        if let Some(bits) = self.words.get_mut(word) {
            *bits |= 1 << (cu % BITS);
            self.some[word / BITS] |= 1 << (word % BITS);
        }
    }

    /// Adds a range of compute units, given by their indices; those beyond the last index that the
    /// set can have are left out.
    #[inline]
    pub fn insert_all(&mut self, units: Range<usize>) {
        let (mut at, end) = (units.start, units.end.min(self.words.len() * BITS));
        while at < end {
            let (word, next) = (at / BITS, end.min((at / BITS + 1) * BITS));
            self.words[word] |= u64::MAX >> (BITS - (next - at)) << (at % BITS);
            self.some[word / BITS] |= 1 << (word % BITS);
            at = next;
        }
    }

    /// Removes a compute unit from the set.
    #[inline]
    pub fn remove(&mut self, cu: usize) {
        let word = cu / BITS;
        if let Some(bits) = self.words.get_mut(word) {
            *bits &= !(1 << (cu % BITS));
            if *bits == 0 {
                self.some[word / BITS] &= !(1 << (word % BITS));
            }
        }
    }

    /// Removes all compute units from the set.
    #[inline]
    pub fn clear(&mut self) {
        self.words.fill(0);
        self.some.fill(0);
    }

    /// Returns whether the set has no compute unit.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.some.iter().all(|&some| some == 0)
    }

    /// Returns the lowest compute unit of the set; `None` if the set is empty.
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<usize> {
        let (block, some) = (0..).zip(&self.some).find(|&(_, &some)| some != 0)?;
        Some(self.lowest_of(block * BITS + some.trailing_zeros() as usize))
    }

    /// Returns the lowest compute unit of the set at or above `from`; `None` if there is none.
    #[inline]
    #[must_use]
    pub fn first_from(&self, from: usize) -> Option<usize> {
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

    /// Returns the lowest run of consecutive compute units in the set that begins at `from` or
    /// above; `None` if there is none.
    #[inline]
    #[must_use]
    pub fn run_from(&self, from: usize) -> Option<Range<usize>> {
        let start = self.first_from(from)?;
        let ones = (self.words[start / BITS] >> (start % BITS)).trailing_ones() as usize;
        let mut end = start + ones;
        while end.is_multiple_of(BITS)
            && let Some(word) = self.words.get(end / BITS)
            && word & 1 == 1
        {
            end += word.trailing_ones() as usize;
        }
        Some(start..end)
    }

    /// Returns the lowest compute unit in the 64-bit word with the index `word` of the set; the
    /// word must not be 0.
    #[inline]
    fn lowest_of(&self, word: usize) -> usize {
        word * BITS + self.words[word].trailing_zeros() as usize
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_set_of_any_size_is_a_set() {
        for len in [1, 63, 64, 65, 128, 4_096, 4_097, 10_000, 65_536] {
            let (mut state, mut naive) = (len as u64, BTreeSet::new());
            let mut draw = move |below: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) as usize % below
            };
            let mut set = CuSet::empty(len);
            for step in 0..600 {
                let cu = draw(len);
                if step % 97 == 96 {
                    let end = (cu + draw(200)).min(len);
                    set.insert_all(cu..end);
                    naive.extend(cu..end);
                } else if step % 3 == 2 {
                    // A member at or above `cu` is removed, if there is one.
                    let cu = naive.range(cu..).next().copied().unwrap_or(cu);
                    set.remove(cu);
                    naive.remove(&cu);
                } else {
                    set.insert(cu);
                    naive.insert(cu);
                }
                let from = draw(len + 2);
                assert_eq!(set.first(), naive.first().copied());
                assert_eq!(set.is_empty(), naive.is_empty());
                let first = naive.range(from..).next().copied();
                assert_eq!(set.first_from(from), first, "{from}");
                let run = first
                    .map(|first| first..(first..).find(|cu| !naive.contains(cu)).unwrap_or(len));
                assert_eq!(set.run_from(from), run, "{from}");
            }
            let full = CuSet::full(len);
            assert!((0..len).all(|cu| full.first_from(cu) == Some(cu)));
            let mut cleared = set.clone();
            cleared.clear();
            naive.iter().for_each(|&cu| set.remove(cu));
            for none in [set, cleared] {
                assert_eq!((none.first(), none.first_from(0)), (None, None));
            }
        }
    }
}
