//! Where may a workgroup of this demand fit?
//!
//! Launches of equal demand are one class. A class keeps a set of compute units on which such a
//! workgroup may fit: what is not in it certainly takes none. A try that fails takes the unit out, a
//! release puts it back, and so a full device refuses at once, however many units it has.

use raddle_policy::{CuId, CuSet, Demand, LaunchId, MAX_SIMDS, Refusal, Resource};

use super::store::RunLength;

/// Demands that are remembered, unless one question names more, or more lie on the device; of others
/// the one asked for longest ago is forgotten.
pub(super) const CLASSES: usize = 64;

/// The bit of a class in the sets of a compute unit; none for those beyond the first 64.
#[inline]
pub(super) const fn bit(class: usize) -> u64 {
    if class < CLASSES { 1 << class } else { 0 }
}

/// What a compute unit lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lack {
    pub(super) resource: Resource,
    pub(super) wanted: u64,
    pub(super) available: u64,
}

impl Lack {
    pub(super) fn new(
        resource: Resource,
        wanted: impl Into<u64>,
        available: impl Into<u64>,
    ) -> Self {
        Self { resource, wanted: wanted.into(), available: available.into() }
    }

    /// The refusal of a launch, by one compute unit or by all.
    pub(crate) const fn refusal(self, launch: LaunchId, cu: Option<CuId>) -> Refusal {
        let Self { resource, wanted, available } = self;
        Refusal { launch, cu, resource, wanted, available }
    }
}

/// What a workgroup takes of each SIMD.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SimdShare {
    pub(super) waves: [u16; MAX_SIMDS],
    /// Granules of vector registers, in one run, at most what a u16 holds; a larger
    /// class is never open.
    pub(super) vgpr: [u16; MAX_SIMDS],
}

/// What a workgroup takes of a compute unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// By the SIMD that gets the first wave (E8: the split table, turned).
    rows: [SimdShare; MAX_SIMDS],
    /// How many SIMDs get waves: the one that gets the first wave, and those behind it.
    used: usize,
    /// Whether some SIMDs get a wave more than others.
    pub(super) uneven: bool,
    /// Vector registers of each SIMD, where all get equally many waves.
    pub(super) vgpr: RunLength,
    /// Scalar registers of the whole workgroup; none where they never limit.
    pub(super) sgpr: RunLength,
    pub(super) lds: RunLength,
}

impl Share {
    pub(super) fn new(demand: &Demand, simds: usize, sgpr_limits: bool) -> Self {
        let count = simds.max(1);
        let (base, surplus) =
            (usize::from(demand.waves) / count, usize::from(demand.waves) % count);
        let mut rows = [SimdShare::default(); MAX_SIMDS];
        for (turn, row) in rows.iter_mut().enumerate().take(simds) {
            for place in 0..simds {
                let simd = (turn + place) % simds;
                // No more than the waves of the workgroup.
                row.waves[simd] = (base + usize::from(place < surplus)) as u16;
                row.vgpr[simd] = row.waves[simd].saturating_mul(demand.vgpr);
            }
        }
        let sgpr = u32::from(demand.sgpr) * u32::from(demand.waves);
        Self {
            vgpr: RunLength::new(rows[0].vgpr[0].into()),
            rows,
            used: simds.min(usize::from(demand.waves)),
            uneven: surplus > 0,
            sgpr: RunLength::new(if sgpr_limits { sgpr } else { 0 }),
            lds: RunLength::new(demand.lds),
        }
    }

    /// What each SIMD gives where this one gets the first wave.
    #[inline(always)]
    pub(super) fn row(&self, turn: u8) -> &SimdShare {
        &self.rows[usize::from(turn) % MAX_SIMDS]
    }

    /// The SIMDs that get waves, beginning with the one that gets the first.
    #[inline(always)]
    pub(super) fn simds(&self, turn: u8, simds: usize) -> impl Iterator<Item = usize> + use<> {
        let turn = usize::from(turn);
        (turn..turn + self.used).map(move |at| {
            // At most one time around.
            (if at < simds { at } else { at - simds }) % MAX_SIMDS
        })
    }
}

/// Workgroups of one demand.
#[derive(Clone, Debug)]
pub(super) struct Class {
    pub(super) demand: Demand,
    pub(super) share: Share,
    /// Compute units that may take one.
    pub(super) open: CuSet,
    /// What even an empty compute unit lacks.
    pub(super) never: Option<Lack>,
    /// What was last said of a compute unit, and the unit's stamp then.
    pub(super) told: Option<(CuId, u32, Lack)>,
    /// When it was last asked for.
    pub(super) used: u64,
    /// How many workgroups of it lie on the device: while there are any, it is not forgotten.
    pub(super) resident: u32,
}

/// Whether two demands are the same: two comparisons, and not one a field.
#[inline(always)]
pub(super) const fn same(a: &Demand, b: &Demand) -> bool {
    const fn counted(of: &Demand) -> u64 {
        let Demand { waves, vgpr, sgpr, barriers, .. } = *of;
        waves as u64 | (vgpr as u64) << 16 | (sgpr as u64) << 32 | (barriers as u64) << 48
    }
    counted(a) == counted(b) && a.lds == b.lds
}

impl Class {
    /// Of which none fits anywhere: nothing is entered into this set.
    pub(super) fn new(demand: Demand, share: Share) -> Self {
        let open = CuSet::empty(0);
        Self { demand, share, open, never: None, told: None, used: 0, resident: 0 }
    }
}
