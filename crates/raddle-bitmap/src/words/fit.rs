//! Where does the first run of at least a wanted length start?

use core::hint::select_unpredictable;

use super::bits::{BITS, word_of};

/// Value for the start of a run where there is no run, as no run can start that high. It is a
/// number and not an `Option`, so that a missing run costs no unpredictable branch.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Returns the lowest bit number, over all words, at or after `from` at which `want` bits of 1 in a
/// row start; [`NOWHERE`] if there is none. `want` is at least 1.
#[inline]
pub(crate) fn first_fit(words: &[u64], from: u32, want: u32) -> u32 {
    match *words {
        [word] if from < BITS && want <= BITS => first_in_one(word & (u64::MAX << from), want),
        [lower, upper] if from == 0 && want <= BITS => first_in_two(lower, upper, want),
        _ => first_across(words, from, want),
    }
}

/// Shifts that find runs of ones in a word, for each length of a run from 1 to 64. The word is
/// ANDed with itself shifted by each of the six numbers in turn; then only those bits are 1 at
/// which a run of that length starts. Shifts that a length does not need are 0, so all lengths take
/// equally many steps.
const SHIFTS: [[u8; 6]; BITS as usize + 1] = shifts();

const fn shifts() -> [[u8; 6]; BITS as usize + 1] {
    let mut table = [[0; 6]; BITS as usize + 1];
    let mut want = 1;
    while want < table.len() {
        let (mut have, mut step) = (1, 0);
        while have < want {
            let by = if want - have < have { want - have } else { have };
            // The shift `by` is at most 32.
            table[want][step] = by as u8;
            have += by;
            step += 1;
        }
        want += 1;
    }
    table
}

/// Returns a word with a bit of 1 where `want` ones in a row start inside `word`; `want` is from 1
/// to 64. The code has no branch on the word or the length.
#[inline(always)]
pub(crate) const fn run_starts(mut word: u64, want: u32) -> u64 {
    let row = SHIFTS[want as usize];
    word &= word >> row[0];
    word &= word >> row[1];
    word &= word >> row[2];
    word &= word >> row[3];
    word &= word >> row[4];
    word & (word >> row[5])
}

/// Returns the number of the lowest bit at which `want` ones in a row start in one word, else
/// [`NOWHERE`]; `want` is from 1 to 64.
#[inline(always)]
pub(crate) fn first_in_one(word: u64, want: u32) -> u32 {
    let starts = run_starts(word, want);
    select_unpredictable(starts != 0, starts.trailing_zeros(), NOWHERE)
}

/// Returns the number of the lowest bit at which `want` ones in a row start in two words, of which
/// `lower` comes first, else [`NOWHERE`]; `want` is from 1 to 64.
#[inline(always)]
const fn first_in_two(lower: u64, upper: u64, want: u32) -> u32 {
    let (end, starts) = (lower.leading_ones(), [run_starts(lower, want), run_starts(upper, want)]);
    match starts {
        [0, _] if end + upper.trailing_ones() >= want => BITS - end,
        [0, 0] => NOWHERE,
        [0, starts] => BITS + starts.trailing_zeros(),
        [starts, _] => starts.trailing_zeros(),
    }
}

/// Returns the number, over all words, of the lowest bit at or after `from` at which `want` ones in
/// a row start, else [`NOWHERE`]; a run may cross the borders of words.
fn first_across(words: &[u64], from: u32, want: u32) -> u32 {
    let first = word_of(from);
    // The number of ones in a row that end with the word before.
    let mut run = 0;
    for (index, &word) in words.iter().enumerate().skip(first) {
        let before = if index == first { from % BITS } else { 0 };
        let word = word & (u64::MAX << before);
        if word == 0 {
            run = 0;
            continue;
        }
        if run + word.trailing_ones() >= want {
            return base_of(index) - run;
        }
        let starts = if want <= BITS { run_starts(word, want) } else { 0 };
        if starts != 0 {
            return base_of(index) + starts.trailing_zeros();
        }
        let carried = if word == u64::MAX { run } else { 0 };
        run = carried + word.leading_ones();
    }
    NOWHERE
}

const fn base_of(index: usize) -> u32 {
    // The result is a position of a map, and positions are u32.
    index as u32 * BITS
}
