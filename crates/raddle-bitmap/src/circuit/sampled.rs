//! Which digits do the wires of the sampled search's circuit carry (seed 000, method E6)?
//!
//! SA_k combines S_0 (the map) to S_k (the map shifted by k). Not every SA need be made: SA_k is
//! SA_j combined with SA_j shifted by k - j, if k - j is at most j + 1 (then two windows of j + 1
//! blocks touch or overlap). A longer gap takes doublings in between. Each jump is one combination.

use alloc::vec::Vec;

use super::{Bits, Setup};
use crate::search::same_size;
use crate::{Error, Sampled, View};

/// Step of the sampled search that makes the combined sequence SA_to from SA_from:
/// `SA_to = SA_from op (SA_from shifted by to - from)`, where `op` is AND if the digit 1 means
/// free, else OR. SA_k says at which blocks k + 1 free blocks in a row begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// Index of the combined sequence SA from which the step starts; SA_0 is the map itself.
    pub from: u32,
    /// Index k of the combined sequence SA_k that the step makes; SA_k says at which blocks k + 1
    /// free blocks in a row begin.
    pub to: u32,
    /// True if the search tests the combined sequence SA that the step makes; false if this
    /// sequence only serves to make another one.
    pub sampled: bool,
}

impl Jump {
    /// Returns, in order, the steps that make every combined sequence SA which the search tests
    /// (SA_k says at which blocks k + 1 free blocks in a row begin).
    pub fn all(search: &Sampled) -> impl Iterator<Item = Self> + '_ {
        let mut at = 0_u32;
        let mut samples = search.k().peekable();
        core::iter::from_fn(move || {
            while samples.next_if(|&k| k <= at).is_some() {}
            let &sample = samples.peek()?;
            let from = at;
            at = sample.min(from.saturating_mul(2).saturating_add(1));
            Some(Self { from, to: at, sampled: at == sample })
        })
    }
}

/// Sequences that the circuit of the sampled search makes of one map, by steps f1 to f4 of the
/// patent (seed 000).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampledTrace {
    search: Sampled,
    s: Vec<Bits>,
    jumps: Vec<(Jump, Bits)>,
    sa: Vec<Bits>,
    sar: Bits,
}

impl SampledTrace {
    /// Computes every sequence that the circuit of the sampled search makes of a map.
    ///
    /// # Errors
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) where map and search differ in size,
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) above [`MOST_BLOCKS`](super::MOST_BLOCKS).
    pub fn new(map: View<'_>, search: &Sampled, setup: Setup) -> Result<Self, Error> {
        same_size(search.blocks(), map)?;
        super::traceable_map(map)?;
        let s0 = Bits::of_map(map, setup);
        let mut jumps: Vec<(Jump, Bits)> = Vec::new();
        let mut sa = Vec::with_capacity(search.amounts().len());
        if search.amounts().first() == Some(&1) {
            sa.push(s0.clone());
        }
        for jump in Jump::all(search) {
            let from = jumps.last().map_or(&s0, |(_, made)| made);
            let by = (jump.to - jump.from) as usize;
            let made = from.combined(&from.shifted(by, setup), setup);
            if jump.sampled {
                sa.push(made.clone());
            }
            jumps.push((jump, made));
        }
        let len = s0.len();
        let sar = Bits::of(sa.iter().map(|it| it.any_free(0, len, setup)));
        let s = (0..len).map(|by| s0.shifted(by, setup)).collect();
        Ok(Self { search: search.clone(), s, jumps, sa, sar })
    }

    /// Returns the sequences of steps f1 and f2 of the patent (seed 000) for a map of N blocks: the
    /// map as read, S_0, and its shifts up to S_(N-1).
    #[must_use]
    pub fn s(&self) -> &[Bits] {
        &self.s
    }

    /// Returns the result of step f3 of the patent (seed 000): each jump (a step that joins the
    /// sequence `SA_from` with itself, shifted) and the sequence `SA_to` that it gave, also where
    /// the search does not test this sequence.
    #[must_use]
    pub fn jumps(&self) -> &[(Jump, Bits)] {
        &self.jumps
    }

    /// Returns the result of step f3 of the patent (seed 000) for each tested k: the sequence SA_k,
    /// whose digits say at which blocks k + 1 free blocks in a row begin (with shifts to the right:
    /// end).
    #[must_use]
    pub fn sa(&self) -> &[Bits] {
        &self.sa
    }

    /// Returns the sequence of steps f41 and f42 of the patent (seed 000), with a digit SAR_k for
    /// each tested k: 1 if a run of k + 1 blocks is free.
    #[must_use]
    pub const fn sar(&self) -> &Bits {
        &self.sar
    }

    /// Returns the result of step f43 of the patent (seed 000): the largest sampled length k + 1,
    /// in blocks, for which a run is free; 0 where there is none.
    #[must_use]
    pub fn answer(&self) -> u32 {
        // The sequence has one digit for each amount, so there is an amount at each place.
        self.sar.last_one().map_or(0, |place| self.search.amounts()[place])
    }
}
