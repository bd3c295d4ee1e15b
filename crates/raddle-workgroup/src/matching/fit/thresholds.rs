//! Which classes (workgroups of equal demand) fit on a compute unit with given free amounts of each
//! resource?
//!
//! For every resource, and every amount of it that a compute unit may have, a row holds the classes
//! that want no more. A class fits where it is in the rows of all resources, so 64 classes are
//! compared at once.

use alloc::vec;
use alloc::vec::Vec;

use raddle_policy::CuShape;

use super::class::CuAmounts;

/// The largest amount of a resource, in slots or granules, for which a list in [`Thresholds`] has
/// an entry of its own. Larger amounts share the last entry.
const MOST: u32 = 4_096;

/// The list of one resource of a compute unit: entry n has the demand classes (workgroups of equal
/// demand), one bit for each, that want at most n slots or granules.
#[derive(Clone, Debug)]
struct AmountRows(Vec<u64>);

impl AmountRows {
    fn new(most: u32) -> Self {
        Self(vec![0; 1 + most.min(MOST) as usize])
    }

    /// Returns the demand classes (workgroups of equal demand) that want at most `have` slots or
    /// granules, one bit for each class.
    #[inline(always)]
    fn of(&self, have: u32) -> u64 {
        match self.0.get(have as usize) {
            Some(&row) => row,
            None => self.0.last().copied().unwrap_or_default(),
        }
    }

    /// Adds a demand class (workgroups of equal demand) that wants the amount `wanted` of this
    /// list's resource. `bit` is a mask with the one bit that stands for the class; the class that
    /// had the bit before is removed.
    fn enter(&mut self, bit: u64, wanted: u32) {
        for (have, row) in (0..).zip(&mut self.0) {
            *row = *row & !bit | if have >= wanted { bit } else { 0 };
        }
    }
}

/// For each resource of a compute unit, a list that tells for each free amount which demand classes
/// (workgroups of equal demand) want no more than that.
#[derive(Clone, Debug)]
pub(super) struct Thresholds {
    shared: [AmountRows; 4],
    /// The lists of (wave slots, vector registers), one pair for each SIMD, beginning with the SIMD
    /// that gets the first wave of a workgroup.
    simds: Vec<[AmountRows; 2]>,
}

impl Thresholds {
    /// Returns the lists of demand classes (workgroups of equal demand), all empty, for compute
    /// units of this shape.
    pub(super) fn new(shape: &CuShape) -> Self {
        let CuShape { workgroups, sgpr, lds, barriers, .. } = *shape;
        let shared = [workgroups.into(), sgpr.into(), lds, barriers.into()];
        let of_simd = [shape.waves_per_simd, shape.vgpr_per_simd];
        Self {
            shared: shared.map(AmountRows::new),
            simds: vec![of_simd.map(|most| AmountRows::new(most.into())); shape.simds.into()],
        }
    }

    /// Adds a demand class (workgroups of equal demand) with the amounts that it wants where SIMD 0
    /// gets the first wave; `None` for a class that fits nowhere. Returns false where the class
    /// wants more than [`MOST`] of a resource, so that the lists cannot decide where it fits.
    pub(super) fn enter(&mut self, bit: u64, wanted: Option<&CuAmounts>) -> bool {
        let nothing = CuAmounts { shared: [u32::MAX; 4], ..CuAmounts::default() };
        let CuAmounts { shared, waves, vgpr } = wanted.unwrap_or(&nothing);
        for (rows, &wanted) in self.shared.iter_mut().zip(shared) {
            rows.enter(bit, wanted);
        }
        for (rows, wanted) in self.simds.iter_mut().zip(waves.iter().zip(vgpr)) {
            rows[0].enter(bit, *wanted.0);
            rows[1].enter(bit, *wanted.1);
        }
        wanted.is_none() || shared.iter().chain(waves).chain(vgpr).all(|&it| it <= MOST)
    }

    /// Returns the demand classes (workgroups of equal demand) that fit on a compute unit with
    /// these free amounts, one bit for each class. `shared` has the amounts that the SIMDs share;
    /// `slots` and `vgpr` have the wave slots and the run of vector registers of each SIMD. SIMD
    /// `turn` gets the first wave.
    #[inline(always)]
    pub(super) fn fitting(&self, shared: &[u32; 4], turn: u8, slots: &[u32], vgpr: &[u32]) -> u64 {
        let mut fits = u64::MAX;
        for (rows, &have) in self.shared.iter().zip(shared) {
            fits &= rows.of(have);
        }
        let mut simd = usize::from(turn);
        for [of_slots, of_vgpr] in self.simds.iter().take(slots.len()) {
            fits &= of_slots.of(slots[simd]) & of_vgpr.of(vgpr[simd]);
            simd = if simd + 1 < slots.len() { simd + 1 } else { 0 };
        }
        fits
    }
}
