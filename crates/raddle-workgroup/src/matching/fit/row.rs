//! What changes when several workgroups in a row are placed on one compute unit, or all on it leave?
//!
//! The same as one by one: what is kept of the compute unit is mended once for all of them.

use alloc::vec::Vec;

use raddle_policy::{CuId, LaunchId, MAX_SIMDS, Piece, Place};

use super::commit::write_places;
use super::resident::RunStarts;
use super::{Matcher, Name, WHOLE};
use crate::matching::config::Fit;

/// Workgroups that are placed at once.
const ROW: usize = 32;

impl Matcher {
    /// Places workgroups, numbered from `name` on, on a compute unit that takes one of their class: at
    /// most so many, and at least one; those that follow would be placed there as well. How many.
    #[inline(always)]
    pub(crate) fn commit_row(
        &mut self,
        class: usize,
        cu: CuId,
        name: Name,
        most: u64,
        places: &mut Vec<Place>,
    ) -> u32 {
        let placed = match self.simds {
            _ if most < 2 || !self.exact || self.fit != Fit::First => 0,
            4 => self.commit_equal(4, class, cu, name, most, places),
            simds => self.commit_equal(simds, class, cu, name, most, places),
        };
        if placed == 0 {
            self.commit(class, cu, name, places);
        }
        placed.max(1)
    }

    /// As [`Self::commit_row`] where all SIMDs get as many waves and have the same room; none elsewhere.
    #[inline(always)]
    fn commit_equal(
        &mut self,
        simds: usize,
        class: usize,
        cu: CuId,
        name: Name,
        most: u64,
        places: &mut Vec<Place>,
    ) -> u32 {
        let (at, first) = (cu.index(), cu.index() * simds);
        let (unit, class_of) = (&mut self.units[at], &mut self.classes[class]);
        let wanted = class_of.wanted(unit.turn);
        let ([_, of_sgpr, of_lds, of_barriers], of_vgpr) = (wanted.shared, wanted.vgpr[0]);
        let slots = &mut self.slots[first..][..simds];
        let least = slots.iter().copied().min().unwrap_or_default();
        let rooms = [
            (u32::from(self.shape.workgroups) - u32::from(unit.resident), 1),
            (least, wanted.waves[0]),
            (unit.barriers.into(), of_barriers),
            (self.vgpr.free_blocks(first), of_vgpr),
            (self.sgpr.free_blocks(at), of_sgpr),
            (self.lds.free_blocks(at), of_lds),
        ];
        let room = rooms.iter().filter(|(_, want)| *want > 0).map(|(have, want)| have / want);
        // At most so many, so it fits both.
        let room = room.fold(most.min(ROW as u64) as u32, u32::min) as usize;
        if class_of.uneven || room < 2 {
            return 0;
        }
        let [mut vgpr, mut sgpr, mut lds] = [[0; ROW]; 3];
        let simd_maps = first..first + simds;
        let Some(in_vgpr) = self.vgpr.take_row(simd_maps, of_vgpr, &mut vgpr[..room]) else {
            return 0;
        };
        let in_sgpr = self.sgpr.take_row(at..at + 1, of_sgpr, &mut sgpr[..in_vgpr]).unwrap_or(0);
        let placed = self.lds.take_row(at..at + 1, of_lds, &mut lds[..in_sgpr]).unwrap_or(0);
        // What was taken for more workgroups than there is room for in runs.
        sgpr[placed..in_sgpr].iter().for_each(|&start| self.sgpr.give(at, start, of_sgpr));
        for &start in &vgpr[placed..in_vgpr] {
            self.vgpr.give_each(first, &[start; MAX_SIMDS][..simds], of_vgpr);
        }
        for ((behind, vgpr), (sgpr, lds)) in (0..placed).zip(vgpr).zip(sgpr.into_iter().zip(lds)) {
            // No resource of which a u16 says how much there is has a start beyond it.
            let runs = RunStarts { vgpr: [vgpr; MAX_SIMDS], sgpr: sgpr as u16, lds };
            write_places(class_of, simds, unit.turn, &runs, places);
            let name = Name { workgroup: name.workgroup + behind as u64, ..name };
            self.groups.push(at, unit.resident, (name, class), unit.turn, &runs);
            unit.resident += 1;
        }
        // At most a row.
        let placed = placed as u32;
        let waves = placed * class_of.wanted(unit.turn).waves[0];
        slots.iter_mut().for_each(|slots| *slots -= waves);
        unit.barriers -= placed as u16 * class_of.demand.barriers;
        class_of.resident += placed;
        self.changed(at);
        placed
    }

    /// Gives back everything on the compute unit of a piece if these workgroups of a launch are all that
    /// lies there, in this order; whether they are, and nothing has changed where not.
    #[inline(always)]
    pub(crate) fn release_all(&mut self, piece: &Piece, launch: LaunchId) -> bool {
        let cu = piece.cu.index();
        let Some(unit) = self.units.get_mut(cu) else { return false };
        if piece.count != unit.resident.into() {
            return false;
        }
        let class = self.groups.class(cu, 0);
        let Some(class_of) = class.and_then(|class| self.classes.get_mut(class)) else {
            return false;
        };
        let all = (0..).zip(piece.workgroups()).all(|(position, workgroup)| {
            let name = Name { launch, workgroup, wave: WHOLE };
            self.groups.is_at(cu, position, name) && self.groups.class(cu, position) == class
        });
        if !all {
            return false;
        }
        class_of.resident = class_of.resident.saturating_sub(piece.count);
        (unit.resident, unit.barriers) = (0, self.shape.barriers);
        let maps = cu * self.simds..(cu + 1) * self.simds;
        self.slots[maps.clone()].fill(self.shape.waves_per_simd.into());
        self.vgpr.give_all(maps);
        self.sgpr.give_all(cu..cu + 1);
        self.lds.give_all(cu..cu + 1);
        self.changed(cu);
        true
    }
}
