//! Does `block-warp` keep the laws of `Allocate`, under every reading?

use proptest::prelude::*;
use raddle_sm::{BlockWarp, BlockWarpConfig, Choose};
use raddle_testkit::{cases, check_allocate, check_bulk, scenario, scenario_with, wide_scenario};

fn options() -> impl Strategy<Value = BlockWarpConfig> {
    let choose = prop_oneof![Just(Choose::Lowest), Just(Choose::MostFree)];
    (any::<bool>(), choose, any::<[bool; 3]>()).prop_map(|(strict, choose, rest)| BlockWarpConfig {
        strict,
        choose,
        fall_through: rest[0],
        backfill: rest[1],
        whole_blocks_for_barriers: rest[2],
    })
}

proptest! {
    #[test]
    fn block_warp_keeps_them(s in scenario(), options in options()) {
        check_allocate(|| BlockWarp::new(options), &s);
        check_bulk(|| BlockWarp::new(options), &s);
    }

    #[test]
    fn launches_that_can_never_fit_change_nothing(s in scenario_with(true), options in options()) {
        check_bulk(|| BlockWarp::new(options), &s);
    }
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn in_bulk_as_one_by_one_on_every_device(s in wide_scenario(), options in options()) {
        check_bulk(|| BlockWarp::new(options), &s);
    }
}

proptest! {
    #![proptest_config(cases(30))]

    #[test]
    fn they_are_kept_on_every_device(s in wide_scenario(), options in options()) {
        check_allocate(|| BlockWarp::new(options), &s);
    }
}
