//! On which compute unit, and at which addresses, does an algorithm of the placement contract (a
//! fixed test run with known results) place a workgroup?
//!
//! The algorithms are those of sections 3 to 5 of the contract. Each wave goes to the SIMD after
//! that of the last wave on its compute unit. A try that fails moves this rotation too, so the
//! algorithms are no policies: law 4 of [`Allocate`](raddle_policy::Allocate) does not hold.

use std::collections::BTreeMap;

use raddle_policy::{CuId, Demand, LaunchId, Place};
use raddle_workgroup::{Allocator, Error, SimdRule};

use super::SHAPE;

/// Algorithm of the placement contract (a fixed test run with known results) that places
/// workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Takes the next compute unit with room after the last one that the launch used.
    RoundRobin,
    /// Takes the lowest compute unit with room.
    Greedy,
}

/// One of the algorithms of the placement contract (a fixed test run with known results), with the
/// resources of its device.
#[derive(Clone, Debug)]
pub struct Baseline {
    algorithm: Algorithm,
    cus: u16,
    allocator: Allocator,
    /// For each compute unit the SIMD that gets the next wave, as the SIMDs get waves in turn.
    rotations: Vec<u8>,
    /// For each launch the compute unit at which its search begins.
    cursors: BTreeMap<LaunchId, u16>,
}

impl Baseline {
    /// Makes the algorithm for a device of `cus` empty compute units.
    #[must_use]
    pub fn new(algorithm: Algorithm, cus: u16) -> Self {
        let allocator = Allocator::new(SHAPE, cus);
        let rotations = vec![0; usize::from(cus)];
        Self { algorithm, cus, allocator, rotations, cursors: BTreeMap::new() }
    }

    /// Places one workgroup, and returns (its compute unit, the address of each wave); `None` where
    /// no compute unit has room.
    pub fn place(
        &mut self,
        launch: LaunchId,
        demand: &Demand,
        workgroup: u64,
    ) -> Option<(CuId, &[Place])> {
        let cursor = self.cursors.entry(launch).or_default();
        let around = [*cursor..self.cus, 0..*cursor];
        let [first, second] = around.map(|cus| self.allocator.not_full(cus, demand));
        let plan = first.chain(second).find_map(|cu| {
            let rotation = &mut self.rotations[cu.index()];
            let probed = self.allocator.probe(cu, demand, SimdRule::From(*rotation));
            *rotation = match &probed {
                Ok(plan) => plan.rotation(),
                Err(refused) => refused.rotation(),
            };
            probed.ok()
        })?;
        let cu = plan.cu();
        if self.algorithm == Algorithm::RoundRobin {
            *cursor = if cu.0 + 1 < self.cus { cu.0 + 1 } else { 0 };
        }
        let places = self.allocator.commit(plan, launch, workgroup).ok()?;
        Some((cu, places))
    }

    /// Frees the resources that a workgroup has on the compute unit `cu`.
    ///
    /// # Errors
    /// When the workgroup is not on this compute unit.
    pub fn release(&mut self, cu: CuId, launch: LaunchId, workgroup: u64) -> Result<(), Error> {
        self.allocator.release(cu, launch, workgroup)
    }
}
