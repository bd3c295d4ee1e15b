//! Which single cases were wrong once?

use raddle_policy::{Barrier, Demand, Idempotence, Level, StreamId, Ticks};
use raddle_sim::{
    HostPause, LaunchLatency, ProcessPlan, Repetition, Task, TaskWait, Work, Workload,
};

use super::check;
use super::recipes::{Chosen, LARGE};
use crate::kit::{SHAPE, copy, idempotent, kernel};

/// Returns a kernel without registers, of this level, that may be killed; `arrival` and `ticks` are
/// in ticks.
fn plain(level: u8, (arrival, groups, waves, ticks): (u64, u64, u16, u64)) -> Task {
    let mut task =
        idempotent(Task { level: Level(level), ..kernel(arrival, groups, waves, ticks) });
    if let Work::Kernel { demand, context_bytes, .. } = &mut task.work {
        *demand = Demand { waves, ..Demand::default() };
        *context_bytes = u64::from(waves) * 100;
    }
    task
}

fn holds(cus: u16, recipe: &str, processes: Vec<ProcessPlan>) {
    let chosen = Chosen { shape: LARGE, cus, recipe: recipe.to_owned() };
    assert_eq!(check(&chosen, &Workload { processes, repeat: false }), Ok(()));
}

/// Checks that a saved launch that finds no room when its process has the turn again does not come
/// back once the process has lost that turn.
#[test]
fn what_found_no_room_stays_off_when_the_turn_is_lost_again() {
    let recipe = "raddle = 1\nwindow = 2\n[launch-path]\npolicy = \"condensed\"\ncleanup-ns = 5\n\
        [turn]\npolicy = \"highest-level\"\n[allocate]\npolicy = \"block-warp\"\n\
        [preempt]\npolicy = \"cheapest\"\nmost-kills = 0\nbound-us = 3\nswitch-ns = 0\n\
        costs = { reset-ns = 900, bytes-per-us = 1000, vgpr-bytes = 64, sgpr-bytes = 16, lds-bytes = 32 }";
    let urgent = Task { after: Some(0), ..plain(0, (286, 1, 1, 1)) };
    let beside = Task { stream: StreamId(2), ..plain(1, (286, 6, 6, 700)) };
    let mut first = ProcessPlan::new("p0", vec![copy(0, 654), beside, urgent]);
    first.start = Ticks(20);
    first.waits = vec![TaskWait { task: 2, source: 1 }];
    first.repetition = Repetition::At(vec![Ticks(2614)]);
    let mut last = Task { after: Some(0), ..plain(1, (0, 1, 6, 700)) };
    if let Work::Kernel { demand, barrier, .. } = &mut last.work {
        (demand.vgpr, demand.barriers, *barrier) = (1, 1, Barrier::Yes);
    }
    let pause =
        HostPause { begins: Ticks::ZERO, returns: Ticks::ZERO, tail: Ticks::ZERO, tasks: vec![0] };
    let second = ProcessPlan::new("p1", vec![plain(1, (0, 10, 7, 2500)), last]).closed(vec![pause]);
    holds(2, recipe, vec![first, second]);
}

/// Checks that the turn passes on when the only launch of the process that has it is refused for
/// ever.
#[test]
fn who_is_refused_for_ever_gives_the_turn_away() {
    let recipe = "raddle = 1\n[turn]\npolicy = \"highest-level\"\n\
        [allocate]\npolicy = \"matching\"\nsearch = { sampled = { amounts = [1, 2, 4, 8] } }";
    let mut refused = plain(1, (0, 1, 5, 1));
    if let Work::Kernel { demand, .. } = &mut refused.work {
        // The demand wants ten granules in all; no amount between 8 and 16 is sampled.
        demand.sgpr = 2;
    }
    let processes = vec![
        ProcessPlan::new("p0", vec![refused]),
        ProcessPlan::new("p1", vec![plain(2, (0, 1, 1, 1))]),
    ];
    holds(1, recipe, processes);
}

/// Checks that a copy behind a launch that will be refused does not enter the runtime alone: the
/// launch waits for one that leaves by the flag, and the preemption would wait for the copy for
/// ever.
#[test]
fn a_copy_behind_a_launch_that_is_refused_waits_with_it() {
    let recipe = "raddle = 1\nwindow = 8\n[turn]\npolicy = \"highest-level\"\n\
        [allocate]\npolicy = \"leftover\"\n[preempt]\npolicy = \"flag\"";
    let long = Task { stream: StreamId(1), ..plain(2, (0, 1, 1, 3000)) };
    let behind = Task { stream: StreamId(1), after: Some(0), ..plain(2, (0, 1, 1, 90)) };
    let refused = Task { stream: StreamId(2), ..plain(2, (0, 0, 1, 1)) };
    let copy = Task { stream: StreamId(2), after: Some(2), level: Level(2), ..copy(0, 300) };
    let mut first = ProcessPlan::new("p0", vec![long, behind, refused, copy]);
    first.waits = vec![TaskWait { task: 2, source: 1 }];
    let second = ProcessPlan::new("p1", vec![plain(0, (500, 1, 1, 90))]);
    holds(1, recipe, vec![first, second]);
}

/// Checks that launches make progress where turns of 2.2 us are shorter than a save and a restore
/// of 2.5 us each, so that each launch is asked to leave before it is back.
#[test]
fn turns_shorter_than_a_switch_let_launches_get_on() {
    let recipe = "raddle = 1\n[turn]\npolicy = \"weighted-slices\"\nrule = \"mean\"\nt0-us = 8\n\
        levels = 1\nshares = \"time\"\nreload = \"completion\"\n[allocate]\npolicy = \"leftover\"\n\
        [preempt]\npolicy = \"switch\"\nswitch-ns = 2500";
    let kernels = [(528, 6, 5, 700), (0, 2, 5, 2500), (0, 1, 1, 2500), (0, 1, 1, 1)];
    let mut processes: Vec<ProcessPlan> =
        kernels.map(|kernel| ProcessPlan::new("p", vec![plain(0, kernel)])).into();
    processes[2].latency = LaunchLatency { launch: Ticks(300), handover: Ticks(50) };
    (processes[3].start, processes[3].share) = (Ticks(1), 3);
    let chosen = Chosen { shape: SHAPE, cus: 1, recipe: recipe.to_owned() };
    assert_eq!(check(&chosen, &Workload { processes, repeat: false }), Ok(()));
}

/// Checks that a launch that is back, and must leave again, starts the other waves of a workgroup
/// that has begun: half of its waves fit at a time, and turns are shorter than a switch.
#[test]
fn a_begun_workgroup_goes_on_while_its_launch_stays() {
    let recipe = "raddle = 1\n[turn]\npolicy = \"round-robin\"\nslice-us = 1\n\
        [allocate]\npolicy = \"block-warp\"\n[preempt]\npolicy = \"switch\"\nswitch-ns = 2500";
    let kernels = [(0, 4, 7, 700), (0, 4, 6, 700), (0, 4, 7, 2500)];
    let processes = kernels.map(|kernel| ProcessPlan::new("p", vec![plain(0, kernel)])).into();
    let chosen = Chosen { shape: SHAPE, cus: 1, recipe: recipe.to_owned() };
    assert_eq!(check(&chosen, &Workload { processes, repeat: false }), Ok(()));
}

/// Checks that two launches that fill the device make progress although they lose the turn again
/// and again before a workgroup has ended.
#[test]
fn launches_that_fill_the_device_get_on_in_short_turns() {
    let recipe = "raddle = 1\n[turn]\npolicy = \"round-robin\"\nslice-us = 1\n\
        [allocate]\npolicy = \"matching\"\n[preempt]\npolicy = \"switch\"\nswitch-ns = 400";
    let mut first = ProcessPlan::new("p0", vec![plain(0, (972, 11, 8, 700))]);
    first.repetition = Repetition::At(vec![Ticks(0), Ticks(388)]);
    let mut second = ProcessPlan::new("p1", vec![plain(0, (0, 8, 8, 700))]);
    second.repetition = Repetition::At(vec![Ticks(972)]);
    holds(3, recipe, vec![first, second]);
}

/// Checks that a launch counts as begun, and stays when the flag is raised for it, if its
/// workgroups were assigned and freed by a save before any of them ran.
#[test]
fn a_launch_that_was_bound_and_freed_has_begun() {
    let recipe = "raddle = 1\nwindow = 4\n[launch-path]\npolicy = \"condensed\"\n\
        cleanup-ns = 300\noverlap = true\nahead = 1\n\
        [turn]\npolicy = \"round-robin\"\nslice-us = 1\n[allocate]\npolicy = \"block-warp\"\n\
        [preempt]\npolicy = \"cheapest\"\nbound-us = 3\nswitch-ns = 400\n\
        costs = { reset-ns = 900, bytes-per-us = 1000, vgpr-bytes = 64, sgpr-bytes = 16, lds-bytes = 32 }";
    let refused = |arrival| plain(0, (arrival, 0, 1, 1));
    let kept = |level, (kernel, stream): ((u64, u64, u16, u64), u32)| {
        let mut task = Task { idempotent: Idempotence::Not, ..plain(level, kernel) };
        task.stream = StreamId(stream);
        if let Work::Kernel { demand, .. } = &mut task.work {
            demand.vgpr = 1;
        }
        task
    };
    let behind = Task { after: Some(0), level: Level(1), ..refused(1958) };
    let mut first = ProcessPlan::new("p0", vec![kept(1, ((921, 6, 4, 2500), 0)), behind]);
    first.latency = LaunchLatency { launch: Ticks(300), handover: Ticks(50) };
    first.repetition = Repetition::BackToBack;
    let small = Task { after: Some(0), ..plain(0, (1288, 1, 1, 1)) };
    let last = Task { stream: StreamId(2), ..plain(0, (3221, 3, 1, 1)) };
    let tasks = vec![refused(0), kept(0, ((1221, 12, 2, 700), 1)), small, last];
    let mut second = ProcessPlan::new("p1", tasks);
    second.repetition = Repetition::Closed { until: Some(Ticks(1)) };
    let mut third = ProcessPlan::new("p2", vec![kept(0, ((0, 4, 6, 700), 0))]);
    (third.start, third.repetition) = (Ticks(1221), Repetition::BackToBack);
    let chosen = Chosen { shape: SHAPE, cus: 3, recipe: recipe.to_owned() };
    let processes = vec![first, second, third];
    assert_eq!(check(&chosen, &Workload { processes, repeat: false }), Ok(()));
}
