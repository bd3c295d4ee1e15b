//! Do both stages do what seed 004 says, with the readings that the spec takes?
//!
//! Numbered checks are those of the spec's list. Times are milliseconds unless a test says otherwise.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "all of this is test code")]

mod checks;
mod errors;
mod laws;
mod options;
mod oracle;
mod page;
mod studies;
mod vectors;

use raddle_golden::slices::{Exclusive, GpuTask, TaskId};
use raddle_policy::{Level, Tick, Ticks};
use raddle_timeslice::{
    LoadedProcess, PoolEntry, SliceConfig, SliceRule, StageOne, StageTwo, Weight,
};

/// Makes a process that was chosen to run, with a weight given as a fraction.
fn loaded(over: u64, under: u64) -> LoadedProcess {
    LoadedProcess::new(0, Weight::new(1, over, under, 1), 1)
}

/// Returns the slices of processes with these weights by a rule, in ticks, with a base slice t0 of
/// 1,000,000 ticks.
fn millionths(rule: SliceRule, weights: &[(u64, u64)]) -> Vec<u128> {
    let loads: Vec<LoadedProcess> =
        weights.iter().map(|&(over, under)| loaded(over, under)).collect();
    let mut slices = Vec::new();
    StageTwo::new(Ticks(1_000_000), rule, None).unwrap().slices(&loads, &mut slices).unwrap();
    slices
}

/// Returns the positions of the processes that are chosen to run, of a pool given as (level, ticks
/// alive, ticks run).
fn load(capacity: usize, pool: &[(u8, u64, u64)]) -> Vec<usize> {
    let mut loads = Vec::new();
    let entries = pool.iter().map(|&(level, alive, ran)| PoolEntry {
        level: Level(level),
        share: 1,
        alive: Ticks(alive),
        ran: Ticks(ran),
    });
    StageOne::new(Ticks(1), capacity).unwrap().load(entries, &mut loads);
    loads.iter().map(|loaded| loaded.index()).collect()
}

fn task(id: u32, level: u8, created: u64, ran: u64) -> GpuTask {
    GpuTask {
        id: TaskId(id),
        level: Level(level),
        share: 1,
        created: Tick(created),
        ran: Ticks(ran),
    }
}

/// Makes a GPU at tick `now` with endless tasks, each given as (tick of its creation, ticks run).
fn gpu(settings: &SliceConfig, now: u64, tasks: &[(u64, u64)]) -> Exclusive {
    let mut gpu = Exclusive::new(settings).unwrap();
    gpu.advance(Tick(now), &mut |_| {});
    for (id, &(created, ran)) in (0..).zip(tasks) {
        gpu.add(task(id, 0, created, ran), None, Tick(now));
    }
    gpu
}

/// Returns the run times of the tasks in ticks, in the order of the pool.
fn ran(gpu: &Exclusive) -> Vec<u64> {
    gpu.tasks().iter().map(|task| task.ran.0).collect()
}

/// Returns Jain's fairness index of the values: 1 where they are equal.
fn jain(values: impl IntoIterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.into_iter().collect();
    let sum: f64 = values.iter().sum();
    sum * sum / (values.len() as f64 * values.iter().map(|x| x * x).sum::<f64>())
}

fn jain_of(ran: &[u64]) -> f64 {
    jain(ran.iter().map(|&ran| ran as f64))
}
