//! What does the policy decide, at a glance?
//!
//! Three compute units of different fill, ties everywhere: each table changes when a comparison is
//! off by one.

use raddle_policy::{Activity, StreamId};
use raddle_testkit::{Scenario, render};
use raddle_workgroup::{
    Amounts, Balance, Choice, FreeWeights, LevelOrder, LevelWindows, MatchingConfig, PlaceRule,
    PowerWeights, SearchRule,
};

use crate::configs::matching;

/// Returns the example scenario of the test kit on three compute units, and says of its launches
/// which instructions their waves issue.
fn scenario() -> Scenario {
    let mut scenario = Scenario { cus: 3, ..Scenario::example() };
    for (at, launch) in (1..).zip(&mut scenario.launches) {
        launch.workgroups += 2;
        launch.activity = Activity([10 * at, at, 0, 40 / at, 1, 2]);
    }
    scenario
}

fn table(config: MatchingConfig) -> String {
    let scenario = scenario();
    let mut policy = matching(&config, scenario.shape, scenario.cus);
    render(&mut policy, &scenario).expect("the laws hold")
}

#[test]
fn every_part_by_default() {
    insta::assert_snapshot!("default", table(MatchingConfig::default()));
}

#[test]
fn windows_channels_that_tie_and_a_fixed_balance() {
    let mut scenario = scenario();
    for launch in &mut scenario.launches {
        launch.level.0 %= 2;
        launch.stream = StreamId(launch.id.0 % 2);
    }
    let config = MatchingConfig::default()
        .with_order(LevelOrder::Windows(LevelWindows::us(vec![2, 1])))
        .with_balance(Balance::Fixed);
    let mut policy = matching(&config, scenario.shape, scenario.cus);
    insta::assert_snapshot!("windows", render(&mut policy, &scenario).expect("the laws hold"));
}

#[test]
fn places() {
    let free = FreeWeights { waves: 2, vgpr: 6, sgpr: 0, lds: 3, amounts: Amounts::LongestRun };
    let power = PowerWeights::new([4, 12, 10, 64, 2, 3]).with_history_ticks(Some(1_500));
    let rules = [
        ("round-robin", PlaceRule::RoundRobin),
        ("most-waves", PlaceRule::MostWaves),
        ("most-free", PlaceRule::MostFree(free)),
        ("least-power", PlaceRule::LeastPower(power)),
        ("mix", PlaceRule::Mix { free, power, shares: [1, 2] }),
    ];
    for (name, place) in rules {
        let config = MatchingConfig::default().with_place(place);
        insta::assert_snapshot!(name, table(config));
    }
}

#[test]
fn searches_that_report_less() {
    let seeded = Choice::Seeded { seed: 7 };
    for (name, search) in
        [("grouped", SearchRule::groups(4)), ("sampled", SearchRule::amounts(vec![1, 2, 4, 8, 16]))]
    {
        let config = MatchingConfig::default().with_search(search).with_pick(seeded);
        insta::assert_snapshot!(name, table(config));
    }
}
