//! At which addresses does a workgroup lie on one compute unit?
//!
//! One run of vector registers on each SIMD that gets waves, one of scalar registers and one of LDS,
//! each the lowest that is free. Units: granules.

use raddle_policy::{CuShape, MAX_SIMDS};

use super::class::{Class, SimdShare};
use super::store::{MapArray, RunLength, Starts};

/// First granules of what a workgroup takes; 0 where it takes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RunStarts {
    /// By SIMD.
    pub(super) vgpr: Starts,
    pub(super) sgpr: u16,
    pub(super) lds: u32,
}

/// Which granules of every compute unit are free.
#[derive(Clone, Debug)]
pub(super) struct Maps {
    simds: usize,
    /// One map a SIMD: those of compute unit c from `c * simds`.
    vgpr: MapArray,
    pub(super) sgpr: MapArray,
    pub(super) lds: MapArray,
}

impl Maps {
    /// Maps of `cus` compute units, all free.
    pub(super) fn new(shape: &CuShape, cus: usize) -> Self {
        let simds = usize::from(shape.simds);
        let sgpr = if shape.sgpr == u16::MAX { 0 } else { u32::from(shape.sgpr) };
        Self {
            simds,
            vgpr: MapArray::new(u32::from(shape.vgpr_per_simd), cus * simds),
            sgpr: MapArray::new(sgpr, cus),
            lds: MapArray::new(shape.lds, cus),
        }
    }

    /// The maps of vector registers, and which is that of a compute unit's first SIMD.
    pub(super) const fn simds(&self, cu: usize) -> (&MapArray, usize) {
        (&self.vgpr, cu * self.simds)
    }

    /// Whether such a workgroup fits; where, is written to `runs`, and nothing taken.
    #[inline(always)]
    pub(super) fn find(
        &self,
        cu: usize,
        class: &Class,
        row: &SimdShare,
        turn: u8,
        runs: &mut RunStarts,
    ) -> bool {
        let (share, first) = (&class.share, cu * self.simds);
        // LDS and scalar registers first: there a try fails most often, and at the least cost.
        let Some(lds) = self.lds.first_fit(cu, class.demand.lds) else { return false };
        let Some(sgpr) = self.sgpr.first_fit(cu, share.sgpr.granules) else { return false };
        // No more granules than a u16 said.
        (runs.lds, runs.sgpr) = (lds, sgpr as u16);
        if class.demand.vgpr == 0 {
            runs.vgpr = [0; MAX_SIMDS];
            true
        } else if share.uneven {
            // A try that failed may have left what is nowhere.
            runs.vgpr = [0; MAX_SIMDS];
            let find =
                |simd| self.vgpr.find_into(first + simd, row.vgpr[simd], &mut runs.vgpr[simd]);
            share.simds(turn, self.simds).all(find)
        } else {
            self.vgpr.first_fits(first, self.simds, row.vgpr[0], &mut runs.vgpr)
        }
    }

    /// Takes runs that are known to be free.
    #[inline(always)]
    pub(super) fn take(&mut self, cu: usize, class: &Class, turn: u8, runs: &RunStarts) {
        let (share, simds, first) = (&class.share, self.simds, cu * self.simds);
        let row = share.row(turn);
        debug_assert!(self.are_free(cu, class, row, runs), "{row:?} at {runs:?} was free");
        if class.demand.vgpr > 0
            && (share.uneven || simds != 4 || !self.vgpr.take_four(first, &runs.vgpr, share.vgpr))
        {
            for simd in share.simds(turn, simds) {
                let len = RunLength::new(row.vgpr[simd].into());
                self.vgpr.take(first + simd, runs.vgpr[simd].into(), len);
            }
        }
        self.lds.take(cu, runs.lds, share.lds);
        self.sgpr.take(cu, runs.sgpr.into(), share.sgpr);
    }

    /// Gives back runs that are known to be taken.
    #[inline(always)]
    pub(super) fn give(&mut self, cu: usize, class: &Class, turn: u8, runs: &RunStarts) {
        let (share, simds, first) = (&class.share, self.simds, cu * self.simds);
        let row = share.row(turn);
        if class.demand.vgpr > 0
            && (share.uneven || simds != 4 || !self.vgpr.give_four(first, &runs.vgpr, share.vgpr))
        {
            for simd in share.simds(turn, simds) {
                let len = RunLength::new(row.vgpr[simd].into());
                self.vgpr.give(first + simd, runs.vgpr[simd].into(), len);
            }
        }
        self.lds.give(cu, runs.lds, share.lds);
        self.sgpr.give(cu, runs.sgpr.into(), share.sgpr);
    }

    /// Whether all of these runs are free.
    pub(super) fn are_free(
        &self,
        cu: usize,
        class: &Class,
        row: &SimdShare,
        runs: &RunStarts,
    ) -> bool {
        let mut simds = runs.vgpr.iter().zip(&row.vgpr).take(self.simds).enumerate();
        let first = cu * self.simds;
        simds.all(|(at, (&start, &len))| self.vgpr.is_free(first + at, start.into(), len.into()))
            && self.lds.is_free(cu, runs.lds, class.demand.lds)
            && self.sgpr.is_free(cu, runs.sgpr.into(), class.share.sgpr.granules)
    }

    /// What is free on a compute unit: vector and scalar registers, LDS; of each the longest run
    /// alone, if asked for.
    pub(super) fn free(&self, cu: usize, longest: bool) -> [u64; 3] {
        let of = |store: &MapArray, at: usize| {
            u64::from(if longest { store.longest(at) } else { store.free(at) })
        };
        let simds = cu * self.simds..(cu + 1) * self.simds;
        let vgpr = simds.map(|simd| of(&self.vgpr, simd)).sum();
        [vgpr, of(&self.sgpr, cu), of(&self.lds, cu)]
    }
}
