//! How fast is a loop that only counts, and gives no addresses?
//!
//! Free waves, registers, LDS and workgroup slots a compute unit, summed: what such loops in other
//! simulators keep. Plain: compute units in turn. Indexed: a bit a compute unit that may have room.

use raddle_golden::placement::contract::{Kernel, SHAPE};
use raddle_policy::{CuId, Demand};

use crate::subject::Subject;

#[derive(Clone, Copy)]
struct Free {
    waves: u32,
    vgpr: u32,
    sgpr: u32,
    lds: u32,
    workgroups: u32,
}

/// What a workgroup takes in all.
fn whole(demand: &Demand) -> Free {
    let waves = u32::from(demand.waves);
    Free {
        waves,
        vgpr: waves * u32::from(demand.vgpr),
        sgpr: waves * u32::from(demand.sgpr),
        lds: demand.lds,
        workgroups: 1,
    }
}

impl Free {
    fn empty() -> Self {
        Self {
            waves: SHAPE.waves(),
            vgpr: u32::from(SHAPE.vgpr_per_simd) * u32::from(SHAPE.simds),
            sgpr: SHAPE.sgpr.into(),
            lds: SHAPE.lds,
            workgroups: SHAPE.workgroups.into(),
        }
    }

    fn holds(&self, taken: &Self) -> bool {
        (self.waves >= taken.waves)
            & (self.vgpr >= taken.vgpr)
            & (self.sgpr >= taken.sgpr)
            & (self.lds >= taken.lds)
            & (self.workgroups >= taken.workgroups)
    }

    fn take(&mut self, taken: &Self) {
        self.waves -= taken.waves;
        self.vgpr -= taken.vgpr;
        self.sgpr -= taken.sgpr;
        self.lds -= taken.lds;
        self.workgroups -= taken.workgroups;
    }

    fn give(&mut self, given: &Self) {
        self.waves += given.waves;
        self.vgpr += given.vgpr;
        self.sgpr += given.sgpr;
        self.lds += given.lds;
        self.workgroups += given.workgroups;
    }
}

fn demands(kernels: &[Kernel]) -> Vec<Free> {
    let whole_of = |kernel: &Kernel| whole(&kernel.demand().expect("a kernel of the contract"));
    kernels.iter().map(whole_of).collect()
}

/// Compute units in turn, from the one after the last.
pub(crate) struct Plain {
    cus: Vec<Free>,
    demands: Vec<Free>,
    cursor: usize,
    next: u64,
}

impl Plain {
    pub(crate) fn new(kernels: &[Kernel], cus: u16) -> Self {
        let cus = vec![Free::empty(); usize::from(cus)];
        Self { cus, demands: demands(kernels), cursor: 0, next: 0 }
    }
}

impl Subject for Plain {
    fn place(&mut self, kernel: usize) -> Option<(u64, CuId)> {
        let demand = self.demands[kernel];
        let (before, behind) = self.cus.split_at(self.cursor);
        let fits = |free: &Free| free.holds(&demand);
        let cu = match behind.iter().position(fits) {
            Some(at) => self.cursor + at,
            None => before.iter().position(fits)?,
        };
        self.cus[cu].take(&demand);
        self.cursor = if cu + 1 < self.cus.len() { cu + 1 } else { 0 };
        self.next += 1;
        Some((self.next, CuId(cu as u16)))
    }

    fn release(&mut self, kernel: usize, _workgroup: u64, cu: CuId) {
        self.cus[cu.index()].give(&self.demands[kernel]);
    }
}

/// The lowest compute unit of those that may have room for the kernel.
pub(crate) struct Indexed {
    cus: Vec<Free>,
    demands: Vec<Free>,
    /// By kernel, a bit a compute unit.
    open: Vec<Vec<u64>>,
    next: u64,
}

impl Indexed {
    pub(crate) fn new(kernels: &[Kernel], cus: u16) -> Self {
        let cus = usize::from(cus);
        let mut words = vec![u64::MAX; cus.div_ceil(64)];
        if let Some(last) = words.last_mut().filter(|_| cus % 64 > 0) {
            *last = (1 << (cus % 64)) - 1;
        }
        Self {
            cus: vec![Free::empty(); cus],
            demands: demands(kernels),
            open: vec![words; kernels.len()],
            next: 0,
        }
    }
}

impl Subject for Indexed {
    fn place(&mut self, kernel: usize) -> Option<(u64, CuId)> {
        let demand = self.demands[kernel];
        for (word, open) in self.open[kernel].iter_mut().enumerate() {
            while *open != 0 {
                let cu = word * 64 + open.trailing_zeros() as usize;
                if self.cus[cu].holds(&demand) {
                    self.cus[cu].take(&demand);
                    self.next += 1;
                    return Some((self.next, CuId(cu as u16)));
                }
                *open &= *open - 1;
            }
        }
        None
    }

    fn release(&mut self, kernel: usize, _workgroup: u64, cu: CuId) {
        let at = cu.index();
        self.cus[at].give(&self.demands[kernel]);
        for open in &mut self.open {
            open[at / 64] |= 1 << (at % 64);
        }
    }
}
