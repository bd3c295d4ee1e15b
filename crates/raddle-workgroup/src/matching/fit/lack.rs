//! Which resource does a workgroup lack on a compute unit, or even on an empty one?

use raddle_policy::{CuId, Resource};

use super::Matcher;
use super::class::{Class, CuAmounts, Lack};

impl Matcher {
    /// Returns the resource that a workgroup of a demand class (workgroups of equal demand) lacks
    /// on a compute unit; `None` where the workgroup fits.
    pub(crate) fn lacks(&mut self, cu: CuId, class: usize) -> Option<Lack> {
        self.tell();
        self.lacks_on(Some(cu.index()), &self.classes[class])
    }

    /// Returns the resource that a workgroup of a demand class (workgroups of equal demand) lacks
    /// on one compute unit, or on an empty one if `cu` is `None`; `None` where the workgroup fits.
    pub(super) fn lacks_on(&self, cu: Option<usize>, class: &Class) -> Option<Lack> {
        if class.demand.waves == 0 {
            // A workgroup without waves does not exist, and fits nowhere.
            return Some(Lack::new(Resource::Waves, 1_u64, 0_u64));
        }
        let Some(cu) = cu else { return class.wanted(0).lack(&self.empty()) };
        let Some(unit) = self.units.get(cu) else {
            return Some(Lack::new(Resource::Cus, 1_u64, 0_u64));
        };
        let mut have = CuAmounts { shared: self.shared(cu), ..CuAmounts::default() };
        let (slots, vgpr) = self.of_simds(self.simds, cu);
        have.waves[..self.simds].copy_from_slice(slots);
        have.vgpr[..self.simds].copy_from_slice(vgpr);
        class.wanted(unit.turn).lack(&have)
    }

    /// Returns the free amounts of a compute unit that its SIMDs share: (workgroup slots, run of
    /// scalar registers, run of LDS, barriers).
    #[inline(always)]
    pub(super) fn shared(&self, cu: usize) -> [u32; 4] {
        let unit = &self.units[cu];
        let workgroups = u32::from(self.shape.workgroups) - u32::from(unit.resident);
        let workgroups = if unit.displaced > 0 { 0 } else { workgroups };
        [
            workgroups,
            self.sgpr.runs(self.exact)[cu],
            self.lds.runs(self.exact)[cu],
            unit.barriers.into(),
        ]
    }

    /// Returns the amounts of all resources that are free in an empty compute unit.
    fn empty(&self) -> CuAmounts {
        let shape = &self.shape;
        let (sgpr, lds) = (self.sgpr.of_empty(), self.lds.of_empty());
        let shared = [shape.workgroups.into(), sgpr, lds, shape.barriers.into()];
        let mut have = CuAmounts { shared, ..CuAmounts::default() };
        have.waves[..self.simds].fill(shape.waves_per_simd.into());
        have.vgpr[..self.simds].fill(self.vgpr.of_empty());
        have
    }
}
