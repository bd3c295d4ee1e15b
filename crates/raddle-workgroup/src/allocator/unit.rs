//! Which granules of one compute unit are taken?

use alloc::vec::Vec;

use raddle_bitmap::Bank;
use raddle_policy::{CuShape, Demand, LaunchId, MAX_SIMDS, Place, Resource};

use super::plan::PlacedGroup;

/// The granules of one compute unit, free or taken, and the workgroups that hold them.
#[derive(Clone, Debug)]
pub(super) struct CuGranules {
    /// The number of free wave slots of each SIMD; the entries beyond the number of SIMDs are 0.
    pub(super) slots: [u16; MAX_SIMDS],
    /// A bound: a wave fits only if it wants fewer granules of vector registers than this. It is
    /// one more than the longest free run on a SIMD with a free wave slot; 0 where no slot is free.
    widest: u32,
    /// The number of free granules of scalar registers; `u16::MAX` where scalar registers never
    /// limit.
    sgpr_free: u16,
    lds_free: u32,
    workgroups: u16,
    barriers: u16,
    /// The number of workgroups that came back after a preemption and found a granule taken: while
    /// there are any, the compute unit takes no new workgroup.
    displaced: u32,
    /// The workgroups on the compute unit, in no particular order: (launch, number of the
    /// workgroup, its demand and addresses).
    pub(super) groups: Vec<(LaunchId, u64, PlacedGroup)>,
    /// Vector registers: one map of free granules for each SIMD.
    pub(super) vgpr: Bank,
    /// Scalar registers: one map of free granules; `None` where scalar registers never limit.
    pub(super) sgpr: Option<Bank>,
    /// LDS (the shared memory of workgroups): one map of free granules.
    pub(super) lds: Bank,
}

impl CuGranules {
    pub(super) fn new(shape: &CuShape) -> Self {
        let usable = shape.check().is_ok();
        let simds = if usable { usize::from(shape.simds) } else { 0 };
        let mut unit = Self {
            slots: [0; MAX_SIMDS],
            widest: 0,
            sgpr_free: shape.sgpr,
            lds_free: shape.lds,
            workgroups: shape.workgroups,
            barriers: shape.barriers,
            displaced: 0,
            groups: Vec::new(),
            vgpr: bank(simds, shape.vgpr_per_simd.into()),
            sgpr: (shape.sgpr != u16::MAX).then(|| bank(1, shape.sgpr.into())),
            lds: bank(1, shape.lds),
        };
        unit.slots[..simds].fill(shape.waves_per_simd);
        unit.measure();
        unit
    }

    /// Returns a resource of which the compute unit certainly has too little for one more
    /// workgroup; `None` where only a search can tell. The method costs a few comparisons.
    ///
    /// It names only resources whose lack a search would find before it has placed the first wave.
    /// Such a search would not move the SIMD at which the next search begins, so it need not be
    /// made.
    pub(super) fn surely_lacks(&self, demand: &Demand) -> Option<Resource> {
        let waves = u32::from(demand.waves);
        if self.widest <= u32::from(demand.vgpr) {
            let slots = self.widest > 0;
            return Some(if slots { Resource::Vgpr } else { Resource::Waves });
        }
        if self.workgroups == 0 || self.displaced > 0 {
            return Some(Resource::Workgroups);
        }
        if waves == 0 {
            return Some(Resource::Waves);
        }
        if self.sgpr.is_some() && u32::from(self.sgpr_free) < waves * u32::from(demand.sgpr) {
            return Some(Resource::Sgpr);
        }
        if self.lds_free < demand.lds {
            return Some(Resource::Lds);
        }
        (self.barriers < demand.barriers).then_some(Resource::Barriers)
    }

    /// Returns for how many waves, with `vgpr` granules of vector registers each, a SIMD has wave
    /// slots and free registers, regardless of where the registers lie.
    pub(super) fn wave_room(&self, simd: usize, vgpr: u16) -> u16 {
        let by_registers = self.vgpr.free_blocks(simd).checked_div(u32::from(vgpr));
        // The result is no larger than the number of slots, which is a u16.
        by_registers.map_or(self.slots[simd], |waves| waves.min(u32::from(self.slots[simd])) as u16)
    }

    pub(super) fn position(&self, launch: LaunchId, workgroup: u64) -> Option<usize> {
        self.position_of(|of, number| number == workgroup && of == launch)
    }

    pub(super) fn position_of(&self, is_it: impl Fn(LaunchId, u64) -> bool) -> Option<usize> {
        let mut groups = self.groups.iter();
        groups.position(|&(launch, workgroup, _)| is_it(launch, workgroup))
    }

    /// Frees the granules of the workgroup with the index `position` in `groups`, and removes it
    /// from the compute unit. Returns (number of the workgroup, its demand and addresses).
    pub(super) fn remove(&mut self, position: usize) -> (u64, PlacedGroup) {
        let (_, workgroup, group) = self.groups.swap_remove(position);
        self.give(&group.demand, &group.places);
        (workgroup, group)
    }

    /// Takes the granules of a workgroup at these addresses (SIMD, and first granules of registers
    /// and LDS of each wave). Returns `false`, and changes nothing, where one of the granules is
    /// taken already.
    pub(super) fn take(&mut self, demand: &Demand, places: &[Place]) -> bool {
        let Some(first) = places.first() else {
            return false;
        };
        if self.workgroups == 0
            || self.barriers < demand.barriers
            || !take(&mut self.lds, 0, first.lds, demand.lds)
        {
            return false;
        }
        self.lds_free -= demand.lds;
        self.workgroups -= 1;
        self.barriers -= demand.barriers;
        let taken = places.iter().take_while(|place| self.take_wave(demand, place));
        let taken = taken.count();
        if taken < places.len() {
            self.give_group(demand, first.lds);
            self.give_waves(demand, &places[..taken]);
        }
        self.measure();
        taken == places.len()
    }

    fn take_wave(&mut self, demand: &Demand, place: &Place) -> bool {
        let simd = usize::from(place.simd);
        let (vgpr, sgpr) = (u32::from(demand.vgpr), u32::from(demand.sgpr));
        if self.slots.get(simd).is_none_or(|&slots| slots == 0)
            || !take(&mut self.vgpr, simd, place.vgpr.into(), vgpr)
        {
            return false;
        }
        if let Some(scalar) = &mut self.sgpr {
            if !take(scalar, 0, place.sgpr.into(), sgpr) {
                give(&mut self.vgpr, simd, place.vgpr.into(), vgpr);
                return false;
            }
            self.sgpr_free -= demand.sgpr;
        }
        self.slots[simd] -= 1;
        true
    }

    /// Counts a workgroup that came back after a preemption, found a granule taken, and holds none:
    /// until it has been released, the compute unit takes no new workgroup.
    pub(super) fn block(&mut self) {
        self.displaced += 1;
    }

    /// Frees the granules of a workgroup at these addresses. A workgroup without addresses is one
    /// that came back after a preemption without its granules: then only the count `displaced`
    /// falls by 1.
    fn give(&mut self, demand: &Demand, places: &[Place]) {
        if places.is_empty() {
            self.displaced -= 1;
            return;
        }
        self.give_group(demand, places.first().map_or(0, |place| place.lds));
        self.give_waves(demand, places);
        self.measure();
    }

    fn give_group(&mut self, demand: &Demand, lds: u32) {
        give(&mut self.lds, 0, lds, demand.lds);
        self.lds_free += demand.lds;
        self.workgroups += 1;
        self.barriers += demand.barriers;
    }

    fn give_waves(&mut self, demand: &Demand, places: &[Place]) {
        for place in places {
            let simd = usize::from(place.simd);
            give(&mut self.vgpr, simd, place.vgpr.into(), demand.vgpr.into());
            self.slots[simd] += 1;
            if let Some(sgpr) = &mut self.sgpr {
                give(sgpr, 0, place.sgpr.into(), demand.sgpr.into());
                self.sgpr_free += demand.sgpr;
            }
        }
    }

    fn measure(&mut self) {
        let with_slot = (0..self.vgpr.len()).filter(|&simd| self.slots[simd] > 0);
        self.widest = with_slot.map(|simd| self.vgpr.longest(simd) + 1).max().unwrap_or(0);
    }

    /// Returns a bound: a wave fits only if it wants fewer granules of vector registers than this.
    /// It is one more than the longest free run on a SIMD with a free wave slot; 0 where no slot is
    /// free.
    pub(super) const fn widest(&self) -> u32 {
        self.widest
    }
}

/// Makes `maps` free maps of one resource of a compute unit, each of `granules` granules that are
/// all free. Where memory cannot hold them, makes no maps.
fn bank(maps: usize, granules: u32) -> Bank {
    Bank::new(maps, granules).unwrap_or_default()
}

/// Takes `len` granules from the granule `start` on in the free map with the index `map` of a
/// resource, if all of them are free. Returns whether they were free.
fn take(bank: &mut Bank, map: usize, start: u32, len: u32) -> bool {
    bank.fit_at(map, start, len).is_some_and(|plan| bank.commit(map, plan).is_ok())
}

/// Frees `len` granules from the granule `start` on in the free map with the index `map` of a
/// resource; all of them must be taken.
fn give(bank: &mut Bank, map: usize, start: u32, len: u32) {
    let given = bank.release(map, start, len);
    debug_assert!(given.is_ok(), "{len} granules from {start} were taken");
}
