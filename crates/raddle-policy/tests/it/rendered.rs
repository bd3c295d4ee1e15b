//! Does the table of a run show every answer, and end where it would be too long?

use raddle_testkit::{Scenario, check_allocate, check_bulk, render};

use crate::broken_allocate::{Bulk, Toy, sound};

/// The table that is expected of a run on the lowest compute unit first: at t=2000 and t=3000 the
/// two wave slots that `cu0` has left are too few for `k2`; `cu1` has enough of them from t=3000
/// on, but its LDS is full.
const EXAMPLE: &str = "\
\x20  t  launch  answer   pieces / refusals
   0  k0      start    w0+1x4@cu0
   0  k0      start    w4+1x2@cu1
   0  k1      start    w0+1x2@cu1
   0  -       wait     / k1 lacks waves: wants 1, cu0 has 0
1000  k0      (ended)  w0+1x2@cu0
1000  k1      start    w2@cu0
1000  k3      start    w0+1x3@cu0
1000  k3      start    w3@cu1
1000  -       wait     / k2 lacks workgroups: wants 1, cu0 has 0
2000  k3      (ended)  w1+1x2@cu0 w3@cu1
2000  -       wait     / k2 lacks waves: wants 4, cu0 has 2
3000  k0      (ended)  w4@cu1
3000  -       wait     / k2 lacks waves: wants 4, cu0 has 2
4000  k0      (ended)  w3@cu0 w5@cu1
4000  k2      start    w0@cu0
4000  -       wait     / k2 lacks waves: wants 4, cu0 has 0
5000  k1      (ended)  w2@cu0
5000  k2      (ended)  w0@cu0
5000  k3      (ended)  w0@cu0
5000  k2      start    w1@cu0
6000  k1      (ended)  w1@cu1
7000  k1      (ended)  w0@cu1
7000  k2      (ended)  w1@cu0
8000  k0      (ended)  w2@cu0
";

#[test]
fn the_example_is_rendered() {
    check_allocate(Bulk::default, &Scenario::example());
    check_bulk(Bulk::default, &Scenario::example());
    let table = render(&mut Bulk::default(), &Scenario::example()).expect("keeps the laws");
    assert_eq!(table, EXAMPLE);
}

#[test]
fn a_long_table_is_cut() {
    let mut scenario = Scenario::example();
    scenario.launches[0].workgroups = 500;
    let table = render(&mut Toy((), sound), &scenario).expect("keeps the laws");
    assert_eq!(table.lines().count(), 40);
    assert!(table.lines().last().is_some_and(|line| line.ends_with(" further lines")), "{table}");
}
