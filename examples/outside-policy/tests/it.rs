//! Do the policies keep the laws, and what do they decide?

use insta::assert_snapshot;
use outside_policy::{Considerate, LeastServed, LeastServedConfig, SmallestFirst};
use proptest::prelude::*;
use raddle_policy::{Configured, Cus, Ranked};
use raddle_testkit::{
    Revocation, SMALL_CU, Scenario, TurnScenario, check_allocate, check_bulk, check_preempt,
    check_turn, render, render_preempt, render_turn, scenario, turn_scenario, victims,
    wide_scenario,
};

fn least_served() -> LeastServed {
    let config = LeastServedConfig { slice_us: 1 };
    LeastServed::make(&config, &Cus::new(SMALL_CU, 1)).expect("a slice of 1 us")
}

proptest! {
    #[test]
    fn smallest_first_keeps_the_laws(scenario in scenario()) {
        check_allocate(|| Ranked::new(SmallestFirst), &scenario);
        check_bulk(|| Ranked::new(SmallestFirst), &scenario);
    }

    /// Checks the policy on devices of up to 304 compute units, whose launches are also taken off
    /// and come back.
    #[test]
    fn smallest_first_answers_in_bulk_as_one_by_one(scenario in wide_scenario()) {
        check_bulk(|| Ranked::new(SmallestFirst), &scenario);
    }

    #[test]
    fn least_served_keeps_the_laws(scenario in turn_scenario()) {
        check_turn(least_served, &scenario);
    }

    #[test]
    fn considerate_keeps_the_law(victims in victims()) {
        check_preempt(|| Considerate, &victims);
    }
}

#[test]
fn smallest_first_decides_as_before() {
    let table =
        render(&mut Ranked::new(SmallestFirst), &Scenario::example()).expect("it keeps the laws");
    assert_snapshot!(table, @r"
       t  launch  answer   pieces / refusals
       0  k1      start    w0+2x2@cu0 w1@cu1
       0  k0      start    w0+2x3@cu0 w1+2x3@cu1
    1000  k0      (ended)  w2@cu0 w1@cu1
    1000  k3      start    w0+2x2@cu1 w1+2x2@cu0 / k2 lacks waves: wants 4, cu0 has 2
    1000  -       wait     / k2 lacks workgroups: wants 1, cu0 has 0
    2000  k3      (ended)  w1+2x2@cu0 w2@cu1
    2000  -       wait     / k2 lacks waves: wants 4, cu0 has 2
    3000  k0      (ended)  w4@cu0
    3000  -       wait     / k2 lacks lds: wants 2, cu0 has 0
    4000  k0      (ended)  w3+2x2@cu1
    4000  k2      start    w0@cu1
    4000  -       wait     / k2 lacks lds: wants 2, cu0 has 0
    5000  k1      (ended)  w2@cu0
    5000  k2      (ended)  w0@cu1
    5000  k3      (ended)  w0@cu1
    5000  k2      start    w1@cu0
    6000  k1      (ended)  w1@cu1
    7000  k1      (ended)  w0@cu0
    7000  k2      (ended)  w1@cu0
    8000  k0      (ended)  w0@cu0
    ");
}

#[test]
fn least_served_decides_as_before() {
    let table =
        render_turn(&mut least_served(), &TurnScenario::example()).expect("it keeps the laws");
    assert_snapshot!(table, @r"
        t  until  may issue
        0  -      p0
     1000  2000   p1
     2000  3000   p0
     3000  4000   p1
     4000  5000   p0
     5000  6000   p2
     6000  7000   p2
     7000  8000   p1
     8000  9000   p2
     9000  10000  p0
    10000  11000  p1
    ");
}

#[test]
fn considerate_decides_as_before() {
    let table =
        render_preempt(&mut Considerate, &Revocation::examples()).expect("it keeps the law");
    assert_snapshot!(table, @r"
       t  victim  answer  unstarted + resident waves
    1000  p0      drain   k0 6+0
    2000  p0      wait    k1 0+2
    3000  p0      drain   k0 6+0, k1 0+2
    ");
}
