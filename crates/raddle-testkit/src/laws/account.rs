//! What do workgroups hold in the world of the test kit?
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

/// What is free, and what is held by whom.
#[derive(Debug)]
pub(super) struct WorldAccount {
    pub(super) cus: Cus,
    /// Waves of whole workgroups without addresses.
    counted: BTreeMap<(LaunchId, CuId), Split>,
    /// Workgroups with addresses, partly started ones, and (by their first wave) parts of
    /// workgroups that were cut.
    named: BTreeMap<(LaunchId, u64, u16), HeldByName>,
}

#[derive(Debug, Default)]
struct HeldByName {
    split: Split,
    ended: u16,
}

impl WorldAccount {
    pub(super) fn new(shape: CuShape, cus: u16) -> Self {
        Self { cus: Cus::new(shape, cus), counted: BTreeMap::new(), named: BTreeMap::new() }
    }

    /// Enters workgroups, after law 2 and what law 1 says of addresses.
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
                self.counted.entry((id, cu)).or_default()
            } else {
                &mut self.named.entry(key).or_default().split
            };
            for (held, new) in held.iter_mut().zip(split) {
                *held += new;
            }
        }
        Ok(())
    }

    /// Waves by SIMD; `None` where a place names a SIMD that does not exist.
    fn split(&self, places: &[Place]) -> Option<Split> {
        let mut split = [0; MAX_SIMDS];
        for place in places {
            let simd = Some(place.simd).filter(|&simd| simd < self.cus.shape().simds)?;
            split[usize::from(simd)] += 1;
        }
        Some(split)
    }

    /// Gives back what resident workgroups held.
    pub(super) fn end(&mut self, launch: &Launch, waves: WaveSpan, pieces: &[Piece]) {
        for piece in pieces {
            for workgroup in piece.workgroups() {
                let (split, groups) =
                    self.leave(launch.id, &launch.demand, waves, workgroup, piece.cu);
                self.cus.give_split(piece.cu, &launch.demand.of(waves), &split, groups);
            }
        }
    }

    /// Which waves leave, and whether the workgroup's slot, barriers and LDS go with them.
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
        let held = self.counted.get_mut(&(id, cu)).expect("only what is resident ends");
        (take_highest(held, u32::from(count)).expect("only what is resident ends"), 1)
    }
}
