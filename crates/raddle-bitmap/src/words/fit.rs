//! Where does the first run of a given length start?

use core::hint::select_unpredictable;

use super::bits::{BITS, word_of};

/// The start of a run that does not exist: no run starts so high. A number instead of an `Option`, so
/// that whether there is a run costs no unpredictable branch.
pub const NOWHERE: u32 = u32::MAX;

/// The lowest start at or after `from` of `want` ones in a row, `want` at least 1; or [`NOWHERE`].
/// Safe Rust for any processor.
#[inline]
pub fn first_fit_portable(words: &[u64], from: u32, want: u32) -> u32 {
    match *words {
        _ if want > BITS => first_long(words, from, want),
        [word] => first_in_one(word & from_on(from, 0), want),
        [lower, upper] => first_in_two(lower & from_on(from, 0), upper & from_on(from, BITS), want),
        _ => first_short(words, from, want),
    }
}

/// The positions of a word that lie at or after `from`, where the word's first is at `base`.
#[inline]
pub(crate) const fn from_on(from: u32, base: u32) -> u64 {
    let past = from.saturating_sub(base);
    if past < BITS { u64::MAX << past } else { 0 }
}

/// The six shifts after which a bit is left where a run of `want` ones starts:
/// row `want`. What is not needed any more is a shift by 0, so that all lengths take equal steps.
const SHIFTS: [[u8; 6]; BITS as usize + 1] = shifts();

const fn shifts() -> [[u8; 6]; BITS as usize + 1] {
    let mut table = [[0; 6]; BITS as usize + 1];
    let mut want = 1;
    while want < table.len() {
        let (mut have, mut step) = (1, 0);
        while have < want {
            let by = if want - have < have { want - have } else { have };
            // At most 32.
            table[want][step] = by as u8;
            have += by;
            step += 1;
        }
        want += 1;
    }
    table
}

/// The shifts for runs of `want` ones; `want` from 1 to 64.
#[inline(always)]
pub const fn shifts_for(want: u32) -> [u8; 6] {
    SHIFTS[want as usize]
}

/// Marks where runs of the row's length start inside a word, with no branch on any of it.
#[inline(always)]
const fn starts(mut word: u64, row: [u8; 6]) -> u64 {
    word &= word >> row[0];
    word &= word >> row[1];
    word &= word >> row[2];
    word &= word >> row[3];
    word &= word >> row[4];
    word & (word >> row[5])
}

/// `want` from 1 to 64.
#[inline(always)]
pub(crate) fn first_in_one(word: u64, want: u32) -> u32 {
    let starts = run_starts(word, want);
    select_unpredictable(starts != 0, starts.trailing_zeros(), NOWHERE)
}

/// `want` from 1 to 64. Both words at once and the run over their border, whatever they hold: to
/// find the answer in the first word is worth less than a branch that cannot be foretold.
#[inline(always)]
pub(crate) fn first_in_two(lower: u64, upper: u64, want: u32) -> u32 {
    let row = shifts_for(want);
    let (in_lower, in_upper) = (starts(lower, row), starts(upper, row));
    let end = lower.leading_ones();
    let over_border = end + upper.trailing_ones() >= want;
    let behind = BITS + in_upper.trailing_zeros();
    let behind = select_unpredictable(in_upper != 0, behind, NOWHERE);
    let behind = select_unpredictable(over_border, BITS - end, behind);
    select_unpredictable(in_lower != 0, in_lower.trailing_zeros(), behind)
}

/// `want` from 1 to 64: it lies in one word, or in two neighbours.
fn first_short(words: &[u64], from: u32, want: u32) -> u32 {
    let row = shifts_for(want);
    let first = word_of(from);
    for (index, &word) in words.iter().enumerate().skip(first) {
        let before = if index == first { from % BITS } else { 0 };
        let word = word & (u64::MAX << before);
        if word == 0 {
            continue;
        }
        let base = base_of(index);
        let starts = starts(word, row);
        if starts != 0 {
            return base + starts.trailing_zeros();
        }
        // Then only the run at the word's upper end can be long enough, with what follows it.
        let upper = word.leading_ones();
        let follows = words.get(index + 1).map_or(0, |next| next.trailing_ones());
        if upper + follows >= want {
            return base + (BITS - upper);
        }
    }
    NOWHERE
}

/// `want` above 64: it ends in a word that it does not start in.
fn first_long(words: &[u64], from: u32, want: u32) -> u32 {
    let first = word_of(from);
    let mut run = 0;
    for (index, &word) in words.iter().enumerate().skip(first) {
        let before = if index == first { from % BITS } else { 0 };
        let word = word & (u64::MAX << before);
        if run + word.trailing_ones() >= want {
            return base_of(index) - run;
        }
        let carried = if word == u64::MAX { run } else { 0 };
        run = carried + word.leading_ones();
    }
    NOWHERE
}

/// The position of a word's lowest bit.
const fn base_of(index: usize) -> u32 {
    // A position of a map, and those are u32.
    index as u32 * BITS
}

/// Marks where `want` ones in a row start inside a word; `want` from 1 to 64.
#[inline(always)]
pub(crate) const fn run_starts(word: u64, want: u32) -> u64 {
    starts(word, shifts_for(want))
}
