//! Is a run whose periods are skipped the run that it would have been?

use std::ops::ControlFlow;

use proptest::prelude::*;
use raddle_dispatch::{Composed, DispatchError, Dispatcher, Registry};
use raddle_policy::{Actions, Event, LaunchId, StreamId, Tick};
use raddle_sim::{Outcome, Task, Watch, Workload, run_watched};

use crate::demand::{demanding, memory};
use crate::kit::{SHAPE, Sees, copy, in_order, kernel, options, with_lds, workload};

/// The default dispatcher, with the number of its decisions and of the workgroups that it skipped.
struct Counted {
    inner: Composed,
    decisions: u64,
    skipped: u64,
}

impl Counted {
    fn new(cus: u16) -> Self {
        Self::of(Composed::builder(SHAPE, cus).build().expect("it builds"))
    }

    const fn of(inner: Composed) -> Self {
        Self { inner, decisions: 0, skipped: 0 }
    }
}

impl Dispatcher for Counted {
    fn event(&mut self, event: &Event<'_>, now: Tick) -> Result<(), DispatchError> {
        self.inner.event(event, now)
    }

    fn decide(&mut self, now: Tick, actions: &mut Actions) -> Result<(), DispatchError> {
        self.decisions += 1;
        self.inner.decide(now, actions)
    }

    fn mark(&mut self, launch: LaunchId) -> bool {
        self.inner.mark(launch)
    }

    fn skip(&mut self, launch: LaunchId, workgroups: u64) -> bool {
        let skips = self.inner.skip(launch, workgroups);
        self.skipped += if skips { workgroups } else { 0 };
        skips
    }
}

fn ran(workload: &Workload, cus: u16, watch: &mut impl Watch) -> (Outcome, Counted) {
    ran_under(Counted::new(cus), workload, cus, watch)
}

fn ran_under(
    mut dispatcher: Counted,
    workload: &Workload,
    cus: u16,
    watch: &mut impl Watch,
) -> (Outcome, Counted) {
    let outcome = run_watched(workload, &mut dispatcher, &options(cus), watch, &mut |_| {
        ControlFlow::Continue(())
    });
    (outcome.expect("a lawful dispatcher"), dispatcher)
}

/// Runs with and without skipped periods, compares, and returns the number of skipped workgroups.
fn skipped(workload: &Workload, cus: u16) -> u64 {
    let (seen, all) = ran(workload, cus, &mut Sees);
    let (mut blind, some) = ran(workload, cus, &mut ());
    assert_eq!((all.skipped, all.decisions), (0, seen.counters.decisions));
    assert_eq!((seen.skipped, blind.skipped), (0, all.decisions - some.decisions));
    blind.skipped = 0;
    assert_eq!(blind, seen);
    assert!(some.skipped == 0 || some.decisions < all.decisions);
    some.skipped
}

#[test]
fn a_launch_alone_is_skipped_to_its_end_and_no_further_than_to_the_next_event() {
    // Eight workgroups fit at once.
    let alone = |others: Vec<Task>| {
        let tasks = std::iter::once(kernel(0, 8_005, 1, 10)).chain(others).collect();
        skipped(&workload(vec![tasks]), 1)
    };
    let all = alone(Vec::new());
    assert!(all > 7_900, "{all}");
    let other = Task { stream: StreamId(1), ..kernel(4_001, 1, 1, 3) };
    let twice = alone(vec![other]);
    assert!((7_800..all).contains(&twice), "{twice}");
    assert_eq!(
        alone((0..1_100).map(|at| copy(at * 11, 3)).collect()),
        0,
        "always something happens"
    );
}

/// Checks that each bundled policy that does not mind refills lets them be skipped.
#[test]
fn under_every_policy_that_does_not_mind_refills_periods_are_skipped() {
    let long = vec![kernel(0, 8_001, 1, 10)];
    let workload = workload(vec![long, vec![kernel(3, 1, 1, 50)]]);
    let policies = [
        ("turn", "round-robin"),
        ("turn", "vruntime"),
        ("turn", "unmap-all"),
        ("turn", "weighted-slices\"\nrule = \"mean"),
        ("turn", "highest-level"),
        ("allocate", "spatial"),
        ("allocate", "greedy"),
        ("launch-path", "condensed"),
        ("preempt", "drain"),
    ];
    for (slot, policy) in policies {
        let text = format!("raddle = 1\n[{slot}]\npolicy = \"{policy}\"\n");
        let recipe = Registry::bundled().recipe("it", &text).expect(policy);
        let built = || Counted::of(recipe.builder(SHAPE, 2).expect(policy).build().expect(policy));
        let (seen, _) = ran_under(built(), &workload, 2, &mut Sees);
        let (mut blind, counted) = ran_under(built(), &workload, 2, &mut ());
        blind.skipped = 0;
        assert_eq!(seen, blind, "{policy}");
        assert!(counted.skipped > 4_000, "{policy}: {}", counted.skipped);
    }
}

/// Checks that a launch beside another process's launch that slows it down is skipped too, up to the
/// end of that one, which is put off again and again.
#[test]
fn beside_a_neighbour_that_costs_periods_are_skipped() {
    let long = (kernel(0, 8_001, 1, 10), memory());
    let beside = (kernel(3, 1, 1, 5_000), memory());
    let beside = demanding(vec![vec![long], vec![beside]]);
    let many = skipped(&beside, 2);
    assert!(many > 7_000, "{many}");
    let (outcome, _) = ran(&beside, 2, &mut ());
    assert!(outcome.records[1].ended > Some(Tick(5_003)), "it is slowed down: {outcome:?}");
}

proptest! {
    #[test]
    fn a_run_that_is_seen_is_the_run_that_is_skipped(
        processes in prop::collection::vec(
            prop::collection::vec(
                (0u64..3_000, 1u64..400, 1u16..4, 1u64..50, 0u32..5, 0u32..3), 1..5,
            ),
            1..3,
        ),
        cus in 1u16..5,
    ) {
        let task = |(at, workgroups, waves, ticks, lds, stream)| {
            let task = with_lds(kernel(at, workgroups, waves, ticks), lds);
            Task { stream: StreamId(stream), ..task }
        };
        let tasks = |mut rows: Vec<_>| {
            rows.sort_unstable();
            rows.into_iter().map(task).collect::<Vec<Task>>()
        };
        let all: Vec<Vec<Task>> = processes.into_iter().map(tasks).collect();
        skipped(&workload(all.clone()), cus);
        skipped(&workload(all.into_iter().map(in_order).collect()), cus);
    }
}
