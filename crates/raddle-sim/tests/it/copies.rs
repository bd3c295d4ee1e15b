//! Do copies and fills take their places in the window, behind the turn and before what leaves?

use proptest::prelude::*;
use raddle_dispatch::{Composed, DispatchError, Dispatcher, RefusedReset};
use raddle_policy::{
    Action, Actions, CuId, Event, Free, LaunchId, Preemption, StreamId, Tick, Ticks,
};
use raddle_sim::{Outcome, ProcessPlan, Repetition, SimError, Task, TaskWait, Work, Workload};

use crate::kit::{
    WAYS, at_level, copy, end, idempotent, in_order, kernel, latency, preempting, try_run, workload,
};
use crate::laws::{check, processes};
use crate::replay::{check_replay, logged};
use crate::window::watched;

/// Returns a kernel that fills the one compute unit for 1,000 ticks.
fn full() -> Task {
    idempotent(kernel(0, 8, 1, 1000))
}

fn in_stream(stream: u32, tasks: Vec<Task>) -> Vec<Task> {
    tasks.into_iter().map(|task| Task { stream: StreamId(stream), ..task }).collect()
}

/// Runs these low tasks with an urgent launch of 100 ticks that comes at the tick `at`, where work
/// is taken off by `how`.
fn urgent(how: Preemption, at: u64, low: Vec<Task>, waits: Vec<TaskWait>) -> Outcome {
    let high = at_level(0, vec![kernel(at, 8, 1, 100)]);
    let mut all = workload(vec![at_level(5, low), high]);
    all.processes[0].waits = waits;
    watched(&all, 1, preempting(1, Some(how)), 8).0
}

fn started(outcome: &Outcome, launch: usize) -> u64 {
    outcome.records[launch].started.expect("it started").0
}

#[test]
fn a_copy_waits_for_the_window() {
    // Three kernels of other streams fill the window of 3, so the copy cannot be submitted.
    let lane = |stream| in_stream(stream, vec![full()]);
    let tasks: Vec<Task> = (1..4).flat_map(lane).chain(in_stream(0, vec![copy(0, 50)])).collect();
    let all = workload(vec![tasks]);
    let copied = |window| {
        let (outcome, most) = watched(&all, 1, preempting(1, None), window);
        (started(&outcome, 3), most)
    };
    assert_eq!(copied(3), (1000, 3), "when the first of them has ended");
    assert_eq!(copied(4), (0, 4));
}

#[test]
fn a_copy_is_submitted_with_the_turn() {
    // The copy is issued at 150, while the urgent launch runs from 100 to 200.
    for how in [Preemption::Wait, Preemption::Flag, Preemption::Drain, Preemption::Switch] {
        let low = vec![kernel(0, 1, 1, 10), copy(150, 50)];
        let outcome = urgent(how, 100, in_stream(1, low), Vec::new());
        assert_eq!((started(&outcome, 1), end(&outcome, 1)), (200, 250), "{how:?}");
    }
}

#[test]
fn a_copy_behind_a_launch_that_leaves_goes_back_with_it() {
    // The copy stands behind a launch that runs, and another launch stands behind the copy.
    let low = || in_order(vec![full(), copy(0, 50), full()]);
    let outcome = urgent(Preemption::Flag, 500, low(), Vec::new());
    assert_eq!(latency(&outcome, 3), 500, "only what runs is waited for");
    assert_eq!((started(&outcome, 1), started(&outcome, 2)), (1100, 1150));
    // Under `wait` all of the window runs; the copy runs beside the urgent launch.
    let outcome = urgent(Preemption::Wait, 500, low(), Vec::new());
    assert_eq!(
        (started(&outcome, 1), started(&outcome, 2), latency(&outcome, 3)),
        (1000, 1100, 500)
    );
    // Under `drain` the low process is held: none of its waiting work begins.
    let outcome = urgent(Preemption::Drain, 500, low(), Vec::new());
    assert_eq!((latency(&outcome, 3), started(&outcome, 1)), (500, 1100));
    let outcome = urgent(Preemption::Switch, 500, low(), Vec::new());
    assert_eq!(started(&outcome, 1), end(&outcome, 0));
}

#[test]
fn a_copy_that_runs_is_waited_for_and_forbids_a_reset() {
    let low = |copy_ns| {
        let mut tasks = in_stream(1, vec![copy(0, copy_ns)]);
        tasks.extend(in_stream(2, vec![full()]));
        tasks
    };
    let reset = urgent(Preemption::Reset, 100, low(300), Vec::new());
    assert_eq!((reset.counters.killed, latency(&reset, 2)), (0, 900));
    assert_eq!(*reset.preemptions.refused(), [(RefusedReset::CopyRuns, 1)].into());
    // After the copy has ended, there is a reset.
    let reset = urgent(Preemption::Reset, 400, low(300), Vec::new());
    assert!(reset.counters.killed > 0 && reset.preemptions.refused().is_empty());
    // The compute units are free when the launch is off; the preemption is complete when the copy
    // has ended.
    let switched = urgent(Preemption::Switch, 100, low(1500), Vec::new());
    let drained = &switched.latencies[&Preemption::Switch];
    assert_eq!((latency(&switched, 2), &drained[..]), (800, &[Ticks(1400)][..]));
}

#[test]
fn a_copy_that_waits_for_a_launch_that_leaves_does_not_keep_the_preemption() {
    // The second launch waits in the window and leaves; the copy of another stream waits for it,
    // and a launch of a third stream for the copy.
    let mut low = in_order(vec![full(), full()]);
    low.extend(in_stream(1, vec![copy(0, 50)]));
    low.extend(in_stream(2, vec![full()]));
    let waits = vec![TaskWait { task: 2, source: 1 }, TaskWait { task: 3, source: 2 }];
    for how in WAYS.into_iter().flatten() {
        let outcome = urgent(how, 500, low.clone(), waits.clone());
        assert!(outcome.stuck.is_empty(), "{how:?}");
        assert!(started(&outcome, 2) >= end(&outcome, 1), "{how:?}");
        assert!(started(&outcome, 3) >= end(&outcome, 2), "{how:?}");
    }
}

#[test]
fn copies_are_in_the_log_which_keeps_the_rules_and_replays() {
    let low = at_level(5, in_order(vec![full(), copy(0, 50), full(), copy(0, 70), full()]));
    let high = ProcessPlan {
        repetition: Repetition::At((1..9).map(|i| Ticks(i * 400)).collect()),
        ..ProcessPlan::new("urgent", at_level(0, vec![kernel(0, 8, 1, 100)]))
    };
    for way in ["wait", "flag", "drain", "reset", "switch"] {
        let recipe = format!(
            "raddle = 1\nwindow = 3\n[turn]\npolicy = \"highest-level\"\n[preempt]\npolicy = \"{way}\""
        );
        let mut all = workload(vec![low.clone()]);
        all.processes.push(high.clone());
        let device = (crate::kit::SHAPE, 1);
        let (outcome, log) = logged(&all, device, &recipe, Default::default(), |builder| builder);
        assert!(outcome.stuck.is_empty(), "{way}");
        assert_eq!(log.matches("\"copy-issued\"").count(), 2, "{way}");
        assert_eq!(log.matches("\"start-copy\"").count(), 2, "{way}");
        assert_eq!(log.matches("\"copy-ended\"").count(), 2, "{way}");
        check_replay(&log);
        let registry = raddle_dispatch::Registry::bundled();
        let found = raddle_dispatch::log::check::check(&registry, log.as_bytes()).expect("a log");
        assert_eq!(*found.broken(), std::collections::BTreeMap::new(), "{way}");
    }
    // A recipe without a window is not told of copies.
    let recipe = "raddle = 1\n[turn]\npolicy = \"highest-level\"\n[preempt]\npolicy = \"flag\"";
    let device = (crate::kit::SHAPE, 1);
    let all = workload(vec![low]);
    let (_, log) = logged(&all, device, recipe, Default::default(), |builder| builder);
    assert!(!log.contains("copy"));
}

/// A dispatcher that adds a chosen action to the first decision in which a launch or copy begins.
struct Meddles {
    inner: Composed,
    action: Option<Action>,
}

impl Dispatcher for Meddles {
    fn looks_ahead(&self) -> bool {
        true
    }
    fn event(&mut self, event: &Event<'_>, now: Tick) -> Result<(), DispatchError> {
        self.inner.event(event, now)
    }
    fn decide(&mut self, now: Tick, actions: &mut Actions) -> Result<(), DispatchError> {
        self.inner.decide(now, actions)?;
        let begins = |action: &Action| !matches!(action, Action::WakeAt(_) | Action::Submit { .. });
        if actions.list.iter().any(begins) {
            self.action.take().into_iter().for_each(|action| actions.push(action));
        }
        Ok(())
    }
    fn free(&self, cu: CuId) -> Option<Free> {
        self.inner.free(cu)
    }
}

#[test]
fn what_cannot_be_done_with_a_copy_is_an_error_with_its_state() {
    // The first copy runs, the second one waits for it, the kernel of another stream runs.
    let mut tasks = in_order(vec![copy(0, 50), copy(0, 50)]);
    tasks.extend(in_stream(1, vec![full()]));
    let start = |id| Action::StartCopy { copy: LaunchId(id) };
    let off = |id| Action::TakeOff { launch: LaunchId(id), how: Preemption::Flag };
    for (action, wanted) in [
        (start(0), "begun"),
        (start(1), "not ready"),
        (start(2), "not a copy"),
        (start(3), "unknown"),
        (off(0), "begun"),
    ] {
        let inner = preempting(1, None).window(8).build().expect("it builds");
        let meddles = Meddles { inner, action: Some(action.clone()) };
        match try_run(&workload(vec![tasks.clone()]), 1, meddles) {
            Err(SimError::Action { state, .. }) => assert_eq!(state, wanted, "{action:?}"),
            other => panic!("{action:?}: {other:?}"),
        }
    }
}

/// Draws up to three processes of two streams whose tasks wait for others of either stream; every
/// second task is a copy.
fn entangled() -> impl Strategy<Value = Workload> {
    let waits = prop::collection::vec((0usize..9, 0usize..9, any::<bool>()), 0..12);
    (processes(), waits, any::<[bool; 9]>()).prop_map(|(processes, waits, copies)| {
        let tasks = |mut tasks: Vec<Task>| {
            let mut arrivals: Vec<Ticks> = tasks.iter().map(|task| task.arrival).collect();
            arrivals.sort_unstable();
            for ((task, at), copies) in tasks.iter_mut().zip(arrivals).zip(copies) {
                task.arrival = at;
                if copies {
                    task.work = Work::Copy { lasts: Ticks(at.0 % 40 + 1), direction: None };
                }
            }
            tasks
        };
        let mut all = workload(processes.into_iter().map(tasks).collect());
        for plan in &mut all.processes {
            let there = |&&(task, source, _): &&(usize, usize, bool)| {
                source < task && task < plan.tasks.len()
            };
            plan.waits = waits
                .iter()
                .filter(there)
                .map(|&(task, source, _)| TaskWait { task: task as u32, source: source as u32 })
                .filter(|wait| plan.tasks[wait.task as usize].after != Some(wait.source))
                .collect();
            plan.waits.sort_unstable();
            plan.waits.dedup();
        }
        all
    })
}

proptest! {
    #[test]
    fn every_way_off_keeps_copies_in_the_window_and_loses_nothing(
        all in entangled(), way in 0usize..6, cus in 1u16..4, window in 1u32..6,
        requests in any::<bool>(), gap in 1u64..200,
    ) {
        let mut all = all;
        if requests && let Some(last) = all.processes.last_mut() {
            last.repetition = Repetition::At((0..4).map(|i| Ticks(i * gap)).collect());
        }
        let (outcome, _) = watched(&all, cus, preempting(cus, WAYS[way]), window);
        let tasks: Vec<Vec<Task>> = all.processes.iter().map(|plan| plan.tasks.clone()).collect();
        prop_assert!(outcome.stuck.is_empty(), "stuck: {:?}", outcome.stuck);
        if !requests {
            check(&outcome, &tasks, WAYS[way]);
        }
        // No task starts before the tasks that it waits for have ended.
        for (id, record) in outcome.records.iter().enumerate() {
            let plan = &all.processes[usize::from(record.process)];
            let base = id - record.task as usize;
            let after = plan.tasks[record.task as usize].after;
            let of = |wait: &&TaskWait| wait.task == record.task;
            let sources = plan.waits.iter().filter(of).map(|wait| wait.source).chain(after);
            for source in sources {
                let ended = outcome.records[base + source as usize].ended;
                prop_assert!(record.started.is_none_or(|started| Some(started) >= ended));
            }
        }
    }
}
