//! Does a timeline show what happened on the device, no more and no less?

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use proptest::prelude::*;
use raddle_dispatch::{Composed, Dispatcher};
use raddle_policy::Preemption;
use raddle_sim::{Outcome, Task, Work, Workload, run_watched};
use raddle_study::timeline::{Ending, Grain, Measure, Recorder, Slice, Timeline, TimelineNames};

use crate::cut::Cuts;
use crate::kit::{SHAPE, WAYS, at_level, copy, in_order, kernel, options, preempting, workload};
use crate::laws::processes;
use crate::one_by_one::{Both, OneByOne};
use crate::partial::WaveByWave;

/// The manner in which the policy of a test starts workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Starts {
    Whole,
    WaveByWave,
    InParts,
}

const STARTS: [Starts; 3] = [Starts::Whole, Starts::WaveByWave, Starts::InParts];

/// Returns a dispatcher that takes work off by the method `how` and starts workgroups as `starts`
/// says.
fn dispatcher(cus: u16, how: Option<Preemption>, starts: Starts) -> Box<dyn Dispatcher> {
    let builder = preempting(cus, how);
    Box::new(match starts {
        Starts::Whole => builder.build().expect("it builds"),
        Starts::WaveByWave => {
            builder.allocate("wave-by-wave", WaveByWave::default()).build().expect("it builds")
        }
        Starts::InParts => builder.allocate("cuts", Cuts).build().expect("it builds"),
    })
}

/// Returns the outcome of a run, its timeline of at most `most` slices, and the slices of the naive
/// recorder.
fn recorded(
    workload: &Workload,
    cus: u16,
    mut dispatcher: Box<dyn Dispatcher>,
    most: usize,
) -> (Outcome, Timeline, Vec<Slice>) {
    let recorder = Recorder::new(cus, workload.processes.len(), most);
    let mut both = Both(recorder, OneByOne::default());
    let outcome = run_watched(workload, &mut *dispatcher, &options(cus), &mut both, &mut |_| {
        ControlFlow::Continue(())
    });
    let outcome = outcome.expect("a lawful dispatcher");
    let timeline = both.0.finish(workload, &outcome, &TimelineNames::default());
    (outcome, timeline, both.1.finish())
}

/// Returns the wave-slot time of each process by its slices, in wave-ns.
fn wave_ns(workload: &Workload, outcome: &Outcome, timeline: &Timeline) -> Vec<u128> {
    let mut used = vec![0; workload.processes.len()];
    for slice in &timeline.slices {
        let record = outcome.records[slice.launch as usize];
        let process = usize::from(record.process);
        let Work::Kernel { demand, .. } =
            workload.processes[process].tasks[record.task as usize].work
        else {
            panic!("{slice:?} is of no kernel")
        };
        used[process] += u128::from(slice.end_ns - slice.start_ns) * u128::from(demand.waves);
    }
    used
}

/// Returns the integral over time, up to `end`, of a counter given as (tick, value from then on).
fn integral(samples: &[(u64, u64)], end: u64) -> u128 {
    let ends = samples.iter().skip(1).map(|sample| sample.0).chain([end]);
    samples.iter().zip(ends).map(|(s, end)| u128::from(s.1) * u128::from(end - s.0)).sum()
}

/// The time of a launch on a compute unit: (from, to, number of workgroups).
type Span = (u64, u64, u64);
/// A joined slice: (compute unit, launch, from, to, number of workgroups).
type Joined = (u16, u32, u64, u64, u64);

/// Returns one slice for each stretch of time in which a launch has workgroups on a compute unit,
/// found by joining slices that touch.
fn joined(slices: &[Slice]) -> Vec<Joined> {
    let mut by: BTreeMap<(u16, u32), Vec<Span>> = BTreeMap::new();
    for s in slices {
        by.entry((s.cu, s.launch)).or_default().push((s.start_ns, s.end_ns, s.workgroups));
    }
    let mut all = Vec::new();
    for ((cu, launch), mut spans) in by {
        let touch = |a: &Span, b: &Span| a.0 <= b.1 && b.0 <= a.1;
        let pair = |spans: &[Span]| {
            let mut pairs = (0..spans.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
            pairs.find(|&(i, j)| touch(&spans[i], &spans[j]))
        };
        while let Some((i, j)) = pair(&spans) {
            let other = spans.remove(i);
            let kept = &mut spans[j];
            *kept = (kept.0.min(other.0), kept.1.max(other.1), kept.2 + other.2);
        }
        spans.sort_unstable();
        all.extend(spans.into_iter().map(|(start, end, groups)| (cu, launch, start, end, groups)));
    }
    all
}

fn never_two_at_a_time(slices: &[Slice]) -> bool {
    let later =
        |w: &[Slice]| (w[0].cu, w[0].slot) != (w[1].cu, w[1].slot) || w[0].end_ns <= w[1].start_ns;
    slices.windows(2).all(later)
}

proptest! {
    #[test]
    fn in_bulk_is_as_one_by_one(
        processes in processes(),
        way in 0usize..6,
        cus in 1u16..4,
        starts in 0usize..3,
    ) {
        let starts = STARTS[starts];
        let workload = workload(processes);
        let dispatcher = dispatcher(cus, WAYS[way], starts);
        let (outcome, timeline, naive) = recorded(&workload, cus, dispatcher, usize::MAX);
        prop_assert_eq!(timeline.grain, Grain::Slot);
        prop_assert_eq!(&timeline.slices, &naive);
        prop_assert!(never_two_at_a_time(&naive));
        let ended: u64 = naive.iter().map(|slice| slice.workgroups).sum();
        prop_assert_eq!(ended, outcome.counters.workgroups);
        if starts == Starts::Whole {
            prop_assert_eq!(wave_ns(&workload, &outcome, &timeline), outcome.wave_ns.clone());
        }
        for counter in &timeline.counters {
            let used = integral(&counter.samples, timeline.end_ns);
            match (counter.measure, counter.process) {
                (Measure::Waves, Some(process)) => {
                    prop_assert_eq!(used, outcome.wave_ns[usize::from(process)]);
                }
                (Measure::Waves, None) => {
                    prop_assert_eq!(used, outcome.wave_ns.iter().sum::<u128>());
                }
                _ => prop_assert_eq!(counter.samples.last().map_or(0, |sample| sample.1), 0),
            }
        }
    }

    #[test]
    fn too_many_slices_are_joined_by_compute_unit(
        processes in processes(),
        way in 0usize..6,
        cus in 1u16..4,
        spare in 0usize..40,
    ) {
        let workload = workload(processes);
        let fine = recorded(&workload, cus, dispatcher(cus, WAYS[way], Starts::Whole), usize::MAX).2;
        let wanted = joined(&fine);
        let most = wanted.len().max(workload.processes.iter().map(|p| p.tasks.len()).sum()) + spare;
        let (_, timeline, _) = recorded(&workload, cus, dispatcher(cus, WAYS[way], Starts::Whole), most);
        if fine.len() <= most {
            prop_assert_eq!((timeline.grain, &timeline.slices), (Grain::Slot, &fine));
            return Ok(());
        }
        // During a run there can be more slices than at its end, as a later slice joins earlier
        // ones.
        if timeline.grain == Grain::Launch {
            prop_assert!(timeline.slices.is_empty());
            return Ok(());
        }
        prop_assert_eq!(timeline.grain, Grain::Cu);
        prop_assert!(never_two_at_a_time(&timeline.slices));
        let mut got: Vec<_> = timeline
            .slices
            .iter()
            .map(|s| (s.cu, s.launch, s.start_ns, s.end_ns, s.workgroups))
            .collect();
        got.sort_unstable();
        prop_assert_eq!(got, wanted);
    }
}

/// Returns a text line for each slice: compute unit, slot, launch, from, to, workgroups, ending.
fn lines(timeline: &Timeline) -> Vec<String> {
    let line = |s: &Slice| {
        let ending = if s.ending == Ending::Ended { "" } else { s.ending.name() };
        let Slice { cu, slot, launch, start_ns, end_ns, workgroups, .. } = s;
        format!("cu{cu}.{slot} k{launch} {start_ns}..{end_ns} x{workgroups} {ending}")
            .trim_end()
            .to_owned()
    };
    timeline.slices.iter().map(line).collect()
}

/// Returns the timeline of a low launch on one unit that holds 4 workgroups of 2 waves, and an
/// urgent launch at 1500, where work is taken off by `how`.
fn preempted(how: Option<Preemption>) -> Timeline {
    let mut low = kernel(0, 6, 2, 1000);
    low.idempotent = raddle_policy::Idempotence::Idempotent;
    let high = at_level(0, vec![kernel(1500, 1, 8, 100)]);
    let workload = workload(vec![at_level(5, vec![low]), high]);
    recorded(&workload, 1, dispatcher(1, how, Starts::Whole), 1000).1
}

#[test]
fn a_run_of_workgroups_in_a_slot_is_one_slice() {
    assert_eq!(
        lines(&preempted(None)),
        [
            "cu0.0 k0 0..2000 x2",
            "cu0.0 k1 2000..2100 x1",
            "cu0.1 k0 0..2000 x2",
            "cu0.2 k0 0..1000 x1",
            "cu0.3 k0 0..1000 x1",
        ]
    );
}

#[test]
fn what_is_saved_ends_a_slice_and_begins_another() {
    // A save moves 2 workgroups of 100 bytes at 1000 bytes a microsecond: 200 ns; so does the
    // restore.
    let timeline = preempted(Some(Preemption::Switch));
    assert_eq!(
        lines(&timeline),
        [
            "cu0.0 k0 0..1700 x1 saved",
            "cu0.0 k1 1700..1800 x1",
            "cu0.0 k0 1800..2500 x1",
            "cu0.1 k0 0..1700 x1 saved",
            "cu0.1 k0 1800..2500 x1",
            "cu0.2 k0 0..1000 x1",
            "cu0.3 k0 0..1000 x1",
        ]
    );
    let aways: Vec<_> =
        timeline.aways.iter().map(|a| (a.launch, a.how, a.start_ns, a.end_ns)).collect();
    assert_eq!(aways, [(0, Preemption::Switch, 1700, 1800)]);
}

#[test]
fn what_is_killed_says_so() {
    let timeline = preempted(Some(Preemption::Reset));
    assert_eq!(
        lines(&timeline),
        [
            "cu0.0 k0 0..1507 x1 killed",
            "cu0.0 k1 1507..1607 x1",
            "cu0.0 k0 1607..3607 x2",
            "cu0.1 k0 0..1507 x1 killed",
            "cu0.1 k0 1607..3607 x2",
            "cu0.2 k0 0..1000 x1",
            "cu0.2 k0 1607..2607 x1",
            "cu0.3 k0 0..1000 x1",
            "cu0.3 k0 1607..2607 x1",
        ]
    );
    assert_eq!(timeline.aways.len(), 1);
    assert_eq!(timeline.aways[0].how, Preemption::Reset);
}

#[test]
fn too_many_launches_end_the_timeline_with_the_last_that_is_wanted() {
    let tasks = in_order(vec![
        kernel(0, 1, 1, 10),
        kernel(0, 1, 1, 10),
        kernel(0, 1, 1, 10),
        copy(3030, 50),
        kernel(0, 1, 1, 10),
    ]);
    let workload: Workload = workload(vec![tasks]);
    let run = |most| {
        let (_, timeline, _) = recorded(&workload, 1, dispatcher(1, None, Starts::Whole), most);
        let drawn = timeline.launches.iter().filter(|launch| launch.ready_ns.is_some()).count();
        (timeline.grain, drawn, timeline.cut_ns)
    };
    assert_eq!(run(5), (Grain::Slot, 5, None));
    assert_eq!(run(4), (Grain::Slot, 4, Some(3080)));
    assert_eq!(run(2), (Grain::Launch, 2, Some(20)));
    assert_eq!(run(0), (Grain::Launch, 0, Some(0)));
}

#[test]
fn a_process_that_repeats_is_drawn_each_time() {
    let plan = |name, span, tasks: Vec<Task>| raddle_sim::ProcessPlan {
        span: raddle_policy::Ticks(span),
        ..raddle_sim::ProcessPlan::new(name, tasks)
    };
    let long = plan("long", 100, vec![kernel(0, 1, 1, 100)]);
    let short = plan("short", 40, vec![kernel(0, 1, 1, 10)]);
    let workload = Workload { processes: vec![long, short], repeat: true };
    let (_, timeline, naive) = recorded(&workload, 1, dispatcher(1, None, Starts::Whole), 100);
    let of_short: Vec<_> = timeline
        .launches
        .iter()
        .filter(|launch| launch.process == 1 && launch.ready_ns.is_some())
        .map(|launch| (launch.iteration, launch.started_ns))
        .collect();
    assert_eq!(of_short, [(0, Some(0)), (1, Some(40)), (2, Some(80))]);
    assert_eq!(naive.len(), 4);
}

#[test]
fn an_odd_device_of_more_than_64_slots_is_drawn_too() {
    let shape = raddle_policy::CuShape {
        simds: 8,
        waves_per_simd: 40,
        vgpr_per_simd: u16::MAX,
        workgroups: 300,
        ..SHAPE
    };
    let workload = workload(vec![vec![kernel(0, 301, 1, 10), kernel(5, 30, 1, 10)]]);
    let mut dispatcher = Composed::builder(shape, 1).build().expect("it builds");
    let mut both = Both(Recorder::new(1, 1, 1000), OneByOne::default());
    let options = raddle_sim::SimConfig { shape, ..options(1) };
    let outcome = run_watched(&workload, &mut dispatcher, &options, &mut both, &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap();
    let timeline = both.0.finish(&workload, &outcome, &TimelineNames::default());
    assert_eq!(timeline.slices, both.1.finish());
    assert_eq!(timeline.slices.iter().map(|slice| slice.slot).max(), Some(299));
}
