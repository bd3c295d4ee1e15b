//! Which of many demands fit at which of many places, by the bytes that sum them up?
//!
//! What the matching of seed 000 (E1: a3) asks: every channel's head against every compute unit at
//! once. Of each place and resource one byte says how much there is, as in [`Bank::bytes`]; a demand
//! wants one byte of each resource. The answer is one bit a demand and place.
//!
//! [`Bank::bytes`]: crate::Bank::bytes

use super::comparer::{Comparer, PLACES, one_by_one, words_of_answers};
use crate::Error;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
use crate::simd;

impl Comparer {
    /// The fastest one that is here.
    #[must_use]
    pub fn best() -> Self {
        let here = Self::ALL.iter().rev().find(|comparer| comparer.is_here());
        here.copied().unwrap_or(Self::Portable)
    }

    /// Whether this processor has what it takes, as far as is known: without feature `std`, and on
    /// other processors than x86-64, only [`Portable`](Self::Portable) is here.
    #[must_use]
    pub fn is_here(self) -> bool {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        return simd::compare::has(self);
        #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
        return self == Self::Portable;
    }
}

/// Writes for each demand at which places there is enough of every resource.
///
/// `found[r][p]` is what place `p` has of resource `r`, and `wants[d][r]` what demand `d` wants of
/// it. Of the answers, bit `p % 64` of word `d * words_of_answers(places) + p / 64` is set where all
/// is there; bits past the last place are 0.
///
/// A byte of 255 in [`Bank::bytes`](crate::Bank::bytes) stands for 255 or more: of maps that are
/// larger, a demand for more than 255 asks with 255 here, and is told where it *may* fit.
///
/// All comparers give the same answers. One that is not [here](Comparer::is_here) gives way to
/// [`Comparer::Portable`].
///
/// ```
/// use raddle_bitmap::batch::{Comparer, fits};
///
/// let (registers, lds) = ([20, 8, 16], [4, 9, 6]);
/// let mut answers = [0; 2];
/// fits(Comparer::best(), &[&registers, &lds], &[[16, 5], [8, 4]], &mut answers)?;
/// assert_eq!(answers, [0b100, 0b111]);
/// # Ok::<(), raddle_bitmap::Error>(())
/// ```
///
/// # Errors
/// [`Error::PlaceCount`] when the lists of `found` are not equally long, and
/// [`Error::WordsOfAnswers`] when there is not [one word](words_of_answers) for 64 places a demand;
/// nothing has been written then.
pub fn fits<const R: usize>(
    comparer: Comparer,
    found: &[&[u8]; R],
    wants: &[[u8; R]],
    answers: &mut [u64],
) -> Result<(), Error> {
    const { assert!(R > 0, "without a resource nothing says how many places there are") };
    let places = found[0].len();
    if let Some(listed) = found.iter().map(|list| list.len()).find(|&listed| listed != places) {
        return Err(Error::PlaceCount { places, listed });
    }
    let (needed, words) = (words_of_answers(places).saturating_mul(wants.len()), answers.len());
    if words != needed {
        return Err(Error::WordsOfAnswers { needed, words });
    }
    if places == 0 {
        return Ok(());
    }
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if simd::compare::fits(comparer, found, wants, answers) {
        return Ok(());
    }
    let _ = comparer;
    one_by_one(found, wants, answers, word);
    Ok(())
}

/// A byte of 0 or 1 for each of 64 places, then eight bytes to eight bits by a product.
#[inline]
fn word<const R: usize>(found: &[&[u8; PLACES]; R], want: &[u8; R]) -> u64 {
    let mut all = [1_u8; PLACES];
    for (bytes, &want) in found.iter().zip(want) {
        for (all, &found) in all.iter_mut().zip(*bytes) {
            *all &= u8::from(found >= want);
        }
    }
    // Byte i of eight moves to bit 56 + i; no two meet in a bit below.
    const TO_BITS: u64 = 0x0102_0408_1020_4080;
    all.as_chunks::<8>().0.iter().enumerate().fold(0, |word, (at, &eight)| {
        word | (u64::from_le_bytes(eight).wrapping_mul(TO_BITS) >> 56) << (8 * at)
    })
}
