//! On which device do which launches arrive, and in which order do their workgroups end or leave?

use raddle_policy::{Barrier, CuShape, Demand, Launch, Preemption};

use crate::builders::{SMALL_CU, demand, launch};

/// Scenario for an allocate policy: a device, the launches that are submitted to it, and numbers
/// that decide when workgroups end and which launches are taken off the device.
///
/// A plain value: build one by hand for a snapshot, or take one from [`scenario`](crate::scenario).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Resources of one compute unit of the device, in granules.
    pub shape: CuShape,
    /// Number of compute units of the device.
    pub cus: u16,
    /// Share of each process, a whole number: its claim to run time relative to the other
    /// processes. The index is the id of the process.
    pub processes: Vec<u32>,
    /// Launches in the order of their submission, each with an id of its own. A launch that fits no
    /// empty compute unit ([`Cus::never`](raddle_policy::Cus::never)) is not submitted.
    pub launches: Vec<Launch>,
    /// Number of launches that are submitted at each step; 0 counts as 1.
    pub batch: u16,
    /// Numbers from which [`Scenario::ending`] computes which workgroups on the device end, one
    /// number for each step. After the last number the first is used again. Where the list is
    /// empty, all workgroups on the device end at each step.
    pub ends: Vec<u32>,
    /// Numbers from which [`Scenario::leaving`] computes which launch is taken off the device, one
    /// number for each step. The list is not repeated: after its last number every launch can run
    /// to its end.
    pub leaves: Vec<u32>,
}

impl Scenario {
    /// Chooses which workgroups end at a step, out of the sorted list of the `resident` workgroups
    /// on the device. Returns (index of the first that ends, number of workgroups that end). The
    /// choice wraps around at the end of the list.
    #[must_use]
    pub fn ending(&self, step: usize, resident: usize) -> (usize, usize) {
        if self.ends.is_empty() || resident == 0 {
            return (0, resident);
        }
        let code = self.ends[step % self.ends.len()] as usize;
        (code % resident, 1 + code / 64 % resident)
    }

    /// Chooses which launch is taken off the device after a step, out of the sorted list of the
    /// `launches` launches that are on the device and not leaving it. Returns (index of the launch,
    /// method, number of steps for which it stays off); `None` where none is taken off.
    #[must_use]
    pub fn leaving(&self, step: usize, launches: usize) -> Option<(usize, Preemption, usize)> {
        let code = *self.leaves.get(step)? as usize;
        let code = code.checked_sub(1).filter(|_| launches > 0)?;
        let how = match code / 64 % 4 {
            0 | 1 => Preemption::Switch,
            2 => Preemption::Reset,
            _ => Preemption::Drain,
        };
        Some((code % launches, how, code / 256 % 4))
    }

    /// Returns a hand-made scenario for snapshots: two compute units of two SIMDs, four launches of
    /// two processes, one of them urgent, one delayed by a lack of shared memory.
    #[must_use]
    pub fn example() -> Self {
        let shape = CuShape { lds: 8, workgroups: 6, barriers: 4, ..SMALL_CU };
        Self {
            shape,
            cus: 2,
            processes: vec![1, 2],
            launches: vec![
                example_launch(0, 0, 5, 6, (2, 2, 0)),
                example_launch(1, 1, 0, 3, (1, 4, 4)),
                example_launch(2, 0, 5, 2, (4, 2, 2)),
                example_launch(3, 1, 2, 4, (1, 0, 0)),
            ],
            batch: 2,
            ends: vec![64, 129, 2],
            leaves: Vec::new(),
        }
    }
}

/// Returns a launch whose workgroups need the resources `takes`: (number of waves, granules of
/// vector registers of each wave, granules of LDS).
fn example_launch(
    id: u32,
    process: u16,
    level: u8,
    workgroups: u64,
    takes: (u16, u16, u32),
) -> Launch {
    let (waves, vgpr, lds) = takes;
    let demand = Demand { lds, barriers: u16::from(lds > 0), ..demand(waves, vgpr) };
    launch(id)
        .process(process)
        .stream(id)
        .level(level)
        .workgroups(workgroups)
        .demand(demand)
        .barrier(if lds > 0 { Barrier::Yes } else { Barrier::No })
        .build()
}
