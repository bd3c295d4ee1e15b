//! Where is there a run in a map of a few words?
//!
//! Words, 1 = free. What a map does, with nothing to call: the registers of a SIMD fit into a word on
//! most devices, and there a call costs as much as the search.

use raddle_bitmap::portable::{self, NOWHERE, shifts_for};

/// The lowest start of `want` free granules; beyond every granule where there is none. Nothing is at
/// 0, always.
#[inline]
pub(super) fn first_fit(words: &[u64], want: u32) -> u32 {
    match (words, want) {
        (_, 0) => 0,
        (&[word], 1..=u64::BITS) => {
            let [starts] = run_starts([word], want);
            // 64 where there is none.
            starts.trailing_zeros()
        }
        (words, 1..=u64::BITS) => first_short(words, want),
        _ => portable::first_fit(words, 0, want),
    }
}

/// Runs of at most 64: in one word, or in two neighbours.
#[inline]
fn first_short(words: &[u64], want: u32) -> u32 {
    let (mut base, mut before) = (0, 0);
    for &word in words {
        if word != 0 {
            // The one that starts in the word before is the lower one.
            if before + word.trailing_ones() >= want {
                return base - before;
            }
            let [starts] = run_starts([word], want);
            if starts != 0 {
                return base + starts.trailing_zeros();
            }
        }
        before = word.leading_ones();
        base += u64::BITS;
    }
    NOWHERE
}

/// The lowest starts in four words at once; whether all have such a run.
#[inline]
pub(super) fn first_fits(words: &[u64; 4], want: u32, starts: &mut [u16; 4]) -> bool {
    match want {
        0 => {
            starts.fill(0);
            true
        }
        1..=u64::BITS => {
            let marks = run_starts(*words, want);
            // A position of a word.
            *starts = marks.map(|marks| marks.trailing_zeros() as u16);
            marks.iter().all(|&marks| marks != 0)
        }
        _ => false,
    }
}

/// Marks where runs of 1 to 64 start inside each word, step after step, side by side.
#[inline(always)]
fn run_starts<const N: usize>(mut words: [u64; N], want: u32) -> [u64; N] {
    for by in shifts_for(want) {
        // The rest are shifts by 0.
        if by == 0 {
            break;
        }
        for word in &mut words {
            *word &= *word >> by;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use raddle_bitmap::FreeMap;

    use super::*;
    use crate::order::Seeded;

    #[test]
    fn words_answer_as_a_map_does() {
        assert_eq!(first_fit(&[0], 0), 0);
        let mut draws = Seeded::new(1);
        for round in 0..6_000 {
            let mut words = [0; 5];
            for word in &mut words {
                // Also empty and full ones, and runs from one into the next.
                *word = match draws.next() % 6 {
                    0 => 0,
                    1 => u64::MAX,
                    2 => u64::MAX << (draws.next() % 64),
                    3 => u64::MAX >> (draws.next() % 64),
                    _ => draws.next() | draws.next(),
                };
            }
            let words = &words[..1 + round % 5];
            let mut map = FreeMap::new(words.len() as u32 * 64).unwrap();
            for at in 0..map.blocks() {
                if words[at as usize / 64] >> (at % 64) & 1 == 0 {
                    map.take(at, 1).unwrap();
                }
            }
            for want in 1..100 {
                let expected = map.first_fit(want).map(|plan| plan.start());
                let found = Some(first_fit(words, want)).filter(|&start| start < map.blocks());
                assert_eq!(found, expected, "{want} in {words:x?}");
            }
        }
    }
}
