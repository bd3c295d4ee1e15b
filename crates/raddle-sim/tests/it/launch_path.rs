//! Does launching cost in a run what figures 5 and 7 of seed 002 say, also where kernels overlap?
//!
//! The worked example: six kernels of 10, 6, 4, 10, 25 and 5 ticks, E = 2, P = 3, S = 1, C = 2.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use raddle_dispatch::{Composed, DispatchError, Dispatcher, Recipe};
use raddle_policy::{
    Action, Actions, CuId, Event, Free, Idempotence, KernelCall, LaunchId, StreamId, Tick, Ticks,
};
use raddle_sim::{LaunchingSummary, Outcome, Task};

use crate::kit::{SHAPE, at_level, end, in_order, kernel, try_run, workload};

const RUNS: [u64; 6] = [10, 6, 4, 10, 25, 5];

/// Returns the tasks of `count` iterations of the worked example's loop of six kernels.
fn iterations(count: usize) -> Vec<Task> {
    let task = |(n, ticks): (u32, u64)| Task {
        call: KernelCall { kernel: 1 + n, ..KernelCall::UNKNOWN },
        ..kernel(0, 1, 1, ticks)
    };
    in_order((0..count).flat_map(|_| (0..).zip(RUNS).map(task)).collect())
}

/// The costs of the worked example.
const COSTS: &str = "enqueue-ns = 2\nprocessing-ns = 3\nschedule-ns = 1\ncleanup-ns = 2";

/// Runs the tasks as one process under a recipe with the lines `before`, and the lines `path` in
/// its launch path.
fn under(before: &str, path: &str, tasks: Vec<Task>) -> Outcome {
    let recipe = format!("raddle = 1\n{before}\n[launch-path]\n{path}");
    let recipe = Recipe::parse("test", &recipe).expect("a recipe");
    // The device has room for all kernels that may run at the same time.
    let dispatcher: Composed =
        recipe.builder(SHAPE, 64).expect("a dispatcher").build().expect("it builds");
    let outcome = try_run(&workload(vec![tasks]), 64, dispatcher).expect("lawful");
    assert!(outcome.stuck.is_empty());
    outcome
}

/// Returns the tick at which the last of `count` iterations of the loop ends, under this launch
/// path.
fn ends(count: usize, path: &str) -> u64 {
    end(&under("", &format!("{path}\n{COSTS}"), iterations(count)), 6 * count - 1)
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

/// Checks that a copy between two launches of a stream ends the packet of the first, so that the
/// loop takes two packets an iteration, and that launches, packets and their time are counted.
#[test]
fn a_copy_ends_a_packet() {
    let condensed = "policy = 'condensed'\nahead = 6";
    let mut tasks = iterations(10);
    tasks.iter_mut().step_by(3).for_each(|task| task.call.behind_copy = true);
    let outcome = under("", &format!("{condensed}\n{COSTS}"), tasks);
    let packets = 6 + 9 * 2;
    // Each packet costs E, P and C and each launch S, except for the cleanup of the last one:
    // nobody waits for it.
    let overhead_ns = packets * 7 - 2 + 60;
    let wanted = LaunchingSummary { submitted: 60, packets, bytes: 64 * packets, overhead_ns };
    assert_eq!(outcome.counters.launching, wanted);
    assert_eq!(end(&outcome, 59), 600 + overhead_ns);
}

/// Checks that under a window launches that are submitted together start when all are launched,
/// with a cleanup for each packet and not for each kernel: six reference packets, and nine
/// condensed ones of 1 + 5 x 6 kernels' parts.
#[test]
fn what_is_submitted_together_is_cleaned_up_by_packet() {
    let condensed = "policy = 'condensed'\nahead = 6";
    let outcome = under("window = 60", &format!("{condensed}\n{COSTS}"), iterations(10));
    let launching = 6 * 6 + 9 * (5 + 6);
    assert_eq!(end(&outcome, 59), launching + 600 + (6 + 9) * 2);
    let outcome = under("window = 60", &format!("policy = 'ordinary'\n{COSTS}"), iterations(10));
    assert_eq!(end(&outcome, 59), 60 * 6 + 600 + 60 * 2);
}

/// Checks that a copy that waits for a launch waits for its cleanup too.
#[test]
fn what_waits_hears_of_an_end_after_the_cleanup() {
    let tasks = in_order(vec![kernel(0, 1, 1, 10), crate::kit::copy(0, 5)]);
    let outcome = under("", "policy = 'ordinary'\ncleanup-ns = 7", tasks);
    assert_eq!((end(&outcome, 0), end(&outcome, 1)), (17, 22));
}

/// Checks that launching overlaps with the kernel that runs (B14), for kernels that wait for each
/// other: only the first launch, the kernels and their cleanups take time.
#[test]
fn launching_goes_on_beside_the_kernel_that_runs() {
    let ends = |count, before, path: &str| {
        let path = format!("{path}\n{COSTS}");
        end(&under(before, &path, iterations(count)), 6 * count - 1)
    };
    // The first iteration takes 6 + 60 ticks and 6 cleanups of 2; each further one 60 + 12.
    let (ordinary, condensed) = ("policy = 'ordinary'", "policy = 'condensed'\nahead = 6");
    let overlap = |path: &str| format!("{path}\noverlap = true");
    assert_eq!(ends(1, "window = 6", &overlap(ordinary)), 78);
    assert_eq!(ends(10, "window = 6", &overlap(ordinary)), 78 + 9 * 72);
    // By reference packets, each further iteration takes 60 ticks and one cleanup.
    assert_eq!(ends(1, "window = 6", &overlap(condensed)), 78);
    assert_eq!(ends(10, "window = 6", &overlap(condensed)), 78 + 9 * 62);
    // The figures of seed 002 are a window of one launch, or no window and no overlap.
    assert_eq!(ends(10, "window = 1", &overlap(ordinary)), 1080);
    assert_eq!(ends(10, "window = 1", &overlap(condensed)), 765);
    // A window without overlap submits launches earlier, and they start when all of them are
    // launched.
    assert_eq!(ends(1, "window = 6", ordinary), 108);
}

/// Checks that kernels that take longer to launch than to run wait for the queue, which launches
/// one after the other.
#[test]
fn a_queue_launches_one_kernel_after_the_other() {
    let path = "policy = 'ordinary'\noverlap = true\nenqueue-ns = 30";
    let outcome = under("window = 6", path, iterations(1));
    let starts: Vec<u64> = (0..6).map(|n| end(&outcome, n) - RUNS[n]).collect();
    assert_eq!(starts, [30, 60, 90, 120, 150, 180]);
    // Here fewer packets gain more than their cleanups. With one packet an iteration, the first at
    // 210, the run waits for the kernels.
    let last = |path: &str| end(&under("window = 6", path, iterations(10)), 59);
    assert_eq!(last(path), 60 * 30 + 5);
    assert_eq!(last(&path.replace("ordinary'", "condensed'\nahead = 6")), 210 + 9 * 60);
}

/// Checks that kernels that wait for nothing start each when it is launched itself (B14); without
/// overlap all of them start when the last is launched.
#[test]
fn kernels_that_wait_for_nothing_start_one_by_one() {
    let starts = |path: &str, tasks: Vec<Task>, first: usize| -> Vec<u64> {
        let path = format!("{path}\nenqueue-ns = 2\nprocessing-ns = 3\nschedule-ns = 1");
        let outcome = under("window = 12", &path, tasks);
        (first..first + 6).map(|n| end(&outcome, n) - RUNS[n - first]).collect()
    };
    let free = |from: u64| {
        let mut tasks = iterations(1);
        tasks.iter_mut().for_each(|task| (task.after, task.arrival) = (None, Ticks(from)));
        tasks
    };
    let ordinary = "policy = 'ordinary'";
    assert_eq!(starts(ordinary, free(0), 0), [36; 6]);
    let overlap = format!("{ordinary}\noverlap = true");
    assert_eq!(starts(&overlap, free(0), 0), [6, 12, 18, 24, 30, 36]);
    // The second round of launches takes one condensed packet.
    let (condensed, twice) = ("policy = 'condensed'", [free(0), free(100)].concat());
    assert_eq!(starts(condensed, twice.clone(), 6), [111; 6]);
    let overlap = format!("{condensed}\noverlap = true");
    assert_eq!(starts(&overlap, twice, 6), [106, 107, 108, 109, 110, 111]);
}

/// A kernel as it is drawn: (ticks between its issue and that of the one before, stream, number of
/// kernels back in its stream for which it waits, or `None`, ticks that it runs).
type Drawn = (u64, u32, Option<usize>, u64);

proptest! {
    /// Checks the end of each kernel against a computation one after the other with only three
    /// times for each: launched, ready, ended. Queues do not wait for each other.
    #[test]
    fn overlap_is_what_three_times_a_kernel_say(
        drawn in prop::collection::vec((0..9_u64, 0..2_u32, prop::option::of(0..3_usize), 1..20_u64), 1..40),
        (cost, cleanup) in (0..12_u64, 0..5_u64),
    ) {
        let mut tasks: Vec<Task> = Vec::new();
        let mut wanted: Vec<u64> = Vec::new();
        let mut queues = [0; 2];
        let mut issued = 0;
        for &(later, stream, after, runs) in &drawn as &[Drawn] {
            issued += later;
            let same = (0..tasks.len()).filter(|&n| tasks[n].stream.0 == stream);
            let after = after.and_then(|back| same.rev().nth(back));
            let launched = issued.max(queues[stream as usize]) + cost;
            queues[stream as usize] = launched;
            let ready = after.map_or(issued, |after| issued.max(wanted[after]));
            wanted.push(launched.max(ready) + runs + cleanup);
            let mut task = kernel(issued, 1, 1, runs);
            (task.stream, task.after) = (StreamId(stream), after.map(|after| after as u32));
            tasks.push(task);
        }
        // A process without ready or submitted work has no turn, so a launch that waits for the
        // cleanup of the last one is launched after it. This kernel keeps the process runnable all
        // along.
        let beside = kernel(0, 1, 1, 10_000);
        tasks.push(Task { stream: StreamId(2), ..beside });
        let path = format!("policy = 'ordinary'\noverlap = true\nprocessing-ns = {cost}\ncleanup-ns = {cleanup}");
        let outcome = under("window = 99", &path, tasks);
        let ended: Vec<u64> = (0..drawn.len()).map(|n| end(&outcome, n)).collect();
        prop_assert_eq!(ended, wanted);
    }
}

/// A dispatcher that checks when launches become ready, by the ends and the cleanups of those
/// before.
struct Cleaned {
    inner: Composed,
    cleanup: BTreeMap<LaunchId, Ticks>,
    left: BTreeMap<LaunchId, u64>,
    groups: BTreeMap<LaunchId, u64>,
    ended: BTreeMap<LaunchId, Tick>,
    issued: BTreeSet<LaunchId>,
    /// (launches that became ready when they should, launches that owed a cleanup first and none
    /// later).
    seen: Arc<Mutex<(usize, usize)>>,
}

impl Cleaned {
    fn hear(&mut self, event: &Event<'_>, now: Tick) {
        match *event {
            Event::LaunchIssued { launch } => {
                self.issued.insert(launch.id);
                self.groups.insert(launch.id, launch.workgroups);
                self.left.insert(launch.id, launch.workgroups);
            }
            Event::LaunchReady { launch } if self.issued.contains(&launch.id) => {
                // A launch that was issued before waits for the launch in front of it, as all are
                // in one stream.
                let before = LaunchId(launch.id.0 - 1);
                assert_eq!(now, self.ended[&before] + self.cleanup[&before], "{}", launch.id);
                self.seen.lock().expect("no panic before").0 += 1;
            }
            Event::LaunchReady { launch } => {
                self.groups.insert(launch.id, launch.workgroups);
                self.left.insert(launch.id, launch.workgroups);
            }
            Event::WavesEnded { launch, pieces, .. } => {
                let left = self.left.get_mut(&launch).expect("it was issued");
                *left -= pieces.iter().map(|piece| u64::from(piece.count)).sum::<u64>();
                self.ended.insert(launch, now);
            }
            Event::TakenOff { launch, .. } => {
                self.left.insert(launch, self.groups[&launch]);
            }
            _ => {}
        }
    }
}

impl Dispatcher for Cleaned {
    fn looks_ahead(&self) -> bool {
        self.inner.looks_ahead()
    }
    fn event(&mut self, event: &Event<'_>, now: Tick) -> Result<(), DispatchError> {
        self.inner.event(event, now)?;
        self.hear(event, now);
        Ok(())
    }
    fn decide(&mut self, now: Tick, actions: &mut Actions) -> Result<(), DispatchError> {
        self.inner.decide(now, actions)?;
        for action in &actions.list {
            if let Action::Submit { launch, via, .. } = *action
                && let Some(before) = self.cleanup.insert(launch, via.cleanup)
                && before > via.cleanup
            {
                self.seen.lock().expect("no panic before").1 += 1;
            }
        }
        Ok(())
    }
    fn free(&self, cu: CuId) -> Option<Free> {
        self.inner.free(cu)
    }
}

/// Checks that a killed launch that is submitted again owes only the cleanup of its last
/// submission, as its place in a packet may have changed.
#[test]
fn what_comes_back_owes_what_it_was_submitted_with_last() {
    for overlap in [false, true] {
        let recipe = format!(
            "raddle = 1\nwindow = 8\n[turn]\npolicy = 'highest-level'\n[preempt]\npolicy = 'reset'\n\
             [launch-path]\npolicy = 'condensed'\nahead = 6\noverlap = {overlap}\n{COSTS}"
        );
        let recipe = Recipe::parse("test", &recipe).expect("a recipe");
        let low = iterations(10).into_iter();
        let low = low.map(|task| Task { idempotent: Idempotence::Idempotent, ..task }).collect();
        let urgent = (1..12).map(|n| kernel(53 * n, 1, 1, 7)).collect();
        let workload = workload(vec![at_level(5, low), at_level(0, urgent)]);
        let seen = Arc::default();
        let dispatcher = Cleaned {
            inner: recipe.builder(SHAPE, 64).expect("a dispatcher").build().expect("it builds"),
            cleanup: BTreeMap::new(),
            left: BTreeMap::new(),
            groups: BTreeMap::new(),
            ended: BTreeMap::new(),
            issued: BTreeSet::new(),
            seen: Arc::clone(&seen),
        };
        let outcome = try_run(&workload, 64, dispatcher).expect("lawful");
        assert!(outcome.counters.killed > 0);
        let (ready, less) = *seen.lock().expect("no panic before");
        assert!(ready > 50 && less > 0, "overlap {overlap}: {ready} ready, {less} owed less");
    }
}
