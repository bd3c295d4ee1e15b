//! Are the laws of `Allocate` kept with every choice?

use proptest::prelude::*;
use raddle_testkit::{check_allocate, check_bulk, scenario, scenario_with};

use crate::configs::{config, matching};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

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
