//! On which compute unit, and at which addresses, does the contract's algorithm place a workgroup?
//!
//! Sections 3 to 5 of the placement contract. Each wave goes to the next SIMD after that of the last
//! wave on its compute unit, and a probe that fails moves this rotation too, so the algorithms are
//! no policies: law 4 of [`Allocate`](raddle_policy::Allocate) does not hold.

use std::collections::BTreeMap;

use raddle_policy::{CuId, Demand, LaunchId, Place};
use raddle_workgroup::{Allocator, Error, SimdRule};

use super::SHAPE;

/// The algorithm that places workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// The next compute unit with room after the last one that the launch used.
    RoundRobin,
    /// The lowest compute unit with room.
    Greedy,
}

/// One of the algorithms over a device.
#[derive(Clone, Debug)]
pub struct Baseline {
    algorithm: Algorithm,
    cus: u16,
    allocator: Allocator,
    /// The SIMD with which the rotation of each compute unit goes on.
    rotations: Vec<u8>,
    /// The compute unit at which the scan of each launch begins.
    cursors: BTreeMap<LaunchId, u16>,
}

impl Baseline {
    /// Makes the algorithm over `cus` empty compute units.
    #[must_use]
    pub fn new(algorithm: Algorithm, cus: u16) -> Self {
        let allocator = Allocator::new(SHAPE, cus);
        let rotations = vec![0; usize::from(cus)];
        Self { algorithm, cus, allocator, rotations, cursors: BTreeMap::new() }
    }

    /// Places one workgroup; returns its compute unit and one address a wave, or `None` without
    /// room.
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
                Err(refused) => refused.rotation,
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

    /// Gives back what a workgroup holds.
    ///
    /// # Errors
    /// When the workgroup does not lie there.
    pub fn release(&mut self, cu: CuId, launch: LaunchId, workgroup: u64) -> Result<(), Error> {
        self.allocator.release(cu, launch, workgroup)
    }
}
