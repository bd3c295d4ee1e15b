//! Which resources does a workgroup hold, and what happens to them when its launch leaves and comes
//! back?

use std::collections::BTreeMap;

use raddle_policy::{Launch, Place};

use super::{Held, Matching, Name, read};

impl Matching {
    /// Computes anew the lengths of free runs on the compute unit `cu` after a change of its free
    /// resources, and forgets which demands fit on it.
    pub(super) fn changed(&mut self, cu: usize) {
        read(&mut self.cus[cu], &self.finders);
        self.fits.values_mut().for_each(|fits| fits[cu] = None);
    }

    /// Takes the resources at a workgroup's addresses from the model, or frees them where `back` is
    /// true.
    pub(super) fn hand(&mut self, held: &Held, back: bool) {
        let Some(cu) = self.cus.get_mut(held.cu) else { return };
        let demand = &held.demand;
        let by = |free: &mut u64, amount: u64| {
            *free = if back { free.saturating_add(amount) } else { free.saturating_sub(amount) };
        };
        for ((slots, map), &(waves, start)) in cu.simds.iter_mut().zip(&held.simds) {
            by(slots, waves);
            map.set(start, waves * u64::from(demand.vgpr), back);
        }
        if let Some(sgpr) = &mut cu.sgpr {
            sgpr.set(held.sgpr, u64::from(demand.waves) * u64::from(demand.sgpr), back);
        }
        cu.lds.set(held.lds, demand.lds.into(), back);
        by(&mut cu.workgroups, 1);
        by(&mut cu.barriers, demand.barriers.into());
        self.changed(held.cu);
    }

    /// Records the granules that a search gave a workgroup, since the rule `next` continues its
    /// search behind them. Granules of a workgroup that comes back after a preemption do not count.
    pub(super) fn gave(&mut self, held: &Held) {
        let (cu, demand) = (&mut self.cus[held.cu], &held.demand);
        for ((_, map), &(waves, start)) in cu.simds.iter_mut().zip(&held.simds) {
            map.gave(start, waves * u64::from(demand.vgpr));
        }
        if let Some(sgpr) = &mut cu.sgpr {
            sgpr.gave(held.sgpr, u64::from(demand.waves) * u64::from(demand.sgpr));
        }
        cu.lds.gave(held.lds, demand.lds.into());
    }

    /// Returns whether all resources at a saved workgroup's old addresses are free, so that the
    /// workgroup can come back there.
    pub(super) fn is_there(&self, held: &Held) -> bool {
        let (cu, demand) = (&self.cus[held.cu], &held.demand);
        let scalar = u64::from(demand.waves) * u64::from(demand.sgpr);
        let simds = cu.simds.iter().zip(&held.simds);
        cu.workgroups > 0
            && cu.barriers >= demand.barriers.into()
            && cu.sgpr.as_ref().is_none_or(|map| map.is_free(held.sgpr, scalar))
            && cu.lds.is_free(held.lds, demand.lds.into())
            && simds.into_iter().all(|((slots, map), &(waves, start))| {
                *slots >= waves && map.is_free(start, waves * u64::from(demand.vgpr))
            })
    }

    pub(super) fn release(&mut self, name: Name, cu: usize) {
        if self.held.get(&name).is_some_and(|held| held.cu == cu) {
            let held = self.held.remove(&name);
            held.iter().for_each(|held| self.hand(held, true));
        } else if self.displaced.get(&name).is_some_and(|held| held.cu == cu) {
            self.displaced.remove(&name);
            self.cus[cu].displaced -= 1;
            self.changed(cu);
        }
    }

    /// Frees the resources of all workgroups of a launch at tick `now`; if `saved`, their addresses
    /// are kept, so that they can come back later.
    pub(super) fn lift(&mut self, launch: &Launch, saved: bool, now: u64) {
        let id = launch.id;
        let names = |of: &BTreeMap<Name, Held>| -> Vec<Name> {
            of.range((id, 0, None)..=(id, u64::MAX, Some(u16::MAX))).map(|it| *it.0).collect()
        };
        let all: Vec<Name> = names(&self.displaced).into_iter().chain(names(&self.held)).collect();
        let mut parked = Vec::new();
        for name in all {
            let held = self.held.get(&name).or_else(|| self.displaced.get(&name)).cloned();
            let Some(held) = held else { continue };
            self.release(name, held.cu);
            self.rule.ends(held.cu, launch, held.demand.waves, now);
            parked.push((name, held));
        }
        match saved {
            true => self.parked.entry(id).or_default().extend(parked),
            false => drop(self.parked.remove(&id)),
        }
    }

    /// Puts the saved workgroups of a launch back at their old addresses. Where other work is at an
    /// address, nothing new starts on that compute unit until the workgroup has ended.
    pub(super) fn restore(&mut self, launch: &Launch, now: u64) {
        for (name, held) in self.parked.remove(&launch.id).unwrap_or_default() {
            self.rule.starts(held.cu, launch, held.demand.waves, now);
            if self.is_there(&held) {
                self.hand(&held, false);
                self.held.insert(name, held);
            } else {
                let cu = held.cu;
                self.cus[cu].displaced += 1;
                self.displaced.insert(name, held);
                self.changed(cu);
            }
        }
    }
}

impl Matching {
    /// Returns the address of every wave of a workgroup. The waves go to the SIMDs in turn, from
    /// the SIMD `pointer` on. On each SIMD, a wave lies behind the earlier waves of the workgroup.
    pub(super) fn places(&self, held: &Held, pointer: usize) -> Vec<Place> {
        let simds = held.simds.len().max(1);
        let scalar = self.empty.sgpr.is_some();
        let place = |wave: u16| {
            let simd = (pointer + usize::from(wave)) % simds;
            let behind = u64::from(wave) / simds as u64;
            let vgpr = held.simds[simd].1 + behind * u64::from(held.demand.vgpr);
            let sgpr = held.sgpr + u64::from(wave) * u64::from(held.demand.sgpr);
            let sgpr = if scalar { sgpr as u16 } else { 0 };
            Place { simd: simd as u8, vgpr: vgpr as u16, sgpr, lds: held.lds as u32 }
        };
        (0..held.demand.waves).map(place).collect()
    }
}

impl Held {
    /// Sets the workgroup's addresses to those that a line of the decision log names.
    pub(super) fn lies_at(&mut self, places: &[Place]) {
        for (at, (waves, start)) in self.simds.iter_mut().enumerate() {
            let here = || places.iter().filter(|place| usize::from(place.simd) == at);
            *waves = here().count() as u64;
            *start = here().map(|place| place.vgpr.into()).min().unwrap_or(0);
        }
        self.sgpr = places.iter().map(|place| place.sgpr.into()).min().unwrap_or(0);
        self.lds = places.iter().map(|place| place.lds.into()).min().unwrap_or(0);
    }
}
