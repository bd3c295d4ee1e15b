//! Small devices, workloads and dispatchers for the tests.

use raddle_dispatch::slots::HighestLevel;
use raddle_dispatch::{Builder, Composed, Dispatcher};
use raddle_policy::{
    Activity, Barrier, Demand, Idempotence, KernelCall, Level, Preempt, Preemption, StreamId, Tick,
    Ticks, VictimView,
};
use raddle_sim::{
    Costs, EnergyModel, Outcome, ProcessPlan, Seen, SimConfig, SimError, Task, Watch, Work,
    Workload, run,
};

/// A compute unit of 2 SIMDs with 4 wave slots each and 16 LDS granules.
pub(crate) use raddle_testkit::SMALL_CU as SHAPE;

pub(crate) const COSTS: Costs = Costs {
    flag: Ticks::ZERO,
    exit: Ticks::ZERO,
    check: Ticks::ZERO,
    reset: Ticks(7),
    switch: Ticks::ZERO,
    switch_bytes: 0,
    load: Ticks::ZERO,
    context_bytes_per_us: 1000,
};

/// The activity of every wave of [`kernel`]: it draws 2,120 uW by the assumed weights.
pub(crate) const ACTIVITY: Activity = Activity([2, 0, 0, 1, 0, 0]);
pub(crate) const WAVE_UW: u64 = 2120;

pub(crate) fn options(cus: u16) -> SimConfig {
    SimConfig {
        shape: SHAPE,
        cus,
        costs: COSTS,
        energy: EnergyModel::of_instructions(EnergyModel::ASSUMED.pj),
    }
}

/// Returns a kernel of `workgroups` workgroups of `waves` waves that last `ticks` ticks each,
/// issued at the tick `arrival` on stream 0.
pub(crate) fn kernel(arrival: u64, workgroups: u64, waves: u16, ticks: u64) -> Task {
    Task {
        stream: StreamId(0),
        level: Level(0),
        arrival: Ticks(arrival),
        after: None,
        gap: None,
        idempotent: Idempotence::Unknown,
        activity: ACTIVITY,
        call: KernelCall::UNKNOWN,
        peers: None,
        work: Work::Kernel {
            workgroups,
            workgroup: Ticks(ticks),
            demand: Demand { waves, vgpr: 1, sgpr: 0, lds: 0, barriers: 0 },
            barrier: Barrier::No,
            context_bytes: 100,
        },
    }
}

pub(crate) fn copy(arrival: u64, ticks: u64) -> Task {
    Task { work: Work::Copy { lasts: Ticks(ticks), direction: None }, ..kernel(arrival, 0, 1, 1) }
}

/// Marks a task as one that may be killed and run again.
pub(crate) fn idempotent(task: Task) -> Task {
    Task { idempotent: Idempotence::Idempotent, ..task }
}

/// Gives each workgroup of a task `granules` LDS granules.
pub(crate) fn with_lds(mut task: Task, granules: u32) -> Task {
    if let Work::Kernel { demand, .. } = &mut task.work {
        demand.lds = granules;
    }
    task
}

pub(crate) fn at_level(level: u8, mut tasks: Vec<Task>) -> Vec<Task> {
    tasks.iter_mut().for_each(|task| task.level = Level(level));
    tasks
}

/// Lets each task of a stream wait for the one before it.
pub(crate) fn in_order(mut tasks: Vec<Task>) -> Vec<Task> {
    for position in 1..tasks.len() as u32 {
        tasks[position as usize].after = Some(position - 1);
    }
    tasks
}

pub(crate) fn workload(processes: Vec<Vec<Task>>) -> Workload {
    let plan = |(position, tasks)| ProcessPlan::new(&format!("p{position}"), tasks);
    Workload { processes: processes.into_iter().enumerate().map(plan).collect(), repeat: false }
}

pub(crate) fn try_run(
    workload: &Workload,
    cus: u16,
    mut dispatcher: impl Dispatcher,
) -> Result<Outcome, SimError> {
    run(workload, &mut dispatcher, &options(cus), &mut |_| ())
}

/// Runs a workload under the default dispatcher, on a device of `cus` compute units of [`SHAPE`].
pub(crate) fn run_default(workload: &Workload, cus: u16) -> Outcome {
    try_run(workload, cus, Composed::builder(SHAPE, cus).build().expect("it builds"))
        .expect("a lawful dispatcher")
}

/// All answers of a preempt policy: `None`, under which work stays, and each method.
pub(crate) const WAYS: [Option<Preemption>; 6] = [
    None,
    Some(Preemption::Wait),
    Some(Preemption::Flag),
    Some(Preemption::Drain),
    Some(Preemption::Reset),
    Some(Preemption::Switch),
];

/// A preempt policy that always gives this answer.
pub(crate) struct Always(pub(crate) Option<Preemption>);

impl Preempt for Always {
    fn preempt(&mut self, _victim: &VictimView<'_>, _now: Tick) -> Option<Preemption> {
        self.0
    }
}

/// Returns the builder of a dispatcher in which only the most urgent level may issue, and a revoked
/// process leaves by the method `how`.
pub(crate) fn preempting(cus: u16, how: Option<Preemption>) -> Builder {
    Composed::builder(SHAPE, cus).turn("highest-level", HighestLevel).preempt("always", Always(how))
}

/// Returns the ticks from the moment at which a launch was ready to its first wave.
pub(crate) fn latency(outcome: &Outcome, launch: usize) -> u64 {
    let record = &outcome.records[launch];
    record.started.expect("it started").since(record.ready.expect("it was ready")).0
}

pub(crate) fn end(outcome: &Outcome, launch: usize) -> u64 {
    outcome.records[launch].ended.expect("it ended").0
}

/// A watch that wants to see every event, so that a run skips no period, and does nothing with it.
pub(crate) struct Sees;

impl Watch for Sees {
    fn see(&mut self, _: Tick, _: &Seen<'_>) {}
}
