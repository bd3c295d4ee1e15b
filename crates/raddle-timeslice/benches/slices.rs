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

use raddle_policy::{ProcessState, Turn};
use raddle_timeslice::{
    Entry, Error, Exclusive, Levels, Loaded, Pool, Rule, Runnable, Settings, StageOne, StageTwo,
    Task, TaskId, TwoStage, WeightedSlices, WeightedSlicesConfig,
};
use raddle_types::{Level, ProcessId, Tick, Ticks};

const RUNS: usize = 41;
const T0: Ticks = Ticks(40_000_000);

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

/// Numbers that look random.
fn mixed(n: u64) -> u64 {
    let mut x = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^= x >> 29;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 32)
}

/// What pools look like.
const POOLS: [&str; 16] = [
    "at random",
    "at random, 2 levels",
    "at random, 16 levels",
    "at random, shares 1 to 4",
    "nearly equal",
    "all equal",
    "run time as age, within 1 %",
    "none has run",
    "none has run, one huge share",
    "one ran 1,000 times longer",
    "one is 1,000 times older",
    "all younger than t0",
    "newcomers among the old",
    "fair: a slice or two each",
    "each owed less than those before",
    "each owed more than those before",
];

/// 10,000 processes of such a pool; nanoseconds.
fn entries(kind: &str) -> Vec<Entry> {
    let entry = |n: u64| {
        let (alive, random) = (700_000_000_000 + mixed(!n) % 9_000_000_000, mixed(n));
        let levels = if kind.ends_with("2 levels") { 2 } else { 16 };
        let level = if kind.ends_with("levels") { 3 + (mixed(n + 1) % levels) as u8 } else { 3 };
        let (alive, ran) = match kind {
            "nearly equal" => (alive, 60_000_000_000 + random % 1_000_000),
            "all equal" => (700_000_000_000, 60_000_000_000),
            "run time as age, within 1 %" => {
                let age = 1_000_000_000 + mixed(!n) % 700_000_000_000;
                (age, age / 12_345 * (10_000 + random % 100) / 10_000)
            }
            "none has run" | "none has run, one huge share" => (alive, 0),
            "one ran 1,000 times longer" if n == 4321 => (alive, 600_000_000_000),
            "one ran 1,000 times longer" => (alive, 200_000_000 + random % 400_000_000),
            "one is 1,000 times older" if n == 4321 => (alive, random % 600_000_000_000),
            "one is 1,000 times older" => {
                let age = 500_000_000 + mixed(!n) % 200_000_000;
                (age, random % age)
            }
            "all younger than t0" => {
                let age = mixed(!n) % T0.0;
                (age, random % (age + 1))
            }
            "newcomers among the old" if n.is_multiple_of(3) => (mixed(!n) % 60_000_000_000, 0),
            "fair: a slice or two each" => (alive, 40_000_000 + random % 2 * 40_000_000),
            "each owed less than those before" => (700_000_000_000, 1_000_000_000 + n * 50_000_000),
            "each owed more than those before" => {
                (700_000_000_000, 600_000_000_000 - n * 50_000_000)
            }
            _ => (alive, random % 600_000_000_000),
        };
        let share = match kind {
            "at random, shares 1 to 4" => 1 + mixed(n + 2) % 4,
            "none has run, one huge share" if n == 1234 => 1_000_000,
            _ => 1,
        };
        Entry { level: Level(level), share, alive: Ticks(alive), ran: Ticks(ran) }
    };
    (0..10_000).map(entry).collect()
}

/// The same as a pool.
fn pool_of(kind: &str) -> Result<Pool, Error> {
    let (mut pool, now) = (Pool::new(Levels::new(32)?), Tick(800_000_000_000));
    for (id, entry) in (0..).zip(entries(kind)) {
        let (created, ran) = (Tick(now.0 - entry.alive.0), entry.ran);
        let Entry { level, share, .. } = entry;
        pool.add(Task { id: TaskId(id), level, share, created, ran }, now)?;
    }
    Ok(pool)
}

fn loads() -> Result<(), Error> {
    for kind in POOLS {
        let (pool, settings) = (pool_of(kind)?, Settings::new(T0, 8, Rule::MinOne));
        let mut stages = TwoStage::new(&settings)?;
        // Eight slices a load: the load is most of them.
        let time = measure(20, || {
            for _ in 0..20 * 8 {
                black_box(stages.next(black_box(&pool)));
            }
        });
        assert_eq!(stages.loads() as usize, 20 * RUNS);
        row(&format!("8 of 10,000 of a pool, {kind}"), "10,000", time);
    }
    for kind in POOLS {
        let (pool, mut loaded) = (entries(kind), Vec::new());
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

/// A task in the middle completes, another comes in at the end.
fn changes() -> Result<(), Error> {
    let (mut pool, mut next) = (pool_of("at random")?, 10_000);
    let now = pool.now();
    let mut failed = 0;
    let time = measure(100, || {
        for n in 0..100 {
            let id = pool.tasks()[3000 + n].id;
            let left = pool.complete(id, now).map(|task| Task { id: TaskId(next), ..task });
            failed += u32::from(left.and_then(|task| pool.add(task, now)).is_err());
            next += 1;
        }
    });
    assert_eq!((failed, pool.tasks().len()), (0, 10_000));
    row("one of 10,000 in a pool completes, another comes in", "", time);
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
    // The next slice of a load, from a pool of 10,000; the load itself is the row above.
    let pool = pool_of("at random")?;
    let settings = Settings::new(T0, 10_000, Rule::MinOne);
    let mut stages = TwoStage::new(&settings)?;
    black_box(stages.next(&pool));
    let time = measure(200, || {
        for _ in 0..200 {
            black_box(stages.next(black_box(&pool)));
        }
    });
    assert_eq!(stages.loads(), 1);
    assert!(pool.most_urgent().is_some());
    row("the next slice of a load, 10,000 in the pool", "50", time);
    Ok(())
}

fn simulated() -> Result<(), Error> {
    for (tasks, capacity) in [(4_u32, 4), (16, 8), (64, 8)] {
        for rule in Rule::ALL {
            let settings = Settings::new(Ticks(40), capacity, rule);
            let mut gpu = Exclusive::new(&settings, Levels::default())?;
            for id in 0..tasks {
                let (created, ran) = (Tick(0), Ticks(0));
                let task = Task { id: TaskId(id), level: Level(1), share: 1, created, ran };
                gpu.add(task, None, Tick(0))?;
            }
            let mut count = 0_u64;
            let mut times = Vec::new();
            for _ in 0..RUNS {
                let (start, before) = (Instant::now(), count);
                let until = gpu.pool().now() + Ticks(40 * 20_000);
                gpu.advance(until, &mut |_| count += 1)?;
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
    changes()?;
    slices()?;
    turns()?;
    simulated()
}
