//! Which blocks of each compute unit are taken, found by looking at every one?
//!
//! Nothing of the crates under test decides here: only shapes and demands are theirs. Units:
//! granules.

use raddle_policy::{CuShape, Demand};

/// The place of a wave on its compute unit: [SIMD, first granule of vector registers, of scalar
/// registers, of LDS].
pub(super) type At = [usize; 4];

/// The compute units on which a demand fits, each with the places of its waves.
pub(super) type Fits = Vec<(usize, Vec<At>)>;

/// The blocks that are taken and free on one compute unit.
#[derive(Clone)]
struct Unit {
    /// Free wave slots of the compute unit, by SIMD.
    slots: Vec<usize>,
    vgpr: Vec<Vec<bool>>,
    /// True for each granule of scalar registers that is taken; `None` where they never limit.
    sgpr: Option<Vec<bool>>,
    lds: Vec<bool>,
    workgroups: usize,
    barriers: usize,
    /// The SIMD that gets the first wave of the next workgroup.
    turn: usize,
    /// The number of workgroups that came back to this unit and found their place taken: no new
    /// workgroup starts here meanwhile.
    displaced: usize,
}

pub(super) struct Device {
    units: Vec<Unit>,
    empty: Unit,
    /// True if each start moves the pointer to the SIMD of the next first wave.
    turns: bool,
}

/// Returns the start of the lowest run of `wanted` free blocks (granules); 0 where none is wanted,
/// `None` where no run is long enough.
fn run(map: &[bool], wanted: usize) -> Option<usize> {
    let free = |start: &usize| map[*start..start + wanted].iter().all(|taken| !taken);
    if wanted == 0 { Some(0) } else { (0..(map.len() + 1).saturating_sub(wanted)).find(free) }
}

fn set(map: &mut [bool], start: usize, count: usize, taken: bool) {
    for block in &mut map[start..start + count] {
        assert_ne!(*block, taken, "a block is owned once, and given back by who has it");
        *block = taken;
    }
}

impl Device {
    /// Returns an empty device of `cus` compute units, on each of which the first wave goes to SIMD
    /// `turn`; `turns` is true if each start moves that pointer.
    pub(super) fn new(shape: &CuShape, cus: u16, turn: usize, turns: bool) -> Self {
        let simds = usize::from(shape.simds);
        let empty = Unit {
            slots: vec![shape.waves_per_simd.into(); simds],
            vgpr: vec![vec![false; shape.vgpr_per_simd.into()]; simds],
            sgpr: (shape.sgpr != u16::MAX).then(|| vec![false; shape.sgpr.into()]),
            lds: vec![false; shape.lds as usize],
            workgroups: shape.workgroups.into(),
            barriers: shape.barriers.into(),
            turn: turn % simds,
            displaced: 0,
        };
        Self { units: vec![empty.clone(); cus.into()], empty, turns }
    }

    /// Returns the places that the waves of this demand would get on an empty compute unit; `None`
    /// if they do not fit.
    pub(super) fn on_empty(&self, demand: &Demand) -> Option<Vec<At>> {
        self.empty.fit(demand)
    }

    /// Returns the compute units that the demand fits, ascending, each with the places of its
    /// waves.
    pub(super) fn fit(&self, demand: &Demand) -> Fits {
        let units = self.units.iter().enumerate();
        units.filter_map(|(cu, unit)| Some((cu, unit.fit(demand)?))).collect()
    }

    /// Returns the free amounts of a compute unit: [wave slots, vector registers, scalar registers,
    /// LDS]; with `longest`, only those in the longest free run, where runs matter.
    pub(super) fn free(&self, cu: usize, longest: bool) -> [u64; 4] {
        let unit = &self.units[cu];
        let of = |map: &Vec<bool>| -> u64 {
            let runs = map.split(|taken| *taken).map(|run| run.len() as u64);
            if longest { runs.max().unwrap_or(0) } else { runs.sum() }
        };
        let slots = unit.slots.iter().sum::<usize>() as u64;
        let vgpr = unit.vgpr.iter().map(of).sum();
        [slots, vgpr, unit.sgpr.as_ref().map_or(0, of), of(&unit.lds)]
    }

    /// Starts a workgroup on a compute unit: takes the places of its waves and moves the pointer.
    pub(super) fn start(&mut self, cu: usize, demand: &Demand, waves: &[At]) {
        let unit = &mut self.units[cu];
        unit.mark(demand, waves, true);
        if self.turns {
            unit.turn = (unit.turn + waves.len()) % unit.slots.len();
        }
    }

    /// Frees the places of a workgroup that ends or is saved.
    pub(super) fn give(&mut self, cu: usize, demand: &Demand, waves: &[At]) {
        self.units[cu].mark(demand, waves, false);
    }

    /// Brings a saved workgroup back to its places. Returns whether they were free.
    pub(super) fn back(&mut self, cu: usize, demand: &Demand, waves: &[At]) -> bool {
        let unit = &mut self.units[cu];
        let there = unit.has(demand, waves);
        if there {
            unit.mark(demand, waves, true);
        } else {
            unit.displaced += 1;
        }
        there
    }

    /// Removes a displaced workgroup that ends or is saved again.
    pub(super) fn displaced_left(&mut self, cu: usize) {
        self.units[cu].displaced -= 1;
    }

    pub(super) fn is_empty(&self) -> bool {
        let free = |map: &Vec<bool>| map.iter().all(|taken| !taken);
        self.units.iter().all(|unit| {
            (&unit.slots, unit.workgroups, unit.barriers, unit.displaced)
                == (&self.empty.slots, self.empty.workgroups, self.empty.barriers, 0)
                && unit.vgpr.iter().chain(&unit.sgpr).chain([&unit.lds]).all(free)
        })
    }
}

impl Unit {
    fn fit(&self, demand: &Demand) -> Option<Vec<At>> {
        let (waves, simds) = (usize::from(demand.waves), self.slots.len());
        let each = usize::from(demand.vgpr);
        let counted = self.workgroups > 0 && self.barriers >= demand.barriers.into();
        if !counted || self.displaced > 0 {
            return None;
        }
        let mut on = vec![0; simds];
        (0..waves).for_each(|wave| on[(self.turn + wave) % simds] += 1);
        let mut first = vec![0; simds];
        for simd in 0..simds {
            if on[simd] > self.slots[simd] {
                return None;
            }
            first[simd] = run(&self.vgpr[simd], on[simd] * each)?;
        }
        let lds = run(&self.lds, demand.lds as usize)?;
        let scalar = usize::from(demand.sgpr);
        let sgpr = match &self.sgpr {
            Some(map) => run(map, waves * scalar)?,
            None => 0,
        };
        let place = |wave: usize| {
            let simd = (self.turn + wave) % simds;
            let vgpr = first[simd] + wave / simds * each;
            let sgpr = if self.sgpr.is_some() { sgpr + wave * scalar } else { 0 };
            [simd, vgpr, sgpr, lds]
        };
        Some((0..waves).map(place).collect())
    }

    fn has(&self, demand: &Demand, waves: &[At]) -> bool {
        let free = |map: &[bool], start: usize, count: u32| {
            map[start..start + count as usize].iter().all(|taken| !taken)
        };
        let wanted = |simd: usize| waves.iter().filter(|at| at[0] == simd).count();
        self.workgroups > 0
            && self.barriers >= demand.barriers.into()
            && self.slots.iter().enumerate().all(|(simd, &left)| left >= wanted(simd))
            && free(&self.lds, waves[0][3], demand.lds)
            && waves.iter().all(|&[simd, vgpr, sgpr, _]| {
                let scalar = |map: &Vec<bool>| free(map, sgpr, demand.sgpr.into());
                free(&self.vgpr[simd], vgpr, demand.vgpr.into())
                    && self.sgpr.as_ref().is_none_or(scalar)
            })
    }

    fn mark(&mut self, demand: &Demand, waves: &[At], taken: bool) {
        let change = |left: &mut usize, by: usize| {
            let after = if taken { left.checked_sub(by) } else { Some(*left + by) };
            *left = after.expect("nothing is over-committed");
        };
        change(&mut self.workgroups, 1);
        change(&mut self.barriers, demand.barriers.into());
        set(&mut self.lds, waves[0][3], demand.lds as usize, taken);
        for &[simd, vgpr, sgpr, lds] in waves {
            assert_eq!(lds, waves[0][3], "the waves of a workgroup share their LDS");
            change(&mut self.slots[simd], 1);
            set(&mut self.vgpr[simd], vgpr, demand.vgpr.into(), taken);
            if let Some(map) = &mut self.sgpr {
                set(map, sgpr, demand.sgpr.into(), taken);
            }
        }
    }
}
