//! At which addresses would the waves of one workgroup lie on one compute unit?
//!
//! A probe (search) has three stages: scalar registers wave by wave, LDS once, then SIMD and vector
//! registers wave by wave. A run that a stage finds counts as taken for its later steps. All waves
//! need runs of one length, so the next run of a map always starts at or after the end of the one
//! before, and nothing needs to be marked.

use raddle_bitmap::Bank;
use raddle_policy::{CuId, Demand, MAX_SIMDS, Place, Resource};

use super::plan::{GroupPlan, PlacedGroup, ProbeRefusal, SimdRule, WavePlaces};
use super::unit::CuGranules;

/// Searches room for one workgroup on a compute unit in three stages: scalar registers, LDS, and
/// then SIMDs with vector registers. The error names the resource that is lacking.
pub(super) fn stages(
    unit: &CuGranules,
    cu: CuId,
    demand: &Demand,
    rule: SimdRule,
) -> Result<GroupPlan, ProbeRefusal> {
    let mut simds = Simds::new(unit, demand, rule);
    let refused = |resource, simds: &Simds<'_>| ProbeRefusal { resource, rotation: simds.rotation };
    if simds.too_few_for(demand.waves) {
        return Err(refused(simds.lacks(), &simds));
    }
    let mut places = WavePlaces::with_capacity(usize::from(demand.waves));
    if !scalar_registers(unit, demand, &mut places) {
        return Err(refused(Resource::Sgpr, &simds));
    }
    let Some(lds) = first_from(&unit.lds, 0, 0, demand.lds) else {
        return Err(refused(Resource::Lds, &simds));
    };
    for place in &mut places {
        place.lds = lds;
        if !simds.next(place) {
            return Err(refused(simds.lacks(), &simds));
        }
    }
    Ok(GroupPlan { rotation: simds.rotation, group: PlacedGroup { cu, demand: *demand, places } })
}

/// Adds one address for each wave to `places`, with the first granule of the wave's run of scalar
/// registers. Returns false where a wave finds no run.
fn scalar_registers(unit: &CuGranules, demand: &Demand, places: &mut WavePlaces) -> bool {
    let want = u32::from(demand.sgpr);
    let mut from = 0;
    for _ in 0..demand.waves {
        let start = match &unit.sgpr {
            Some(bank) => first_from(bank, 0, from, want),
            None => Some(0),
        };
        let Some(start) = start else { return false };
        from = start + want;
        places.push(Place {
            // The map has no more granules than a u16 counts.
            sgpr: start as u16,
            ..Place::default()
        });
    }
    true
}

/// The SIMDs of a compute unit during one probe, the search that finds a SIMD for each wave of a
/// workgroup.
struct Simds<'a> {
    maps: &'a Bank,
    /// The number of further waves for which each SIMD has wave slots and, under
    /// [`SimdRule::MostRoom`], also registers. 0 once no free run of registers is long enough.
    room: [u16; MAX_SIMDS],
    /// The granule of each SIMD from which the search for the next free run of vector registers
    /// begins.
    from: [u32; MAX_SIMDS],
    vgpr: u32,
    most_room: bool,
    rotation: u8,
}

impl<'a> Simds<'a> {
    fn new(unit: &'a CuGranules, demand: &Demand, rule: SimdRule) -> Self {
        let (most_room, rotation) = match rule {
            SimdRule::MostRoom => (true, 0),
            SimdRule::From(simd) => (false, simd),
        };
        let mut room = unit.slots;
        if most_room {
            for (simd, room) in room.iter_mut().enumerate().take(unit.vgpr.len()) {
                *room = unit.wave_room(simd, demand.vgpr);
            }
        }
        Self {
            maps: &unit.vgpr,
            room,
            from: [0; MAX_SIMDS],
            vgpr: u32::from(demand.vgpr),
            most_room,
            rotation,
        }
    }

    /// Returns whether the SIMDs certainly have room for fewer than `waves` waves. Under
    /// [`SimdRule::From`] it returns false, so that the search is made: even a search that fails
    /// moves the SIMD at which the next one begins.
    fn too_few_for(&self, waves: u16) -> bool {
        let room: u32 = self.room.iter().map(|&room| u32::from(room)).sum();
        self.most_room && room < u32::from(waves)
    }

    /// Chooses a SIMD and a run of vector registers for one wave, and writes them to the wave's
    /// address `place`. Returns whether a SIMD takes the wave.
    fn next(&mut self, place: &mut Place) -> bool {
        let count = self.maps.len();
        for step in 0..count {
            let simd = if self.most_room {
                self.roomiest()
            } else {
                (usize::from(self.rotation) + step) % count
            };
            if self.room[simd] == 0 {
                continue;
            }
            let Some(start) = first_from(self.maps, simd, self.from[simd], self.vgpr) else {
                // A probe gives nothing back, so no later wave will fit on this SIMD either.
                self.room[simd] = 0;
                continue;
            };
            self.room[simd] -= 1;
            self.from[simd] = start + self.vgpr;
            // There are at most 8 SIMDs, and the map has no more granules than a u16 counts.
            place.simd = simd as u8;
            place.vgpr = start as u16;
            self.rotation = ((simd + 1) % count) as u8;
            return true;
        }
        false
    }

    /// Returns the number of the SIMD with room for most further waves, ties to the lowest.
    fn roomiest(&self) -> usize {
        let mut best = 0;
        for simd in 1..self.maps.len() {
            if self.room[simd] > self.room[best] {
                best = simd;
            }
        }
        best
    }

    /// Returns the resource that the refused wave lacks: vector registers, or wave slots if the
    /// wave needs no vector registers.
    fn lacks(&self) -> Resource {
        if self.vgpr > 0 { Resource::Vgpr } else { Resource::Waves }
    }
}

/// Finds the first resource of which no free run is long enough for a workgroup: (resource, length
/// wanted, length of the longest free run), in granules.
///
/// `None` where the workgroup fits, or where too little of a resource is free in total.
pub(super) fn lacking_run(unit: &CuGranules, demand: &Demand) -> Option<(Resource, u32, u32)> {
    if let Some(bank) = &unit.sgpr {
        let want = u32::from(demand.sgpr);
        let (found, left) = take_runs(bank, 0, want, demand.waves);
        if found < demand.waves {
            return Some((Resource::Sgpr, want, left));
        }
    }
    if first_from(&unit.lds, 0, 0, demand.lds).is_none() {
        return Some((Resource::Lds, demand.lds, unit.lds.longest(0)));
    }
    let want = u32::from(demand.vgpr);
    let (mut found, mut longest) = (0u32, None);
    for (simd, &slots) in unit.slots.iter().enumerate().take(unit.vgpr.len()) {
        let (here, left) = take_runs(&unit.vgpr, simd, want, slots);
        found += u32::from(here);
        // A SIMD without a slot left has registers that no wave could use.
        if here < slots {
            longest = longest.max(Some(left));
        }
    }
    (found < u32::from(demand.waves)).then_some(())?;
    longest.map(|longest| (Resource::Vgpr, want, longest))
}

/// Finds the lowest granule, at or after `from`, at which a run of `want` free granules starts in
/// the free map with the index `map` of a resource; `None` where there is none.
fn first_from(bank: &Bank, map: usize, from: u32, want: u32) -> Option<u32> {
    bank.first_fit_from(map, from, want).map(|plan| plan.start())
}

/// Counts how many runs of `want` granules, at most `count`, could be taken from the free map with
/// the index `map`; takes none. Returns (number of these runs, length of the longest free run that
/// they would leave).
fn take_runs(bank: &Bank, map: usize, want: u32, count: u16) -> (u16, u32) {
    let mut bank = bank.clone();
    for found in 0..count {
        let Some(plan) = bank.first_fit(map, want) else { return (found, bank.longest(map)) };
        if bank.commit(map, plan).is_err() {
            return (found, 0);
        }
    }
    (count, bank.longest(map))
}
