//! Which compute units take one more workgroup of a class (workgroups of equal demand)?
//!
//! The sets of eight classes lie side by side: a compute unit that changes is added to all of them,
//! or removed, in one line of memory and without an unpredictable branch.

use alloc::vec;
use alloc::vec::Vec;

/// The number of demand classes (workgroups of equal demand) whose sets of compute units lie side
/// by side in memory.
const ABREAST: usize = 8;
pub(super) const BITS: usize = u64::BITS as usize;

/// The sets of compute units on which each of eight demand classes (workgroups of equal demand)
/// fits. An entry covers 64 units: for each class it has a word with one bit for each unit.
#[derive(Clone, Debug)]
pub(super) struct OpenSets(Vec<[u64; ABREAST]>);

impl OpenSets {
    /// Makes room for the sets of `classes` demand classes (workgroups of equal demand) over `cus`
    /// compute units; new sets are empty.
    pub(super) fn grow(sets: &mut Vec<Self>, classes: usize, cus: usize) {
        let empty = Self(vec![[0; ABREAST]; cus.div_ceil(BITS)]);
        sets.resize(classes.div_ceil(ABREAST), empty);
    }

    /// Updates the sets of the first 64 demand classes (workgroups of equal demand) for some
    /// compute units: those in `mask`, which has one bit for each of the 64 units of the word
    /// `word`. They are added to the sets of the classes in `fits`, and removed from all others.
    /// Eight sets that lie side by side are skipped if none of their classes is in `kept`.
    #[inline(always)]
    pub(super) fn change(sets: &mut [Self], (word, mask): (usize, u64), kept: u64, fits: u64) {
        let (mut left, mut fits) = (kept, fits);
        for Self(words) in sets {
            if left == 0 {
                break;
            }
            // The lowest eight bits of `left` are the kept ones of these eight classes.
            if left as u8 != 0 {
                for (class, open) in words[word].iter_mut().enumerate() {
                    *open = *open & !mask | mask & (fits >> class & 1).wrapping_neg();
                }
            }
            (left, fits) = (left >> ABREAST, fits >> ABREAST);
        }
    }

    /// Adds a compute unit to the set of one demand class, if `fits` is true; else removes it from
    /// the set.
    pub(super) fn set(sets: &mut [Self], class: usize, cu: usize, fits: bool) {
        let open = &mut sets[class / ABREAST].0[cu / BITS][class % ABREAST];
        *open = *open & !(1 << (cu % BITS)) | u64::from(fits) << (cu % BITS);
    }

    /// Returns the set of the compute units on which the demand class (workgroups of equal demand)
    /// with the index `class` fits.
    #[inline(always)]
    pub(super) fn of(sets: &[Self], class: usize) -> OpenCus<'_> {
        OpenCus::new(&sets[class / ABREAST].0, class % ABREAST)
    }
}

/// The set of the compute units on which one more workgroup of a demand class (workgroups of equal
/// demand) fits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenCus<'a> {
    words: &'a [[u64; ABREAST]],
    at: usize,
}

impl<'a> OpenCus<'a> {
    /// Returns the set of one demand class, the one with the index `at` of the eight that lie side
    /// by side in `words`.
    #[inline(always)]
    pub(crate) const fn new(words: &'a [[u64; ABREAST]], at: usize) -> Self {
        Self { words, at }
    }

    /// Returns whether a workgroup of the demand class (workgroups of equal demand) fits on no
    /// compute unit.
    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.words.iter().all(|word| word[self.at] == 0)
    }

    /// Returns the lowest compute unit of the set at or above `from`; `None` where there is none.
    #[inline(always)]
    pub(crate) fn first_from(self, from: usize) -> Option<usize> {
        let mut word = from / BITS;
        let mut open = self.words.get(word)?[self.at] & u64::MAX << (from % BITS);
        while open == 0 {
            word += 1;
            open = self.words.get(word)?[self.at];
        }
        Some(word * BITS + open.trailing_zeros() as usize)
    }
}
