//! How are several workgroups in a row placed on one compute unit in one step, and all workgroups
//! on it freed in one step?
//!
//! The result is that of placing or freeing them one by one; but the state of the compute unit is
//! brought up to date once for all of them.

use alloc::boxed::Box;
use alloc::vec::Vec;

use raddle_bitmap::MapState;
use raddle_policy::{CuId, LaunchId, MAX_SIMDS, Piece, Place};

use super::resident::{ResidentRow, RunStarts};
use super::{CuState, Matcher, Name};
use crate::matching::config::Fit;

/// The most workgroups that are placed on one compute unit in one step.
const ROW: usize = 32;

/// The state of a compute unit that was empty and then filled with workgroups of one demand class
/// (workgroups of equal demand). The next empty unit is filled by copying the state.
#[derive(Clone, Debug)]
pub(super) struct FilledCu {
    groups: ResidentRow,
    places: Vec<Place>,
    vgpr: MapState,
    sgpr: MapState,
    lds: MapState,
    /// The number of free wave slots of each SIMD, which is equal for all SIMDs.
    slots: u32,
    /// The number of free barriers of the filled compute unit.
    barriers: u16,
}

impl Matcher {
    /// Places 1 to `most` workgroups of a launch, numbered from the workgroup of `name` on, on a
    /// compute unit that has room for at least one. If they fill a unit that was empty, the empty
    /// units right behind it are filled too. Adds the addresses of their waves to `places`: those
    /// that the workgroups would get one by one. Returns (workgroups placed on each compute unit,
    /// number of units).
    #[inline(always)]
    pub(crate) fn commit_row(
        &mut self,
        class: usize,
        cu: CuId,
        name: Name,
        most: u64,
        places: &mut Vec<Place>,
    ) -> (u32, u16) {
        if most < 2 || !self.exact || self.fit != Fit::First || self.classes[class].uneven {
            self.commit(class, cu, name, places);
            return (1, 1);
        }
        let empty = self.units[cu.index()].resident == 0;
        if empty && let Some(placed) = self.fill_alike(class, cu, name, most, places) {
            return placed;
        }
        let begin = places.len();
        let row = match self.simds {
            4 => self.commit_equal(4, class, cu, name, most, places),
            simds => self.commit_equal(simds, class, cu, name, most, places),
        };
        let Some(placed) = row else {
            self.commit(class, cu, name, places);
            return (1, 1);
        };
        // A row ends before its bounds only where there is no room for another workgroup.
        if empty && u64::from(placed) < most.min(ROW as u64) {
            self.remember(class, cu.index(), &places[begin..]);
        }
        (placed, 1)
    }

    /// Stores the state of a compute unit that was empty and that workgroups of this demand class
    /// (workgroups of equal demand) have filled, so that other units can be filled by copying it.
    #[cold]
    #[inline(never)]
    fn remember(&mut self, class: usize, at: usize, places: &[Place]) {
        let (unit, first) = (&self.units[at], at * self.simds);
        let maps = (self.vgpr.state(first), self.sgpr.state(at), self.lds.state(at));
        let (Some(vgpr), Some(sgpr), Some(lds)) = maps else { return };
        let filled = FilledCu {
            groups: self.groups.row(at, unit.resident),
            places: places.into(),
            vgpr,
            sgpr,
            lds,
            slots: self.slots[first],
            barriers: unit.barriers,
        };
        self.classes[class].filled[usize::from(unit.turn) % MAX_SIMDS] = Some(Box::new(filled));
    }

    /// Fills an empty compute unit, and the empty units right behind it, by copying the stored
    /// state of a unit that the same demand class has filled. Returns (workgroups placed on each
    /// unit, number of units); `None` if no state is stored, or if the workgroups are too few to
    /// fill a unit.
    #[inline(always)]
    fn fill_alike(
        &mut self,
        class: usize,
        cu: CuId,
        name: Name,
        most: u64,
        places: &mut Vec<Place>,
    ) -> Option<(u32, u16)> {
        let (at, class_of) = (cu.index(), &mut self.classes[class]);
        let turn = self.units[at].turn;
        let filled = class_of.filled[usize::from(turn) % MAX_SIMDS].as_ref()?;
        let each = filled.groups.len();
        let is_alike =
            |unit: &&CuState| unit.turn == turn && unit.resident == 0 && unit.displaced == 0;
        // The number of units to fill is bounded by the list of units below.
        let most = usize::try_from(most / each as u64).unwrap_or(usize::MAX);
        let count = self.units[at..].iter().take(most).take_while(is_alike).count();
        if count == 0 {
            return None;
        }
        let (units, maps) = (at..at + count, at * self.simds..(at + count) * self.simds);
        let alike = next_step(&mut self.alike, &mut self.units);
        for (unit, workgroup) in units.clone().zip((name.workgroup..).step_by(each)) {
            self.groups.enter(unit, &filled.groups, Name { workgroup, ..name });
            places.extend_from_slice(&filled.places);
            // A compute unit holds no more workgroups than a u16 counts.
            let (barriers, resident) = (filled.barriers, each as u16);
            let state = &mut self.units[unit];
            *state = CuState { barriers, resident, alike, ..*state };
        }
        self.vgpr.set_all(maps.clone(), &filled.vgpr);
        self.sgpr.set_all(units.clone(), &filled.sgpr);
        self.lds.set_all(units.clone(), &filled.lds);
        self.slots[maps].fill(filled.slots);
        self.stale.insert_all(units);
        class_of.resident += (each * count) as u32;
        Some((each as u32, count as u16))
    }

    /// Places workgroups, numbered from the workgroup of `name` on, on one compute unit: as many as
    /// fit, at most `most` and at most [`ROW`]. Returns their number; `None`, with nothing placed,
    /// where the SIMDs differ in their free registers.
    #[inline(always)]
    fn commit_equal(
        &mut self,
        simds: usize,
        class: usize,
        cu: CuId,
        name: Name,
        most: u64,
        places: &mut Vec<Place>,
    ) -> Option<u32> {
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
        // The room is at most `ROW`, so it fits a u32 and a usize.
        let room = room.fold(most.min(ROW as u64) as u32, u32::min) as usize;
        let [mut vgpr, mut sgpr, mut lds] = [[0; ROW]; 3];
        let simd_maps = first..first + simds;
        let in_vgpr = self.vgpr.take_row(simd_maps, of_vgpr, &mut vgpr[..room])?;
        let in_sgpr = self.sgpr.take_row(at..at + 1, of_sgpr, &mut sgpr[..in_vgpr]).unwrap_or(0);
        let placed = self.lds.take_row(at..at + 1, of_lds, &mut lds[..in_sgpr]).unwrap_or(0);
        // Runs that were taken for more workgroups than all resources have runs for are given back.
        sgpr[placed..in_sgpr].iter().for_each(|&start| self.sgpr.give(at, start, of_sgpr));
        for &start in &vgpr[placed..in_vgpr] {
            self.vgpr.give_each(first, &[start; MAX_SIMDS][..simds], of_vgpr);
        }
        for ((behind, vgpr), (sgpr, lds)) in (0..placed).zip(vgpr).zip(sgpr.into_iter().zip(lds)) {
            // There are no more scalar registers than a u16 counts, so each start is a u16.
            let runs = RunStarts { vgpr: [vgpr; MAX_SIMDS], sgpr: sgpr as u16, lds };
            class_of.write_places(simds, unit.turn, &runs, places);
            let name = Name { workgroup: name.workgroup + behind as u64, ..name };
            self.groups.push(at, unit.resident, (name, class), unit.turn, &runs);
            unit.resident += 1;
        }
        // No more than `ROW` workgroups are placed.
        let placed = placed as u32;
        let waves = placed * class_of.wanted(unit.turn).waves[0];
        slots.iter_mut().for_each(|slots| *slots -= waves);
        unit.barriers -= placed as u16 * class_of.demand.barriers;
        class_of.resident += placed;
        self.changed(at);
        Some(placed)
    }

    /// Frees whole compute units. Each of `pieces` names ended workgroups of `launch` on one unit.
    /// Stops at the first piece that is not on the next unit, or that is not the list of all
    /// workgroups on its unit. Returns the number of pieces whose units were freed; no other unit
    /// has changed.
    #[inline(always)]
    pub(crate) fn release_all(&mut self, pieces: &[Piece], launch: LaunchId) -> usize {
        let Some(first) = pieces.first().map(|piece| piece.cu.index()) else { return 0 };
        let class = self.groups.class(first, 0).filter(|_| first < self.units.len());
        let Some(class) = class else { return 0 };
        let mut groups = 0;
        let mut count = 0;
        for (piece, cu) in pieces.iter().zip(first..self.units.len()) {
            let all = piece.cu.index() == cu
                && piece.count == self.units[cu].resident.into()
                && self.groups.are(cu, piece, launch, class, self.units[cu].alike != 0);
            if !all {
                break;
            }
            groups += piece.count;
            count += 1;
        }
        let Some(class_of) = self.classes.get_mut(class).filter(|_| count > 0) else { return 0 };
        class_of.resident = class_of.resident.saturating_sub(groups);
        let (units, maps) =
            (first..first + count, first * self.simds..(first + count) * self.simds);
        let (barriers, alike) = (self.shape.barriers, next_step(&mut self.alike, &mut self.units));
        for unit in &mut self.units[units.clone()] {
            *unit = CuState { barriers, resident: 0, alike, ..*unit };
        }
        self.slots[maps.clone()].fill(self.shape.waves_per_simd.into());
        self.vgpr.give_all(maps);
        self.sgpr.give_all(units.clone());
        self.lds.give_all(units.clone());
        self.stale.insert_all(units);
        count
    }
}

/// Returns a new number for a step that gives several compute units equal states, and stores it in
/// `last`, which has the number of the step before. No unit has the new number yet.
#[inline(always)]
pub(super) fn next_step(last: &mut u32, units: &mut [CuState]) -> u32 {
    *last = last.checked_add(1).unwrap_or_else(|| {
        units.iter_mut().for_each(|unit| unit.alike = 0);
        1
    });
    *last
}
