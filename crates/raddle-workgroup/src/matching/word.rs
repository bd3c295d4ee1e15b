//! Where is there a run in a map of at most 64 granules?
//!
//! One word, 1 = free. What a `Map64` does, with nothing to call: the registers of a SIMD fit into a
//! word on most devices, and there a call costs as much as the search.

use raddle_bitmap::portable::{first_fit_portable, longest_portable};

/// A word of so many free granules, 1 to 64.
pub(super) const fn free(granules: u32) -> u64 {
    u64::MAX >> (u64::BITS - granules)
}

/// The lowest start of `want` free granules; 64 where there is none. Nothing is at 0, always.
#[inline]
pub(super) fn first_fit(word: u64, want: u32) -> u32 {
    // What is nowhere starts beyond every word.
    if want == 0 { 0 } else { first_fit_portable(&[word], 0, want).min(u64::BITS) }
}

/// The granules of a run: from a start below 64, as many of them as the word has.
#[inline]
pub(super) const fn run(start: u32, len: u32) -> u64 {
    let ones = if len == 0 { 0 } else { u64::MAX >> (u64::BITS - len) };
    ones << start
}

/// Whether a run lies in the word and is free.
#[inline]
pub(super) fn is_free(word: u64, start: u32, len: u32) -> bool {
    start < u64::BITS && len <= u64::BITS - start && run(start, len) & !word == 0
}

/// Gives back a run that is taken.
#[inline]
pub(super) fn give(word: &mut u64, start: u32, len: u32) {
    let run = run(start, len);
    debug_assert_eq!(*word & run, 0, "{len} granules from {start} were taken");
    *word |= run;
}

/// The longest run.
pub(super) fn longest(word: u64) -> u32 {
    longest_portable(&[word])
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use raddle_bitmap::Map64;

    use super::*;
    use crate::contract::XorShift;

    #[test]
    fn a_word_answers_as_a_map_does() {
        let mut draws = XorShift::default();
        for granules in [1, 2, 7, 31, 63, 64] {
            assert_eq!((first_fit(0, 0), run(5, 0)), (0, 0), "nothing is there always");
            let (mut word, mut map) = (free(granules), Map64::new(granules).unwrap());
            let mut runs = vec![];
            for _ in 0..3_000 {
                let want = 1 + (draws.draw() % 66) as u32 % (granules + 2);
                let expected = map.first_fit(want).map(|plan| plan.start());
                let found = Some(first_fit(word, want)).filter(|&start| start < 64);
                assert_eq!(found, expected, "{want} in {word:b}");
                let start = (draws.draw() % 70) as u32;
                assert_eq!(is_free(word, start, want), map.fit_at(start, want).is_some());
                match expected {
                    Some(start) if draws.draw() % 3 > 0 => {
                        word &= !run(start, want);
                        map.take(start, want).unwrap();
                        runs.push((start, want));
                    }
                    _ if !runs.is_empty() => {
                        let at = (draws.draw() % runs.len() as u64) as usize;
                        let (start, len) = runs.swap_remove(at);
                        give(&mut word, start, len);
                        map.release(start, len).unwrap();
                    }
                    _ => {}
                }
                assert_eq!((longest(word), word.count_ones()), (map.longest(), map.free_blocks()));
            }
        }
    }
}
