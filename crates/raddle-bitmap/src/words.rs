//! How is a run of bits found and marked 64 at a time?
//!
//! Bit `i % 64` of word `i / 64` stands for position `i`; positions past the end are 0.

/// Bits of a word.
pub(crate) const BITS: u32 = u64::BITS;

/// The word that holds a position.
pub(crate) const fn word_of(position: u32) -> usize {
    (position / BITS) as usize
}

/// The lowest position at or after `from` whose bit is 1 (0 where `flip` is `u64::MAX`); `end` at
/// the latest.
pub(crate) fn seek(words: &[u64], from: u32, end: u32, flip: u64) -> u32 {
    let mut at = from;
    while at < end {
        let rest = (words[word_of(at)] ^ flip) >> (at % BITS);
        if rest != 0 {
            return (at + rest.trailing_zeros()).min(end);
        }
        let step = BITS - at % BITS;
        at = at.saturating_add(step);
    }
    end
}

/// The lowest start at or after `from` of `want` ones in a row, `want` from 1 to 64.
pub(crate) fn first_short(words: &[u64], from: u32, want: u32) -> Option<u32> {
    let first = word_of(from);
    for (index, &word) in words.iter().enumerate().skip(first) {
        let before = if index == first { from % BITS } else { 0 };
        let word = word & (u64::MAX << before);
        if word == 0 {
            continue;
        }
        // A position of the map, and those are u32.
        let base = index as u32 * BITS;
        let starts = run_starts(word, want);
        if starts != 0 {
            return Some(base + starts.trailing_zeros());
        }
        // Then only the run at the word's upper end can be long enough, with what follows it.
        let upper = word.leading_ones();
        let follows = words.get(index + 1).map_or(0, |next| next.trailing_ones());
        if upper > 0 && upper + follows >= want {
            return Some(base + BITS - upper);
        }
    }
    None
}

/// Marks where `want` ones in a row start, inside a word: ANDs the word with itself, shifted,
/// doubling.
const fn run_starts(mut word: u64, want: u32) -> u64 {
    let mut have = 1;
    while have < want {
        let step = if want - have < have { want - have } else { have };
        word &= word >> step;
        have += step;
    }
    word
}

/// The lowest start at or after `from` of `want` ones in a row, run by run.
pub(crate) fn first_long(words: &[u64], from: u32, end: u32, want: u32) -> Option<u32> {
    let mut at = from;
    while at < end {
        let start = seek(words, at, end, 0);
        let stop = seek(words, start, end, u64::MAX);
        if stop - start >= want {
            return Some(start);
        }
        at = stop;
    }
    None
}

/// Calls `change` with each word that `len` positions from `start` touch, and the bits touched.
#[inline]
pub(crate) fn each_mask(start: u32, len: u32, mut change: impl FnMut(usize, u64)) {
    if len == 0 {
        return;
    }
    let end = start + (len - 1);
    let (first, last) = (word_of(start), word_of(end));
    let (lower, upper) = (u64::MAX << (start % BITS), u64::MAX >> (BITS - 1 - end % BITS));
    if first == last {
        change(first, lower & upper);
        return;
    }
    change(first, lower);
    for word in first + 1..last {
        change(word, u64::MAX);
    }
    change(last, upper);
}
