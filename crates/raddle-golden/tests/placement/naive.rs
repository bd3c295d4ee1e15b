//! What does the contract say, read literally, granule by granule?
//!
//! The oracle: maps of booleans, every probe made, everything taken at once and given back when a
//! later stage refuses.

use std::collections::BTreeMap;

use raddle_golden::placement::contract::{Algorithm, ContractKernel};
use raddle_policy::{CuId, Demand, Place};

use crate::subject::{Placed, Subject};

#[derive(Clone)]
struct Unit {
    slots: [u16; 4],
    vgpr: [Vec<bool>; 4],
    sgpr: Vec<bool>,
    lds: Vec<bool>,
    rotation: usize,
}

/// Finds the lowest `want` free granules in a row of a map in which `true` is taken; `None` where
/// there are none.
fn fit(map: &[bool], want: usize) -> Option<usize> {
    if want == 0 {
        return Some(0);
    }
    (0..map.len())
        .find(|&start| start + want <= map.len() && !map[start..start + want].contains(&true))
}

/// Returns the granules of a demand: vector and scalar registers of a wave, LDS of the workgroup.
fn granules(demand: &Demand) -> (usize, usize, usize) {
    (demand.vgpr.into(), demand.sgpr.into(), demand.lds as usize)
}

impl Unit {
    fn new() -> Self {
        Self {
            slots: [10; 4],
            vgpr: [(); 4].map(|()| vec![false; 64]),
            sgpr: vec![false; 200],
            lds: vec![false; 256],
            rotation: 0,
        }
    }

    fn probe(&mut self, demand: &Demand) -> Option<Vec<Place>> {
        let before = self.clone();
        let places = self.stages(demand);
        if places.is_none() {
            let rotation = self.rotation;
            *self = before;
            self.rotation = rotation;
        }
        places
    }

    fn stages(&mut self, demand: &Demand) -> Option<Vec<Place>> {
        let (v, g, l) = granules(demand);
        let mut places = vec![Place::default(); demand.waves.into()];
        for place in &mut places {
            let start = fit(&self.sgpr, g)?;
            self.sgpr[start..start + g].fill(true);
            place.sgpr = start as u16;
        }
        let lds = fit(&self.lds, l)?;
        self.lds[lds..lds + l].fill(true);
        for place in &mut places {
            place.lds = lds as u32;
            let order = (0..4).map(|step| (self.rotation + step) % 4);
            let (simd, start) = order
                .filter(|&simd| self.slots[simd] > 0)
                .find_map(|simd| Some((simd, fit(&self.vgpr[simd], v)?)))?;
            self.slots[simd] -= 1;
            self.vgpr[simd][start..start + v].fill(true);
            (place.simd, place.vgpr) = (simd as u8, start as u16);
            self.rotation = (simd + 1) % 4;
        }
        Some(places)
    }

    fn release(&mut self, demand: &Demand, places: &[Place]) {
        let (v, g, l) = granules(demand);
        for place in places {
            let (simd, start) = (usize::from(place.simd), usize::from(place.vgpr));
            self.slots[simd] += 1;
            self.vgpr[simd][start..start + v].fill(false);
            let start = usize::from(place.sgpr);
            self.sgpr[start..start + g].fill(false);
        }
        let start = places[0].lds as usize;
        self.lds[start..start + l].fill(false);
    }
}

/// Oracle: a device that places workgroups by the rules of the placement contract, granule by
/// granule, with one algorithm object for each kernel.
pub(crate) struct Naive {
    algorithm: Algorithm,
    units: Vec<Unit>,
    kernels: Vec<(Demand, u64, usize)>,
    held: BTreeMap<(usize, u64), Placed>,
    probes: u64,
}

impl Naive {
    pub(crate) fn new(algorithm: Algorithm, kernels: &[ContractKernel], cus: u16) -> Self {
        let demand = |kernel: &ContractKernel| kernel.demand().expect("small kernels");
        Self {
            algorithm,
            units: vec![Unit::new(); cus.into()],
            kernels: kernels.iter().map(|kernel| (demand(kernel), 0, 0)).collect(),
            held: BTreeMap::new(),
            probes: 0,
        }
    }
}

impl Subject for Naive {
    fn place(&mut self, kernel: usize) -> Option<(u64, Placed)> {
        let count = self.units.len();
        let (demand, next, cursor) = &mut self.kernels[kernel];
        for step in 0..count {
            let cu = (*cursor + step) % count;
            self.probes += 1;
            if let Some(places) = self.units[cu].probe(demand) {
                if self.algorithm == Algorithm::RoundRobin {
                    *cursor = (cu + 1) % count;
                }
                let cu = CuId(cu as u16);
                let placed = Placed { cu, places };
                self.held.insert((kernel, *next), placed.clone());
                *next += 1;
                return Some((*next - 1, placed));
            }
        }
        None
    }

    fn release(&mut self, kernel: usize, workgroup: u64) {
        let placed = self.held.remove(&(kernel, workgroup)).expect("it was placed");
        self.units[placed.cu.index()].release(&self.kernels[kernel].0, &placed.places);
    }

    fn probes(&self) -> u64 {
        self.probes
    }
}
