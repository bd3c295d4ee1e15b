//! How are free maps made from a `bitvec`, and back (feature `bitvec`)? 1 = free, bit 0 is block 0.

use alloc::vec::Vec;

use bitvec::field::BitField;
use bitvec::order::Lsb0;
use bitvec::slice::BitSlice;
use bitvec::store::BitStore;
use bitvec::vec::BitVec;

use crate::error::Reason;
use crate::words::BITS;
use crate::{Error, FreeMap, Polarity, View};

impl<T: BitStore> TryFrom<&BitSlice<T, Lsb0>> for FreeMap {
    type Error = Error;

    /// Makes a free map from a list of bits, with one bit for each block; 1 means free.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) without a bit, and an error with more than `u32::MAX` bits.
    fn try_from(bits: &BitSlice<T, Lsb0>) -> Result<Self, Error> {
        let many = Error(Reason::TooManyBlocks { blocks: bits.len() as u64, most: u32::MAX });
        let blocks = u32::try_from(bits.len()).map_err(|_| many)?;
        let words: Vec<u64> = bits.chunks(BITS as usize).map(BitField::load_le).collect();
        Self::from_words(&words, blocks, Polarity::FreeIsOne)
    }
}

impl<T: BitStore> From<View<'_>> for BitVec<T, Lsb0> {
    /// Copies a map into a list of bits, with one bit for each block; 1 means free.
    fn from(map: View<'_>) -> Self {
        (0..map.blocks()).map(|block| map.is_free(block)).collect()
    }
}
