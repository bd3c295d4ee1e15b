//! What does each choice of a recipe cost, beside the cheapest?

use raddle_workgroup::{
    Amounts, Balance, FreeWeights, LevelOrder, MatchingConfig, PlaceRule, PowerWeights, Search,
    SplitRule,
};

use crate::cycle;
use crate::scenarios::Scenario;
use crate::subject::TheMatching;
use crate::{KERNELS, times};

/// Each differs from the default in one choice.
fn choices() -> Vec<(&'static str, MatchingConfig)> {
    let free = |amounts| FreeWeights { waves: 4, vgpr: 1, sgpr: 1, lds: 1, amounts };
    let power = PowerWeights { weights: [3, 5, 2, 9, 4, 7], history_ticks: 1024 };
    let place = |place| MatchingConfig { place, ..MatchingConfig::default() };
    let search = |search| MatchingConfig { search, ..MatchingConfig::default() };
    let mix = PlaceRule::Mix { free: free(Amounts::Free), power, shares: [1, 1] };
    let windows = LevelOrder::Windows { windows_us: vec![8, 4, 3, 1] };
    let split = Some(SplitRule { threshold: 8, retry_us: 1 });
    vec![
        ("default", MatchingConfig::default()),
        ("search grouped, 8", search(Search::Grouped { groups: 8 })),
        ("search sampled", search(Search::Sampled { amounts: vec![] })),
        ("order windows", MatchingConfig { order: windows, ..MatchingConfig::default() }),
        ("split", MatchingConfig { split, ..MatchingConfig::default() }),
        ("balance fixed", MatchingConfig { balance: Balance::Fixed, ..MatchingConfig::default() }),
        ("place round-robin", place(PlaceRule::RoundRobin)),
        ("place most-free", place(PlaceRule::MostFree(free(Amounts::Free)))),
        ("place most-free, runs", place(PlaceRule::MostFree(free(Amounts::LongestRun)))),
        ("place least-power", place(PlaceRule::LeastPower(power))),
        ("place mix", place(mix)),
    ]
}

pub(crate) fn report() {
    println!();
    println!("each choice by itself, best ns   S1, 64 CUs   S2, 64   S2, 304   cycle, 64");
    for (name, config) in choices() {
        let best = |scenario, cus, ops| {
            times(TheMatching::with(&config, &KERNELS[..1], cus), scenario, 1, ops)[0]
        };
        println!(
            "{name:<30} {:>12.0} {:>8.0} {:>9.0} {:>11.0}",
            best(Scenario::S1, 64, 400_000),
            best(Scenario::S2, 64, 400),
            best(Scenario::S2, 304, 40),
            cycle::times(&config, 64)[0],
        );
    }
}
