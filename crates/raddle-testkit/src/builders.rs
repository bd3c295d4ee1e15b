//! How does a test build a launch, the resources that it takes, and a compute unit to run it on?
//!
//! Each builder starts from the smallest value that can run; a test sets only the properties that
//! matter to it.
//!
//! ```
//! use raddle_policy::{CuShape, Demand};
//! use raddle_testkit::{SMALL_CU, demand, launch};
//!
//! let urgent = launch(7).process(1).workgroups(20).demand(Demand { lds: 8, ..demand(2, 1) }).build();
//! let without_lds = CuShape { lds: 0, ..SMALL_CU };
//! # let _ = (urgent, without_lds);
//! ```

use raddle_policy::{
    Activity, Barrier, CuShape, Demand, Idempotence, KernelCall, Launch, LaunchId, Level,
    ProcessId, ProcessState, ReadyLaunch, StreamId, Tick, VictimLaunch,
};

/// Small compute unit for tests; it never runs out of scalar registers.
pub const SMALL_CU: CuShape = CuShape {
    simds: 2,
    waves_per_simd: 4,
    vgpr_per_simd: 16,
    sgpr: u16::MAX,
    lds: 16,
    workgroups: 8,
    barriers: 8,
};

/// Compute unit with 8 SIMDs and the largest amount of each resource that its type allows, but one
/// scalar register less, since the largest number of them stands for "never run out".
pub const LARGEST_CU: CuShape = CuShape {
    simds: 8,
    waves_per_simd: u16::MAX,
    vgpr_per_simd: u16::MAX,
    sgpr: u16::MAX - 1,
    lds: u32::MAX,
    workgroups: u16::MAX,
    barriers: u16::MAX,
};

/// Returns the demand of a workgroup of `waves` waves with `vgpr` granules of vector registers
/// each; the workgroup needs no other resource.
#[must_use]
pub const fn demand(waves: u16, vgpr: u16) -> Demand {
    Demand { waves, vgpr, sgpr: 0, lds: 0, barriers: 0 }
}

/// Begins to build a launch with the id `id`: at first one workgroup of one wave with one granule
/// of vector registers, of process 0, stream 0 and level 0, without barriers.
pub const fn launch(id: u32) -> LaunchBuilder {
    let launch = Launch::new(LaunchId(id), ProcessId(0), 1, demand(1, 1));
    LaunchBuilder(launch.with_barrier(Barrier::No))
}

/// Builder of a launch for a test: [`launch`] begins it, each call sets one property, and
/// [`LaunchBuilder::build`] returns the launch.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct LaunchBuilder(Launch);

impl LaunchBuilder {
    /// Sets the process of the launch.
    pub const fn process(mut self, process: u16) -> Self {
        self.0.process = ProcessId(process);
        self
    }

    /// Sets the stream of the launch.
    pub const fn stream(mut self, stream: u32) -> Self {
        self.0.stream = StreamId(stream);
        self
    }

    /// Sets the level of urgency of the launch; 0 is the most urgent.
    pub const fn level(mut self, level: u8) -> Self {
        self.0.level = Level(level);
        self
    }

    /// Sets the number of workgroups of the launch.
    pub const fn workgroups(mut self, workgroups: u64) -> Self {
        self.0.workgroups = workgroups;
        self
    }

    /// Sets the resources that each workgroup of the launch needs.
    pub const fn demand(mut self, demand: Demand) -> Self {
        self.0.demand = demand;
        self
    }

    /// Sets whether the waves of a workgroup meet at a barrier, as far as that is known.
    pub const fn barrier(mut self, barrier: Barrier) -> Self {
        self.0.barrier = barrier;
        self
    }

    /// Marks the launch as idempotent: it may be killed and run again.
    pub const fn idempotent(mut self) -> Self {
        self.0.idempotent = Idempotence::Idempotent;
        self
    }

    /// Sets the numbers of instructions that one wave issues in 1,000 ticks, one number for each
    /// kind of instruction in the order of [`Activity`].
    pub const fn activity(mut self, rates: [u32; 6]) -> Self {
        self.0.activity = Activity(rates);
        self
    }

    /// Sets the parameters of the kernel call, such as the kernel's number and the grid.
    pub const fn call(mut self, call: KernelCall) -> Self {
        self.0.call = call;
        self
    }

    /// Returns the launch with the properties that were set.
    #[must_use]
    pub const fn build(self) -> Launch {
        self.0
    }

    /// Returns the launch as an allocate policy sees it: submitted at tick 0, and none of its
    /// workgroups started.
    #[must_use]
    pub const fn ready(self) -> ReadyLaunch {
        ready(self.0)
    }

    /// Returns the launch as a preempt policy sees it: submitted at tick 0, and none of its
    /// workgroups started.
    #[must_use]
    pub const fn victim(self) -> VictimLaunch {
        VictimLaunch::new(self.0, Tick::ZERO)
    }
}

/// Returns `launch` after `alter` has set some of its fields.
#[must_use]
pub fn altered(mut launch: Launch, alter: impl FnOnce(&mut Launch)) -> Launch {
    alter(&mut launch);
    launch
}

/// Returns a launch as an allocate policy sees it: submitted at tick 0, and none of its workgroups
/// started.
#[must_use]
pub const fn ready(launch: Launch) -> ReadyLaunch {
    ReadyLaunch::new(launch, Tick::ZERO)
}

/// Returns a process as a turn policy sees it: with level 0 and share 1, which joined at tick 0 and
/// never ran.
#[must_use]
pub const fn process(id: u16) -> ProcessState {
    ProcessState::new(ProcessId(id), Level(0), Tick::ZERO)
}
