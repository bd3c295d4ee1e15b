//! Where is there a run in a map of at most 64 granules?
//!
//! One word, 1 = free. What a `Map64` does, with nothing to call: the registers of a SIMD fit into a
//! word on most devices, and there a call costs as much as the search.

/// How far to shift in each of six steps, so that what is left are the starts of `want` free
/// granules in a row: halves of what is still to be covered.
const STEPS: [[u8; 6]; 65] = {
    let mut table = [[0; 6]; 65];
    let mut want = 1;
    while want <= 64 {
        let (mut covered, mut step) = (1, 0);
        while covered < want {
            let more = if want - covered < covered { want - covered } else { covered };
            table[want][step] = more as u8;
            covered += more;
            step += 1;
        }
        want += 1;
    }
    table
};

/// The first `len` granules of a word, at most 64.
#[inline]
const fn low(len: u32) -> u64 {
    if len < u64::BITS { (1 << len) - 1 } else { u64::MAX }
}

/// A word of so many free granules, at most 64.
pub(super) const fn free(granules: u32) -> u64 {
    low(granules)
}

/// The lowest start of `want` free granules, at least 1.
#[inline]
pub(super) fn first_fit(word: u64, want: u32) -> Option<u32> {
    let steps = STEPS.get(want as usize)?;
    let starts = steps.iter().fold(word, |starts, &step| starts & starts >> step);
    (starts != 0).then(|| starts.trailing_zeros())
}

/// Takes a run, if it lies in the word and is free.
#[inline]
pub(super) fn take(word: &mut u64, start: u32, len: u32) -> bool {
    let inside = start < u64::BITS && len <= u64::BITS;
    let run = if inside { low(len) << start } else { 0 };
    let free = *word & run == run && run.count_ones() == len;
    if free {
        *word &= !run;
    }
    free
}

/// Gives back a run that is taken.
#[inline]
pub(super) fn give(word: &mut u64, start: u32, len: u32) {
    let run = low(len) << (start % u64::BITS);
    debug_assert_eq!(*word & run, 0, "{len} granules from {start} were taken");
    *word |= run;
}

/// The longest run.
pub(super) fn longest(word: u64) -> u32 {
    let (mut left, mut longest) = (word, 0);
    while left != 0 {
        left &= left >> 1;
        longest += 1;
    }
    longest
}

#[cfg(test)]
mod tests {
    use raddle_bitmap::Map64;

    use super::*;
    use crate::contract::XorShift;

    #[test]
    fn a_word_answers_as_a_map_does() {
        let mut draws = XorShift::default();
        for granules in [1, 2, 7, 31, 63, 64] {
            let (mut word, mut map) = (free(granules), Map64::new(granules).unwrap());
            let mut runs = vec![];
            for _ in 0..3_000 {
                let want = 1 + (draws.draw() % 66) as u32 % (granules + 2);
                let expected = map.first_fit(want).map(|plan| plan.start());
                assert_eq!(first_fit(word, want), expected, "{want} in {word:b}");
                let start = (draws.draw() % 70) as u32;
                let mut copy = word;
                assert_eq!(take(&mut copy, start, want), map.fit_at(start, want).is_some());
                match expected {
                    Some(start) if draws.draw() % 3 > 0 => {
                        assert!(take(&mut word, start, want));
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
