//! What do a load, a slice and a turn cost?
//!
//! Wall time on one thread: the fastest and the median of some runs. Goals: a load of 8 out of
//! 10,000 processes in 10 us, a slice decision in 50 ns, 1,000,000 slices a second.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock and prints"
)]

use std::hint::black_box;
use std::time::Instant;

use raddle_golden::slices::{Exclusive, GpuTask, TaskId};
use raddle_policy::{Level, ProcessId, ProcessState, Tick, Ticks, Turn};
use raddle_timeslice::{
    Entry, Error, Loaded, Rule, Settings, StageOne, StageTwo, WeightedSlices, WeightedSlicesConfig,
};

mod pools;

use pools::{POOLS, T0, entries};

const RUNS: usize = 41;

/// Nanoseconds for each of `count`: the fastest run and the median.
fn measure(count: u64, mut work: impl FnMut()) -> (f64, f64) {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_nanos() as f64 / count as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[0], times[RUNS / 2])
}

fn row(what: &str, goal: &str, (fastest, median): (f64, f64)) {
    println!("{what:<58} {fastest:>11.1} {median:>11.1}  {goal}");
}

fn loads() -> Result<(), Error> {
    for (kind, _) in POOLS {
        let (pool, mut loaded) = (entries(kind).collect::<Vec<Entry>>(), Vec::new());
        let mut stage = StageOne::new(T0, 8)?;
        let time = measure(20, || {
            for _ in 0..20 {
                black_box(stage.load(black_box(&pool).iter().copied(), &mut loaded));
            }
        });
        row(&format!("8 of 10,000 entries, {kind}"), "10,000", time);
    }
    Ok(())
}

fn slices() -> Result<(), Error> {
    let loaded: Vec<Loaded> = {
        let mut loaded = Vec::new();
        StageOne::new(T0, 8)?.load(entries("at random"), &mut loaded);
        loaded
    };
    for rule in Rule::ALL {
        let (stage, mut lengths) = (StageTwo::new(T0, rule, None)?, Vec::new());
        let time = measure(8 * 1000, || {
            for _ in 0..1000 {
                let _ = black_box(stage.slices(black_box(&loaded), &mut lengths));
            }
        });
        row(&format!("the length of a slice, rule {}", rule.name()), "50", time);
    }
    Ok(())
}

fn simulated() -> Result<(), Error> {
    for (tasks, capacity) in [(4_u32, 4), (16, 8), (64, 8)] {
        for rule in Rule::ALL {
            let settings = Settings::new(Ticks(40), capacity, rule);
            let mut gpu = Exclusive::new(&settings)?;
            for id in 0..tasks {
                let (created, ran) = (Tick(0), Ticks(0));
                let task = GpuTask { id: TaskId(id), level: Level(1), share: 1, created, ran };
                gpu.add(task, None, Tick(0));
            }
            let mut count = 0_u64;
            let mut times = Vec::new();
            for _ in 0..RUNS {
                let (start, before) = (Instant::now(), count);
                let until = gpu.now() + Ticks(40 * 20_000);
                gpu.advance(until, &mut |_| count += 1);
                times.push(start.elapsed().as_nanos() as f64 / (count - before) as f64);
            }
            times.sort_by(f64::total_cmp);
            let what = format!("a simulated slice: {tasks} tasks, {capacity} fit, {}", rule.name());
            row(&what, "1,000", (times[0], times[RUNS / 2]));
        }
    }
    Ok(())
}

fn turns() -> Result<(), Error> {
    for processes in [2_u16, 8] {
        let config = WeightedSlicesConfig::new(Rule::MinOne);
        let mut policy = WeightedSlices::new(config)?;
        let state = |id| ProcessState {
            id: ProcessId(id),
            level: Level(0),
            share: 1,
            joined: Tick(0),
            alive: Ticks(0),
            ran: Ticks(0),
            resident_waves: 0,
        };
        let mut states: Vec<ProcessState> = (0..processes).map(state).collect();
        let (mut now, mut named) = (Tick(0), Vec::new());
        let time = measure(1000, || {
            for _ in 0..1000 {
                named.clear();
                let until = policy.turn(&states, now, &mut named).unwrap_or(now + T0);
                for state in &mut states {
                    let span = until.since(now);
                    state.alive += span;
                    if named.contains(&state.id) {
                        state.ran += span;
                    }
                }
                now = until;
            }
        });
        row(&format!("a turn of weighted-slices among {processes}, loads included"), "50", time);
    }
    Ok(())
}

fn main() -> Result<(), Error> {
    println!("{:<58} {:>11} {:>11}  goal, ns", "", "fastest ns", "median ns");
    loads()?;
    slices()?;
    turns()?;
    simulated()
}
