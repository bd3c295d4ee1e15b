//! What happens to the slots and granules of a launch that is killed or saved by a preemption, and
//! of one that comes back?

use alloc::vec::Vec;

use raddle_policy::{CuId, Launch};

use super::Matcher;
use super::resident::{Name, Parked, ResidentEntry, RunStarts};

impl Matcher {
    /// Frees all slots and granules of the workgroups of a launch that is killed, and removes its
    /// saved workgroups. For each workgroup or single wave that was on the device, `left` is called
    /// with its compute unit and the number of the wave (`WHOLE` for a workgroup).
    pub(crate) fn kill(&mut self, launch: &Launch, left: impl FnMut(CuId, u16)) {
        self.parked.remove(&launch.id);
        self.lift(launch, left);
    }

    /// Frees all slots and granules of the workgroups of a launch that is preempted, and remembers
    /// which they were, for the workgroups to come back. For each workgroup or single wave, `left`
    /// is called with its compute unit and the number of the wave (`WHOLE` for a workgroup).
    pub(crate) fn save(&mut self, launch: &Launch, left: impl FnMut(CuId, u16)) {
        let mut lifted = self.lift(launch, left);
        self.parked.entry(launch.id).or_default().append(&mut lifted);
    }

    /// Takes again exactly the slots and granules that the workgroups of a preempted launch had.
    /// For each workgroup or single wave, `back` is called with its compute unit and the number of
    /// the wave (`WHOLE` for a workgroup). Returns the number of workgroups that cannot come back,
    /// because one of their slots or granules has been taken meanwhile.
    ///
    /// Such workgroups hold no granules. Until they have been released, their compute units take no
    /// new workgroup, so that no unit is over-committed.
    pub(crate) fn restore(&mut self, launch: &Launch, mut back: impl FnMut(CuId, u16)) -> usize {
        let mut displaced = 0;
        for parked in self.parked.remove(&launch.id).unwrap_or_default() {
            let Parked { cu, name, turn, runs } = &parked;
            let at = usize::from(*cu);
            back(CuId(*cu), name.wave);
            let class = self.class_of(launch, name.wave, 0);
            if self.is_there(at, class, *turn, runs) {
                self.take(at, class, *turn, runs);
                let (unit, class_of) = (&mut self.units[at], &mut self.classes[class]);
                self.groups.push(at, unit.resident, (*name, class), *turn, runs);
                (unit.resident, class_of.resident) = (unit.resident + 1, class_of.resident + 1);
            } else {
                self.units[at].displaced += 1;
                self.displaced.push(parked);
                displaced += 1;
            }
            self.changed(at);
        }
        displaced
    }

    /// Removes a workgroup from the list of those that came back after a preemption and found a
    /// slot or granule taken. Returns whether the workgroup was in the list.
    #[cold]
    pub(super) fn forget_displaced(&mut self, cu: usize, name: Name) -> bool {
        let is_it = |it: &Parked| usize::from(it.cu) == cu && it.name == name;
        let Some(at) = self.displaced.iter().position(is_it) else { return false };
        self.displaced.swap_remove(at);
        self.units[cu].displaced -= 1;
        self.changed(cu);
        true
    }

    /// Returns whether all slots and granules that a saved workgroup had on the compute unit `cu`
    /// are still free.
    fn is_there(&self, cu: usize, class: usize, turn: u8, runs: &RunStarts) -> bool {
        let (class, unit) = (&self.classes[class], &self.units[cu]);
        let wanted = class.wanted(turn);
        let [_, sgpr, lds, _] = wanted.shared;
        class.never.is_none()
            && unit.resident < self.shape.workgroups
            && unit.barriers >= class.demand.barriers
            && self.sgpr.is_free(cu, runs.sgpr.into(), sgpr)
            && self.lds.is_free(cu, runs.lds, lds)
            && class.simds(turn, self.simds).all(|simd| {
                let (map, start) = (cu * self.simds + simd, runs.vgpr[simd]);
                self.slots[map] >= wanted.waves[simd]
                    && self.vgpr.is_free(map, start, wanted.vgpr[simd])
            })
    }

    /// Takes all slots and granules, which must be free, of a saved workgroup that comes back.
    fn take(&mut self, cu: usize, class: usize, turn: u8, runs: &RunStarts) {
        let class = &self.classes[class];
        let wanted = class.wanted(turn);
        let [_, sgpr, lds, _] = wanted.shared;
        self.sgpr.take_at(cu, runs.sgpr.into(), sgpr);
        self.lds.take_at(cu, runs.lds, lds);
        for simd in class.simds(turn, self.simds) {
            let map = cu * self.simds + simd;
            self.vgpr.take_at(map, runs.vgpr[simd], wanted.vgpr[simd]);
            self.slots[map] -= wanted.waves[simd];
        }
        self.units[cu].barriers -= class.demand.barriers;
    }

    /// Removes all workgroups of a launch from the device, also those that came back without slots
    /// and granules. Returns them with the granules that they had. For each workgroup or single
    /// wave, `left` is called with its compute unit and the number of the wave (`WHOLE` for a
    /// workgroup).
    fn lift(&mut self, launch: &Launch, mut left: impl FnMut(CuId, u16)) -> Vec<Parked> {
        let id = launch.id;
        let mut lifted = Vec::new();
        while let Some(at) = self.displaced.iter().position(|it| it.name.launch == id) {
            let parked = self.displaced.swap_remove(at);
            let cu = usize::from(parked.cu);
            self.units[cu].displaced -= 1;
            self.changed(cu);
            left(CuId(parked.cu), parked.name.wave);
            lifted.push(parked);
        }
        for cu in 0..self.units.len() {
            let of_launch = |group: &ResidentEntry| group.launch == id;
            while let Some(position) =
                self.groups.of(cu, self.units[cu].resident).iter().position(of_launch)
            {
                let name = self.groups.name(cu, position);
                let (turn, runs) = self.groups.runs(cu, position);
                // Compute units are numbered by u16.
                lifted.push(Parked { cu: cu as u16, name, turn, runs });
                left(CuId(cu as u16), name.wave);
                self.give(cu, position, launch, name.wave);
            }
        }
        lifted
    }
}
