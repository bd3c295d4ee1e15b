//! How long does one decision of `matching` take, on devices of any size?
//!
//! The scenarios are those of the placement contract (S1 to S4, and a full device that refuses),
//! played with order static, place lowest index, search full, through the policy's own trait: a
//! question, the answer with addresses, and the fact that frees them. Beside each stands a loop of
//! our own that only counts and gives no addresses: plain (a scan) and indexed. Then a whole cycle:
//! eight channels matched and placed, eight workgroups retired; and each choice of a recipe by itself.
//! Last, what the parts of `raddle-bitmap` do alone: every head against every SIMD by bytes, and such
//! a cycle on bare maps.
//!
//! Time of the processor on one thread, the median and the best of several runs; beside it the least of many
//! short ones by the wall clock, which is what a shared machine takes in a moment of its own speed.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock and prints"
)]

mod banks;
mod choices;
mod clock;
mod counters;
mod cycle;
mod scenarios;
mod subject;

use std::time::Instant;

use counters::{Indexed, Plain};
use raddle_golden::placement::contract::Kernel;
use scenarios::{Scenario, Scene};
use subject::{Subject, TheMatching};

const RUNS: usize = 9;
/// By how much longer the runs of the policy are than those of the counters, for time is counted in
/// steps of some milliseconds.
const LONGER: u32 = 5;
/// How many short runs.
const SHORT: u32 = 200;

const KERNELS: [Kernel; 4] = [
    Kernel { threads: 256, vgpr: 32, sgpr: 16, lds: 4096 },
    Kernel { threads: 64, vgpr: 24, sgpr: 32, lds: 0 },
    Kernel { threads: 512, vgpr: 64, sgpr: 48, lds: 16384 },
    Kernel { threads: 128, vgpr: 128, sgpr: 96, lds: 8192 },
];

fn main() {
    // The name of one of these, or all.
    let parts = ["S1", "S2", "S2 bulk", "S3", "S4", "refusal", "cycle", "choices", "banks"];
    let only = std::env::args().skip(1).find(|word| parts.contains(&word.as_str()));
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    println!(
        "scenario    CUs   matching ns: median    best   least   counters ns: plain   indexed"
    );
    for (scenario, cus, kernels, ops) in [
        (Scenario::S1, 64, 1, 400_000),
        (Scenario::S1, 304, 1, 400_000),
        (Scenario::S1, 1024, 1, 400_000),
        (Scenario::S2, 64, 1, 400),
        (Scenario::S2, 304, 1, 40),
        (Scenario::S2Bulk, 64, 1, 400),
        (Scenario::S2Bulk, 304, 1, 40),
        (Scenario::S3, 64, 1, 20_000),
        (Scenario::S4, 64, 4, 50_000),
        (Scenario::Refusal, 64, 1, 400_000),
        (Scenario::Refusal, 304, 1, 400_000),
        (Scenario::Refusal, 1024, 1, 400_000),
    ] {
        if !wanted(scenario.name()) {
            continue;
        }
        let kernels = &KERNELS[..kernels];
        let ours = times(TheMatching::new(kernels, cus), scenario, kernels.len(), LONGER * ops);
        let least = least(TheMatching::new(kernels, cus), scenario, kernels.len(), ops);
        let plain = times(Plain::new(kernels, cus), scenario, kernels.len(), ops);
        let indexed = times(Indexed::new(kernels, cus), scenario, kernels.len(), ops);
        println!(
            "{:<9} {cus:>5} {:>21.1} {:>7.1} {least:>7.1} {:>20.1} {:>9.1}",
            scenario.name(),
            median(&ours),
            ours[0],
            median(&plain),
            median(&indexed),
        );
    }
    if wanted("cycle") {
        cycle::report();
    }
    if wanted("choices") {
        choices::report();
    }
    if wanted("banks") {
        banks::report();
    }
}

/// Nanoseconds an operation (of S2 and S3: a workgroup placed), ascending.
fn times(subject: impl Subject, scenario: Scenario, kernels: usize, ops: u32) -> Vec<f64> {
    let mut scene = Scene::new(subject, kernels);
    scene.set_up(scenario);
    // One run to warm up.
    scene.ops(scenario, ops);
    let runs = (0..RUNS).map(|_| {
        let start = clock::nanoseconds();
        let counted = scene.ops(scenario, ops);
        (clock::nanoseconds() - start) / counted as f64
    });
    sorted(runs)
}

/// The least of many short runs by the wall clock.
fn least(subject: impl Subject, scenario: Scenario, kernels: usize, ops: u32) -> f64 {
    let mut scene = Scene::new(subject, kernels);
    scene.set_up(scenario);
    scene.ops(scenario, ops);
    let runs = (0..SHORT).map(|_| {
        let start = Instant::now();
        let counted = scene.ops(scenario, ops.div_ceil(SHORT));
        start.elapsed().as_nanos() as f64 / counted as f64
    });
    runs.fold(f64::INFINITY, f64::min)
}

fn sorted(times: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    times
}

fn median(times: &[f64]) -> f64 {
    times[times.len() / 2]
}
