//! Does launching cost in a run what figures 5 and 7 of seed 002 say?
//!
//! The worked example: six kernels of 10, 6, 4, 10, 25 and 5 ticks, E = 2, P = 3, S = 1, C = 2.

use raddle_dispatch::{Composed, Recipe};
use raddle_sim::{Task, Work};

use crate::kit::{SHAPE, end, in_order, kernel, try_run, workload};

const RUNS: [u64; 6] = [10, 6, 4, 10, 25, 5];

/// The loop, each kernel with a demand of its own.
fn iterations(count: usize) -> Vec<Task> {
    let task = |(n, ticks): (u32, u64)| {
        let mut task = kernel(0, 1, 1, ticks);
        if let Work::Kernel { demand, .. } = &mut task.work {
            demand.lds = 1 + n;
        }
        task
    };
    in_order((0..count).flat_map(|_| (0..).zip(RUNS).map(task)).collect())
}

/// When the last of so many iterations has ended, in a dispatcher of this launch path.
fn ends(count: usize, path: &str) -> u64 {
    let recipe = format!(
        "raddle = 1\n[launch-path]\n{path}\nenqueue-ns = 2\nprocessing-ns = 3\nschedule-ns = 1\ncleanup-ns = 2"
    );
    let recipe = Recipe::parse("test", &recipe).expect("a recipe");
    let dispatcher: Composed = recipe.builder(SHAPE, 1).expect("a dispatcher").build();
    let outcome = try_run(&workload(vec![iterations(count)]), 1, dispatcher).expect("lawful");
    assert!(outcome.stuck.is_empty());
    end(&outcome, 6 * count - 1)
}

#[test]
fn ordinary_packets() {
    assert_eq!(ends(1, "policy = 'ordinary'"), 108);
    assert_eq!(ends(10, "policy = 'ordinary'"), 1080);
}

#[test]
fn condensed_packets() {
    let condensed = "policy = 'condensed'\nahead = 6";
    assert_eq!(ends(1, condensed), 108, "the iteration that fills the table");
    assert_eq!(ends(2, condensed), 108 + 73);
    assert_eq!(ends(10, condensed), 765);
    assert_eq!(ends(10, &format!("{condensed}\ndecode-ns = 1")), 819);
    let signals = "signals = true\narguments = 'fixed'";
    assert_eq!(ends(10, &format!("{condensed}\n{signals}")), 855);
}

/// A copy that waits for a launch waits for its cleanup too.
#[test]
fn what_waits_hears_of_an_end_after_the_cleanup() {
    let recipe = "raddle = 1\n[launch-path]\npolicy = 'ordinary'\ncleanup-ns = 7";
    let recipe = Recipe::parse("test", recipe).expect("a recipe");
    let dispatcher = recipe.builder(SHAPE, 1).expect("a dispatcher").build();
    let tasks = in_order(vec![kernel(0, 1, 1, 10), crate::kit::copy(0, 5)]);
    let outcome = try_run(&workload(vec![tasks]), 1, dispatcher).expect("lawful");
    assert_eq!((end(&outcome, 0), end(&outcome, 1)), (17, 22));
}
