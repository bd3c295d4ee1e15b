//! Where may a workgroup of this demand fit?
//!
//! Launches of equal demand are one class. A class keeps a set of compute units on which such a
//! workgroup may fit: what is not in it certainly takes none. A try that fails takes the unit out, a
//! release puts it back, and so a full device refuses at once, however many units it has.

use raddle_types::{CuId, Demand, MAX_SIMDS, Resource};

use super::bits::Bits;

/// What a compute unit lacks: wanted, available.
pub(super) type Lack = (Resource, u64, u64);

/// What a workgroup takes of each SIMD.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    pub(super) waves: [u16; MAX_SIMDS],
    /// Granules of vector registers, in one run; at most as many as a SIMD has, or all there can be.
    pub(super) vgpr: [u16; MAX_SIMDS],
}

/// What a workgroup takes of a compute unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// By the SIMD that gets the first wave (E8: the split table, turned).
    pub(super) rows: [Row; MAX_SIMDS],
    /// Waves and vector registers of the SIMD that gets the first wave: no other gets more.
    waves: u32,
    vgpr: u32,
    /// Whether some SIMDs get a wave more than others.
    pub(super) uneven: bool,
    /// Scalar registers of the whole workgroup; 0 where they never limit.
    pub(super) sgpr: u32,
}

impl Share {
    pub(super) fn new(demand: &Demand, simds: usize, sgpr_limits: bool) -> Self {
        let count = simds.max(1);
        let (base, surplus) =
            (usize::from(demand.waves) / count, usize::from(demand.waves) % count);
        let mut rows = [Row::default(); MAX_SIMDS];
        for (turn, row) in rows.iter_mut().enumerate().take(simds) {
            for place in 0..simds {
                let simd = (turn + place) % simds;
                // No more than the waves of the workgroup.
                row.waves[simd] = (base + usize::from(place < surplus)) as u16;
                row.vgpr[simd] = row.waves[simd].saturating_mul(demand.vgpr);
            }
        }
        let most = base + usize::from(surplus > 0);
        let sgpr = u32::from(demand.sgpr) * u32::from(demand.waves);
        Self {
            rows,
            waves: most as u32,
            vgpr: most as u32 * u32::from(demand.vgpr),
            uneven: surplus > 0,
            sgpr: if sgpr_limits { sgpr } else { 0 },
        }
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
    /// What even an empty compute unit lacks.
    pub(super) never: Option<Lack>,
    /// What was last said of a compute unit, and the unit's stamp then.
    pub(super) told: Option<(CuId, u32, Lack)>,
    /// When it was last asked for.
    pub(super) used: u64,
}

impl Class {
    pub(super) fn new(demand: Demand, share: Share, cus: usize) -> Self {
        let open = Bits::full(cus);
        Self { demand, share, open, never: None, told: None, used: 0 }
    }

    /// Whether a compute unit is worth a try.
    #[inline]
    pub(super) fn may_fit(&self, free: &Glance) -> bool {
        (self.share.waves <= free.slots)
            & (self.share.vgpr <= free.vgpr)
            & (self.share.sgpr <= free.sgpr)
            & (self.demand.lds <= free.lds)
    }
}
