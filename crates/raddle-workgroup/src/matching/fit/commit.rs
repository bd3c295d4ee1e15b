//! What changes when a workgroup is placed, and when it leaves?

use alloc::vec::Vec;
use core::ops::Range;

use raddle_policy::{CuId, Demand, Launch, MAX_SIMDS, Place};

use super::class::{CLASSES, Class};
use super::resident::RunStarts;
use super::{Matcher, Name};
use crate::Error;

impl Matcher {
    /// Places a workgroup on a compute unit that takes one of its class, one address a wave added to
    /// `places`: each run is the lowest that is free.
    #[inline(always)]
    pub(crate) fn commit(&mut self, class: usize, cu: CuId, name: Name, places: &mut Vec<Place>) {
        let (at, simds) = (cu.index(), self.simds);
        let (unit, class_of) = (&mut self.units[at], &mut self.classes[class]);
        let turn = unit.turn;
        let wanted = class_of.wanted(turn);
        let [_, sgpr, lds, _] = wanted.shared;
        // No resource of which a u16 says how much there is has a start beyond it.
        let mut runs = RunStarts {
            lds: self.lds.take(at, lds),
            sgpr: self.sgpr.take(at, sgpr) as u16,
            ..RunStarts::default()
        };
        for simd in class_of.simds(turn, simds) {
            let map = at * simds + simd;
            runs.vgpr[simd] = self.vgpr.take(map, wanted.vgpr[simd]) as u16;
            self.slots[map] -= wanted.waves[simd];
        }
        write_places(class_of, simds, turn, &runs, places);
        self.groups.push(at, unit.resident, (name, class), turn, &runs);
        unit.barriers -= class_of.demand.barriers;
        (unit.resident, class_of.resident) = (unit.resident + 1, class_of.resident + 1);
        if self.turns && class_of.uneven {
            // Both are below the number of SIMDs, which is at most 8.
            let waves = usize::from(class_of.demand.waves);
            unit.turn = ((usize::from(turn) + waves) % simds) as u8;
        }
        self.changed(at);
    }

    /// Gives back everything that a workgroup holds.
    ///
    /// # Errors
    /// [`Error::NotHeld`] when it does not lie there; nothing has changed.
    #[inline]
    pub(crate) fn release(&mut self, cu: CuId, launch: &Launch, name: Name) -> Result<(), Error> {
        let absent = Error::NotHeld { launch: name.launch, workgroup: name.workgroup };
        let cu = cu.index();
        let resident = self.units.get(cu).ok_or(absent)?.resident;
        match self.groups.position(cu, resident, name) {
            Some(position) => self.give(cu, position, launch, name.wave),
            None if self.forget_displaced(cu, name) => {}
            None => return Err(absent),
        }
        Ok(())
    }

    /// Gives back what the workgroup at this position holds, and forgets it.
    #[inline(always)]
    pub(super) fn give(&mut self, cu: usize, position: usize, launch: &Launch, wave: u16) {
        let known = self.groups.class(cu, position);
        // What it holds is what it took, whatever its demand is said to be now.
        let index = known.unwrap_or_else(|| self.class_of(launch, wave, 0));
        let class = &mut self.classes[index];
        class.resident = class.resident.saturating_sub(1);
        let (turn, runs) = self.groups.runs(cu, position);
        let wanted = class.wanted(turn);
        let [_, sgpr, lds, _] = wanted.shared;
        self.lds.give(cu, runs.lds, lds);
        self.sgpr.give(cu, runs.sgpr.into(), sgpr);
        for simd in class.simds(turn, self.simds) {
            let map = cu * self.simds + simd;
            self.vgpr.give(map, runs.vgpr[simd].into(), wanted.vgpr[simd]);
            self.slots[map] += wanted.waves[simd];
        }
        let unit = &mut self.units[cu];
        unit.barriers += class.demand.barriers;
        self.groups.remove(cu, unit.resident, position);
        unit.resident -= 1;
        self.changed(cu);
    }

    /// What is free on a compute unit has changed: enters it into the sets of the classes that are kept,
    /// or takes it out.
    #[inline(always)]
    pub(super) fn changed(&mut self, cu: usize) {
        let fits = match self.simds {
            // With a number that the compiler knows there is no loop.
            4 => self.fitting(cu, 4),
            simds => self.fitting(cu, simds),
        };
        let mut changed = (fits ^ self.units[cu].fits) & self.kept;
        self.units[cu].fits ^= changed;
        while changed != 0 {
            let class = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            let open = &mut self.classes[class].open;
            if fits >> class & 1 == 1 { open.insert(cu) } else { open.remove(cu) }
        }
        self.changes += 1;
        if self.changes > self.units.len().max(CLASSES) {
            self.drop_classes();
        }
    }

    /// The classes that fit on a compute unit, of those that are kept: a bit each.
    #[inline(always)]
    fn fitting(&self, cu: usize, simds: usize) -> u64 {
        let (unit, shared) = (&self.units[cu], self.shared(cu));
        let (slots, vgpr) = self.of_simds(cu, simds);
        let (mut left, mut fits) = (self.kept, 0);
        while left != 0 {
            let class = left.trailing_zeros() as usize;
            left &= left - 1;
            let wanted = self.classes[class].wanted(unit.turn);
            fits |= u64::from(wanted.are_in(&shared, slots, vgpr)) << class;
        }
        fits
    }

    /// Whether a class fits on a compute unit.
    pub(super) fn fits_on(&self, cu: usize, class: usize) -> bool {
        let (slots, vgpr) = self.of_simds(cu, self.simds);
        let wanted = self.classes[class].wanted(self.units[cu].turn);
        wanted.are_in(&self.shared(cu), slots, vgpr)
    }

    /// Free wave slots, and the reported runs of vector registers, of each SIMD of a compute unit.
    #[inline(always)]
    pub(super) fn of_simds(&self, cu: usize, simds: usize) -> (&[u32], &[u32]) {
        let first = cu * simds;
        (&self.slots[first..][..simds], &self.vgpr.runs()[first..][..simds])
    }
}

/// One address a wave: wave w lies on SIMD turn + w, around the end, behind those of its SIMD.
#[inline(always)]
fn write_places(class: &Class, simds: usize, turn: u8, runs: &RunStarts, places: &mut Vec<Place>) {
    let Demand { waves, vgpr, sgpr, .. } = class.demand;
    // Where scalar registers never limit they have no address.
    let sgpr = if class.wanted(turn).shared[1] == 0 { 0 } else { sgpr };
    let (turn, lds, mut scalar) = (usize::from(turn), runs.lds, runs.sgpr);
    let mut put = |on: Range<usize>, behind: u16| {
        places.extend(on.map(|simd| {
            let vgpr = runs.vgpr[simd % MAX_SIMDS] + behind;
            // At most 8 SIMDs.
            let place = Place { simd: simd as u8, vgpr, sgpr: scalar, lds };
            scalar = scalar.wrapping_add(sgpr);
            place
        }));
    };
    // One wave on each SIMD, then the same behind these.
    let (mut left, mut behind) = (usize::from(waves), 0_u16);
    while left > 0 {
        let row = left.min(simds);
        put(turn..simds.min(turn + row), behind);
        if turn + row > simds {
            put(0..turn + row - simds, behind);
        }
        left -= row;
        behind = behind.wrapping_add(vgpr);
    }
}
