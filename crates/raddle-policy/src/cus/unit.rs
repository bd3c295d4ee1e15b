//! What is free on one compute unit, and what changes where waves come and go?

use super::levels::take_highest;
use super::{Free, Split};
use crate::{CuShape, Demand, MAX_SIMDS};

/// The free resources of one compute unit, in granules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CuFree {
    pub(super) waves: Split,
    pub(super) vgpr: Split,
    /// Number of free scalar-register granules. It never changes on a device where scalar registers
    /// never limit.
    pub(super) sgpr: u16,
    pub(super) workgroups: u16,
    pub(super) barriers: u16,
    pub(super) lds: u32,
}

impl CuFree {
    pub(super) fn empty(shape: &CuShape) -> Self {
        let CuShape { simds, waves_per_simd, vgpr_per_simd, .. } = *shape;
        let each = |amount: u16| {
            core::array::from_fn(|simd| if simd < usize::from(simds) { amount } else { 0 })
        };
        Self {
            waves: each(waves_per_simd),
            vgpr: each(vgpr_per_simd),
            sgpr: shape.sgpr,
            workgroups: shape.workgroups,
            barriers: shape.barriers,
            lds: shape.lds,
        }
    }

    /// Returns the free resources, summed over the SIMDs.
    #[inline]
    pub(crate) fn sum(&self) -> Free {
        Free {
            waves: u64::from(sum(&self.waves)),
            vgpr: u64::from(sum(&self.vgpr)),
            sgpr: u64::from(self.sgpr),
            lds: u64::from(self.lds),
            workgroups: u64::from(self.workgroups),
            barriers: u64::from(self.barriers),
        }
    }

    /// Returns the number of further waves with `vgpr` vector-register granules each that one SIMD
    /// has room for.
    pub(super) fn wave_room(&self, simd: usize, vgpr: u16) -> u16 {
        let by_registers = self.vgpr[simd].checked_div(vgpr).unwrap_or(u16::MAX);
        self.waves[simd].min(by_registers)
    }

    /// Returns the number of further waves of this demand for which all SIMDs together have room.
    pub(super) fn waves_room(&self, simds: u8, demand: &Demand) -> u32 {
        (0..usize::from(simds)).map(|simd| u32::from(self.wave_room(simd, demand.vgpr))).sum()
    }

    /// Returns the number of further whole workgroups that fit on the compute unit; 0 for a demand
    /// without waves.
    pub(super) fn room(&self, simds: u8, demand: &Demand) -> u32 {
        let waves = u32::from(demand.waves);
        if waves == 0 || sum(&self.waves) < waves || !self.has(demand, 1, waves) {
            return 0;
        }
        let by = |free: u32, each: u32| free.checked_div(each).unwrap_or(u32::MAX);
        let room = u32::from(self.workgroups)
            .min(by(self.lds, demand.lds))
            .min(by(self.barriers.into(), demand.barriers.into()))
            .min(by(self.sgpr.into(), u32::from(demand.sgpr) * waves));
        room.min(self.waves_room(simds, demand) / waves)
    }

    /// Returns whether a compute unit has the free slots, LDS and barriers for `groups` workgroups,
    /// and the free scalar registers for `waves` waves. The answer is that of `room`, but without
    /// divisions, which are slow.
    pub(super) fn has(&self, demand: &Demand, groups: u32, waves: u32) -> bool {
        let (groups, waves) = (u64::from(groups), u64::from(waves));
        u64::from(self.workgroups) >= groups
            && u64::from(self.lds) >= groups * u64::from(demand.lds)
            && u64::from(self.barriers) >= groups * u64::from(demand.barriers)
            && u64::from(self.sgpr) >= waves * u64::from(demand.sgpr)
    }

    /// Returns the number of waves that each SIMD would get if `waves` more waves came; `None` if
    /// the SIMDs have no room for all of them.
    pub(super) fn fill(&self, simds: u8, demand: &Demand, waves: u32) -> Option<Split> {
        let simds = usize::from(simds);
        let mut room = [0u16; MAX_SIMDS];
        for (simd, room) in room.iter_mut().enumerate().take(simds) {
            *room = self.wave_room(simd, demand.vgpr);
        }
        take_highest(&mut room[..simds], waves)
    }

    /// Takes the registers and slots of the waves in `split` (their number for each SIMD), and the
    /// slots, barriers and LDS of `groups` workgroups; all of them must be free.
    pub(super) fn take(&mut self, demand: &Demand, split: &Split, groups: u32) {
        for (simd, &waves) in split.iter().enumerate() {
            self.waves[simd] -= waves;
            self.vgpr[simd] -= waves * demand.vgpr;
        }
        self.sgpr -= (sum(split) * u32::from(demand.sgpr)) as u16;
        self.workgroups -= groups as u16;
        self.barriers -= groups as u16 * demand.barriers;
        self.lds -= groups * demand.lds;
    }

    /// Frees the registers and slots of the waves in `split` (their number for each SIMD), and the
    /// slots, barriers and LDS of `groups` workgroups, which were taken before.
    #[inline]
    pub(super) fn give(&mut self, demand: &Demand, split: &Split, groups: u32) {
        for (simd, &waves) in split.iter().enumerate() {
            self.waves[simd] += waves;
            self.vgpr[simd] += waves * demand.vgpr;
        }
        self.sgpr += (sum(split) * u32::from(demand.sgpr)) as u16;
        self.workgroups += groups as u16;
        self.barriers += groups as u16 * demand.barriers;
        self.lds += groups * demand.lds;
    }
}

#[inline]
pub(super) fn sum(split: &Split) -> u32 {
    split.iter().map(|&amount| u32::from(amount)).sum()
}
