//! What does each baseline decide, at a glance?
//!
//! Three compute units of different fill, ties everywhere: each table changes when a comparison is
//! off by one.

use raddle_policy::Allocate;
use raddle_testkit::{Scenario, render};
use raddle_workgroup::{
    BaselineConfig, Greedy, Leftover, LeftoverConfig, RoundRobin, Spatial, SpatialConfig,
};

/// Returns the example scenario of the test kit on three compute units, so that full rounds of
/// workgroups do not come out even.
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
    let config = BaselineConfig::default();
    insta::assert_snapshot!("round-robin", table(RoundRobin::new(config)));
}

#[test]
fn round_robin_with_addresses() {
    let config = BaselineConfig::default().with_addresses(true);
    insta::assert_snapshot!("round-robin-addresses", table(RoundRobin::new(config)));
}

#[test]
fn greedy() {
    insta::assert_snapshot!("greedy", table(Greedy::new(BaselineConfig::default())));
}

#[test]
fn leftover() {
    insta::assert_snapshot!("leftover", table(Leftover::default()));
}

#[test]
fn leftover_by_level() {
    let config = LeftoverConfig::by_level();
    insta::assert_snapshot!("leftover-by-level", table(Leftover::new(config)));
}

#[test]
fn spatial() {
    let config = SpatialConfig::default();
    insta::assert_snapshot!("spatial", table(Spatial::new(config).unwrap()));
}
