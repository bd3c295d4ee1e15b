//! Which granules of one compute unit are taken?

use alloc::vec::Vec;

use raddle_policy::{CuShape, Demand, LaunchId, MAX_SIMDS, Place, Resource};

use super::plan::PlacedGroup;
use super::pool::Pool;

/// One compute unit.
#[derive(Clone, Debug)]
pub(super) struct CuGranules {
    /// Free wave slots of each SIMD; 0 beyond the last.
    pub(super) slots: [u16; MAX_SIMDS],
    /// The longest free run of vector registers of each SIMD.
    longest: [u16; MAX_SIMDS],
    /// See [`CuGranules::widest`].
    widest: u32,
    /// Free scalar registers; `u16::MAX` where they never limit.
    sgpr_free: u16,
    lds_free: u32,
    workgroups: u16,
    barriers: u16,
    /// Workgroups that came back and found a place of theirs taken: while there are any, nothing
    /// new is let in.
    displaced: u32,
    /// Which workgroups lie here, in no particular order.
    pub(super) groups: Vec<(LaunchId, u64, PlacedGroup)>,
    /// One map a SIMD.
    pub(super) vgpr: Vec<Pool>,
    /// `None` where scalar registers never limit.
    pub(super) sgpr: Option<Pool>,
    pub(super) lds: Pool,
}

impl CuGranules {
    pub(super) fn new(shape: &CuShape) -> Self {
        let usable = shape.check().is_ok();
        let simds = if usable { usize::from(shape.simds) } else { 0 };
        let mut unit = Self {
            slots: [0; MAX_SIMDS],
            longest: [0; MAX_SIMDS],
            widest: 0,
            sgpr_free: shape.sgpr,
            lds_free: shape.lds,
            workgroups: shape.workgroups,
            barriers: shape.barriers,
            displaced: 0,
            groups: Vec::new(),
            vgpr: (0..simds).map(|_| Pool::new(u32::from(shape.vgpr_per_simd))).collect(),
            sgpr: (shape.sgpr != u16::MAX).then(|| Pool::new(u32::from(shape.sgpr))),
            lds: Pool::new(shape.lds),
        };
        unit.slots[..simds].fill(shape.waves_per_simd);
        unit.longest[..simds].fill(shape.vgpr_per_simd);
        unit.measure(&[]);
        unit
    }

    /// What certainly lacks for one more workgroup, at the price of a few comparisons.
    ///
    /// Refuses only what would leave no trace in a rotation: what lacks as a whole before any wave
    /// is given a SIMD, or what the first wave lacks on every SIMD.
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

    /// How many waves of this kind the free slots and registers of a SIMD hold, wherever they lie.
    pub(super) fn wave_room(&self, simd: usize, vgpr: u16) -> u16 {
        let free = self.vgpr.get(simd).map_or(0, Pool::free);
        let by_registers = free.checked_div(u32::from(vgpr));
        // No larger than the slots, and those are u16.
        by_registers.map_or(self.slots[simd], |waves| waves.min(u32::from(self.slots[simd])) as u16)
    }

    pub(super) fn position(&self, launch: LaunchId, workgroup: u64) -> Option<usize> {
        self.position_of(|of, number| number == workgroup && of == launch)
    }

    pub(super) fn position_of(&self, is_it: impl Fn(LaunchId, u64) -> bool) -> Option<usize> {
        let mut groups = self.groups.iter();
        groups.position(|&(launch, workgroup, _)| is_it(launch, workgroup))
    }

    /// Gives back what the workgroup at this position holds, and forgets it.
    pub(super) fn remove(&mut self, position: usize) -> (u64, PlacedGroup) {
        let (_, workgroup, group) = self.groups.swap_remove(position);
        self.give(&group.demand, &group.places);
        (workgroup, group)
    }

    /// Takes the places of a workgroup, or changes nothing.
    pub(super) fn take(&mut self, demand: &Demand, places: &[Place]) -> bool {
        let Some(first) = places.first() else {
            return false;
        };
        if self.workgroups == 0
            || self.barriers < demand.barriers
            || !self.lds.take(first.lds, demand.lds)
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
        self.measure(places);
        taken == places.len()
    }

    fn take_wave(&mut self, demand: &Demand, place: &Place) -> bool {
        let simd = usize::from(place.simd);
        let (vgpr, sgpr) = (u32::from(demand.vgpr), u32::from(demand.sgpr));
        let Some(map) = self.vgpr.get_mut(simd).filter(|_| self.slots[simd] > 0) else {
            return false;
        };
        if !map.take(u32::from(place.vgpr), vgpr) {
            return false;
        }
        if let Some(scalar) = &mut self.sgpr {
            if !scalar.take(u32::from(place.sgpr), sgpr) {
                map.give(u32::from(place.vgpr), vgpr);
                return false;
            }
            self.sgpr_free -= demand.sgpr;
        }
        self.slots[simd] -= 1;
        true
    }

    /// Lets nothing new in until one more workgroup without a place has been given back.
    pub(super) fn block(&mut self) {
        self.displaced += 1;
    }

    /// Gives back the places of a workgroup that were taken before; none: it was displaced.
    fn give(&mut self, demand: &Demand, places: &[Place]) {
        if places.is_empty() {
            self.displaced -= 1;
            return;
        }
        self.give_group(demand, places.first().map_or(0, |place| place.lds));
        self.give_waves(demand, places);
        self.measure(places);
    }

    fn give_group(&mut self, demand: &Demand, lds: u32) {
        self.lds.give(lds, demand.lds);
        self.lds_free += demand.lds;
        self.workgroups += 1;
        self.barriers += demand.barriers;
    }

    fn give_waves(&mut self, demand: &Demand, places: &[Place]) {
        for place in places {
            let simd = usize::from(place.simd);
            self.vgpr[simd].give(u32::from(place.vgpr), demand.vgpr.into());
            self.slots[simd] += 1;
            if let Some(sgpr) = &mut self.sgpr {
                sgpr.give(u32::from(place.sgpr), demand.sgpr.into());
                self.sgpr_free += demand.sgpr;
            }
        }
    }

    /// Measures the SIMDs anew on which these waves lie, or lay.
    fn measure(&mut self, places: &[Place]) {
        let mut touched = [false; MAX_SIMDS];
        for place in places {
            let simd = usize::from(place.simd) % MAX_SIMDS;
            if !touched[simd]
                && let Some(map) = self.vgpr.get(simd)
            {
                touched[simd] = true;
                // The map is as long as a u16 said.
                self.longest[simd] = map.longest() as u16;
            }
        }
        let with_slot = self.longest.iter().zip(&self.slots).take(self.vgpr.len());
        let runs = with_slot.filter(|&(_, &slots)| slots > 0);
        self.widest = runs.map(|(&run, _)| u32::from(run) + 1).max().unwrap_or(0);
    }

    /// One more than the longest run of vector registers on a SIMD with a free slot; 0 without a
    /// slot. A wave that asks for as many finds no SIMD.
    pub(super) const fn widest(&self) -> u32 {
        self.widest
    }
}
