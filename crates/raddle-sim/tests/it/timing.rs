//! When do launches start and end?

use raddle_policy::{Allocate, Answer, Demand, ReadyView, Round, StreamId, Tick, Ticks, Turn};
use raddle_sim::{ProcessPlan, Workload};

use raddle_dispatch::Composed;

use crate::kit::{SHAPE, copy, end, in_order, kernel, latency, run_default, try_run, workload};

#[test]
fn a_launch_takes_as_many_rounds_as_its_workgroups_need() {
    // Two compute units of 8 wave slots hold 16 workgroups at once, so 40 make 3 rounds.
    let outcome = run_default(&workload(vec![vec![kernel(5, 40, 1, 100)]]), 2);
    assert_eq!(end(&outcome, 0), 5 + 300);
    assert_eq!(outcome.counters.workgroups, 40);
    assert_eq!(outcome.wave_ns, [4000]);
    assert_eq!(outcome.counters.fronts, 3, "workgroups that run together end in one event");
}

#[test]
fn a_launch_waits_for_the_one_before_it_and_a_copy_takes_no_compute_unit() {
    let tasks = in_order(vec![kernel(0, 16, 1, 100), copy(0, 50), kernel(0, 1, 1, 10)]);
    let mut other = kernel(0, 1, 1, 10);
    other.stream = StreamId(1);
    let outcome = run_default(&workload(vec![tasks, vec![other]]), 3);
    assert_eq!([0, 1, 2].map(|id| end(&outcome, id)), [100, 150, 160]);
    assert_eq!(end(&outcome, 3), 10, "an independent launch runs beside it");
}

#[test]
fn arrival_is_not_earlier_than_recorded() {
    let outcome =
        run_default(&workload(vec![in_order(vec![kernel(0, 1, 1, 10), kernel(500, 1, 1, 10)])]), 1);
    assert_eq!(outcome.records[1].ready.map(|at| at.0), Some(500));
    assert_eq!(latency(&outcome, 1), 0);
}

#[test]
fn what_can_never_run_is_refused_and_releases_what_waits_for_it() {
    let mut too_large = kernel(0, 4, 1, 10);
    if let raddle_sim::Work::Kernel { demand, .. } = &mut too_large.work {
        *demand = Demand { lds: 17, ..*demand };
    }
    let tasks = in_order(vec![too_large, kernel(0, 0, 1, 10), kernel(0, 1, 1, 10)]);
    let outcome = run_default(&workload(vec![tasks]), 1);
    let limiters: Vec<&str> = outcome.refused.iter().map(|r| r.refusal.resource.name()).collect();
    assert_eq!(limiters, ["lds", "grid"]);
    assert_eq!((outcome.refused[0].refusal.wanted, outcome.refused[0].refusal.available), (17, 16));
    assert_eq!(end(&outcome, 2), 10, "the dependant runs");
    assert!(outcome.stuck.is_empty());
}

#[test]
fn the_shorter_profile_repeats_until_the_longest_has_ended_once() {
    let long =
        ProcessPlan { span: Ticks(1000), ..ProcessPlan::new("long", vec![kernel(0, 1, 1, 1000)]) };
    let short = in_order(vec![kernel(0, 1, 1, 10), kernel(20, 1, 1, 10)]);
    let short = ProcessPlan { span: Ticks(100), ..ProcessPlan::new("short", short) };
    let mut workload = Workload { processes: vec![long, short], repeat: true };
    let outcome = run_default(&workload, 2);
    assert_eq!(outcome.iterations, [1, 10]);
    assert_eq!(outcome.records.iter().filter(|r| r.ended.is_some()).count(), 1 + 20);
    workload.repeat = false;
    assert_eq!(run_default(&workload, 2).iterations, [1, 1]);
}

#[test]
fn a_repetition_waits_for_the_one_before_it_in_its_stream() {
    let long =
        ProcessPlan { span: Ticks(300), ..ProcessPlan::new("long", vec![kernel(0, 1, 1, 300)]) };
    let slow =
        ProcessPlan { span: Ticks(100), ..ProcessPlan::new("slow", vec![kernel(0, 1, 1, 150)]) };
    let outcome = run_default(&Workload { processes: vec![long, slow], repeat: true }, 2);
    let ends: Vec<u64> =
        outcome.records.iter().skip(1).filter_map(|r| r.ended).map(|t| t.0).collect();
    assert_eq!(ends, [150, 300, 450]);
}

#[test]
fn repeating_stops_at_the_end_of_all_time() {
    let one = |span: u64| ProcessPlan {
        span: Ticks(span),
        ..ProcessPlan::new("p", vec![kernel(0, 1, 1, 1)])
    };
    let mut last = one(u64::MAX - 1);
    last.tasks = vec![kernel(u64::MAX - 1, 1, 1, u64::MAX)];
    let mut short = one(u64::MAX - 2);
    short.tasks = vec![kernel(u64::MAX - 2, 1, 1, u64::MAX)];
    let outcome = run_default(&Workload { processes: vec![last, short], repeat: true }, 2);
    assert!(outcome.iterations[1] < 9);
}

/// An allocate policy that starts nothing, and asks to be called again every ten ticks.
struct Patient;

impl Allocate for Patient {
    fn allocate(&mut self, _ready: &ReadyView<'_>, now: Tick, _round: &mut Round) -> Answer {
        Answer::Wait { retry_at: Some(now + Ticks(10)) }
    }
}

/// A turn policy that lets every process issue, in turns of ten ticks.
struct Slices;

impl Turn for Slices {
    fn turn(
        &mut self,
        processes: &[raddle_policy::ProcessState],
        now: Tick,
        may_issue: &mut Vec<raddle_policy::ProcessId>,
    ) -> Option<Tick> {
        may_issue.extend(processes.iter().map(|process| process.id));
        Some(now + Ticks(10))
    }
}

#[test]
fn a_run_ends_when_only_wakes_are_left() {
    let one = workload(vec![vec![kernel(0, 1, 1, 10)]]);
    let patient =
        Composed::builder(SHAPE, 1).allocate("patient", Patient).build().expect("it builds");
    let outcome = try_run(&one, 1, patient).expect("it breaks no law");
    assert_eq!(outcome.stuck.len(), 1, "what never started is listed");
    let slices = Composed::builder(SHAPE, 1).turn("slices", Slices).build().expect("it builds");
    let outcome = try_run(&one, 1, slices).expect("it breaks no law");
    assert_eq!((outcome.stuck.len(), end(&outcome, 0)), (0, 10));
}
