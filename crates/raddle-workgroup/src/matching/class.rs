//! Where may a workgroup of this demand fit?
//!
//! Launches of equal demand are one class. A class keeps a set of compute units on which such a
//! workgroup may fit: what is not in it certainly takes none. A try that fails takes the unit out, a
//! release puts it back, and so a full device refuses at once, however many units it has.

use raddle_policy::{CuId, Demand, MAX_SIMDS, Resource};

use super::bits::Bits;
use super::store::Length;

/// What a compute unit lacks: wanted, available.
pub(crate) type Lack = (Resource, u64, u64);

/// What a workgroup takes of each SIMD.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    pub(super) waves: [u16; MAX_SIMDS],
    /// Granules of vector registers, in one run. More than a u16 says are as many as it does; such a
    /// class is never open.
    pub(super) vgpr: [u16; MAX_SIMDS],
}

/// What a workgroup takes of a compute unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// By the SIMD that gets the first wave (E8: the split table, turned).
    rows: [Row; MAX_SIMDS],
    /// How many SIMDs get waves: the one that gets the first wave, and those behind it.
    used: usize,
    /// Whether some SIMDs get a wave more than others.
    pub(super) uneven: bool,
    /// Vector registers of each SIMD, where all get equally many waves.
    pub(super) vgpr: Length,
    /// Scalar registers of the whole workgroup; none where they never limit.
    pub(super) sgpr: Length,
    pub(super) lds: Length,
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
        let sgpr = u32::from(demand.sgpr) * u32::from(demand.waves);
        Self {
            vgpr: Length::new(rows[0].vgpr[0].into()),
            rows,
            used: simds.min(usize::from(demand.waves)),
            uneven: surplus > 0,
            sgpr: Length::new(if sgpr_limits { sgpr } else { 0 }),
            lds: Length::new(demand.lds),
        }
    }

    /// What each SIMD gives where this one gets the first wave.
    #[inline(always)]
    pub(super) fn row(&self, turn: u8) -> &Row {
        &self.rows[usize::from(turn) % MAX_SIMDS]
    }

    /// The SIMDs that get waves, of so many, from the one that gets the first.
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
    pub(super) open: Bits,
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
        let open = Bits::empty(0);
        Self { demand, share, open, never: None, told: None, used: 0, resident: 0 }
    }
}
