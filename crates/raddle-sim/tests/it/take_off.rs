//! How does work leave the device, and what does it cost?

use raddle_dispatch::{Recipe, RefusedReset, ResetScope};
use raddle_policy::{Preempt, Preemption, StreamId, Ticks};
use raddle_preempt::policy::ByRule;
use raddle_sim::{Outcome, ProcessPlan, Repetition, SimError, Task, Workload};

use crate::kit::{
    Always, SHAPE, WAYS, at_level, end, idempotent, in_order, kernel, latency, preempting, try_run,
    workload,
};

/// Runs a low process that fills the one compute unit of 8 slots for 3 rounds of 1000 ticks, and an
/// urgent launch that comes at 1500, where work is taken off by `how`.
fn preempted(how: Option<Preemption>, low: Task) -> Outcome {
    let low =
        at_level(5, in_order(vec![low, Task { stream: low.stream, ..kernel(0, 8, 1, 1000) }]));
    let high = at_level(0, vec![kernel(1500, 8, 1, 100)]);
    let dispatcher = preempting(1, how).build().expect("it builds");
    try_run(&workload(vec![low, high]), 1, dispatcher).expect("a lawful dispatcher")
}

fn low() -> Task {
    kernel(0, 24, 1, 1000)
}

#[test]
fn never_lets_everything_submitted_go_first() {
    let outcome = preempted(None, low());
    assert_eq!(latency(&outcome, 2), 1500, "the whole launch first");
    assert_eq!(end(&outcome, 1), 4100, "the next launch of the revoked process only after it");
}

#[test]
fn drain_waits_for_one_workgroup() {
    let outcome = preempted(Some(Preemption::Drain), low());
    assert_eq!(latency(&outcome, 2), 500);
    assert_eq!(end(&outcome, 0), 3100, "it goes on where it stopped");
}

#[test]
fn flag_waits_for_the_running_launch() {
    let outcome = preempted(Some(Preemption::Flag), low());
    assert_eq!(latency(&outcome, 2), 1500);
}

#[test]
fn reset_kills_only_what_may_be_killed() {
    let outcome = preempted(Some(Preemption::Reset), idempotent(low()));
    assert_eq!(latency(&outcome, 2), 7, "the cost of a kill");
    assert_eq!(outcome.counters.killed, 8);
    assert_eq!(end(&outcome, 0), 1500 + 7 + 100 + 3000, "it starts again from 0");
    let outcome = preempted(Some(Preemption::Reset), low());
    assert_eq!((latency(&outcome, 2), outcome.counters.killed), (1500, 0), "unknown is not");
}

#[test]
fn switch_saves_and_restores_with_the_time_that_was_left() {
    let outcome = preempted(Some(Preemption::Switch), low());
    // A save moves 8 workgroups of 100 bytes at 1000 bytes a microsecond: 800 ns; so does the
    // restore.
    assert_eq!(latency(&outcome, 2), 800);
    assert_eq!(outcome.counters.switch_ns, 1600);
    // The launch ran for 1500; then 800 save, 100 urgent, 800 restore, and 500 + 1000 that were
    // left.
    assert_eq!(end(&outcome, 0), 1500 + 800 + 100 + 800 + 1500);
    assert_eq!(outcome.wave_ns[1], 800);
}

#[test]
fn launches_that_are_saved_together_share_the_bandwidth() {
    let half = |stream| Task { stream: StreamId(stream), ..kernel(0, 4, 1, 3000) };
    let low = at_level(5, vec![half(0), half(1)]);
    let high = at_level(0, vec![kernel(1500, 1, 8, 100)]);
    let dispatcher = preempting(1, Some(Preemption::Switch)).build().expect("it builds");
    let workload = workload(vec![low, high]);
    let outcome = try_run(&workload, 1, dispatcher).expect("a lawful dispatcher");
    // A workgroup that needs all the room waits until both launches are out: as long as for one
    // launch of 8.
    assert_eq!((latency(&outcome, 2), outcome.counters.switch_ns), (800, 1600));
    // The sum is 800 save, 100 urgent, 400 and 800 restore, 1500 that were left.
    let back = 1500 + 800 + 100;
    assert_eq!([end(&outcome, 0), end(&outcome, 1)], [back + 400 + 1500, back + 800 + 1500]);
}

#[test]
fn what_starts_as_a_saved_launch_comes_back_lasts_its_whole_time() {
    // Four of 8 slots are restored at 1300 with 500 left; the other 4 workgroups start then and
    // last 1000.
    let low = at_level(5, vec![kernel(0, 12, 2, 1000)]);
    let high = at_level(0, vec![kernel(500, 8, 1, 300)]);
    let dispatcher = preempting(1, Some(Preemption::Switch)).build().expect("it builds");
    let outcome = try_run(&workload(vec![low, high]), 1, dispatcher).expect("a lawful dispatcher");
    // A save and a restore take 400 each; 500 ran before, 500 are left, then two rounds of 4 whole
    // workgroups.
    assert_eq!(latency(&outcome, 1), 400);
    assert_eq!(end(&outcome, 0), 500 + 400 + 300 + 400 + 500 + 2000);
}

#[test]
fn a_front_that_came_back_does_not_shorten_one_that_starts_then() {
    // On 2 units run 8 workgroups of 2 waves; the first 4 are saved at 100, with 900 left.
    let mut first = kernel(0, 6, 2, 1000);
    first.level = raddle_policy::Level(5);
    let mut high = kernel(100, 1, 8, 50);
    high.level = raddle_policy::Level(0);
    let dispatcher = preempting(1, Some(Preemption::Switch)).build().expect("it builds");
    let mut small = kernel(0, 1, 1, 120);
    small.level = raddle_policy::Level(5);
    small.stream = raddle_policy::StreamId(1);
    let tasks = vec![small, first];
    let outcome = try_run(&workload(vec![tasks, vec![high]]), 1, dispatcher).expect("lawful");
    let work: u128 = 6 * 2 * 1000 + 120 + 8 * 50;
    let moved = u128::from(outcome.counters.switch_ns);
    assert!(outcome.wave_ns.iter().sum::<u128>() >= work, "nothing is cut short");
    assert!(moved > 0 && outcome.stuck.is_empty());
}

#[test]
fn the_ways_of_the_slots_crate_are_the_same_ways() {
    for way in Preemption::ALL {
        let low = at_level(5, vec![idempotent(low())]);
        let high = at_level(0, vec![kernel(1500, 8, 1, 100)]);
        let all = workload(vec![low, high]);
        let run = |preempt: Box<dyn Preempt + Send>| {
            let dispatcher = preempting(1, None).preempt("it", preempt).build().expect("it builds");
            try_run(&all, 1, dispatcher).expect("a lawful dispatcher")
        };
        let ours = run(Box::new(ByRule::fixed(way)));
        assert_eq!(ours.records, run(Box::new(Always(way.into()))).records, "{way:?}");
        let taken_off = u64::from(!matches!(way, Preemption::Wait | Preemption::Flag));
        assert_eq!(ours.counters.taken_off, taken_off, "{way:?}");
    }
}

#[test]
fn equal_levels_never_revoke_each_other() {
    for how in WAYS {
        for window in [None, Some(1), Some(8)] {
            let killable = idempotent(low());
            let behind = idempotent(kernel(0, 8, 1, 100));
            let one = in_order(vec![killable, behind]);
            let twice = workload(vec![one, vec![kernel(1500, 8, 1, 100)]]);
            let builder = preempting(1, how);
            let builder = match window {
                Some(window) => builder.window(window),
                None => builder,
            };
            let outcome = try_run(&twice, 1, builder.build().expect("it builds"))
                .expect("a lawful dispatcher");
            assert_eq!((outcome.counters.taken_off, outcome.turns.revoked()), (0, 0), "{how:?}");
        }
    }
}

/// Runs two low launches of 1,000 ticks, and an urgent one of 100 ticks every 300, forty times,
/// under resets. Returns (number of kills, tick at which the low launches ended, longest wait of an
/// urgent launch in ticks).
fn starved(most_kills: Option<u32>) -> (u64, u64, u64) {
    let urgent = ProcessPlan {
        repetition: Repetition::At((1..=40).map(|i| Ticks(300 * i)).collect()),
        ..ProcessPlan::new("urgent", at_level(0, vec![kernel(0, 8, 1, 100)]))
    };
    let low = idempotent(kernel(0, 8, 1, 1000));
    let low = ProcessPlan::new("low", at_level(5, in_order(vec![low; 2])));
    let all = Workload { processes: vec![low, urgent], repeat: false };
    let reset = ByRule::fixed(Preemption::Reset).sparing(most_kills);
    let dispatcher =
        preempting(1, None).preempt("reset", reset).window(8).build().expect("it builds");
    let outcome = try_run(&all, 1, dispatcher).expect("a lawful dispatcher");
    assert!(outcome.stuck.is_empty());
    let waits = (2..outcome.records.len()).map(|launch| latency(&outcome, launch));
    (outcome.counters.killed / 8, end(&outcome, 1), waits.max().unwrap_or(0))
}

#[test]
fn a_long_launch_that_reset_starves_gets_done_with_a_most_of_kills() {
    // The low launch is killed each time: nothing of it is done before the last urgent one has
    // ended at 12,100.
    assert_eq!(starved(None), (40, 12_100 + 7 + 2000, 7));
    // Each low launch is killed three times, the first at 300, 600 and 900, then runs to its end.
    let (kills, end, wait) = starved(Some(3));
    assert_eq!(kills, 6, "three times each of two");
    assert!(end < 12_000 && wait <= 1000, "{end} {wait}");
    assert_eq!(starved(Some(0)).0, 0, "as by the flag");
}

/// Runs two low processes of one level that an urgent one preempts at the same time, on a device
/// that is reset as a whole.
fn two_at_once(second: Task) -> Outcome {
    let high = at_level(0, vec![kernel(500, 8, 1, 100)]);
    let first = idempotent(kernel(0, 4, 1, 3000));
    let workload = workload(vec![at_level(5, vec![first]), at_level(5, vec![second]), high]);
    let dispatcher = preempting(1, Some(Preemption::Reset)).scope(ResetScope::Device);
    try_run(&workload, 1, dispatcher.build().expect("it builds")).expect("a lawful dispatcher")
}

#[test]
fn a_reset_that_hits_two_preempted_processes_is_refused_to_neither() {
    let outcome = two_at_once(idempotent(kernel(0, 4, 1, 3000)));
    assert_eq!((outcome.counters.killed, latency(&outcome, 2)), (8, 7), "both were killed");
    assert_eq!(*outcome.preemptions.refused(), [].into());
    let outcome = two_at_once(kernel(0, 4, 1, 3000));
    assert_eq!((outcome.counters.killed, latency(&outcome, 2)), (0, 2500), "both run to their end");
    let refused = [(RefusedReset::OtherProcess, 1), (RefusedReset::NoVerdict, 1)];
    assert_eq!(*outcome.preemptions.refused(), refused.into());
}

/// Runs these processes on one compute unit under a recipe with these lines.
fn under(recipe: &str, processes: Vec<ProcessPlan>, repeat: bool) -> Result<Outcome, SimError> {
    let recipe = Recipe::parse("turns", &format!("raddle = 1\n{recipe}")).expect("a recipe");
    let dispatcher = recipe.builder(SHAPE, 1).expect("its settings").build().expect("it builds");
    try_run(&Workload { processes, repeat }, 1, dispatcher)
}

#[test]
fn launches_longer_than_their_slices_are_killed_three_times_and_then_end() {
    let reset = |more: &str| {
        let launches = || in_order(vec![idempotent(kernel(0, 8, 1, 5000)); 2]);
        let both = vec![ProcessPlan::new("a", launches()), ProcessPlan::new("b", launches())];
        let turn = "window = 1\n[turn]\npolicy = \"round-robin\"\nslice-us = 1";
        under(&format!("{turn}\n[preempt]\n{more}"), both, false).map(|it| it.counters.killed / 8)
    };
    let last = "policy = \"reset\"";
    assert_eq!(reset(last).expect("it ends"), 12, "three times each of four");
    assert_eq!(reset(&format!("{last}\nmost-kills = 1")).expect("it ends"), 4);
}

#[test]
fn a_launch_of_days_beside_a_program_that_repeats_ends_the_run() {
    const DAY: u64 = 86_400_000_000_000;
    let long = ProcessPlan::new("long", vec![kernel(0, 8, 1, 18 * DAY)]);
    let short = ProcessPlan::new("short", vec![kernel(0, 8, 1, 500)]);
    let turn = "[turn]\npolicy = \"round-robin\"\nslice-us = 1\n[preempt]\npolicy = \"switch\"";
    let told = under(turn, vec![long, short], true).expect_err("it does not end").to_string();
    assert!(told.contains("launch 0 of long was taken off 262145 times"), "{told}");
}
