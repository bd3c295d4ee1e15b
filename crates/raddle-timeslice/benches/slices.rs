//! What do a load, the length of a slice and a turn cost?
//!
//! Goals: a load of 8 out of 10,000 processes in 1 ms, a slice and a turn in 50 ns.

use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use raddle_policy::{Level, ProcessState, Tick, Ticks, Turn};
use raddle_testkit::process;
use raddle_timeslice::{
    LoadedProcess, PoolEntry, SliceRule, StageOne, StageTwo, WeightedSlices, WeightedSlicesConfig,
};

/// Length of the smallest slice, 40 ms, in ticks (nanoseconds).
const T0: Ticks = Ticks(40_000_000);

fn main() {
    divan::main();
}

/// Returns a pool of processes that are about 700 s old and ran for up to 600 s.
fn entries(count: u64) -> Vec<PoolEntry> {
    let mixed = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ n << 29;
    let entry = |n: u64| {
        let alive = Ticks(700_000_000_000 + mixed(!n) % 9_000_000_000);
        PoolEntry { level: Level(3), share: 1, alive, ran: Ticks(mixed(n) % 600_000_000_000) }
    };
    (0..count).map(entry).collect()
}

/// Measures the choice of eight processes from a pool of `processes`.
#[divan::bench(args = [8, 100, 10_000])]
fn load(bencher: Bencher<'_, '_>, processes: u64) {
    let (entries, mut loaded) = (entries(processes), Vec::new());
    let stage = StageOne::new(T0, 8).expect("the settings are lawful");
    bencher.bench_local(|| stage.load(black_box(&entries).iter().copied(), &mut loaded));
}

/// Measures the computation of the lengths of eight slices under a rule.
#[divan::bench(args = SliceRule::ALL.map(SliceRule::name))]
fn lengths(bencher: Bencher<'_, '_>, rule: &str) {
    let rule = SliceRule::ALL.into_iter().find(|known| known.name() == rule).expect("it is listed");
    let mut loaded: Vec<LoadedProcess> = Vec::new();
    let one = StageOne::new(T0, 8).expect("the settings are lawful");
    one.load(entries(100), &mut loaded);
    let two = StageTwo::new(T0, rule, None).expect("the settings are lawful");
    let mut lengths = Vec::new();
    bencher
        .counter(ItemsCount::new(8_usize))
        .bench_local(|| black_box(two.slices(black_box(&loaded), &mut lengths)).is_ok());
}

/// Measures a turn of the policy `weighted-slices`, the choice of the next processes (loads)
/// included.
#[divan::bench(args = [2, 8])]
fn turn(bencher: Bencher<'_, '_>, processes: u16) {
    let config = WeightedSlicesConfig::new(SliceRule::MinOne);
    let mut policy = WeightedSlices::new(config).expect("the settings are lawful");
    let mut states: Vec<ProcessState> = (0..processes).map(process).collect();
    let (mut now, mut named) = (Tick(0), Vec::new());
    bencher.bench_local(|| {
        named.clear();
        let until = policy.turn(&states, now, &mut named).unwrap_or(now + T0);
        let span = until.since(now);
        for state in &mut states {
            state.alive += span;
            if named.contains(&state.id) {
                state.ran += span;
            }
        }
        now = until;
    });
}
