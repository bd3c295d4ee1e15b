//! How are the algorithms themselves driven through a scenario?

use raddle_golden::placement::contract::{Algorithm, Baseline, ContractKernel};
use raddle_policy::{CuId, Demand, LaunchId};

use crate::subject::{Placed, Subject};

/// The algorithms under test, driven through a scenario: each kernel is a launch without end, with
/// an algorithm object of its own.
pub(crate) struct Ours {
    baseline: Baseline,
    demands: Vec<Demand>,
    /// Compute unit of each workgroup, by kernel.
    lying: Vec<Vec<CuId>>,
    cus: usize,
    /// Compute unit at which the next scan begins, by kernel: kept only to count probes; `None`
    /// where none are counted.
    cursors: Option<Vec<usize>>,
    probes: u64,
}

impl Ours {
    pub(crate) fn new(algorithm: Algorithm, kernels: &[ContractKernel], cus: u16) -> Self {
        let demand =
            |kernel: &ContractKernel| kernel.demand().expect("the kernels of the scenarios fit");
        let round_robin = algorithm == Algorithm::RoundRobin;
        Self {
            baseline: Baseline::new(algorithm, cus),
            demands: kernels.iter().map(demand).collect(),
            lying: vec![Vec::new(); kernels.len()],
            cus: cus.into(),
            cursors: round_robin.then(|| vec![0; kernels.len()]),
            probes: 0,
        }
    }

    fn count(&mut self, kernel: usize, found: Option<usize>) {
        let cus = self.cus;
        let start = self.cursors.as_ref().map_or(0, |cursors| cursors[kernel]);
        let probes = found.map_or(cus, |cu| (cu + cus - start) % cus + 1);
        self.probes += probes as u64;
        if let (Some(cursors), Some(cu)) = (&mut self.cursors, found) {
            cursors[kernel] = (cu + 1) % cus;
        }
    }
}

impl Subject for Ours {
    fn place(&mut self, kernel: usize) -> Option<(u64, Placed)> {
        let workgroup = self.lying[kernel].len() as u64;
        let launch = LaunchId(kernel as u32);
        let placed = self.baseline.place(launch, &self.demands[kernel], workgroup);
        let placed = placed.map(|(cu, places)| Placed { cu, places: places.to_vec() });
        self.count(kernel, placed.as_ref().map(|placed| placed.cu.index()));
        let placed = placed?;
        self.lying[kernel].push(placed.cu);
        Some((workgroup, placed))
    }

    fn release(&mut self, kernel: usize, workgroup: u64) {
        let cu = self.lying[kernel][workgroup as usize];
        let released = self.baseline.release(cu, LaunchId(kernel as u32), workgroup);
        released.expect("it was placed, and ends once");
    }

    fn probes(&self) -> u64 {
        self.probes
    }
}
