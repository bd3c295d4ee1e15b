//! Which digits do the wires of the grouped search's circuit carry (seed 000, method E5)?

use alloc::vec::Vec;

use super::chain::Chain;
use super::{Bits, Setup};
use crate::search::same_size;
use crate::{Error, Grouped, View};

/// Sequences that the circuit of the grouped search makes of one map, by steps e1 to e3 of the
/// patent (seed 000).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupedTrace {
    search: Grouped,
    s0: Bits,
    u: Vec<Bits>,
    chain: Chain,
}

impl GroupedTrace {
    /// Computes every sequence that the circuit of the grouped search makes of a map.
    ///
    /// # Errors
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) where map and search differ in size,
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) above [`MOST_BLOCKS`](super::MOST_BLOCKS).
    pub fn new(map: View<'_>, search: &Grouped, setup: Setup) -> Result<Self, Error> {
        same_size(search.blocks(), map)?;
        super::traceable_map(map)?;
        let s0 = Bits::of_map(map, setup);
        let size = search.size() as usize;
        let starts = (0..search.groups() as usize).map(|group| group * size);
        let u: Vec<Bits> = starts.map(|start| s0.slice(start, start + size)).collect();
        let f0 = Bits::of(u.iter().map(|group| group.group(setup)));
        Ok(Self { search: *search, s0, u, chain: Chain::of(&f0, setup) })
    }

    /// Returns the result of step e1 of the patent (seed 000): the map as read, S_0.
    #[must_use]
    pub const fn s0(&self) -> &Bits {
        &self.s0
    }

    /// Returns the results U_1 to U_Z of step e2 of the patent (seed 000): the groups of blocks,
    /// each as a sequence with one digit for each block.
    #[must_use]
    pub fn u(&self) -> &[Bits] {
        &self.u
    }

    /// Returns the results of steps e2 and e31 of the patent (seed 000): F_0, whose digit UA_z says
    /// whether the group z is free, and its shifts up to F_(Z-1) for Z groups.
    #[must_use]
    pub fn f(&self) -> &[Bits] {
        &self.chain.shifted
    }

    /// Returns the sequences FA_j of step e32 of the patent (seed 000), each of which combines F_0
    /// to F_j: its digits say at which groups j + 1 free groups in a row begin (with shifts to the
    /// right: end).
    #[must_use]
    pub fn fa(&self) -> &[Bits] {
        &self.chain.combined
    }

    /// Returns the sequence of steps e331 and e332 of the patent (seed 000), with the digits FAR_0
    /// to FAR_(Z-1): FAR_j is 1 if j + 1 groups in a row are free.
    #[must_use]
    pub const fn far(&self) -> &Bits {
        &self.chain.reduced
    }

    /// Returns the result x of step e333 of the patent (seed 000): the number of blocks in the
    /// longest row of free groups.
    #[must_use]
    pub fn answer(&self) -> u32 {
        let size = self.search.size();
        self.far().last_one().map_or(0, |j| (j as u32 + 1) * size)
    }
}
