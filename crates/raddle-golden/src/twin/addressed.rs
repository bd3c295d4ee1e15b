//! Where do `greedy` and `round-robin` place a workgroup if every granule has an address?
//!
//! The rules are those of `docs/policies/baselines.md`: a wave goes to the SIMD whose free
//! resources have room for most further waves of its kind, the lowest of several; a SIMD without a
//! free run that is long enough is skipped. Every run is taken at the lowest address at which it
//! fits. A workgroup that comes back after a preemption lies where it lay; where that place is
//! taken, nothing new starts on its unit.
//!
//! Units: granules.

use std::collections::BTreeMap;

use raddle_policy::{CuShape, Demand, Fact, Launch, LaunchId, Place};
use serde_json::Value;

use super::matching::{Fit, Map, is_too_large};
use super::placing::{Aspect, PlacingTwin, Starts, View, Wanted};
use super::unit::Part;

/// A compute unit of the naive model, with its free granules (smallest amounts that are handed out)
/// and wave slots.
#[derive(Clone, Debug)]
struct Cu {
    /// For each SIMD (free wave slots, map of free vector registers).
    simds: Vec<(u64, Map)>,
    /// Map of free scalar registers; `None` where they never limit.
    sgpr: Option<Map>,
    lds: Map,
    workgroups: u64,
    barriers: u64,
    /// Number of workgroups that have lost their addresses on this compute unit: a preemption took
    /// them off, and when they came back, other work was there.
    displaced: u64,
}

/// A workgroup on the device: its compute unit, and the address of each of its waves. The list of
/// addresses is empty for a workgroup that came back after a preemption and found its addresses
/// taken.
#[derive(Clone, Debug)]
struct Held {
    cu: usize,
    demand: Demand,
    places: Vec<Place>,
}

/// Naive model of the policies `greedy` and `round-robin` with the setting `addresses = true`.
/// Answers of the policy in a decision log are compared with the model's.
#[derive(Debug)]
pub(super) struct Addressed {
    /// Compute unit at which the search for the next workgroup begins; `None` where every search
    /// begins at the lowest unit.
    cursor: Option<usize>,
    cus: Vec<Cu>,
    held: BTreeMap<(LaunchId, u64), Held>,
    saved: BTreeMap<LaunchId, Vec<(u64, Held)>>,
    /// Fit of a workgroup on each compute unit, by the demand (five numbers) of the workgroup: true
    /// if it fits, false if not, `None` if that was not tested since the unit last changed.
    fits: BTreeMap<[u32; 5], Vec<Option<bool>>>,
}

impl Cu {
    /// Takes all resources of the compute unit that a workgroup needs, and returns an address for
    /// each wave; `None` if the unit has too little of a resource.
    fn take(&mut self, demand: &Demand) -> Option<Vec<Place>> {
        let waves = usize::from(demand.waves);
        let lacks = self.displaced > 0 || self.workgroups == 0 || waves == 0;
        if lacks || self.barriers < demand.barriers.into() {
            return None;
        }
        let (scalar, vector) = (u64::from(demand.sgpr), u64::from(demand.vgpr));
        let lds = lowest(&mut self.lds, demand.lds.into())? as u32;
        let mut rooms: Vec<u64> =
            self.simds.iter().map(|it| it.0.min(times(&it.1, vector))).collect();
        let mut places = Vec::with_capacity(waves);
        for _ in 0..waves {
            let sgpr = self.sgpr.as_mut().map_or(Some(0), |map| lowest(map, scalar))?;
            let (simd, vgpr) = loop {
                let most = rooms.iter().copied().max().filter(|&most| most > 0)?;
                let simd = rooms.iter().position(|&room| room == most)?;
                match lowest(&mut self.simds[simd].1, vector) {
                    Some(vgpr) => break (simd, vgpr),
                    None => rooms[simd] = 0,
                }
            };
            rooms[simd] -= 1;
            self.simds[simd].0 -= 1;
            places.push(Place { simd: simd as u8, vgpr: vgpr as u16, sgpr: sgpr as u16, lds });
        }
        (self.workgroups, self.barriers) =
            (self.workgroups - 1, self.barriers - u64::from(demand.barriers));
        Some(places)
    }

    /// Frees the resources at a workgroup's addresses on this compute unit if `back` is true;
    /// otherwise takes them.
    fn hand(&mut self, held: &Held, back: bool) {
        let demand = &held.demand;
        let by = |free: &mut u64, amount: u64| {
            *free = if back { free.saturating_add(amount) } else { free.saturating_sub(amount) };
        };
        for place in &held.places {
            if let Some((slots, map)) = self.simds.get_mut(usize::from(place.simd)) {
                by(slots, 1);
                map.set(place.vgpr.into(), demand.vgpr.into(), back);
            }
            if let Some(sgpr) = &mut self.sgpr {
                sgpr.set(place.sgpr.into(), demand.sgpr.into(), back);
            }
        }
        let lds = held.places.first().map_or(0, |place| place.lds);
        self.lds.set(lds.into(), demand.lds.into(), back);
        by(&mut self.workgroups, 1);
        by(&mut self.barriers, demand.barriers.into());
    }

    /// Returns whether all granules at the workgroup's addresses are free.
    fn is_there(&self, held: &Held) -> bool {
        let demand = &held.demand;
        let lds = held.places.first().map_or(0, |place| place.lds);
        let on = |simd: usize| held.places.iter().filter(move |it| usize::from(it.simd) == simd);
        let mut simds = self.simds.iter().enumerate();
        let scalar = |map: &Map| {
            held.places.iter().all(|it| map.is_free(it.sgpr.into(), demand.sgpr.into()))
        };
        self.workgroups > 0
            && self.barriers >= demand.barriers.into()
            && self.lds.is_free(lds.into(), demand.lds.into())
            && self.sgpr.as_ref().is_none_or(scalar)
            && simds.all(|(simd, (slots, map))| {
                *slots >= on(simd).count() as u64
                    && on(simd).all(|it| map.is_free(it.vgpr.into(), demand.vgpr.into()))
            })
    }
}

/// Returns how many portions of `each` granules the free granules of the map make up, even where
/// they are not neighbours.
fn times(map: &Map, each: u64) -> u64 {
    map.free().checked_div(each).unwrap_or(u64::MAX)
}

/// Takes the lowest free run of `length` granules, and returns its start; `None` where no run is
/// long enough.
fn lowest(map: &mut Map, length: u64) -> Option<u64> {
    let start = map.start_of(length, Fit::First)?;
    map.set(start, length, false);
    Some(start)
}

impl Addressed {
    /// Makes the model for the settings of a recipe (file that chooses the policies of a run), on a
    /// device of `count` compute units; the error says why the decision log cannot be checked by
    /// it.
    pub(super) fn new(settings: &Value, shape: &CuShape, count: u16) -> Result<Self, String> {
        if is_too_large(shape, count) {
            return Err("its device has more granules than the model looks at".to_owned());
        }
        let simd = (shape.waves_per_simd.into(), Map::new(shape.vgpr_per_simd.into()));
        let cu = Cu {
            simds: vec![simd; shape.simds.into()],
            sgpr: (shape.sgpr != u16::MAX).then(|| Map::new(shape.sgpr.into())),
            lds: Map::new(shape.lds.into()),
            workgroups: shape.workgroups.into(),
            barriers: shape.barriers.into(),
            displaced: 0,
        };
        Ok(Self {
            cursor: (settings["policy"] == "round-robin").then_some(0),
            cus: vec![cu; count.into()],
            held: BTreeMap::new(),
            saved: BTreeMap::new(),
            fits: BTreeMap::new(),
        })
    }

    /// Finds the compute unit for a workgroup: the first one on which it fits, from unit `cursor`
    /// on, or from unit 0 without a cursor. Behind the last unit the search goes on at unit 0.
    /// `None` where the workgroup fits on none.
    fn unit(&mut self, demand: &Demand) -> Option<usize> {
        let Demand { waves, vgpr, sgpr, lds, barriers } = *demand;
        let key = [waves.into(), vgpr.into(), sgpr.into(), lds, barriers.into()];
        let known = self.fits.entry(key).or_insert_with(|| vec![None; self.cus.len()]);
        let from = self.cursor.unwrap_or(0);
        let mut around = (from..self.cus.len()).chain(0..from.min(self.cus.len()));
        around.find(|&cu| {
            *known[cu].get_or_insert_with(|| self.cus[cu].clone().take(demand).is_some())
        })
    }

    fn changed(&mut self, cu: usize) {
        self.fits.values_mut().for_each(|known| known[cu] = None);
    }

    fn release(&mut self, id: LaunchId, workgroup: u64) -> Option<Held> {
        let held = self.held.remove(&(id, workgroup))?;
        match held.places.is_empty() {
            true => self.cus[held.cu].displaced -= 1,
            false => self.cus[held.cu].hand(&held, true),
        }
        self.changed(held.cu);
        Some(held)
    }

    /// Frees the resources of a launch's workgroups. If `saved` is true, the addresses are stored,
    /// and the workgroups can come back there later.
    fn lift(&mut self, id: LaunchId, saved: bool) {
        let of = self.held.range((id, 0)..=(id, u64::MAX)).map(|(name, _)| name.1);
        let of: Vec<u64> = of.collect();
        let lifted = of.into_iter().filter_map(|it| Some((it, self.release(id, it)?)));
        let lifted: Vec<(u64, Held)> = lifted.collect();
        match saved {
            true => self.saved.entry(id).or_default().extend(lifted),
            false => drop(self.saved.remove(&id)),
        }
    }

    fn restore(&mut self, id: LaunchId) {
        for (workgroup, mut held) in self.saved.remove(&id).unwrap_or_default() {
            let cu = &mut self.cus[held.cu];
            if !held.places.is_empty() && cu.is_there(&held) {
                cu.hand(&held, false);
            } else {
                held.places.clear();
                cu.displaced += 1;
            }
            self.changed(held.cu);
            self.held.insert((id, workgroup), held);
        }
    }
}

impl PlacingTwin for Addressed {
    fn ask(&mut self, view: &View<'_>) -> Wanted {
        let waiting = view.entries.iter().filter(|entry| entry.next < entry.end);
        let mut placed = waiting.filter_map(|entry| {
            let cu = self.unit(&entry.launch.demand)? as u16;
            let waves = raddle_policy::WaveSpan::All;
            let part = Part { workgroup: entry.next, waves, cu };
            Some(Wanted::Start(vec![Starts { launch: entry.launch.id, part }]))
        });
        placed.next().unwrap_or(Wanted::Wait(None))
    }

    fn start(&mut self, launch: &Launch, part: Part, places: &[Place], _: u64) -> Vec<Place> {
        let (at, demand) = (usize::from(part.cu), launch.demand);
        let units = self.cus.len();
        let Some(cu) = self.cus.get_mut(at) else { return Vec::new() };
        if let Some(cursor) = &mut self.cursor {
            *cursor = (at + 1) % units;
        }
        let Some(by_rule) = cu.clone().take(&demand) else { return Vec::new() };
        // The model goes on from what the log says.
        let told = if places.len() == by_rule.len() { places } else { &by_rule };
        let held = Held { cu: at, demand, places: told.to_vec() };
        cu.hand(&held, false);
        self.changed(at);
        self.held.insert((launch.id, part.workgroup), held);
        by_rule
    }

    fn hear(&mut self, fact: &Fact<'_>, _: u64) {
        match fact {
            Fact::Ended { launch, pieces, .. } => {
                for workgroup in pieces.iter().flat_map(|piece| piece.workgroups()) {
                    self.release(launch.id, workgroup);
                }
            }
            Fact::TakenOff { launch, how } if how.frees_places() => {
                self.lift(launch.id, how.saves())
            }
            Fact::Returning { launch } | Fact::Restored { launch } => self.restore(launch.id),
            _ => {}
        }
    }

    fn units(&self, launch: LaunchId) -> Vec<u16> {
        let of = self.held.range((launch, 0)..=(launch, u64::MAX));
        of.map(|(_, held)| held.cu as u16).collect()
    }

    fn reads_the_view(&self) -> bool {
        false
    }

    fn rule(&self, aspect: Aspect) -> &'static str {
        match (aspect, self.cursor) {
            (Aspect::Address, _) => "baselines.md: the lowest address at which each run fits",
            (_, None) => "baselines.md: the lowest compute unit with room, by addresses",
            (_, Some(_)) => "baselines.md: the next compute unit with room, by addresses",
        }
    }
}
