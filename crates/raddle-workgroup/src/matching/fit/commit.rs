//! How do the free resources of a compute unit, and the demands that fit there, change when a
//! workgroup is placed or leaves?

use alloc::vec::Vec;

use raddle_policy::{CuId, Launch, Place};

use super::class::CLASSES;
use super::open::{BITS, OpenSets};
use super::resident::RunStarts;
use super::{Matcher, Name};
use crate::Error;
use crate::error::Reason;

impl Matcher {
    /// Places the workgroup or wave `name`, of a demand class (workgroups of equal demand), on a
    /// compute unit on which it fits, and adds the address of each wave to `places`. Of each
    /// resource, the rule `fit` chooses the run of granules that is taken.
    #[inline(always)]
    pub(crate) fn commit(&mut self, class: usize, cu: CuId, name: Name, places: &mut Vec<Place>) {
        // Where the compiler knows the number of SIMDs, it unrolls the loops over them.
        match self.simds {
            4 => self.commit_on(4, class, cu, name, places),
            simds => self.commit_on(simds, class, cu, name, places),
        }
    }

    #[inline(always)]
    fn commit_on(
        &mut self,
        simds: usize,
        class: usize,
        cu: CuId,
        name: Name,
        places: &mut Vec<Place>,
    ) {
        let at = cu.index();
        let (unit, class_of) = (&mut self.units[at], &mut self.classes[class]);
        let (turn, fit) = (unit.turn, self.fit);
        let wanted = class_of.wanted(turn);
        let [_, sgpr, lds, _] = wanted.shared;
        // There are no more scalar registers than a u16 counts, so each start is a u16.
        let mut runs = RunStarts {
            lds: self.lds.take(at, lds, fit),
            sgpr: self.sgpr.take(at, sgpr, fit) as u16,
            ..RunStarts::default()
        };
        let first = at * simds;
        if class_of.uneven {
            for simd in class_of.simds(turn, simds) {
                let (map, waves) = (first + simd, wanted.waves[simd]);
                runs.vgpr[simd] = self.vgpr.take(map, wanted.vgpr[simd], fit);
                self.slots[map] -= waves;
            }
        } else {
            self.vgpr.take_each(first, wanted.vgpr[0], fit, &mut runs.vgpr[..simds]);
            self.slots[first..][..simds].iter_mut().for_each(|slots| *slots -= wanted.waves[0]);
        }
        class_of.write_places(simds, turn, &runs, places);
        self.groups.push(at, unit.resident, (name, class), turn, &runs);
        unit.barriers -= class_of.demand.barriers;
        (unit.resident, class_of.resident) = (unit.resident + 1, class_of.resident + 1);
        if self.turns && class_of.uneven {
            // The remainder is below the number of SIMDs, which is at most 8.
            let waves = usize::from(class_of.demand.waves);
            unit.turn = ((usize::from(turn) + waves) % simds) as u8;
        }
        self.changed(at);
    }

    /// Frees all slots and granules that the workgroup or wave `name` on `cu` holds.
    ///
    /// # Errors
    /// [`State`](crate::ErrorKind::State) when the workgroup is not on `cu`; nothing has changed.
    #[inline]
    pub(crate) fn release(&mut self, cu: CuId, launch: &Launch, name: Name) -> Result<(), Error> {
        let absent = Error(Reason::NotHeld { launch: name.launch, workgroup: name.workgroup });
        let cu = cu.index();
        let resident = self.units.get(cu).ok_or(absent)?.resident;
        match self.groups.position(cu, resident, name) {
            Some(position) => self.give(cu, position, launch, name.wave),
            None if self.forget_displaced(cu, name) => {}
            None => return Err(absent),
        }
        Ok(())
    }

    /// Frees all slots and granules of the workgroup with the index `position` among those on a
    /// compute unit, and removes the workgroup.
    #[inline(always)]
    pub(super) fn give(&mut self, cu: usize, position: usize, launch: &Launch, wave: u16) {
        match self.simds {
            4 => self.give_on(4, cu, position, launch, wave),
            simds => self.give_on(simds, cu, position, launch, wave),
        }
    }

    #[inline(always)]
    fn give_on(&mut self, simds: usize, cu: usize, position: usize, launch: &Launch, wave: u16) {
        let known = self.groups.class(cu, position);
        // A workgroup holds what it took, whatever demand its launch carries now.
        let index = known.unwrap_or_else(|| self.class_of(launch, wave, 0));
        let class = &mut self.classes[index];
        class.resident = class.resident.saturating_sub(1);
        let (turn, runs) = self.groups.runs(cu, position);
        let wanted = class.wanted(turn);
        let [_, sgpr, lds, _] = wanted.shared;
        self.lds.give(cu, runs.lds, lds);
        self.sgpr.give(cu, runs.sgpr.into(), sgpr);
        let first = cu * simds;
        if class.uneven {
            for simd in class.simds(turn, simds) {
                self.vgpr.give(first + simd, runs.vgpr[simd], wanted.vgpr[simd]);
                self.slots[first + simd] += wanted.waves[simd];
            }
        } else {
            self.vgpr.give_each(first, &runs.vgpr[..simds], wanted.vgpr[0]);
            self.slots[first..][..simds].iter_mut().for_each(|slots| *slots += wanted.waves[0]);
        }
        let unit = &mut self.units[cu];
        unit.barriers += class.demand.barriers;
        self.groups.remove(cu, unit.resident, position);
        unit.resident -= 1;
        self.changed(cu);
    }

    /// Records that the free resources of a compute unit have changed: before the next search it is
    /// decided again which demand classes (workgroups of equal demand) fit on the unit.
    #[inline(always)]
    pub(super) fn changed(&mut self, cu: usize) {
        self.units[cu].alike = 0;
        self.stale.insert(cu);
    }

    /// Brings up to date, for each demand class (workgroups of equal demand) in `kept`, the set of
    /// compute units on which it fits: each unit that has changed is added or removed.
    #[inline(always)]
    pub(super) fn tell(&mut self) {
        if !self.stale.is_empty() {
            self.tell_stale();
        }
    }

    #[inline(never)]
    fn tell_stale(&mut self) {
        match self.simds {
            4 => self.tell_on(4),
            simds => self.tell_on(simds),
        }
    }

    #[inline(always)]
    fn tell_on(&mut self, simds: usize) {
        if !self.exact {
            let mut next = self.stale.first();
            while let Some(cu) = next {
                self.vgpr.report(cu * simds..(cu + 1) * simds);
                self.sgpr.report(cu..cu + 1);
                self.lds.report(cu..cu + 1);
                next = self.stale.first_from(cu + 1);
            }
        }
        let mut from = 0;
        while let Some(run) = self.stale.run_from(from) {
            from = run.end;
            let mut cu = run.start;
            while cu < run.end {
                let (here, unit) = (self.standing(simds, cu), self.units[cu]);
                let equal = |&other: &usize| {
                    let it = &self.units[other];
                    let alike =
                        it.alike == unit.alike && it.alike != 0 && it.displaced == unit.displaced;
                    it.turn == unit.turn && (alike || self.standing(simds, other) == here)
                };
                // Units of one word with equal free resources are entered together.
                let end = run.end.min((cu / BITS + 1) * BITS);
                let count = 1 + (cu + 1..end).take_while(equal).count();
                let mask = (u64::MAX >> (BITS - count)) << (cu % BITS);
                let fits = self.fitting(simds, cu);
                OpenSets::change(&mut self.open, (cu / BITS, mask), self.kept, fits);
                self.changes += count;
                cu += count;
            }
        }
        self.stale.clear();
        if self.changes > self.units.len().max(CLASSES) {
            self.drop_classes();
        }
    }

    /// Returns the free resources of a compute unit: (amounts that its SIMDs share, (wave slots of
    /// each SIMD, length of the run of vector registers of each SIMD)). They and the unit's `turn`
    /// decide which demand classes (workgroups of equal demand) fit.
    #[inline(always)]
    fn standing(&self, simds: usize, cu: usize) -> ([u32; 4], (&[u32], &[u32])) {
        (self.shared(cu), self.of_simds(simds, cu))
    }

    /// Returns which of the first 64 demand classes (workgroups of equal demand) fit on the compute
    /// unit with the index `cu`, one bit for each class. The bits of classes that want more of a
    /// resource than the lists of amounts reach have no meaning. `simds` is the number of SIMDs of
    /// a compute unit.
    #[inline(always)]
    pub(super) fn fitting(&self, simds: usize, cu: usize) -> u64 {
        let (slots, vgpr) = self.of_simds(simds, cu);
        self.thresholds.fitting(&self.shared(cu), self.units[cu].turn, slots, vgpr)
    }

    /// Returns, for each SIMD of a compute unit, (free wave slots, length of the free run of vector
    /// registers that the search reports).
    #[inline(always)]
    pub(super) fn of_simds(&self, simds: usize, cu: usize) -> (&[u32], &[u32]) {
        let first = cu * simds;
        (&self.slots[first..][..simds], &self.vgpr.runs(self.exact)[first..][..simds])
    }
}
