//! Where does the first run of so many ones start?

use super::{BITS, word_of};

/// The lowest start at or after `from` of `want` ones in a row, `want` at least 1.
#[inline]
pub(crate) fn first_fit(words: &[u64], from: u32, want: u32) -> Option<u32> {
    if want <= BITS { first_short(words, from, want) } else { first_long(words, from, want) }
}

/// `want` from 1 to 64: it lies in one word, or in two neighbours.
fn first_short(words: &[u64], from: u32, want: u32) -> Option<u32> {
    let first = word_of(from);
    for (index, &word) in words.iter().enumerate().skip(first) {
        let before = if index == first { from % BITS } else { 0 };
        let word = word & (u64::MAX << before);
        if word == 0 {
            continue;
        }
        let base = base_of(index);
        let starts = run_starts(word, want);
        if starts != 0 {
            return Some(base + starts.trailing_zeros());
        }
        // Then only the run at the word's upper end can be long enough, with what follows it.
        let upper = word.leading_ones();
        let follows = words.get(index + 1).map_or(0, |next| next.trailing_ones());
        if upper + follows >= want {
            return Some(base + (BITS - upper));
        }
    }
    None
}

/// `want` above 64: it ends in a word that it does not start in.
fn first_long(words: &[u64], from: u32, want: u32) -> Option<u32> {
    let first = word_of(from);
    let mut run = 0;
    for (index, &word) in words.iter().enumerate().skip(first) {
        let before = if index == first { from % BITS } else { 0 };
        let word = word & (u64::MAX << before);
        if run + word.trailing_ones() >= want {
            return Some(base_of(index) - run);
        }
        let carried = if word == u64::MAX { run } else { 0 };
        run = carried + word.leading_ones();
    }
    None
}

/// The position of a word's lowest bit.
const fn base_of(index: usize) -> u32 {
    // A position of a map, and those are u32.
    index as u32 * BITS
}

/// Marks where `want` ones in a row start, inside a word: ANDs the word with itself, shifted,
/// doubling.
pub(crate) const fn run_starts(mut word: u64, want: u32) -> u64 {
    let mut have = 1;
    while have < want {
        let step = if want - have < have { want - have } else { have };
        word &= word >> step;
        have += step;
    }
    word
}
