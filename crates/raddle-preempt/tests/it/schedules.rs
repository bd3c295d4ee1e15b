//! Are order, duplicates, losses, window, kills and hangs right over random schedules, and does the
//! naive twin give the same commands?

use std::collections::BTreeMap;
use std::fmt::Write as _;

use proptest::prelude::*;

use crate::control::Ours;
use crate::device::{Wrong, run};
use crate::history::{Faults, History};
use crate::naive::{Mutant, Naive};
use crate::schedule::{Schedule, anything, of_the_digest};

/// Number of random schedules that each test case runs; `cargo xtask soak` runs 1,000,000.
const EACH: u64 = if cfg!(debug_assertions) { 10 } else { 100 };

pub(crate) fn ours(schedule: &Schedule) -> History {
    run(schedule, Ours::new(&schedule.setup), Wrong::Nothing)
}

pub(crate) fn naive(schedule: &Schedule, mutant: Mutant) -> History {
    run(schedule, Naive::new(&schedule.setup, mutant), Wrong::Nothing)
}

proptest! {
    #[test]
    fn nothing_is_lost_doubled_overtaken_or_wrongly_killed(seed in any::<u64>()) {
        for seed in (0..EACH).map(|n| seed.wrapping_add(n)) {
            let schedule = anything(seed);
            let history = ours(&schedule);
            prop_assert!(history.faults.none(), "{:?}: {schedule:#?}", history.faults);
            let mut all = history.full.iter().zip(&history.dropped);
            prop_assert!(all.all(|(full, dropped)| *full == u64::from(!*dropped)));
            // The naive controller gives equal commands at equal ticks and equal answers, and ends
            // equally.
            let twin = naive(&schedule, Mutant::None);
            prop_assert_eq!(history, twin, "{:#?}", schedule);
        }
    }
}

#[test]
fn check_11_over_the_random_runs_of_the_digest() {
    let mut latencies = 0;
    for seed in 0..2000 {
        let history = ours(&of_the_digest(seed));
        assert_eq!(history.faults, Faults::default(), "{seed}");
        latencies += history.latencies.len();
    }
    assert!(latencies > 2000, "most of them are preempted: {latencies}");
}

/// Checks that random schedules reach every situation often: otherwise it would hardly be tested.
#[test]
fn the_schedules_reach_everything() {
    let mut orders: BTreeMap<String, u64> = BTreeMap::new();
    let mut wishes: BTreeMap<String, u64> = BTreeMap::new();
    for seed in 0..1000 {
        let schedule = anything(seed);
        let history = ours(&schedule);
        for (_, _, order) in &history.orders {
            let name = format!("{order:?}");
            let name = name.split_whitespace().next().unwrap().to_owned();
            *orders.entry(name).or_default() += 1;
        }
        for (_, _, became) in history.wishes {
            *wishes.entry(became).or_default() += 1;
        }
        let captured = history.dropped.iter().filter(|dropped| **dropped).count() as u64;
        *orders.entry("(launches dropped)".to_owned()).or_default() += captured;
        let again = schedule.setup.processes.len() as u64 - history.ids;
        *orders.entry("(ids given again)".to_owned()).or_default() += again;
        let believed = history.believed.iter().filter(|believed| **believed).count() as u64;
        *orders.entry("(kills that were believed)".to_owned()).or_default() += believed;
        let asked = history.believed.len() as u64;
        *orders.entry("(kills that were not)".to_owned()).or_default() += asked - believed;
        *orders.entry("(heard of before the call)".to_owned()).or_default() += history.early;
        let partial = history.partial.iter().filter(|partial| **partial > 0).count() as u64;
        *orders.entry("(launches stopped part-way)".to_owned()).or_default() += partial;
    }
    let mut table = String::from("1000 random schedules\n\ncommands\n");
    orders.iter().for_each(|(name, count)| writeln!(table, "{name:<28} {count:>6}").unwrap());
    table += "\nwishes\n";
    wishes.iter().for_each(|(name, count)| writeln!(table, "{name:<28} {count:>6}").unwrap());
    insta::assert_snapshot!("reached", table);
}
