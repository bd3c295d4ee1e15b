//! What does each rule decide, at a glance? Ties and borders everywhere: each table changes when a
//! comparison is off by one.
#![allow(clippy::unwrap_used, reason = "all of this is test code")]

use std::fmt::Write;

use raddle_policy::{Level, Ticks};
use raddle_timeslice::{LoadedProcess, PoolEntry, SliceRule, StageOne, StageTwo};

/// Pools of processes, each process as (level, share, alive time, run time in ticks).
const POOLS: [&[(u8, u64, u64, u64)]; 12] = [
    &[(0, 1, 60, 3)],
    &[(0, 1, 60, 3), (0, 1, 60, 10)],
    &[(0, 1, 60, 10), (0, 1, 60, 3)],
    &[(0, 1, 60, 10), (0, 1, 60, 10), (0, 1, 60, 10)],
    &[(0, 1, 60, 10), (0, 1, 120, 20), (0, 2, 60, 20), (0, 1, 60, 9)],
    &[(1, 1, 90, 1), (0, 1, 60, 10), (0, 1, 60, 6), (1, 1, 60, 1)],
    &[(2, 1, 10, 10), (1, 1, 10, 9), (0, 1, 10, 8)],
    &[(0, 1, 0, 0), (0, 1, 3, 0), (0, 1, 4, 0), (0, 1, 5, 0)],
    &[(0, 1, 4, 4), (0, 1, 5, 5), (0, 3, 6, 6), (0, 1, 7, 3)],
    &[(0, 1, 9, 3), (0, 1, 9, 4), (0, 1, 9, 5), (0, 1, 9, 6), (0, 1, 9, 7)],
    &[(0, 1, 1000, 4), (0, 1, 1000, 1000), (0, 9, 1000, 500)],
    &[(0, 4, 8, 8), (0, 2, 8, 4), (0, 1, 8, 4), (0, 8, 8, 16)],
];

fn table(rule: SliceRule) -> String {
    let mut table =
        String::from("pool               capacity  loaded     slices at t0 = 4, longest 30\n");
    for pool in POOLS {
        for capacity in [1, 2, 3] {
            let mut loaded: Vec<LoadedProcess> = Vec::new();
            let entries = pool.iter().map(|&(level, share, alive, ran)| PoolEntry {
                level: Level(level),
                share,
                alive: Ticks(alive),
                ran: Ticks(ran),
            });
            StageOne::new(Ticks(4), capacity).unwrap().load(entries, &mut loaded);
            let mut slices = Vec::new();
            let stage = StageTwo::new(Ticks(4), rule, Some(Ticks(30))).unwrap();
            stage.slices(&loaded, &mut slices).unwrap();
            let text = |list: Vec<String>| list.join(" ");
            let indices = text(loaded.iter().map(|loaded| loaded.index().to_string()).collect());
            let slices = text(slices.iter().map(u128::to_string).collect());
            let (level, share, alive, ran) = pool[0];
            let pool = format!("{level}:{share}x{alive}/{ran} +{}", pool.len() - 1);
            writeln!(table, "{pool:<18} {capacity:>8}  {indices:<9}  {slices}").unwrap();
        }
    }
    table
}

#[test]
fn each_rule() {
    for rule in SliceRule::ALL {
        insta::assert_snapshot!(rule.name(), table(rule));
    }
}
