//! Logs of random workloads on small devices.

use raddle_dispatch::log::{Detail, LogHeader};
use raddle_dispatch::{Abilities, Dispatcher, Recipe};
use raddle_golden::twin::{self, Report};
use raddle_policy::{
    Activity, Barrier, CuShape, Demand, Dim3, Idempotence, KernelCall, Launch, LaunchId, Level,
    ProcessId, StreamId,
};
use raddle_testkit::Sink;

use crate::device::{Device, Task};

/// A random generator of small numbers that are equal in every run ("splitmix64").
pub(crate) struct Draws(pub(crate) u64);

impl Draws {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// Makes a compute unit with this many SIMDs, each with this many granules of registers.
pub(crate) const fn shape(simds: u8, vgpr: u16) -> CuShape {
    CuShape {
        simds,
        waves_per_simd: 8,
        vgpr_per_simd: vgpr,
        sgpr: u16::MAX,
        lds: 48,
        workgroups: 12,
        barriers: 8,
    }
}

fn launch(draws: &mut Draws, shape: &CuShape) -> Launch {
    let wave = 1 + draws.below(u64::from(shape.vgpr_per_simd) / 4).max(1);
    let waves = 1 + draws.below(2 * u64::from(shape.simds)) as u16;
    let lds = if draws.below(3) == 0 { draws.below(24) as u32 } else { 0 };
    let sgpr = if shape.sgpr == u16::MAX { 0 } else { draws.below(4) as u16 };
    let barrier = if lds > 0 { Barrier::Assumed } else { Barrier::No };
    let barriers = u16::from(barrier.possible());
    let idempotent = [Idempotence::Idempotent, Idempotence::Unknown];
    // The order of the draws decides which scenarios are played.
    let stream = StreamId(draws.below(3) as u32);
    let workgroups = 1 + draws.below(60);
    let demand = Demand { waves, vgpr: wave as u16, sgpr, lds, barriers };
    let mut launch = Launch::new(LaunchId(0), ProcessId(0), workgroups, demand)
        .with_stream(stream)
        .with_barrier(barrier)
        .with_idempotent(idempotent[usize::from(draws.below(4) == 0)]);
    launch.activity = Activity([1 + draws.below(20) as u32, 3, 0, 7, 0, 1]);
    launch
}

/// Draws a call of one of a few kernels, whose grids seldom change.
fn call(draws: &mut Draws) -> KernelCall {
    let kernel = draws.below(7) as u32;
    let grid = Dim3::new(1 + draws.below(3) as u32, 1 + draws.below(5) as u32 / 4, 1);
    let threads = 64 * (1 + draws.below(9) as u32 / 8);
    let (lds_bytes, behind_copy) = (256 * (draws.below(8) as u32 / 7), draws.below(9) == 0);
    KernelCall { kernel, grid, threads, lds_bytes, behind_copy }
}

/// Draws processes with streams of launches in order, the first process the most urgent; returns
/// the tasks, and for each process (tick at which it joins, its share).
fn workload(seed: u64, shape: &CuShape) -> (Vec<Task>, Vec<(u64, u32)>) {
    let (mut draws, mut calls) = (Draws(seed), Draws(!seed));
    let (mut tasks, mut joins) = (Vec::<Task>::new(), Vec::new());
    for process in 0..2 + draws.below(3) as u16 {
        let begin = draws.below(2000);
        joins.push((begin, 1 + draws.below(3) as u32));
        let (mut last, mut issued) = ([None; 3], begin);
        for _ in 0..6 + draws.below(14) {
            issued += draws.below(900);
            let mut launch = launch(&mut draws, shape);
            launch.id = LaunchId(tasks.len() as u32);
            launch.process = ProcessId(process);
            launch.level = Level((u64::from(process) + draws.below(2)) as u8);
            if draws.below(9) == 0 {
                let Launch { id, process, stream, level, .. } = launch;
                launch = Launch::new(id, process, 0, Demand::default());
                launch = launch.with_stream(stream).with_level(level);
            }
            if !launch.is_copy() {
                launch.call = call(&mut calls);
            }
            let after = last[launch.stream.index()].replace(launch.id);
            let takes = 200 + 100 * draws.below(20);
            tasks.push(Task { launch, issued, takes, after });
        }
    }
    (tasks, joins)
}

/// Runs a random workload under a recipe, and returns the decision log.
pub(crate) fn log(recipe: &str, device: (CuShape, u16), seed: u64, detail: Detail) -> String {
    log_by(recipe, device, Abilities::ALL, seed, detail)
}

/// Runs a random workload under a recipe on a device with these preemption methods, and returns the
/// decision log.
pub(crate) fn log_by(
    recipe: &str,
    (shape, cus): (CuShape, u16),
    abilities: Abilities,
    seed: u64,
    detail: Detail,
) -> String {
    let recipe = Recipe::parse("test", &format!("raddle = 1\n{recipe}")).expect("a recipe");
    let ahead = recipe.window().is_some();
    let header = LogHeader::new(recipe, "test", shape, cus).with_detail(detail);
    let sink = Sink::default();
    let builder = header.recipe().builder(shape, cus).expect("it builds");
    let builder = builder.abilities(abilities);
    let mut dispatcher =
        builder.log(header.short_writer(Box::new(sink.clone()))).build().expect("it builds");
    let (tasks, joins) = workload(seed, &shape);
    Device::new(tasks, &joins, ahead).run(&mut dispatcher);
    dispatcher.finish().expect("a sink takes everything");
    sink.text()
}

pub(crate) fn check(log: &str) -> Report {
    twin::check(log.as_bytes()).expect("it can be read")
}

/// Checks that the twins (naive models of policies) have checked every answer of a log, and that
/// none differs.
pub(crate) fn agrees(log: &str, of: &str) {
    let report = check(log);
    for slot in &report.slots {
        assert_eq!(slot.unchecked, None, "{of}: {}", slot.policy);
    }
    if let Some(first) = report.first() {
        panic!("{of}: {} of {} differ, first {first}", report.different(), report.checked());
    }
    assert!(report.checked() > 20, "{of}");
}
