//! Which digits do the wires of the full search's circuit carry (seed 000, method E4)?

use super::chain::Chain;
use super::{Bits, Setup};
use crate::{Error, View};

/// Sequences that the circuit of the full search makes of one map, by steps d1 to d4 of the patent
/// (seed 000).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FullTrace {
    chain: Chain,
}

impl FullTrace {
    /// Computes every sequence that the circuit of the full search makes of a map.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) above [`MOST_BLOCKS`](super::MOST_BLOCKS).
    pub fn new(map: View<'_>, setup: Setup) -> Result<Self, Error> {
        super::traceable_map(map)?;
        Ok(Self { chain: Chain::of(&Bits::of_map(map, setup), setup) })
    }

    /// Returns the sequences of steps d1 and d2 of the patent (seed 000) for a map of N blocks: the
    /// map as read, S_0, and its shifts up to S_(N-1).
    #[must_use]
    pub fn s(&self) -> &[Bits] {
        &self.chain.shifted
    }

    /// Returns the sequences SA_i of step d3 of the patent (seed 000), each of which combines S_0
    /// to S_i: its digits say at which blocks i + 1 free blocks in a row begin (with shifts to the
    /// right: end).
    #[must_use]
    pub fn sa(&self) -> &[Bits] {
        &self.chain.combined
    }

    /// Returns the sequence of steps d41 and d42 of the patent (seed 000), with the digits SAR_0 to
    /// SAR_(N-1): SAR_i is 1 if a run of i + 1 blocks is free.
    #[must_use]
    pub const fn sar(&self) -> &Bits {
        &self.chain.reduced
    }

    /// Returns the result of step d43 of the patent (seed 000): the length of the longest free run,
    /// in blocks.
    #[must_use]
    pub fn answer(&self) -> u32 {
        self.sar().last_one().map_or(0, |i| i as u32 + 1)
    }
}
