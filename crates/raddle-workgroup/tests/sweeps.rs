//! What does each baseline decide, at a glance?
//!
//! Three compute units of different fill, ties everywhere: each table changes when a comparison is
//! off by one.

use raddle_policy::Allocate;
use raddle_testkit::{Scenario, render};
use raddle_workgroup::{
    Cursor, Greedy, GreedyConfig, Leftover, LeftoverConfig, Rotation, RoundRobin, RoundRobinConfig,
    Spatial, SpatialConfig,
};

/// The scenario of the test kit on three compute units, so that rounds do not come out even.
fn scenario() -> Scenario {
    let mut scenario = Scenario { cus: 3, ..Scenario::example() };
    for launch in &mut scenario.launches {
        launch.workgroups += 2;
    }
    scenario
}

fn table(mut policy: impl Allocate) -> String {
    render(&mut policy, &scenario()).expect("the laws hold")
}

#[test]
fn round_robin() {
    let config = RoundRobinConfig::default();
    insta::assert_snapshot!("round-robin", table(RoundRobin::new(config).unwrap()));
}

#[test]
fn round_robin_with_addresses_and_a_cursor_per_launch() {
    let config =
        RoundRobinConfig { addresses: true, rotation: Rotation::None, cursor: Cursor::PerLaunch };
    insta::assert_snapshot!("round-robin-addresses", table(RoundRobin::new(config).unwrap()));
}

#[test]
fn greedy() {
    let config = GreedyConfig::default();
    insta::assert_snapshot!("greedy", table(Greedy::new(config).unwrap()));
}

#[test]
fn greedy_as_the_peer() {
    let config = GreedyConfig { addresses: true, rotation: Rotation::Peer };
    insta::assert_snapshot!("greedy-peer", table(Greedy::new(config).unwrap()));
}

#[test]
fn leftover() {
    let config = LeftoverConfig::default();
    insta::assert_snapshot!("leftover", table(Leftover::new(config).unwrap()));
}

#[test]
fn spatial() {
    let config = SpatialConfig::default();
    insta::assert_snapshot!("spatial", table(Spatial::new(config).unwrap()));
}
