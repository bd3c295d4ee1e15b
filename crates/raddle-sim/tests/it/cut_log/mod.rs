//! Is a whole run in which `matching` cuts workgroups (seed 000, E3) lawful and repeatable?
//!
//! Each run is written to a log in full detail. The log must come again byte for byte, from the
//! workload and from its own events, and a plain model of the seed's steps must agree with every
//! answer of the policy.

mod decide;
mod device;
mod naive;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use raddle_dispatch::Recipe;
use raddle_dispatch::log::Detail;
use raddle_policy::{
    Activity, Barrier, CuShape, Idempotence, Launch, LaunchId, Preemption, ProcessId, StreamId,
};
use raddle_sim::{Outcome, Task, Work, Workload, run};
use raddle_workgroup::{Matching, MatchingConfig};

use crate::kit::{SHAPE, at_level, in_order, kernel, options, workload};
use crate::laws;
use crate::replay::{check_replay, logged};
use naive::{Naive, Tally, Watched};

const WAYS: [(&str, Option<Preemption>); 6] = [
    ("never", None),
    ("wait", Some(Preemption::Wait)),
    ("flag", Some(Preemption::Flag)),
    ("drain", Some(Preemption::Drain)),
    ("reset", Some(Preemption::Reset)),
    ("switch", Some(Preemption::Switch)),
];

fn recipe(preempt: &str, split: &str, more: &str) -> String {
    format!(
        "raddle = 1\n[turn]\npolicy = \"highest-level\"\n[preempt]\npolicy = \"{preempt}\"\n\
         [allocate]\npolicy = \"matching\"\nsplit = {split}\n{more}"
    )
}

fn matching(recipe: &str) -> MatchingConfig {
    let recipe = Recipe::parse("test", recipe).expect("a recipe");
    recipe.allocate().settings::<MatchingConfig>().expect("matching").clone()
}

/// Runs a workload under the recipe, and lets a model with the settings `model` check each answer
/// of the policy. Returns (outcome, log, model).
fn watched(
    workload: &Workload,
    device: (CuShape, u16),
    recipe: &str,
    model: &MatchingConfig,
) -> (Outcome, String, Arc<Mutex<Naive>>) {
    let policy = Matching::new(matching(recipe), device.0, device.1).expect("it fits");
    let naive = Arc::new(Mutex::new(Naive::new(model, device)));
    let policy = Watched { policy, naive: naive.clone() };
    let around = |builder: raddle_dispatch::Builder| builder.allocate("matching", policy);
    let (outcome, log) = logged(workload, device, recipe, Detail::Full, around);
    (outcome, log, naive)
}

/// Runs a workload and checks that its log comes again byte for byte, and is lawful. Returns the
/// outcome and the model's counts.
fn checked(workload: &Workload, device: (CuShape, u16), recipe: &str) -> (Outcome, Tally) {
    let (outcome, log, naive) = watched(workload, device, recipe, &matching(recipe));
    let again = |detail| logged(workload, device, recipe, detail, |builder| builder).1;
    assert_eq!(again(Detail::Full), log, "the same again");
    check_replay(&log);
    check_replay(&again(Detail::Answers));
    let naive = naive.lock().expect("no panic before");
    assert!(naive.is_empty(), "all is given back");
    for record in &outcome.records {
        let task = &workload.processes[usize::from(record.process)].tasks[record.task as usize];
        if let Work::Kernel { workgroups, demand, barrier, .. } = task.work {
            let launch =
                Launch::new(LaunchId(0), ProcessId(0), workgroups, demand).with_barrier(barrier);
            assert_eq!(record.refused, naive.never(&launch), "{launch:?}");
        }
    }
    (outcome, naive.tally)
}

fn with(task: Task, lds_granules: u32, is_related: bool) -> Task {
    let mut task = Task { idempotent: Idempotence::Idempotent, ..task };
    if let Work::Kernel { demand, barrier, context_bytes, .. } = &mut task.work {
        (demand.lds, *context_bytes) = (lds_granules, 0);
        *barrier = if is_related { Barrier::Yes } else { Barrier::No };
    }
    task
}

fn on(stream: u32, task: Task) -> Task {
    Task { stream: StreamId(stream), ..task }
}

/// Returns launches on four channels: small workgroups that fill most of two units, workgroups of
/// six waves that fit only in parts, workgroups of six waves that must stay whole, and small ones
/// that fit whole.
fn crowd() -> Vec<Task> {
    vec![
        on(0, with(kernel(0, 4, 2, 40_000), 1, false)),
        on(1, with(kernel(100, 4, 6, 9_000), 2, false)),
        on(2, with(kernel(100, 2, 6, 5_000), 2, true)),
        on(3, with(kernel(200, 6, 2, 30_000), 1, true)),
    ]
}

/// Returns the crowded launches of a low process, and an urgent process whose launches come at
/// `urgent_at` and later, when parts of workgroups are on the device.
fn interrupted(urgent_at: u64) -> Vec<Vec<Task>> {
    let urgent = |at| with(kernel(at, 2, 8, 3_000), 8, true);
    let high = in_order(vec![urgent(urgent_at), urgent(urgent_at + 20_000)]);
    vec![at_level(5, crowd()), at_level(0, high)]
}

#[test]
fn a_run_that_cuts_comes_again_and_is_lawful_whatever_way_work_leaves() {
    let mut told = String::from("        whole parts killed saved\n");
    for (name, how) in WAYS {
        let processes = interrupted(38_000);
        let recipe = recipe(name, "{ threshold = 4, retry-us = 1 }", "");
        let (outcome, tally) = checked(&workload(processes.clone()), (SHAPE, 2), &recipe);
        laws::check(&outcome, &processes, how);
        let Tally { whole, parts, killed, saved_parts, displaced } = tally;
        assert_eq!(displaced, 0);
        told += &format!("{name:7}{whole:6}{parts:6}{killed:7}{saved_parts:6}\n");
    }
    insta::assert_snapshot!(told);
}

#[test]
fn what_fits_in_parts_alone_runs_in_parts_however_many_rounds_it_takes() {
    // The workgroups have nine waves, and a unit holds eight.
    let all = workload(vec![vec![with(kernel(0, 2, 9, 5_000), 1, false)]]);
    let (outcome, tally) = checked(&all, (SHAPE, 1), &recipe("never", "{ threshold = 3 }", ""));
    assert_eq!((outcome.stuck.len(), tally.whole, tally.parts), (0, 0, 18));
    // One wake stands for all the rounds before it, so a run does not end before the round that
    // cuts.
    for threshold in [0, 65_000, 66_000, 10_000_000] {
        let split = format!("{{ threshold = {threshold} }}");
        let recipe = Recipe::parse("test", &recipe("never", &split, "")).expect("a recipe");
        let mut dispatcher =
            recipe.builder(SHAPE, 1).expect("it builds").build().expect("it builds");
        let outcome = run(&all, &mut dispatcher, &options(1), &mut |_| ()).expect("lawful");
        assert_eq!(outcome.stuck.len(), 0, "{threshold}");
    }
}

/// Checks that a model with other settings than those of the policy that runs disagrees with it.
#[test]
fn the_model_finds_what_is_wrong() {
    let all = workload(interrupted(38_000));
    let with = |split: &str, more: &str| recipe("switch", split, more);
    let right = with("{ threshold = 4, retry-us = 1 }", "");
    for other in [
        with("{ threshold = 3, retry-us = 1 }", ""),
        with("{ threshold = 5, retry-us = 1 }", ""),
        with("{ threshold = 4, retry-us = 2 }", ""),
        with("{ threshold = 4, retry-us = 1 }", "balance = \"fixed\""),
        with("{ threshold = 4, retry-us = 1 }", "place = \"round-robin\""),
        with("{ threshold = 4, retry-us = 1 }", "order = { windows = { windows-us = [1, 1] } }"),
    ] {
        let run = || drop(watched(&all, (SHAPE, 2), &other, &matching(&right)));
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err(), "{other}");
    }
}

/// A device, and the further settings of `matching` in its recipe, besides those for cutting.
type Chosen = ((CuShape, u16), String);

fn shape() -> impl Strategy<Value = CuShape> {
    let simd = (1u8..5, 1u16..6, 4u16..20);
    let shared = (prop_oneof![Just(u16::MAX), 0u16..30], 0u32..16, 1u16..9, 0u16..5);
    (simd, shared).prop_map(|((simds, waves_per_simd, vgpr_per_simd), shared)| {
        let (sgpr, lds, workgroups, barriers) = shared;
        CuShape { simds, waves_per_simd, vgpr_per_simd, sgpr, lds, workgroups, barriers }
    })
}

fn chosen() -> impl Strategy<Value = Chosen> {
    let order = prop_oneof![
        2 => Just(String::new()),
        1 => prop::collection::vec(1u64..9, 1..4)
            .prop_map(|windows| format!("order = {{ windows = {{ windows-us = {windows:?} }} }}\n")),
    ];
    let one_of = |words: &'static [&'static str]| prop::sample::select(words);
    let place = one_of(&[
        "\"lowest-index\"",
        "\"round-robin\"",
        "\"most-waves\"",
        "{ most-free = { waves = 2, vgpr = 1, sgpr = 3, lds = 1 } }",
        "{ most-free = { vgpr = 3, lds = 2, amounts = \"longest-run\" } }",
    ]);
    let rest = (0u64..6, 1u64..4, order, one_of(&["tail", "fixed"]), place, 0u32..5);
    ((shape(), 1u16..4), one_of(&["never", "wait", "flag", "drain", "reset", "switch"]), rest)
        .prop_map(|(device, preempt, (threshold, retry, order, balance, place, window))| {
            let split = format!("{{ threshold = {threshold}, retry-us = {retry} }}");
            let more = format!("balance = \"{balance}\"\nplace = {place}\n{order}");
            let window = if window > 0 { format!("window = {window}\n") } else { String::new() };
            (device, window + &recipe(preempt, &split, &more))
        })
}

/// Draws processes of two streams each whose launches last long enough for some rounds to fail.
fn slow_processes() -> impl Strategy<Value = Vec<Vec<Task>>> {
    let slower = |(mut processes, related, sgpr): (Vec<Vec<Task>>, Vec<bool>, Vec<u16>)| {
        let choices = related.into_iter().zip(sgpr).cycle();
        for (task, (is_related, scalar)) in processes.iter_mut().flatten().zip(choices) {
            task.arrival.0 *= 100;
            if let Work::Kernel { demand, barrier, workgroup, .. } = &mut task.work {
                workgroup.0 *= 300;
                (demand.sgpr, demand.barriers) = (scalar, u16::from(is_related));
                *barrier = if is_related { Barrier::Yes } else { Barrier::No };
            }
        }
        processes
    };
    let related = prop::collection::vec(prop::bool::weighted(0.3), 1..9);
    (laws::processes(), related, prop::collection::vec(0u16..4, 9)).prop_map(slower)
}

/// Returns the settings of the property test: 24 cases, as each is a run, four times over; or as
/// many as `PROPTEST_CASES` says.
fn cases() -> ProptestConfig {
    let long = std::env::var_os("PROPTEST_CASES").is_some();
    if long { ProptestConfig::default() } else { ProptestConfig::with_cases(24) }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn any_run_that_cuts_comes_again_and_is_lawful(
        processes in slow_processes(), (device, recipe) in chosen(),
    ) {
        let (outcome, _) = checked(&workload(processes.clone()), device, &recipe);
        let how = WAYS.iter().find(|(name, _)| recipe.contains(name)).and_then(|it| it.1);
        laws::check(&outcome, &processes, how);
    }

    /// Checks the rule by least power (E10), and its mix with free resources (E9 and E10): the
    /// energy drawn is added up anew at each decision.
    #[test]
    fn what_was_drawn_decides_where_it_goes(
        processes in slow_processes(), (device, recipe) in chosen(),
        activities in prop::collection::vec(prop::array::uniform6(0u32..5), 1..7),
        history in prop_oneof![1u64..50, 50u64..50_000], shares in prop::option::of((0u64..4, 1u64..4)),
    ) {
        let mut processes = processes;
        for (task, activity) in processes.iter_mut().flatten().zip(activities.iter().cycle()) {
            task.activity = Activity(*activity);
        }
        let power = format!("{{ weights = [4, 12, 10, 64, 0, 3], history-ticks = {history} }}");
        let place = match shares {
            None => format!("place = {{ least-power = {power} }}"),
            Some((a, b)) => format!(
                "place = {{ mix = {{ free = {{ waves = 2, lds = 3 }}, power = {power}, shares = [{a}, {b}] }} }}"
            ),
        };
        let line = |line: &str| match line.starts_with("place") {
            true => place.clone(),
            false => line.to_owned(),
        };
        let recipe = recipe.lines().map(line).collect::<Vec<_>>().join("\n");
        let (outcome, _) = checked(&workload(processes.clone()), device, &recipe);
        prop_assert!(outcome.stuck.is_empty());
    }
}
