//! What changes when a workgroup is placed, and when it leaves?

use alloc::vec::Vec;
use core::ops::Range;

use raddle_policy::{CuId, Demand, Launch, MAX_SIMDS, Place};

use super::class::{CLASSES, Class, bit};
use super::{MatchPlan, Matcher, Name};
use crate::Error;

impl Matcher {
    /// Takes the place found last for a workgroup of that class, one address a wave added to
    /// `places`.
    ///
    /// # Errors
    /// [`Error::Stale`] when the compute unit has changed since; nothing has changed now.
    #[inline(always)]
    pub(crate) fn commit(
        &mut self,
        class: usize,
        name: Name,
        places: &mut Vec<Place>,
    ) -> Result<(), Error> {
        let Self { plan, units, classes, maps, groups, .. } = self;
        let (cu, class_of) = (plan.cu.index(), &mut classes[class]);
        let unit = &mut units[cu];
        if unit.stamp != plan.stamp {
            return Err(Error::Stale { launch: name.launch, workgroup: name.workgroup });
        }
        groups.push(cu, unit.resident, (name, class), plan.turn, &plan.runs);
        maps.take(cu, class_of, plan.turn, &plan.runs);
        unit.take(class_of, class_of.share.row(plan.turn));
        (unit.resident, class_of.resident) = (unit.resident + 1, class_of.resident + 1);
        unit.sure = 0;
        write_places(class_of, self.simds, plan, places);
        if self.turns && class_of.share.uneven {
            // Both are below the number of SIMDs, which is at most 8.
            let waves = usize::from(class_of.demand.waves);
            unit.turn = ((usize::from(unit.turn) + waves) % self.simds) as u8;
            self.look_again(cu);
        }
        // Most often it is plain that there is no room for another one.
        let (unit, class_of) = (&self.units[cu], &self.classes[class]);
        if !unit.may_take(class_of, class_of.share.row(unit.turn)) {
            self.close(class, cu);
        }
        Ok(())
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
            None if self.forget_displaced(cu, name) => self.look_again(cu),
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
        self.maps.give(cu, class, turn, &runs);
        let unit = &mut self.units[cu];
        unit.give(class, class.share.row(turn));
        self.groups.remove(cu, unit.resident, position);
        unit.resident -= 1;
        if unit.closed & bit(index) != 0 {
            // What has left most likely fits again; the next try tells.
            unit.closed &= !bit(index);
            self.classes[index].open.insert(cu);
        }
        self.look_again(cu);
    }

    /// More is free on a compute unit, or its balance has turned: a class that did not fit may fit
    /// now.
    #[inline]
    pub(super) fn look_again(&mut self, cu: usize) {
        let unit = &mut self.units[cu];
        let beyond = self.classes.len() > CLASSES;
        if unit.closed == 0 && !beyond {
            return;
        }
        let mut closed = unit.closed;
        while closed != 0 {
            let at = closed.trailing_zeros() as usize;
            closed &= closed - 1;
            let class = &mut self.classes[at];
            if unit.may_take(class, class.share.row(unit.turn)) {
                class.open.insert(cu);
                unit.closed &= !bit(at);
            }
        }
        if beyond {
            for class in &mut self.classes[CLASSES..] {
                let may_fit = unit.may_take(class, class.share.row(unit.turn));
                if may_fit && class.never.is_none() {
                    class.open.insert(cu);
                }
            }
        }
    }
}

/// One address a wave: wave w lies on SIMD turn + w, around the end, behind those of its SIMD.
fn write_places(class: &Class, simds: usize, plan: &MatchPlan, places: &mut Vec<Place>) {
    let Demand { waves, vgpr, sgpr, .. } = class.demand;
    let sgpr = if class.share.sgpr.granules == 0 { 0 } else { sgpr };
    let (turn, lds) = (usize::from(plan.turn), plan.runs.lds);
    let mut scalar = plan.runs.sgpr;
    let mut put = |on: Range<usize>, behind: u16| {
        places.extend(on.map(|simd| {
            let vgpr = plan.runs.vgpr[simd % MAX_SIMDS] + behind;
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
