//! What is free on one compute unit beside its runs?

use raddle_policy::{CuShape, MAX_SIMDS};

use super::class::{Class, SimdShare};

/// What is only counted, and where the balance of its SIMDs stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct CuState {
    /// Free wave slots, and free granules of vector registers wherever they lie, of each SIMD; 0
    /// beyond the last.
    pub(super) slots: [u16; MAX_SIMDS],
    pub(super) vgpr: [u16; MAX_SIMDS],
    /// Free granules that belong to the whole compute unit, wherever they lie.
    pub(super) sgpr: u32,
    pub(super) lds: u32,
    pub(super) workgroups: u16,
    pub(super) barriers: u16,
    /// How many workgroups lie here.
    pub(super) resident: u16,
    /// Workgroups that came back and found a place of theirs taken: while there are any, nothing
    /// new is let in.
    pub(super) displaced: u16,
    /// By how many SIMDs the next row of the split table is turned (E8: su).
    pub(super) turn: u8,
    /// Changes whenever what is free here does: what was found before may no longer hold.
    pub(super) stamp: u32,
    /// Of the first 64 classes, a bit each: those that certainly take one more workgroup here, tried
    /// since the last one came.
    pub(super) sure: u64,
    /// The classes that certainly take no further workgroup here, a bit each.
    pub(super) closed: u64,
}

impl CuState {
    pub(super) fn new(shape: &CuShape, turn: u8) -> Self {
        let (mut slots, mut vgpr) = ([0; MAX_SIMDS], [0; MAX_SIMDS]);
        slots[..usize::from(shape.simds)].fill(shape.waves_per_simd);
        vgpr[..usize::from(shape.simds)].fill(shape.vgpr_per_simd);
        Self {
            slots,
            vgpr,
            sgpr: shape.sgpr.into(),
            lds: shape.lds,
            workgroups: shape.workgroups,
            barriers: shape.barriers,
            resident: 0,
            displaced: 0,
            turn,
            stamp: 0,
            sure: 0,
            closed: 0,
        }
    }

    /// Whether there is enough for one more, wherever it lies: what lacks here lacks for certain.
    #[inline(always)]
    pub(super) fn may_take(&self, class: &Class, row: &SimdShare) -> bool {
        // No branch between these: which of them lacks is unpredictable.
        (self.workgroups > 0) & (self.displaced == 0) & self.has(class, row)
    }

    /// Whether all that is counted by granules, waves and barriers is there.
    #[inline(always)]
    pub(super) fn has(&self, class: &Class, row: &SimdShare) -> bool {
        let slots =
            self.slots.iter().zip(&row.waves).fold(true, |all, (free, n)| all & (free >= n));
        let vgpr = self.vgpr.iter().zip(&row.vgpr).fold(true, |all, (free, n)| all & (free >= n));
        let shared = (self.barriers >= class.demand.barriers)
            & (self.lds >= class.demand.lds)
            & (self.sgpr >= class.share.sgpr.granules);
        slots & vgpr & shared
    }

    /// Counts a workgroup that comes, and for which there is enough.
    #[inline(always)]
    pub(super) fn take(&mut self, class: &Class, row: &SimdShare) {
        for at in 0..MAX_SIMDS {
            self.slots[at] -= row.waves[at];
            self.vgpr[at] -= row.vgpr[at];
        }
        self.workgroups -= 1;
        self.barriers -= class.demand.barriers;
        self.sgpr -= class.share.sgpr.granules;
        self.lds -= class.demand.lds;
        self.touch();
    }

    /// Counts a workgroup that was here and leaves.
    #[inline(always)]
    pub(super) fn give(&mut self, class: &Class, row: &SimdShare) {
        for at in 0..MAX_SIMDS {
            self.slots[at] += row.waves[at];
            self.vgpr[at] += row.vgpr[at];
        }
        self.workgroups += 1;
        self.barriers += class.demand.barriers;
        self.sgpr += class.share.sgpr.granules;
        self.lds += class.demand.lds;
        self.touch();
    }

    /// What is free here has changed.
    #[inline]
    pub(super) const fn touch(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
    }
}
