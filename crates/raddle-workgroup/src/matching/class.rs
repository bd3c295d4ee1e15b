//! Where may a workgroup of this demand fit?
//!
//! Launches of equal demand are one class. A class keeps a set of compute units on which such a
//! workgroup may fit: what is not in it certainly takes none. A try that fails takes the unit out, a
//! release puts it back, and so a full device refuses at once, however many units it has.

use raddle_types::{CuId, Demand, Resource};

use super::bits::Bits;

/// What a compute unit lacks: wanted, available.
pub(super) type Lack = (Resource, u64, u64);

/// What a workgroup takes of each SIMD, and of the whole compute unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// Waves that every SIMD gets.
    base: u16,
    /// SIMDs that get one more, from the one that the pointer names.
    pub(super) surplus: u8,
    /// Scalar registers of the whole workgroup; 0 where they never limit.
    pub(super) sgpr: u32,
}

impl Share {
    #[inline]
    pub(super) fn new(demand: &Demand, simds: usize, sgpr_limits: bool) -> Self {
        let simds = simds.max(1) as u16;
        let sgpr = u32::from(demand.sgpr) * u32::from(demand.waves);
        Self {
            base: demand.waves / simds,
            // Below the number of SIMDs.
            surplus: (demand.waves % simds) as u8,
            sgpr: if sgpr_limits { sgpr } else { 0 },
        }
    }

    /// Waves on the SIMD that the pointer names: as many as on any.
    #[inline]
    pub(super) fn most(&self) -> u32 {
        u32::from(self.base) + u32::from(self.surplus > 0)
    }

    /// Waves that a SIMD gets where the first wave goes to SIMD `turn` of `simds` (E8).
    #[inline]
    pub(super) fn waves_on(&self, simd: usize, turn: usize, simds: usize) -> u32 {
        let place = if simd >= turn { simd - turn } else { simds - turn + simd };
        u32::from(self.base) + u32::from(place < usize::from(self.surplus))
    }
}

/// What is free on a compute unit, at a glance: what lacks here lacks for certain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glance {
    /// Wave slots, and granules of vector registers, of the SIMD that the pointer names.
    pub(super) slots: u32,
    pub(super) vgpr: u32,
    pub(super) sgpr: u32,
    pub(super) lds: u32,
}

/// Workgroups of one demand.
#[derive(Clone, Debug)]
pub(super) struct Class {
    pub(super) demand: Demand,
    pub(super) share: Share,
    /// Compute units that may take one.
    pub(super) open: Bits,
    /// Those of them that certainly take one: tried, and as they were since.
    pub(super) sure: Bits,
    /// What even an empty compute unit lacks.
    pub(super) never: Option<Lack>,
    /// What was last said of a compute unit, while that is as it was.
    pub(super) told: Option<(CuId, Lack)>,
    /// When it was last asked for.
    pub(super) used: u64,
}

impl Class {
    pub(super) fn new(demand: Demand, share: Share, cus: usize) -> Self {
        let (open, sure) = (Bits::full(cus), Bits::empty(cus));
        Self { demand, share, open, sure, never: None, told: None, used: 0 }
    }

    /// Whether a compute unit is worth a try.
    #[inline]
    pub(super) fn may_fit(&self, free: &Glance) -> bool {
        let waves = self.share.most();
        (waves <= free.slots)
            & (waves * u32::from(self.demand.vgpr) <= free.vgpr)
            & (self.share.sgpr <= free.sgpr)
            & (self.demand.lds <= free.lds)
    }
}
