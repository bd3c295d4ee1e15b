//! What does `block-warp` decide as a policy, at a glance?

use raddle_policy::{Barrier, Demand};
use raddle_sm::{BlockWarp, BlockWarpConfig, Choose};
use raddle_testkit::{Scenario, demand, launch, render};

/// Returns a scenario on two compute units of 8 wave slots and 8 granules of LDS. A launch of low
/// urgency fills them, one workgroup of it in part; two urgent launches, one with a barrier, come
/// one after the other; a last launch of low urgency would fit beside them.
fn scenario() -> Scenario {
    let example = Scenario::example();
    let launch = |id: u32, level: u8, workgroups: u64, waves: u16, lds: u32, barrier: Barrier| {
        let demand = Demand { lds, ..demand(waves, 2) };
        launch(id).level(level).workgroups(workgroups).demand(demand).barrier(barrier).build()
    };
    let launches = vec![
        launch(0, 5, 4, 3, 2, Barrier::No),
        launch(1, 0, 3, 4, 4, Barrier::No),
        launch(2, 0, 2, 5, 0, Barrier::Assumed),
        launch(3, 5, 2, 1, 0, Barrier::No),
    ];
    Scenario { batch: 1, ends: vec![1, 64, 2], launches, ..example }
}

#[test]
fn block_warp() {
    let table = render(&mut BlockWarp::new(BlockWarpConfig::default()), &scenario());
    insta::assert_snapshot!("block-warp", table.expect("the laws hold"));
}

#[test]
fn block_warp_with_every_option_turned() {
    let options = BlockWarpConfig {
        strict: true,
        choose: Choose::MostFree,
        fall_through: true,
        backfill: false,
        whole_blocks_for_barriers: false,
    };
    let table = render(&mut BlockWarp::new(options), &scenario());
    insta::assert_snapshot!("block-warp-turned", table.expect("the laws hold"));
}
