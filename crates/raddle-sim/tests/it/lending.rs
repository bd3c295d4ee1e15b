//! Are idle units lent, up to limits, and taken back as soon as their owner has something to start?

use raddle_dispatch::Composed;
use raddle_sim::Outcome;
use raddle_workgroup::{Spatial, SpatialConfig};

use crate::kit::{SHAPE, end, kernel, try_run, workload};

/// Runs two processes with one unit of eight wave slots each. The first launches 48 waves at 0, the
/// second 8 at 150; each wave lasts 100 ticks.
fn run(lend: bool, limits: &[u32]) -> Outcome {
    let both = workload(vec![vec![kernel(0, 48, 1, 100)], vec![kernel(150, 8, 1, 100)]]);
    let config = SpatialConfig::default().with_lend(lend).with_limits(limits.to_vec());
    let policy = Spatial::new(config).expect("no share is 0");
    let built = Composed::builder(SHAPE, 2).allocate("spatial", policy).build();
    try_run(&both, 2, built.expect("it builds")).expect("a lawful dispatcher")
}

fn ends(outcome: &Outcome) -> [u64; 2] {
    [end(outcome, 0), end(outcome, 1)]
}

#[test]
fn idle_units_are_lent_and_taken_back() {
    assert_eq!(ends(&run(false, &[])), [600, 250], "each has its own unit alone");
    // The first process runs sixteen waves at a time until 200; then its waves on the second unit
    // end, and the second process has that unit again. The first has 8 waves left after 300, on two
    // units.
    assert_eq!(ends(&run(true, &[])), [400, 300]);
    // A limit equal to a process's own unit lends it nothing; 0 is no limit.
    assert_eq!(ends(&run(true, &[1])), [600, 250]);
    assert_eq!(ends(&run(true, &[0, 1])), [400, 300]);
}
