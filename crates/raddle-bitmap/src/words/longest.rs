//! How long is the longest run of ones?
//!
//! Within a word, one AND each gives the bits where 1, 2, 4, .. 32 ones in a row start. The length
//! is put together from these powers, the largest first: one is added if a run that much longer
//! exists. No step depends on what the word holds. Across words, the run that reaches a word's
//! upper end is joined with the one that begins the next.

use core::hint::select_unpredictable;

use super::bits::BITS;

/// Returns the length of the longest run of bits of 1 in the words of a map.
#[inline]
pub(crate) fn longest(words: &[u64]) -> u32 {
    match *words {
        [word] => longest_in_one(word),
        [lower, upper] => longest_in_two(lower, upper),
        _ => words.iter().fold(Fold::default(), |fold, &word| fold.with(word)).longest(),
    }
}

#[inline(always)]
pub(crate) fn longest_in_one(word: u64) -> u32 {
    longest_in(word).max(word.trailing_ones())
}

/// Returns the length of the longest run of bits of 1 in two words, of which `lower` comes first.
#[inline(always)]
fn longest_in_two(lower: u64, upper: u64) -> u32 {
    let joined = lower.leading_ones() + upper.trailing_ones();
    longest_in(lower).max(longest_in(upper)).max(joined)
}

/// Scan of words, from the lowest on, that knows the longest run of bits of 1 in the words seen so
/// far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fold {
    /// Number of bits of 1 in a row at the upper end of the last word seen; the run may begin in an
    /// earlier word.
    run: u32,
    best: u32,
}

impl Fold {
    /// Returns the scan after one more word, which follows on all words seen so far.
    #[inline(always)]
    pub(crate) fn with(self, word: u64) -> Self {
        let joined = self.run + word.trailing_ones();
        let best = self.best.max(joined);
        // Large maps have mostly words of nothing but ones or zeros.
        match word {
            0 => Self { run: 0, best },
            u64::MAX => Self { run: joined, best },
            _ => Self { run: word.leading_ones(), best: best.max(longest_in(word)) },
        }
    }

    /// Returns the length of the longest run of bits of 1 in all words seen so far.
    pub(crate) const fn longest(self) -> u32 {
        self.best
    }
}

/// Returns the length of the longest run of bits of 1 in a word that is not all ones. For a word of
/// 64 ones the result is 63, so callers also look at the number of its trailing ones.
#[inline(always)]
fn longest_in(word: u64) -> u32 {
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
    // The length is at most 63.
    len as u32
}

/// Joins runs of ones: `starts` has a bit of 1 where a run of `len` ones starts, and `runs` where a
/// run of `by` ones starts. Returns (bits where a run of `len + by` ones starts, `len + by`);
/// (`starts`, `len`) where there is no such run. Takes no unpredictable branch.
#[inline(always)]
fn longer((starts, len): (u64, u64), runs: u64, by: u64) -> (u64, u64) {
    let left = starts & (runs >> len);
    let is_left = left != 0;
    (select_unpredictable(is_left, left, starts), len + u64::from(is_left) * by)
}

const _: () = assert!(BITS == 64, "the powers above are those of 64 bits");
