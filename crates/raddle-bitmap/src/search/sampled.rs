//! Which length does the sampled search of seed 000 (E6) report? The longest free one that it
//! tests.

use alloc::vec::Vec;
use core::iter;

use super::{Need, Search, same_size};
use crate::error::Reason;
use crate::{Error, View};

/// Search that reports a lower bound of the longest free run, out of a list of chosen lengths
/// (method E6 of the patent, seed 000): the largest of these lengths for which a run is free, or 0.
///
/// The patent lists values k and tests runs of k + 1 blocks; an *amount* here is k + 1.
///
/// ```
/// use raddle_bitmap::{FreeMap, Polarity, Sampled, Search};
///
/// let map = FreeMap::from_digits("0111110111000000", Polarity::FreeIsOne)?;
/// let search = Sampled::new(16, &[0, 1, 3, 5, 7, 11, 15])?;
/// assert_eq!(search.longest(map.view())?, 4, "5 is not among the amounts");
/// # Ok::<(), raddle_bitmap::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sampled {
    blocks: u32,
    /// Lengths in blocks that the search tests and can report, ascending, each from 1 to `blocks`;
    /// at least one.
    amounts: Vec<u32>,
}

impl Sampled {
    /// Returns the search for maps of `blocks` blocks that tests the length k + 1 for each element
    /// k of the list `k`; the patent (seed 000) lists these values as well. The list need not begin
    /// with 0: runs shorter than the first tested length are then reported as 0.
    ///
    /// # Errors
    /// Without a block; with an empty list ([`OutOfRange`](crate::ErrorKind::OutOfRange)); where it is not
    /// strictly ascending ([`Inconsistent`](crate::ErrorKind::Inconsistent)) or leaves 0..N-1
    /// ([`OutOfRange`](crate::ErrorKind::OutOfRange)).
    pub fn new(blocks: u32, k: &[u32]) -> Result<Self, Error> {
        if blocks == 0 {
            return Err(Error(Reason::NoBlocks));
        }
        let mut amounts = Vec::with_capacity(k.len());
        for (at, &k) in k.iter().enumerate() {
            if k >= blocks {
                return Err(Error(Reason::SampleRange { at, k, blocks }));
            }
            // The last entry is an amount, one more than its k.
            if amounts.last().is_some_and(|&last| k < last) {
                return Err(Error(Reason::SampleOrder { at }));
            }
            amounts.push(k + 1);
        }
        Self::of(blocks, amounts)
    }

    /// Returns the search for maps of `blocks` blocks that tests the lengths 2^i and 3 * 2^i up to
    /// `blocks`: 1, 2, 3, 4, 6, 8, 12, 16, 24, ..
    ///
    /// Short lengths are tested closely, long ones in wide steps: the difference between
    /// neighbouring lengths is a power of two and never decreases, as the patent (seed 000)
    /// prefers.
    ///
    /// # Errors
    /// Without a block.
    pub fn steps(blocks: u32) -> Result<Self, Error> {
        let later = (1..u32::BITS).map(|shift| 1_u32 << shift);
        let later = later.flat_map(|power| [power, power + power / 2]);
        let amounts = iter::once(1).chain(later).take_while(|&amount| amount <= blocks);
        Self::of(blocks, amounts.collect())
    }

    /// Returns the search for maps of `blocks` blocks that tests every length except those for
    /// which `excluded` is true. Lengths that requests hardly ever want can be left out (step f31
    /// of the patent, seed 000).
    ///
    /// # Errors
    /// Without a block; with [`OutOfRange`](crate::ErrorKind::OutOfRange) where nothing is left.
    pub fn excluding(blocks: u32, mut excluded: impl FnMut(u32) -> bool) -> Result<Self, Error> {
        Self::of(blocks, (1..=blocks).filter(|&amount| !excluded(amount)).collect())
    }

    /// Returns the search for maps of `blocks` blocks that tests every length that is not a prime
    /// number; the patent (seed 000) suggests to leave primes out.
    ///
    /// The patent's primes are read as lengths that nobody wants, not as values of k: to leave out
    /// each prime k would be to leave out the lengths k + 1, such as 4, 8 and 32.
    ///
    /// # Errors
    /// Without a block.
    pub fn without_primes(blocks: u32) -> Result<Self, Error> {
        Self::excluding(blocks, is_prime)
    }

    fn of(blocks: u32, amounts: Vec<u32>) -> Result<Self, Error> {
        match (blocks, amounts.is_empty()) {
            (0, _) => Err(Error(Reason::NoBlocks)),
            (_, true) => Err(Error(Reason::NoSamples)),
            _ => Ok(Self { blocks, amounts }),
        }
    }

    /// Returns the number of blocks of the maps for which the search is made (N in the patent, seed
    /// 000).
    #[must_use]
    pub const fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Returns the lengths in blocks that the search tests and can report, ascending; it can report
    /// 0 too.
    #[must_use]
    pub fn amounts(&self) -> &[u32] {
        &self.amounts
    }

    /// Returns the values k of the patent (seed 000), ascending: each tested length less 1.
    pub fn k(&self) -> impl Iterator<Item = u32> + '_ {
        self.amounts.iter().map(|amount| amount - 1)
    }

    /// Returns the largest tested length that is at most `longest`, in blocks; 0 where there is
    /// none.
    #[must_use]
    #[doc(hidden)]
    pub fn round_down(&self, longest: u32) -> u32 {
        let reached = self.amounts.partition_point(|&amount| amount <= longest);
        reached.checked_sub(1).map_or(0, |last| self.amounts[last])
    }
}

impl Search for Sampled {
    fn is_exact(&self) -> bool {
        false
    }

    /// Returns the largest of the tested lengths for which the map has that many free blocks in a
    /// row, or 0.
    ///
    /// # Errors
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) where map and search differ in size.
    fn longest(&self, map: View<'_>) -> Result<u32, Error> {
        same_size(self.blocks, map)?;
        Ok(self.round_down(map.longest()))
    }

    fn need(&self, want: u32) -> Option<Need> {
        if want == 0 {
            return Some(Need { cell: 1, run: 0 });
        }
        let first = self.amounts.partition_point(|&amount| amount < want);
        self.amounts.get(first).map(|&run| Need { cell: 1, run })
    }
}

fn is_prime(n: u32) -> bool {
    let divides = |d: &u32| n.is_multiple_of(*d);
    n >= 2 && !(2..).take_while(|d| d * d <= n).any(|d| divides(&d))
}
