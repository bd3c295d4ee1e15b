//! How does work leave the device, and what does it cost?

use raddle_dispatch::Composed;
use raddle_dispatch::slots::{Drain, HighestLevel};
use raddle_policy::How;
use raddle_sim::{Outcome, Task};
use raddle_types::{Idempotence, StreamId};

use crate::kit::{Always, SHAPE, at_level, end, in_order, kernel, latency, try_run, workload};

/// One CU of 8 slots; a low process fills it for 3 rounds of 1000, an urgent launch comes at 1500.
fn preempted(how: How, low: Task) -> Outcome {
    let low =
        at_level(5, in_order(vec![low, Task { stream: low.stream, ..kernel(0, 8, 1, 1000) }]));
    let high = at_level(0, vec![kernel(1500, 8, 1, 100)]);
    let dispatcher = Composed::builder(SHAPE, 1)
        .turn("highest-level", HighestLevel)
        .preempt("always", Always(how))
        .build();
    try_run(&workload(vec![low, high]), 1, dispatcher).expect("a lawful dispatcher")
}

fn low() -> Task {
    kernel(0, 24, 1, 1000)
}

#[test]
fn never_lets_everything_submitted_go_first() {
    let outcome = preempted(How::Never, low());
    assert_eq!(latency(&outcome, 2), 1500, "the whole launch first");
    assert_eq!(end(&outcome, 1), 4100, "the next launch of the revoked process only after it");
}

#[test]
fn drain_waits_for_one_workgroup() {
    let outcome = preempted(How::Drain, low());
    assert_eq!(latency(&outcome, 2), 500);
    assert_eq!(end(&outcome, 0), 3100, "it goes on where it stopped");
}

#[test]
fn flag_waits_for_the_running_launch() {
    let outcome = preempted(How::Flag, low());
    assert_eq!(latency(&outcome, 2), 1500);
}

#[test]
fn reset_kills_only_what_may_be_killed() {
    let idempotent = Task { idempotent: Idempotence::Idempotent, ..low() };
    let outcome = preempted(How::Reset, idempotent);
    assert_eq!(latency(&outcome, 2), 7, "the cost of a kill");
    assert_eq!(outcome.counters.killed, 8);
    assert_eq!(end(&outcome, 0), 1500 + 7 + 100 + 3000, "it starts again from 0");
    let outcome = preempted(How::Reset, low());
    assert_eq!((latency(&outcome, 2), outcome.counters.killed), (1500, 0), "unknown is not");
}

#[test]
fn switch_saves_and_restores_with_the_time_that_was_left() {
    let outcome = preempted(How::Switch, low());
    // 8 workgroups of 100 bytes at 1000 bytes a us: 800 ns each way.
    assert_eq!(latency(&outcome, 2), 800);
    assert_eq!(outcome.counters.switch_ns, 1600);
    // 1500 ran, 800 save, 100 urgent, 800 restore, 500 + 1000 left.
    assert_eq!(end(&outcome, 0), 1500 + 800 + 100 + 800 + 1500);
    assert_eq!(outcome.wave_ns[1], 800);
}

#[test]
fn launches_that_are_saved_together_share_the_bandwidth() {
    let half = |stream| Task { stream: StreamId(stream), ..kernel(0, 4, 1, 3000) };
    let low = at_level(5, vec![half(0), half(1)]);
    let high = at_level(0, vec![kernel(1500, 1, 8, 100)]);
    let dispatcher = Composed::builder(SHAPE, 1)
        .turn("highest-level", HighestLevel)
        .preempt("always", Always(How::Switch))
        .build();
    let workload = workload(vec![low, high]);
    let outcome = try_run(&workload, 1, dispatcher).expect("a lawful dispatcher");
    // A workgroup that needs all the room waits until both are out: as long as for one launch of 8.
    assert_eq!((latency(&outcome, 2), outcome.counters.switch_ns), (800, 1600));
    // 800 save, 100 urgent, 400 and 800 restore, 1500 left.
    let back = 1500 + 800 + 100;
    assert_eq!([end(&outcome, 0), end(&outcome, 1)], [back + 400 + 1500, back + 800 + 1500]);
}

#[test]
fn what_starts_as_a_saved_launch_comes_back_lasts_its_whole_time() {
    // 4 of 8 slots are restored at 1300 with 500 left, the other 4 start then and last 1000.
    let low = at_level(5, vec![kernel(0, 12, 2, 1000)]);
    let high = at_level(0, vec![kernel(500, 8, 1, 300)]);
    let dispatcher = Composed::builder(SHAPE, 1)
        .turn("highest-level", HighestLevel)
        .preempt("always", Always(How::Switch))
        .build();
    let outcome = try_run(&workload(vec![low, high]), 1, dispatcher).expect("a lawful dispatcher");
    // 400 each way; 500 ran before, 500 are left, then two rounds of 4 whole ones.
    assert_eq!(latency(&outcome, 1), 400);
    assert_eq!(end(&outcome, 0), 500 + 400 + 300 + 400 + 500 + 2000);
}

#[test]
fn a_front_that_came_back_does_not_shorten_one_that_starts_then() {
    // 2 units: 8 workgroups of 2 waves; the first 4 are saved at 100, with 900 left.
    let mut first = kernel(0, 6, 2, 1000);
    first.level = raddle_types::Level(5);
    let mut high = kernel(100, 1, 8, 50);
    high.level = raddle_types::Level(0);
    let dispatcher = Composed::builder(SHAPE, 1)
        .turn("highest-level", HighestLevel)
        .preempt("always", Always(How::Switch))
        .build();
    let mut small = kernel(0, 1, 1, 120);
    small.level = raddle_types::Level(5);
    small.stream = raddle_types::StreamId(1);
    let tasks = vec![small, first];
    let outcome = try_run(&workload(vec![tasks, vec![high]]), 1, dispatcher).expect("lawful");
    let work: u128 = 6 * 2 * 1000 + 120 + 8 * 50;
    let moved = u128::from(outcome.counters.switch_ns);
    assert!(outcome.wave_ns.iter().sum::<u128>() >= work, "nothing is cut short");
    assert!(moved > 0 && outcome.stuck.is_empty());
}

#[test]
fn drain_of_the_slots_crate_is_the_same_drain() {
    let low = at_level(5, vec![low()]);
    let high = at_level(0, vec![kernel(1500, 8, 1, 100)]);
    let dispatcher = Composed::builder(SHAPE, 1)
        .turn("highest-level", HighestLevel)
        .preempt("drain", Drain)
        .build();
    let outcome = try_run(&workload(vec![low, high]), 1, dispatcher).expect("a lawful dispatcher");
    assert_eq!(latency(&outcome, 1), 500);
    assert_eq!(outcome.counters.taken_off, 1);
}

#[test]
fn equal_levels_never_revoke_each_other() {
    let twice = workload(vec![vec![low()], vec![kernel(1500, 8, 1, 100)]]);
    let dispatcher = Composed::builder(SHAPE, 1)
        .turn("highest-level", HighestLevel)
        .preempt("drain", Drain)
        .build();
    let outcome = try_run(&twice, 1, dispatcher).expect("a lawful dispatcher");
    assert_eq!(outcome.counters.taken_off, 0);
}
