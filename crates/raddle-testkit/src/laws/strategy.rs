//! Which devices, launches and scenarios does a property test try?
//!
//! Failing cases shrink towards one small compute unit, one process and one launch of one wave.

use proptest::collection::vec;
use proptest::prelude::*;
use raddle_policy::{
    Activity, Barrier, CuShape, Demand, Idempotence, KernelCall, Launch, LaunchId, Level,
    MAX_SIMDS, ProcessId, ProcessState, StreamId, Tick, Ticks, VictimLaunch,
};

use super::{Revocation, Scenario, TurnScenario, TurnStep};

/// Returns a configuration of proptest with `default` cases for each property, or with the number
/// in the environment variable `PROPTEST_CASES` if that is set.
#[must_use]
pub fn cases(default: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => config,
        None => ProptestConfig { cases: default, ..config },
    }
}

/// Returns a proptest strategy of small scenarios in which every launch fits an empty compute unit.
pub fn scenario() -> impl Strategy<Value = Scenario> {
    scenario_with(false)
}

/// Returns a proptest strategy of small scenarios; with `oversized` about one launch in six fits no
/// compute unit, or has no workgroup.
pub fn scenario_with(oversized: bool) -> impl Strategy<Value = Scenario> {
    (any_shape(), 1u16..=8, vec(1u32..=4, 1..=3)).prop_flat_map(move |(shape, cus, processes)| {
        let launches = vec(any_launch(shape, processes.len(), oversized), 1..=8);
        let ends = vec(0u32..=4096, 1..=6);
        (launches, 1u16..=8, ends).prop_map(move |(mut launches, batch, ends)| {
            for (id, launch) in (0..).zip(&mut launches) {
                launch.id = LaunchId(id);
            }
            let (processes, leaves) = (processes.clone(), Vec::new());
            Scenario { shape, cus, processes, launches, batch, ends, leaves }
        })
    })
}

/// Returns a proptest strategy of scenarios for policies that start many workgroups in one answer.
/// Devices have 1 to 304 compute units, and amounts of a resource are often near 64 granules, where
/// a bitmap needs a second word, or far above. Some launches are taken off the device, and come
/// back or start again.
pub fn wide_scenario() -> impl Strategy<Value = Scenario> {
    let cus = prop_oneof![
        3 => 1u16..=8,
        1 => proptest::sample::select(vec![63u16, 64, 65, 130, 304]),
    ];
    (wide_shape(), cus, vec(1u32..=4, 1..=3)).prop_flat_map(move |(shape, cus, processes)| {
        let launches = vec(wide_launch(shape, processes.len()), 1..=6);
        let leaves = prop_oneof![Just(Vec::new()), vec(0u32..=1024, 1..=12)];
        (launches, 1u16..=4, vec(0u32..=4096, 1..=6), leaves).prop_map(
            move |(mut launches, batch, ends, leaves)| {
                for (id, launch) in (0..).zip(&mut launches) {
                    launch.id = LaunchId(id);
                }
                let processes = processes.clone();
                Scenario { shape, cus, processes, launches, batch, ends, leaves }
            },
        )
    })
}

fn wide_shape() -> impl Strategy<Value = CuShape> {
    let granules = || {
        prop_oneof![
            4 => proptest::sample::select(vec![1u16, 2, 63, 64, 65, 128, 512]),
            1 => 0u16..=512,
        ]
    };
    (
        prop_oneof![4 => 1u8..=4, 1 => 5u8..=MAX_SIMDS as u8],
        1u16..=12,
        granules(),
        prop_oneof![1 => Just(u16::MAX), 2 => granules()],
        granules(),
        prop_oneof![2 => 1u16..=8, 1 => 9u16..=80],
        0u16..=40,
    )
        .prop_map(|(simds, waves_per_simd, vgpr_per_simd, sgpr, lds, workgroups, barriers)| {
            let lds = lds.into();
            CuShape { simds, waves_per_simd, vgpr_per_simd, sgpr, lds, workgroups, barriers }
        })
}

/// Returns a proptest strategy of launches of up to 300 workgroups. Some have workgroups so small
/// that many fit on a compute unit, and some have equally many waves on each SIMD.
fn wide_launch(shape: CuShape, processes: usize) -> impl Strategy<Value = Launch> {
    let workgroups = prop_oneof![3 => 1u64..=12, 3 => 13u64..=60, 1 => 61u64..=300];
    let sizes = (workgroups, any::<bool>(), any::<bool>());
    (any_launch(shape, processes, false), sizes).prop_map(
        move |(mut launch, (workgroups, small, even))| {
            launch.workgroups = workgroups;
            let demand = &mut launch.demand;
            if small {
                // At least 1 of each resource that the launch takes.
                let part = |n: u16| n.div_ceil(8);
                *demand = Demand {
                    waves: part(demand.waves),
                    vgpr: part(demand.vgpr),
                    sgpr: part(demand.sgpr),
                    lds: demand.lds.div_ceil(8),
                    barriers: part(demand.barriers),
                };
            }
            if even {
                let simds = u16::from(shape.simds);
                // Fewer waves where some would be left over; one on each SIMD at least.
                demand.waves = (demand.waves / simds * simds).max(simds);
            }
            launch
        },
    )
}

/// Returns a proptest strategy of small compute units, varied so that each resource is the first to
/// run out in some of them.
pub fn any_shape() -> impl Strategy<Value = CuShape> {
    (
        1u8..=MAX_SIMDS as u8,
        1u16..=4,
        0u16..=16,
        prop_oneof![Just(u16::MAX), 0u16..=32],
        0u32..=16,
        1u16..=8,
        0u16..=8,
    )
        .prop_map(|(simds, waves_per_simd, vgpr_per_simd, sgpr, lds, workgroups, barriers)| {
            CuShape { simds, waves_per_simd, vgpr_per_simd, sgpr, lds, workgroups, barriers }
        })
}

/// Returns a proptest strategy of launches with id 0, each of one of `processes` processes. Their
/// workgroups fit an empty compute unit of this shape. With `oversized` some of them never fit, and
/// some launches have no workgroup.
pub fn any_launch(
    shape: CuShape,
    processes: usize,
    oversized: bool,
) -> impl Strategy<Value = Launch> {
    let owner = (0..u16::try_from(processes.max(1)).unwrap_or(u16::MAX), 0u32..3);
    let level = prop_oneof![(0u8..4).prop_map(Level), Just(Level::BEST_EFFORT)];
    let barrier = prop_oneof![Just(Barrier::No), Just(Barrier::Yes), Just(Barrier::Assumed)];
    let idempotent = prop_oneof![
        Just(Idempotence::Unknown),
        Just(Idempotence::Idempotent),
        Just(Idempotence::Not)
    ];
    let workgroups = prop_oneof![3 => 1u64..=4, 1 => 5u64..=24];
    let activity = prop_oneof![Just(Activity::UNKNOWN), any::<[u8; 6]>().prop_map(rates)];
    let spoil = if oversized { 0u8..24 } else { 0u8..1 };
    let call = (0u32..5, any::<bool>()).prop_map(|(kernel, behind_copy)| KernelCall {
        kernel,
        behind_copy,
        ..KernelCall::UNKNOWN
    });
    let said = (barrier, idempotent, activity, call);
    (owner, level, workgroups, demand(shape), said, spoil).prop_map(
        move |((process, stream), level, workgroups, demand, said, spoil)| {
            let (barrier, idempotent, activity, call) = said;
            let mut launch = Launch::new(LaunchId(0), ProcessId(process), workgroups, demand)
                .with_stream(StreamId(stream))
                .with_level(level)
                .with_barrier(barrier)
                .with_idempotent(idempotent);
            (launch.activity, launch.call) = (activity, call);
            spoil_one(&mut launch, &shape, spoil);
            launch
        },
    )
}

fn rates(each: [u8; 6]) -> Activity {
    Activity(each.map(u32::from))
}

fn spoil_one(launch: &mut Launch, shape: &CuShape, code: u8) {
    match code {
        1 => launch.workgroups = 0,
        2 => launch.demand.lds = shape.lds.saturating_add(1),
        3 => launch.demand.vgpr = shape.vgpr_per_simd.saturating_add(1),
        4 => {
            launch.demand.waves = u16::try_from(shape.waves() + 1).unwrap_or(u16::MAX);
        }
        _ => {}
    }
}

/// Returns a proptest strategy of the resources that a workgroup needs, at most what an empty
/// compute unit has; the amount of each resource is often 0.
fn demand(shape: CuShape) -> impl Strategy<Value = Demand> {
    let part = || prop_oneof![2 => Just(0u32), 3 => 1u32..=255];
    (0u32..=255, part(), part(), part(), part()).prop_map(
        move |(waves, vgpr, sgpr, lds, barriers)| {
            // Part `n` of 255 of an amount, rounded up: never 0 unless `n` or the amount is.
            let part = |n: u32, of: u32| (n * of).div_ceil(255);
            let narrow = |n: u32| u16::try_from(n).unwrap_or(u16::MAX);
            let waves = part(waves, shape.waves()).max(1);
            let on_one_simd = waves.div_ceil(u32::from(shape.simds));
            let sgpr = if shape.sgpr == u16::MAX {
                sgpr
            } else {
                part(sgpr, u32::from(shape.sgpr) / waves)
            };
            Demand {
                waves: narrow(waves),
                vgpr: narrow(part(vgpr, u32::from(shape.vgpr_per_simd) / on_one_simd)),
                sgpr: narrow(sgpr),
                lds: part(lds, shape.lds),
                barriers: narrow(part(barriers, u32::from(shape.barriers))),
            }
        },
    )
}

/// Returns a proptest strategy of states of the process `id`, whose run time never exceeds the time
/// for which it was runnable.
fn any_process(id: ProcessId) -> impl Strategy<Value = ProcessState> {
    (0u8..4, 1u32..=8, 0u64..1000, 0u64..100_000, 0u64..=100, 0u64..64).prop_map(
        move |(level, share, joined, alive, ran, resident_waves)| {
            let mut state = ProcessState::new(id, Level(level), Tick::ZERO);
            (state.share, state.joined) = (share, Tick(joined));
            (state.alive, state.ran) = (Ticks(alive), Ticks(alive * ran / 100));
            state.resident_waves = resident_waves;
            state
        },
    )
}

/// Returns a proptest strategy of scenarios for turn policies, of up to six processes over up to
/// twelve steps; in some steps no process may be runnable.
pub fn turn_scenario() -> impl Strategy<Value = TurnScenario> {
    (1usize..=6).prop_flat_map(|processes| {
        let step = (0u32..1 << processes, vec(0u8..4, processes), 1u64..5_000).prop_map(
            |(runnable, levels, lasts)| TurnStep { runnable, levels, lasts: Ticks(lasts) },
        );
        (vec(1u32..=4, processes), vec(step, 1..=12))
            .prop_map(|(shares, steps)| TurnScenario { shares, steps })
    })
}

/// Returns a proptest strategy of one to six losses of the right to run, in the order of time, for
/// preempt policies.
pub fn victims() -> impl Strategy<Value = Vec<Revocation>> {
    vec(victim(), 1..=6).prop_map(|mut victims| {
        let mut now = Tick::ZERO;
        for victim in &mut victims {
            now = Tick(now.0 + 1 + victim.now.0);
            victim.now = now;
        }
        victims
    })
}

fn victim() -> impl Strategy<Value = Revocation> {
    let owner = (0u16..4).prop_map(ProcessId);
    let process = owner.prop_flat_map(any_process);
    let launches = any_shape()
        .prop_flat_map(|shape| vec((any_launch(shape, 1, false), 0u64..=100, 0u64..100), 1..=5));
    (process, launches, 0u64..10_000).prop_map(|(process, launches, now)| {
        let launches = (0..).zip(launches).map(|(id, (mut launch, percent, submitted))| {
            launch.id = LaunchId(id);
            launch.process = process.id;
            let unstarted = launch.workgroups * percent / 100;
            let waves = (launch.workgroups - unstarted) * u64::from(launch.demand.waves);
            let victim = VictimLaunch::new(launch, Tick(submitted));
            victim.with_unstarted(unstarted).with_resident_waves(waves)
        });
        Revocation { launches: launches.collect(), process, now: Tick(now) }
    })
}

/// Returns a proptest strategy of one to 48 launches of two processes with up to three streams
/// each, in the order of submission.
pub fn submissions() -> impl Strategy<Value = Vec<Launch>> {
    let launches = any_shape().prop_flat_map(|shape| vec(any_launch(shape, 2, false), 1..=48));
    launches.prop_map(|mut launches| {
        for (id, launch) in (0..).zip(&mut launches) {
            launch.id = LaunchId(id);
        }
        launches
    })
}
