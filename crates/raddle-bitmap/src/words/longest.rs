//! How long is the longest run of ones?
//!
//! Within a word by doubling with back-off: where runs of 1, 2, 4, .. 32 ones start is one AND
//! each, and the length is put together from the largest power down, each kept if something is
//! left. No step depends on what the word holds. Across words, the run that reaches a word's upper
//! end is carried into the next one.

use super::BITS;

/// The longest run of ones in the words.
pub(crate) fn longest(words: &[u64]) -> u32 {
    let mut fold = Fold::default();
    for &word in words {
        fold.word(word);
    }
    fold.longest()
}

/// Words seen so far, lowest first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fold {
    /// The run that ends with the last word.
    run: u32,
    best: u32,
}

impl Fold {
    /// Takes the next word.
    #[inline]
    pub(crate) fn word(&mut self, word: u64) {
        let joined = self.run + word.trailing_ones();
        self.best = self.best.max(joined).max(longest_in(word));
        let carried = if word == u64::MAX { self.run } else { 0 };
        self.run = carried + word.leading_ones();
    }

    /// The longest run of all words taken.
    pub(crate) const fn longest(self) -> u32 {
        self.best
    }
}

/// The longest run of ones in one word, at most 63: of a word of ones, all 64 are trailing ones.
#[inline]
const fn longest_in(word: u64) -> u32 {
    let by2 = word & (word >> 1);
    let by4 = by2 & (by2 >> 2);
    let by8 = by4 & (by4 >> 4);
    let by16 = by8 & (by8 >> 8);
    let by32 = by16 & (by16 >> 16);
    let found = (u64::MAX, 0);
    let found = longer(found, by32, 32);
    let found = longer(found, by16, 16);
    let found = longer(found, by8, 8);
    let found = longer(found, by4, 4);
    let found = longer(found, by2, 2);
    let (_, len) = longer(found, word, 1);
    len
}

/// Where runs of `len` start, and `len`: made longer by `by`, if such runs are left.
#[inline]
const fn longer((starts, len): (u64, u32), runs: u64, by: u32) -> (u64, u32) {
    let left = starts & (runs >> len);
    // All ones or all zeros, so that there is no branch to mispredict.
    let keep = ((left != 0) as u64).wrapping_neg();
    (left & keep | starts & !keep, len + (by & keep as u32))
}

const _: () = assert!(BITS == 64, "the powers above are those of 64 bits");
