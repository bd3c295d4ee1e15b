//! When do requests begin and end, and how long do they take?

use std::ops::ControlFlow;

use proptest::prelude::*;
use raddle_dispatch::Composed;
use raddle_policy::{StreamId, Tick, Ticks};
use raddle_sim::{
    Outcome, ProcessPlan, Repetition, RequestSummary, Seen, SimError, Summary, Task, TaskWait,
    Watch, Workload, run_watched,
};

use crate::kit::{
    SHAPE, copy, in_order, kernel, options, preempting, run_default, try_run, workload,
};
use crate::laws::processes;

fn at(times: &[u64]) -> Repetition {
    Repetition::At(times.iter().copied().map(Ticks).collect())
}

fn plan(name: &str, tasks: Vec<Task>, repetition: Repetition) -> ProcessPlan {
    ProcessPlan { repetition, span: Ticks(100), ..ProcessPlan::new(name, tasks) }
}

fn of(processes: Vec<ProcessPlan>) -> Workload {
    Workload { processes, repeat: true }
}

/// Returns for each launch of a process that became ready (iteration, tick of arrival, start, end);
/// `u64::MAX` where a tick is missing.
fn lines(outcome: &Outcome, process: u16) -> Vec<(u32, u64, u64, u64)> {
    let own = outcome.records.iter().filter(|record| record.process == process);
    own.filter(|record| record.ready.is_some())
        .map(|record| {
            let at = |tick: Option<raddle_policy::Tick>| tick.map_or(u64::MAX, |at| at.0);
            (record.iteration, record.arrival.0, at(record.started), at(record.ended))
        })
        .collect()
}

fn requests(workload: &Workload, outcome: &Outcome, process: usize) -> RequestSummary {
    let summary = Summary::new(workload, outcome, &[]);
    summary.processes[process].requests.clone().expect("it has requests")
}

#[test]
fn requests_begin_at_their_times_and_queue_behind_each_other() {
    let workload = of(vec![plan("p", vec![kernel(0, 1, 1, 100)], at(&[0, 50, 50, 500]))]);
    let outcome = run_default(&workload, 4);
    assert_eq!(
        lines(&outcome, 0),
        [(0, 0, 0, 100), (1, 50, 100, 200), (2, 50, 200, 300), (3, 500, 500, 600)]
    );
    assert_eq!(outcome.iterations, [4]);
    let found = requests(&workload, &outcome, 0);
    assert_eq!((found.arrived, found.ended, found.last_end_ns), (4, 4, 600));
    // Sorted: 100, 100, 150, 250.
    assert_eq!((found.latency_p50_ns, found.latency_p99_ns), (100, 250));
    assert_eq!((found.latency_max_ns, found.alone_ns), (250, None));
    assert_eq!(Summary::new(&workload, &outcome, &[]).makespan_ns, 600);
}

/// A watch that notes how long each request took, and ends the run when there are enough.
struct Took {
    all: Vec<u64>,
    enough: usize,
}

impl Watch for Took {
    fn see(&mut self, _now: Tick, seen: &Seen<'_>) {
        if let Seen::RepetitionEnded { took, .. } = *seen {
            self.all.push(took.0);
        }
    }

    fn ends_run(&self, _now: Tick) -> bool {
        self.all.len() >= self.enough
    }
}

#[test]
fn whoever_looks_on_hears_how_long_requests_took_and_may_end_the_run() {
    let times: Vec<u64> = (0..4000).map(|at| 60 * at + at % 7).collect();
    let workload = of(vec![plan("p", vec![kernel(0, 1, 1, 50)], at(&times))]);
    let watched = |enough| {
        let mut took = Took { all: Vec::new(), enough };
        let mut dispatcher = preempting(1, None).build().expect("it builds");
        let outcome = run_watched(&workload, &mut dispatcher, &options(1), &mut took, &mut |_| {
            ControlFlow::Continue(())
        });
        (outcome.expect("a lawful dispatcher"), took.all)
    };
    let (whole, mut all) = watched(usize::MAX);
    assert_eq!((all.len(), whole.stuck.len()), (4000, 0));
    let (part, some) = watched(100);
    assert!(some.len() < 2000 && part.iterations[0] < 2000, "{}", some.len());
    assert_eq!(some, all[..some.len()]);
    all.sort_unstable();
    let found = requests(&workload, &whole, 0);
    assert_eq!((found.latency_p50_ns, found.latency_max_ns), (all[1999], all[3999]));
}

#[test]
fn each_stream_stays_in_order_and_launches_keep_their_place_in_the_request() {
    let other = Task { stream: StreamId(1), ..kernel(40, 1, 1, 5) };
    let workload = of(vec![plan("p", vec![kernel(0, 1, 1, 30), other], at(&[0, 10]))]);
    let outcome = run_default(&workload, 4);
    // The second request is issued between the launches of the first, and only its first stream
    // waits.
    assert_eq!(
        lines(&outcome, 0),
        [(0, 0, 0, 30), (0, 40, 40, 45), (1, 10, 30, 60), (1, 50, 50, 55)]
    );
    let found = requests(&workload, &outcome, 0);
    assert_eq!((found.latency_p50_ns, found.latency_max_ns), (45, 50));
}

#[test]
fn a_process_that_joins_late_has_its_requests_later() {
    let mut late = plan("p", vec![kernel(7, 1, 1, 10)], at(&[3, 100]));
    late.start = Ticks(1000);
    let workload = of(vec![late]);
    let outcome = run_default(&workload, 1);
    assert_eq!(lines(&outcome, 0), [(0, 1010, 1010, 1020), (1, 1107, 1107, 1117)]);
    // The latency counts from the arrival of the request, not from that of its first launch.
    assert_eq!(requests(&workload, &outcome, 0).latency_p50_ns, 17);
}

#[test]
fn what_repeats_back_to_back_goes_on_until_every_request_has_ended() {
    let long = plan("l", vec![kernel(0, 1, 1, 90)], Repetition::BackToBack);
    let workload = of(vec![long, plan("p", vec![kernel(0, 1, 1, 10)], at(&[0, 450]))]);
    let outcome = run_default(&workload, 4);
    // The longest profile is repeated too: it begins at 0, 100, 200, 300 and 400, and not at 500.
    assert_eq!(outcome.iterations, [5, 2]);
    assert!(!outcome.repeat_capped);
    let summary = Summary::new(&workload, &outcome, &[]);
    assert_eq!(summary.makespan_ns, 460);
    assert_eq!(summary.processes[0].requests, None);
    let once = Workload { repeat: false, ..workload };
    assert_eq!(run_default(&once, 4).iterations, [1, 2]);
}

#[test]
fn a_closed_loop_begins_anew_when_the_last_request_has_ended() {
    let leader = kernel(0, 1, 1, 100);
    let closed = Repetition::Closed { until: None };
    let tasks = in_order(vec![kernel(0, 1, 1, 20), copy(0, 10)]);
    let workload = of(vec![plan("l", vec![leader], at(&[0, 5])), plan("c", tasks, closed)]);
    let outcome = run_default(&workload, 4);
    let begun: Vec<u64> =
        lines(&outcome, 1).iter().filter(|line| line.2 == line.1).map(|line| line.1).collect();
    assert_eq!(begun, [0, 30, 60, 90, 120, 150, 180]);
    let found = requests(&workload, &outcome, 1);
    // The request begun at 180 still ends: all of its launches were issued while the other process
    // ran.
    assert_eq!((found.arrived, found.ended, found.latency_p99_ns), (7, 7, 30));
    assert_eq!(found.last_end_ns, 210);
    // Only the first request of a closed loop belongs to the makespan.
    assert_eq!(Summary::new(&workload, &outcome, &[]).makespan_ns, 200);
}

#[test]
fn a_closed_loop_stops_with_its_company_or_at_its_time() {
    let tasks = vec![kernel(0, 1, 1, 20), Task { stream: StreamId(1), ..kernel(15, 1, 1, 1) }];
    let closed = |until| of(vec![plan("c", tasks.clone(), Repetition::Closed { until })]);
    assert_eq!(run_default(&closed(None), 1).iterations, [1]);
    let workload = closed(Some(Ticks(50)));
    let outcome = run_default(&workload, 1);
    // The third request began at 40; its launch at 55 is not issued any more.
    assert_eq!(outcome.iterations, [3]);
    let found = requests(&workload, &outcome, 0);
    assert_eq!((found.arrived, found.ended), (3, 2));
    assert!(outcome.stuck.is_empty());
}

#[test]
fn a_closed_loop_that_takes_no_time_stops() {
    let nothing = vec![kernel(0, 0, 1, 1)];
    let closed = Repetition::Closed { until: Some(Ticks(1000)) };
    let outcome = run_default(&of(vec![plan("c", nothing, closed)]), 1);
    assert!(outcome.repeat_capped);
    assert_eq!(outcome.iterations, [1]);
}

#[test]
fn a_follower_begins_when_requests_of_all_others_have_ended() {
    let one = plan("a", vec![kernel(0, 1, 1, 10)], at(&[0, 100, 200]));
    let two = plan("b", vec![kernel(0, 1, 1, 50)], at(&[0, 100]));
    let after = plan("d", vec![kernel(0, 1, 1, 200)], Repetition::After(vec![0, 1]));
    let last = plan("e", vec![kernel(0, 1, 1, 1)], Repetition::After(vec![2]));
    let workload = of(vec![one, two, after, last]);
    let outcome = run_default(&workload, 8);
    assert_eq!(lines(&outcome, 2), [(0, 50, 50, 250), (1, 150, 250, 450)]);
    assert_eq!(lines(&outcome, 3), [(0, 250, 250, 251), (1, 450, 450, 451)]);
    assert_eq!(Summary::new(&workload, &outcome, &[]).makespan_ns, 451);
}

#[test]
fn a_follower_that_still_issues_begins_again_at_once() {
    let one = plan("a", vec![kernel(0, 1, 1, 10)], at(&[0, 100]));
    let late = Task { stream: StreamId(1), ..kernel(500, 1, 1, 1) };
    let after = plan("b", vec![kernel(0, 1, 1, 1), late], Repetition::After(vec![0]));
    let outcome = run_default(&of(vec![one, after]), 2);
    assert_eq!(
        lines(&outcome, 1),
        [(0, 10, 10, 11), (0, 510, 510, 511), (1, 110, 110, 111), (1, 610, 610, 611)]
    );
}

#[test]
fn followers_in_a_ring_never_begin() {
    let ring = |name, other| plan(name, vec![kernel(0, 1, 1, 10)], Repetition::After(vec![other]));
    let outcome = run_default(&of(vec![ring("a", 1), ring("b", 0)]), 1);
    assert_eq!((outcome.iterations, outcome.records.len()), (vec![0, 0], 0));
}

#[test]
fn a_request_of_which_something_can_never_run_ends_with_the_rest() {
    let tasks = in_order(vec![kernel(0, 1, 1, 10), kernel(0, 0, 1, 1)]);
    let workload = of(vec![plan("p", tasks, at(&[0, 100]))]);
    let outcome = run_default(&workload, 1);
    let found = requests(&workload, &outcome, 0);
    assert_eq!((found.arrived, found.ended, found.latency_max_ns), (2, 2, 10));
}

#[test]
fn a_request_that_is_broken_off_has_not_ended() {
    let leader = plan("l", vec![kernel(0, 1, 1, 100)], at(&[0]));
    let closed = Repetition::Closed { until: None };
    let tasks = vec![kernel(0, 1, 1, 20), kernel(60, 1, 1, 20)];
    let workload = of(vec![leader, plan("c", in_order(tasks), closed)]);
    let outcome = run_default(&workload, 4);
    // The second request begins at 80, and its second launch is issued after the leader has ended.
    let found = requests(&workload, &outcome, 1);
    assert_eq!((found.arrived, found.ended, found.last_end_ns), (2, 1, 80));
}

#[test]
fn a_request_alone_is_the_measure() {
    let tasks = vec![kernel(0, 1, 1, 100)];
    let together = of(vec![plan("p", tasks.clone(), at(&[0, 50]))]);
    let outcome = run_default(&together, 1);
    let alone = run_default(&workload(vec![tasks]), 1);
    let summary = Summary::new(&together, &outcome, &[&alone]);
    let found = summary.processes[0].requests.as_ref().expect("it has requests");
    assert_eq!((found.alone_ns, found.latency_max_ns), (Some(100), 150));
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let refusal = |repetition: Repetition| {
        let workload = of(vec![plan("serve", vec![kernel(0, 1, 1, 1)], repetition)]);
        match try_run(&workload, 1, Composed::builder(SHAPE, 1).build().expect("it builds")) {
            Err(error @ SimError::Requests { .. }) => error.to_string(),
            other => format!("{other:?}"),
        }
    };
    assert_eq!(
        refusal(at(&[])),
        "serve cannot be repeated as asked: it has no request at all; give it other requests"
    );
    assert!(refusal(at(&[0, 2, 1])).contains("times of its requests fall"));
    assert!(refusal(Repetition::After(vec![])).contains("waits for no process"));
    assert!(refusal(Repetition::After(vec![1])).contains("a process that there is not"));
}

fn times() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(0u64..400, 1..6).prop_map(|mut times| {
        times.sort_unstable();
        times
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Checks that every request has a record with its own times, and that each stream stays in
    /// order.
    #[test]
    fn every_request_runs_whole_and_in_order(
        processes in processes(),
        times in prop::collection::vec(times(), 3),
    ) {
        let plans = processes.iter().zip(&times).map(|(tasks, times)| {
            plan("p", tasks.clone(), at(times))
        });
        let workload = of(plans.collect());
        let outcome = run_default(&workload, 3);
        prop_assert!(outcome.stuck.is_empty());
        for (process, plan) in workload.processes.iter().enumerate() {
            let own: Vec<_> =
                outcome.records.iter().filter(|r| usize::from(r.process) == process).collect();
            prop_assert_eq!(own.len(), plan.tasks.len() * times[process].len());
            for record in &own {
                let began = times[process][record.iteration as usize];
                let task = &plan.tasks[record.task as usize];
                prop_assert_eq!(record.arrival.0, began + task.arrival.0);
                prop_assert!(record.ready >= Some(record.arrival));
                prop_assert!(record.refused != record.ended.is_some());
            }
            for earlier in &own {
                let stream = |task: u32| plan.tasks[task as usize].stream;
                let later = own.iter().filter(|r| r.iteration > earlier.iteration);
                let later = later.filter(|r| stream(r.task) == stream(earlier.task));
                for later in later.filter(|_| !earlier.refused) {
                    prop_assert!(later.ready >= earlier.ended);
                }
            }
        }
        prop_assert_eq!(&outcome, &run_default(&workload, 3));
    }

    /// Checks that requests far enough apart do the work that repetitions back to back do.
    #[test]
    fn work_is_neither_lost_nor_done_twice(tasks in processes(), count in 1u64..4) {
        let far: Vec<u64> = (0..count).map(|k| k * 100_000).collect();
        let one = tasks[0].clone();
        let alone = run_default(&workload(vec![one.clone()]), 2);
        let outcome = run_default(&of(vec![plan("p", one, at(&far))]), 2);
        prop_assert_eq!(outcome.wave_ns[0], alone.wave_ns[0] * u128::from(count));
        let shape = |outcome: &Outcome, offset: u64| -> Vec<_> {
            let at = |tick: Option<raddle_policy::Tick>| tick.map(|at| at.0 - offset);
            let own = outcome.records.iter().filter(|r| r.arrival.0 >= offset);
            own.map(|r| (r.task, at(r.started), at(r.ended))).collect()
        };
        prop_assert_eq!(shape(&outcome, (count - 1) * 100_000), shape(&alone, 0));
    }
}

/// Checks that a repetition that is cut off leaves nothing that never ends: its first launch waits
/// for one of another stream that is issued later, at 150, when the process repeats no more.
#[test]
fn what_waits_for_work_behind_the_cut_is_not_stuck() {
    let later = Task { stream: StreamId(1), ..kernel(50, 1, 1, 10) };
    let waits = vec![TaskWait { task: 1, source: 0 }];
    let short = ProcessPlan::new("short", vec![later, kernel(0, 1, 1, 10)]);
    let short = ProcessPlan { waits, span: Ticks(100), ..short };
    let long = ProcessPlan::new("long", vec![kernel(0, 1, 1, 120)]);
    let long = ProcessPlan { span: Ticks(200), ..long };
    let outcome = run_default(&Workload { processes: vec![short, long], repeat: true }, 1);
    let repeated = outcome.records.iter().filter(|it| it.iteration == 1 && it.ended.is_none());
    assert_eq!(repeated.count(), 2, "the second repetition is cut off");
    assert!(outcome.stuck.is_empty(), "{:?}", outcome.stuck);
}
