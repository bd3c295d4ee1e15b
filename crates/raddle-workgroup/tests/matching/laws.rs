//! Are the laws of `Allocate` kept with every choice?

use proptest::prelude::*;
use raddle_policy::Level;
use raddle_testkit::{
    Deed, SMALL_CU, Scenario, World, cases, check_allocate, check_bulk, demand, launch, scenario,
    scenario_with, wide_scenario,
};
use raddle_workgroup::{Balance, LevelOrder, MatchingConfig};

use crate::configs::{config, matching, wide_config};

/// Draws a scenario on a device of any size, and any configuration that suits it.
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

    /// Checks that answers in bulk equal single ones where channels tie, and where a placed
    /// workgroup changes which SIMD gets the next surplus wave, so that others fit in the middle of
    /// an answer.
    #[test]
    fn in_bulk_as_one_by_one_where_channels_tie(mut s in scenario(), config in config()) {
        s.cus = s.cus.min(2);
        for launch in &mut s.launches {
            launch.level = Level(0);
            launch.workgroups += 4;
        }
        let order = LevelOrder::Static;
        let config = config.with_order(order).with_balance(Balance::Tail).with_channels(None);
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

/// Checks a channel that begins to tie in the middle of an answer: the third launch fits only once
/// a workgroup of the fourth, which is of its level, has changed which SIMD gets the next surplus
/// wave.
#[test]
fn a_channel_that_ties_in_the_middle_of_an_answer_goes_next() {
    let of = |id, (stream, level), (waves, vgpr), workgroups| {
        let of_stream = launch(id).stream(stream).level(level).workgroups(workgroups);
        of_stream.demand(demand(waves, vgpr)).build()
    };
    let launches = vec![
        of(0, (0, 0), (1, 10), 1),
        of(1, (0, 0), (1, 1), 1),
        of(2, (1, 1), (3, 5), 1),
        of(3, (2, 1), (1, 1), 3),
    ];
    let (processes, ends, leaves) = (vec![1], vec![], vec![]);
    let s = Scenario { shape: SMALL_CU, cus: 1, processes, launches, batch: 4, ends, leaves };
    let make = || matching(&MatchingConfig::default(), s.shape, s.cus);
    check_bulk(make, &s);
    let run = World::play(&s, &mut make()).expect("it keeps the laws");
    let started = run.lines.iter().filter_map(|line| match &line.deed {
        Deed::Started { launch, pieces, .. } => Some((launch.0, pieces[0].count)),
        _ => None,
    });
    assert_eq!(started.take(5).collect::<Vec<_>>(), [(0, 1), (1, 1), (3, 1), (2, 1), (3, 2)]);
}
