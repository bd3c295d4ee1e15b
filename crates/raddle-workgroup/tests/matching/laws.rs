//! Are the laws of `Allocate` kept with every choice?

use proptest::prelude::*;
use raddle_policy::Level;
use raddle_testkit::{
    Scenario, cases, check_allocate, check_bulk, scenario, scenario_with, wide_scenario,
};
use raddle_workgroup::{Balance, LevelOrder, MatchingConfig};

use crate::configs::{config, matching, wide_config};

/// A scenario on any device, and any choice that suits it.
fn wide() -> impl Strategy<Value = (Scenario, MatchingConfig)> {
    wide_scenario().prop_flat_map(|s| (Just(s.clone()), wide_config(s.shape)))
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn in_bulk_as_one_by_one_on_every_device((s, config) in wide()) {
        check_bulk(|| matching(&config, s.shape, s.cus), &s);
    }
}

proptest! {
    #![proptest_config(cases(400))]

    /// Where channels tie and workgroups turn the split table, others fit in the middle of an answer.
    #[test]
    fn in_bulk_as_one_by_one_where_channels_tie(mut s in scenario(), config in config()) {
        s.cus = s.cus.min(2);
        for launch in &mut s.launches {
            launch.level = Level(0);
            launch.workgroups += 4;
        }
        let order = LevelOrder::Static;
        let config = MatchingConfig { order, balance: Balance::Tail, channels: None, ..config };
        check_bulk(|| matching(&config, s.shape, s.cus), &s);
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn they_are_kept_on_every_device((s, config) in wide()) {
        check_allocate(|| matching(&config, s.shape, s.cus), &s);
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn they_are_kept(s in scenario(), config in config()) {
        let make = || matching(&config, s.shape, s.cus);
        check_allocate(make, &s);
        check_bulk(make, &s);
    }

    #[test]
    fn also_where_launches_can_never_fit(s in scenario_with(true), config in config()) {
        let make = || matching(&config, s.shape, s.cus);
        check_allocate(make, &s);
        check_bulk(make, &s);
    }
}
