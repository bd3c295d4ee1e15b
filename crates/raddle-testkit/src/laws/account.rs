//! Which resources do workgroups hold on the simulated device of the test kit?
//!
//! Waves of whole workgroups without addresses have no identity: when a workgroup ends, its waves
//! leave the SIMDs that hold most waves of its launch on that compute unit.

use std::collections::BTreeMap;

use raddle_policy::{
    CuId, CuShape, Cus, Demand, Launch, LaunchId, MAX_SIMDS, Piece, Place, Split, WaveSpan,
    take_highest,
};

use super::Breach;
use super::spot::breach;

/// Free resources of the compute units of a test's simulated device, and the workgroups that hold
/// the taken ones.
#[derive(Debug)]
pub(super) struct WorldAccount {
    pub(super) cus: Cus,
    /// Whole workgroups whose registers and LDS have no addresses, by launch and compute unit:
    /// (number of their waves on each SIMD, number of workgroups).
    counted: BTreeMap<(LaunchId, CuId), (Split, u32)>,
    /// Workgroups that are not counted in bulk: those whose registers and LDS have addresses, those
    /// that start wave by wave, and parts (some waves) of workgroups that were cut. The key is
    /// (launch, workgroup, first wave of the part), with 0 as the wave of a workgroup that was not
    /// cut.
    named: BTreeMap<(LaunchId, u64, u16), HeldByName>,
}

#[derive(Clone, Copy, Debug)]
struct HeldByName {
    cu: CuId,
    demand: Demand,
    split: Split,
    ended: u16,
}

/// Resources that a launch had on the device when it was saved, so that it can get them back later.
#[derive(Debug, Default)]
pub(super) struct LiftedAccount {
    demand: Demand,
    counted: Vec<((LaunchId, CuId), (Split, u32))>,
    named: Vec<((LaunchId, u64, u16), HeldByName)>,
}

impl WorldAccount {
    pub(super) fn new(shape: CuShape, cus: u16) -> Self {
        Self { cus: Cus::new(shape, cus), counted: BTreeMap::new(), named: BTreeMap::new() }
    }

    /// Takes the resources of workgroups that start. The error names the broken law of the trait
    /// `Allocate`: law 2 where the compute unit has no room, law 1 where the addresses are wrong.
    pub(super) fn start(
        &mut self,
        launch: &Launch,
        waves: WaveSpan,
        named: &[(u64, CuId)],
        places: &[Place],
    ) -> Result<(), Breach> {
        let (id, demand) = (launch.id, launch.demand.of(waves));
        let (first, count) = waves.bounds(demand.waves);
        let by_wave = matches!(waves, WaveSpan::Range { .. });
        let counted = places.is_empty() || by_wave;
        if !counted && places.len() != named.len() * usize::from(count) {
            return Err(breach(1, format!("{id} has not one address for each wave")));
        }
        let mut places = places.chunks(usize::from(count.max(1)));
        for &(workgroup, cu) in named {
            let split = if counted {
                self.cus.fill(cu, &demand, u32::from(count))
            } else {
                Some(self.split(places.next().unwrap_or(&[])).ok_or_else(|| {
                    breach(1, format!("w{workgroup} of {id} has an address on no SIMD"))
                })?)
            };
            let key = (id, workgroup, if by_wave { 0 } else { first });
            let groups = u32::from(!by_wave || !self.named.contains_key(&key));
            let split = split.filter(|split| self.cus.take_split(cu, &demand, split, groups));
            let split = split.ok_or_else(|| {
                breach(2, format!("{cu} has no room for what starts of w{workgroup} of {id}"))
            })?;
            let held = if counted && waves == WaveSpan::All {
                let (held, groups) = self.counted.entry((id, cu)).or_default();
                *groups += 1;
                held
            } else {
                let empty = HeldByName { cu, demand, split: Split::default(), ended: 0 };
                &mut self.named.entry(key).or_insert(empty).split
            };
            for (held, new) in held.iter_mut().zip(split) {
                *held += new;
            }
        }
        Ok(())
    }

    /// Returns the number of waves on each SIMD, for the addresses of the waves of one workgroup;
    /// `None` where an address names a SIMD that does not exist.
    fn split(&self, places: &[Place]) -> Option<Split> {
        let mut split = [0; MAX_SIMDS];
        for place in places {
            let simd = Some(place.simd).filter(|&simd| simd < self.cus.shape().simds)?;
            split[usize::from(simd)] += 1;
        }
        Some(split)
    }

    /// Frees the resources of workgroups that ended.
    pub(super) fn end(&mut self, launch: &Launch, waves: WaveSpan, pieces: &[Piece]) {
        for piece in pieces {
            for workgroup in piece.workgroups() {
                let (split, groups) =
                    self.leave(launch.id, &launch.demand, waves, workgroup, piece.cu);
                self.cus.give_split(piece.cu, &launch.demand.of(waves), &split, groups);
            }
        }
    }

    /// Removes waves of a workgroup that ended. Returns (number of these waves on each SIMD, number
    /// of workgroups that gave up their slot, barriers and LDS). The second number is 0 while other
    /// waves of the workgroup stay, else 1.
    fn leave(
        &mut self,
        id: LaunchId,
        demand: &Demand,
        waves: WaveSpan,
        workgroup: u64,
        cu: CuId,
    ) -> (Split, u32) {
        let (first, count) = waves.bounds(demand.waves);
        let by_wave = matches!(waves, WaveSpan::Range { .. });
        let key = (id, workgroup, if by_wave { 0 } else { first });
        if !by_wave && let Some(named) = self.named.remove(&key) {
            return (named.split, 1);
        }
        if let Some(named) = self.named.get_mut(&key) {
            named.ended += count;
            let split = take_highest(&mut named.split, u32::from(count));
            let done = named.ended == demand.waves;
            if done {
                self.named.remove(&key);
            }
            return (split.expect("only what is resident ends"), u32::from(done));
        }
        let (held, groups) = self.counted.get_mut(&(id, cu)).expect("only what is resident ends");
        *groups -= 1;
        (take_highest(held, u32::from(count)).expect("only what is resident ends"), 1)
    }

    /// Frees all resources that a launch holds, and returns a record of them.
    pub(super) fn lift(&mut self, launch: &Launch) -> LiftedAccount {
        let (id, demand) = (launch.id, launch.demand);
        let counted: Vec<_> = self.counted.extract_if(.., |key, _| key.0 == id).collect();
        let named: Vec<_> = self.named.extract_if(.., |key, _| key.0 == id).collect();
        for &((_, cu), (split, groups)) in &counted {
            self.cus.give_split(cu, &demand, &split, groups);
        }
        for (_, held) in &named {
            self.cus.give_split(held.cu, &held.demand, &held.split, 1);
        }
        LiftedAccount { demand, counted, named }
    }

    /// Takes again all resources that a saved launch had. Returns whether all of them were free; if
    /// not, takes none.
    pub(super) fn lower(&mut self, lifted: &LiftedAccount) -> bool {
        let mut cus = self.cus.clone();
        let counted = lifted.counted.iter().all(|((_, cu), (split, groups))| {
            *groups == 0 || cus.take_split(*cu, &lifted.demand, split, *groups)
        });
        let mut named = lifted.named.iter();
        if !counted || !named.all(|(_, it)| cus.take_split(it.cu, &it.demand, &it.split, 1)) {
            return false;
        }
        self.cus = cus;
        self.counted.extend(lifted.counted.iter().copied());
        self.named.extend(lifted.named.iter().copied());
        true
    }
}
