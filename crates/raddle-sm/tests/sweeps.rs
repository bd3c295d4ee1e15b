//! What does `block-warp` decide as a policy, at a glance?

use raddle_policy::test_kit::{Scenario, render};
use raddle_policy::{Barrier, Level};
use raddle_sm::{BlockWarp, Choose, Options};

/// The scenario of the test kit; launch 1 is urgent and comes while 0 fills the device.
fn scenario() -> Scenario {
    let mut scenario = Scenario { batch: 1, ends: vec![0, 65, 3], ..Scenario::example() };
    for launch in &mut scenario.launches {
        launch.workgroups = launch.workgroups.min(4);
    }
    scenario.launches[0].demand.waves = 3;
    scenario.launches[2].level = Level(1);
    scenario.launches[2].barrier = Barrier::No;
    scenario
}

#[test]
fn block_warp() {
    let table = render(&mut BlockWarp::new(Options::default()), &scenario());
    insta::assert_snapshot!("block-warp", table.expect("the laws hold"));
}

#[test]
fn block_warp_with_every_option_turned() {
    let options = Options {
        strict: true,
        choose: Choose::MostFree,
        fall_through: true,
        backfill: false,
        whole_blocks_for_barriers: false,
    };
    let table = render(&mut BlockWarp::new(options), &scenario());
    insta::assert_snapshot!("block-warp-turned", table.expect("the laws hold"));
}
