//! What happens to the places of a launch that leaves at once, and comes back?

use alloc::vec::Vec;

use raddle_policy::{CuId, Launch};

use super::Matcher;
use super::maps::RunStarts;
use super::resident::{Name, Parked, ResidentEntry};

impl Matcher {
    /// Gives back everything that a launch holds or has saved; `left` hears of each workgroup that
    /// was there.
    pub(crate) fn kill(&mut self, launch: &Launch, left: impl FnMut(CuId, u16)) {
        self.parked.remove(&launch.id);
        self.lift(launch, left);
    }

    /// Gives back everything that a launch holds, and remembers where it lay.
    pub(crate) fn save(&mut self, launch: &Launch, left: impl FnMut(CuId, u16)) {
        let mut lifted = self.lift(launch, left);
        self.parked.entry(launch.id).or_default().append(&mut lifted);
    }

    /// Takes again exactly what was saved; how many workgroups found a place of theirs taken. `back`
    /// hears of each.
    ///
    /// Those hold nothing, and their compute units take nothing new until they have been released:
    /// so nothing is ever over-committed.
    pub(crate) fn restore(&mut self, launch: &Launch, mut back: impl FnMut(CuId, u16)) -> usize {
        let mut displaced = 0;
        for parked in self.parked.remove(&launch.id).unwrap_or_default() {
            let Parked { cu, name, turn, runs } = &parked;
            let at = usize::from(*cu);
            back(CuId(*cu), name.wave);
            let class = self.class_of(launch, name.wave, 0);
            let resident = self.units[at].resident;
            if self.is_there(at, class, *turn, runs) {
                self.groups.push(at, resident, (*name, class), *turn, runs);
                let (unit, class) = (&mut self.units[at], &mut self.classes[class]);
                self.maps.take(at, class, *turn, runs);
                unit.take(class, class.share.row(*turn));
                (unit.resident, class.resident) = (resident + 1, class.resident + 1);
            } else {
                self.units[at].displaced += 1;
                self.units[at].touch();
                self.displaced.push(parked);
                displaced += 1;
            }
            self.units[at].sure = 0;
        }
        displaced
    }

    /// Whether this workgroup was displaced; it no longer is.
    #[cold]
    pub(super) fn forget_displaced(&mut self, cu: usize, name: Name) -> bool {
        let is_it = |it: &Parked| usize::from(it.cu) == cu && it.name == name;
        let Some(at) = self.displaced.iter().position(is_it) else { return false };
        self.displaced.swap_remove(at);
        self.units[cu].displaced -= 1;
        self.units[cu].touch();
        true
    }

    /// Whether all that a workgroup held is free still.
    fn is_there(&self, cu: usize, class: usize, turn: u8, runs: &RunStarts) -> bool {
        let (unit, class) = (&self.units[cu], &self.classes[class]);
        let row = class.share.row(turn);
        class.never.is_none()
            && unit.workgroups > 0
            && unit.has(class, row)
            && self.maps.are_free(cu, class, row, runs)
    }

    fn lift(&mut self, launch: &Launch, mut left: impl FnMut(CuId, u16)) -> Vec<Parked> {
        let id = launch.id;
        let mut lifted = Vec::new();
        while let Some(at) = self.displaced.iter().position(|it| it.name.launch == id) {
            let parked = self.displaced.swap_remove(at);
            let cu = usize::from(parked.cu);
            self.units[cu].displaced -= 1;
            self.units[cu].touch();
            self.look_again(cu);
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
