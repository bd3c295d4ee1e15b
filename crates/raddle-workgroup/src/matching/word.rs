//! Where is there a run in a map of at most 64 granules?
//!
//! One word, 1 = free. What a `Map64` does, with nothing to call: the registers of a SIMD fit into a
//! word on most devices, and there a call costs as much as the search.

use raddle_bitmap::portable::{first_fit_portable, shifts_for};

/// The lowest start of `want` free granules; 64 where there is none. Nothing is at 0, always.
#[inline]
pub(super) fn first_fit(word: u64, want: u32) -> u32 {
    // What is nowhere starts beyond every word.
    if want == 0 { 0 } else { first_fit_portable(&[word], 0, want).min(u64::BITS) }
}

/// The same in each of four words, side by side; whether all have such a run.
#[inline]
pub(super) fn first_fits(words: &[u64; 4], want: u32, starts: &mut [u16; 4]) -> bool {
    match want {
        0 => {
            starts.fill(0);
            true
        }
        1..=u64::BITS => {
            let marks = four_starts(*words, want);
            // A position of a word.
            *starts = marks.map(|marks| marks.trailing_zeros() as u16);
            marks.iter().all(|&marks| marks != 0)
        }
        _ => false,
    }
}

/// Marks where runs start, step after step, so that the compiler takes the words side by side.
#[inline(always)]
fn four_starts(mut words: [u64; 4], want: u32) -> [u64; 4] {
    for by in shifts_for(want) {
        for word in &mut words {
            *word &= *word >> by;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use raddle_bitmap::{Map64, Polarity};

    use super::*;
    use crate::contract::XorShift;

    #[test]
    fn a_word_answers_as_a_map_does() {
        assert_eq!(first_fit(0, 0), 0);
        let mut draws = XorShift::default();
        for _ in 0..3_000 {
            let word = draws.draw() | draws.draw();
            let map = Map64::from_words(&[word], 64, Polarity::FreeIsOne).unwrap();
            for want in 1..70 {
                let expected = map.first_fit(want).map(|plan| plan.start());
                let found = Some(first_fit(word, want)).filter(|&start| start < 64);
                assert_eq!(found, expected, "{want} in {word:b}");
            }
        }
    }
}
