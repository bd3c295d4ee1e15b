//! How are the digits that a search circuit carries stored? As a `bitvec`, hidden from other
//! modules.

use core::fmt;

use bitvec::vec::BitVec;

use super::setup::{Setup, Shift};
use crate::View;

/// Sequence of binary digits, leftmost first, as a bundle of wires of a search circuit carries it.
///
/// A sequence is shown as its digits: `01101110`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bits(BitVec);

impl Bits {
    /// Returns one digit for each block of a map; `setup` says which digit means free.
    pub(super) fn of_map(map: View<'_>, setup: Setup) -> Self {
        Self::of((0..map.blocks()).map(|block| setup.polarity.digit(map.is_free(block))))
    }

    pub(super) fn of(digits: impl IntoIterator<Item = bool>) -> Self {
        Self(digits.into_iter().collect())
    }

    /// Returns a sequence of `len` digits, all equal to `digit`.
    pub(super) fn repeat(digit: bool, len: usize) -> Self {
        Self(BitVec::repeat(digit, len))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the digits of the sequence, leftmost first; true for 1.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = bool> + ExactSizeIterator + '_ {
        self.0.iter().map(|digit| *digit)
    }

    /// Returns the sequence shifted by `by` digits in the direction of `setup`. The digits that
    /// become vacant are set to the value that means an occupied block.
    pub(super) fn shifted(&self, by: usize, setup: Setup) -> Self {
        let mut moved = Self::repeat(setup.polarity.digit(false), self.len());
        let stays = self.len().saturating_sub(by);
        let (from, to) = match setup.shift {
            Shift::Left => (self.len() - stays, 0),
            Shift::Right => (0, self.len() - stays),
        };
        moved.0[to..to + stays].copy_from_bitslice(&self.0[from..from + stays]);
        moved
    }

    /// Returns the combination of two sequences digit by digit: a digit of the result says free
    /// where both sequences say free.
    pub(super) fn combined(&self, other: &Self, setup: Setup) -> Self {
        let mut both = self.0.clone();
        if setup.polarity.digit(true) {
            both &= other.0.as_bitslice();
        } else {
            both |= other.0.as_bitslice();
        }
        Self(both)
    }

    /// Returns whether any digit with an index from `start` to below `end` means a free block, as
    /// `setup` defines the digits.
    pub(super) fn any_free(&self, start: usize, end: usize, setup: Setup) -> bool {
        let digits = &self.0[start..end];
        if setup.polarity.digit(true) { digits.any() } else { digits.not_all() }
    }

    /// Returns the digit of one group of blocks, true for 1, in the grouped search (method E5 of
    /// the patent, seed 000). The sequence holds the digits of the group's blocks. The result means
    /// free if all these blocks are free, else occupied.
    pub(super) fn group(&self, setup: Setup) -> bool {
        if setup.polarity.digit(true) { self.0.all() } else { self.0.any() }
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> Self {
        Self(self.0[start..end].to_bitvec())
    }

    pub(super) fn set(&mut self, place: usize, digit: bool) {
        self.0.set(place, digit);
    }

    /// Returns the index of the last digit of the sequence that is 1; `None` where no digit is 1.
    pub(super) fn last_one(&self) -> Option<usize> {
        self.0.last_one()
    }
}

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|digit| f.write_str(if digit { "1" } else { "0" }))
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bits({self})")
    }
}
