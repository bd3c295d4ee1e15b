//! How much power does a simulated device draw for work of one kind alone (seed 000, i10 and j10)?
//!
//! Power is in mW; the rates of instructions are those of [`Activity`].

use raddle_dispatch::Composed;
use raddle_policy::{
    Activity, Barrier, CuShape, Demand, Idempotence, KernelCall, Level, StreamId, Ticks,
};

use crate::plan::Costs;
use crate::workload::{ProcessPlan, Task, Work, Workload};
use crate::{EnergyModel, SimConfig, run};

/// A simulated compute unit with a power meter, on which one kind of work runs alone at a time.
///
/// From its measurements, `raddle_workgroup::place::calibrate` finds the weights of the bench's
/// energy model, up to a common factor:
///
/// ```
/// use raddle_sim::{EnergyModel, TestBench};
/// use raddle_workgroup::place::calibrate;
///
/// # let shape = raddle_policy::CuShape { simds: 4, waves_per_simd: 10, vgpr_per_simd: 64,
/// #     sgpr: 200, lds: 256, workgroups: 40, barriers: 32 };
/// let bench = TestBench::of_instructions(shape, EnergyModel::of_instructions([8, 24, 20, 128, 4, 6]));
/// let weights = calibrate(&mut |kind| bench.measure(kind), 6)?;
/// assert_eq!(weights.as_slice(), [4, 12, 10, 64, 2, 3]);
/// # Ok::<(), raddle_workgroup::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TestBench {
    shape: CuShape,
    model: EnergyModel,
    tests: Vec<Activity>,
}

/// The number of instructions that each wave of a test issues in a microsecond. At 1,000, a wave
/// draws as many mW as one instruction costs pJ.
const RATE: u32 = 1000;
/// The ticks that each workgroup of a test (a run of one kind of work) lasts; `WORKGROUPS` is the
/// number of workgroups of a test.
const LASTS: Ticks = Ticks(1024);
const WORKGROUPS: u64 = 64;

impl TestBench {
    /// Returns a bench with one test for each kind of instruction; the waves of a test issue only
    /// instructions of its kind (seed 000, j101).
    #[must_use]
    pub fn of_instructions(shape: CuShape, model: EnergyModel) -> Self {
        let test = |kind| {
            let mut rates = [0; 6];
            rates[kind] = RATE;
            Activity(rates)
        };
        Self::new(shape, model, (0..6).map(test).collect())
    }

    /// Returns a bench with the tests that the caller gives. Each test is the rates at which one
    /// wave issues instructions; the index in `tests` is the kind. To weigh resources instead of
    /// instructions, give tests that use one resource each (seed 000, i101).
    #[must_use]
    pub const fn new(shape: CuShape, model: EnergyModel, tests: Vec<Activity>) -> Self {
        Self { shape, model, tests }
    }

    /// Returns the mean power in mW, without idle power, that the test with the index `kind` draws;
    /// `None` where there is no such test, or where the compute unit cannot run its workgroups.
    #[must_use]
    pub fn measure(&self, kind: usize) -> Option<u64> {
        let work = Work::Kernel {
            workgroups: WORKGROUPS,
            workgroup: LASTS,
            demand: Demand { waves: 1, ..Demand::default() },
            barrier: Barrier::No,
            context_bytes: 0,
        };
        let task = Task {
            stream: StreamId(0),
            level: Level(0),
            arrival: Ticks::ZERO,
            after: None,
            gap: None,
            idempotent: Idempotence::Unknown,
            activity: *self.tests.get(kind)?,
            call: KernelCall::UNKNOWN,
            peers: None,
            work,
        };
        let processes = vec![ProcessPlan::new("test", vec![task])];
        let workload = Workload { processes, repeat: false };
        let costs = Costs { context_bytes_per_us: 1, ..Costs::default() };
        let options = SimConfig { shape: self.shape, cus: 1, costs, energy: self.model };
        let mut dispatcher = Composed::builder(self.shape, 1).build().ok()?;
        let outcome = run(&workload, &mut dispatcher, &options, &mut |_| ()).ok()?;
        let lasted = u128::from(outcome.last.since(outcome.first).0);
        let mean_uw = outcome.energy.total_fj().checked_div(lasted)?;
        u64::try_from(mean_uw / 1000).ok()
    }
}
