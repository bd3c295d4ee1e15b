//! A tiny timeline as text, and the ways off the device that no bundled recipe takes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;

use raddle_dispatch::Composed;
use raddle_dispatch::slots::HighestLevel;
use raddle_policy::{
    Activity, Barrier, CuShape, Demand, Idempotence, KernelCall, Level, Preempt, Preemption,
    StreamId, Tick, Ticks, VictimView,
};
use raddle_report::timeline::write_perfetto;
use raddle_sim::{
    Costs, EnergyModel, Outcome, ProcessPlan, SimConfig, Task, Work, Workload, run_watched,
};
use raddle_study::timeline::{Recorder, Timeline, TimelineNames};

use super::decoded::Decoded;

struct Always(Option<Preemption>);

impl Preempt for Always {
    fn preempt(&mut self, _victim: &VictimView<'_>, _now: Tick) -> Option<Preemption> {
        self.0
    }
}

fn kernel(arrival: u64, workgroups: u64, waves: u16, ticks: u64, level: u8) -> Task {
    Task {
        stream: StreamId(0),
        level: Level(level),
        arrival: Ticks(arrival),
        after: None,
        gap: None,
        idempotent: Idempotence::Idempotent,
        activity: Activity::UNKNOWN,
        call: KernelCall::UNKNOWN,
        peers: None,
        work: Work::Kernel {
            workgroups,
            workgroup: Ticks(ticks),
            demand: Demand { waves, vgpr: 1, sgpr: 0, lds: 0, barriers: 0 },
            barrier: Barrier::No,
            context_bytes: 100,
        },
    }
}

/// Simulates two compute units of 8 wave slots, which an urgent process takes over at 1500 ns by
/// the method `how`. Returns the outcome and the timeline.
fn run(how: Option<Preemption>) -> (Outcome, Timeline) {
    let shape = CuShape {
        simds: 2,
        waves_per_simd: 4,
        vgpr_per_simd: 16,
        sgpr: u16::MAX,
        lds: 16,
        workgroups: 8,
        barriers: 8,
    };
    let copy =
        Task { work: Work::Copy { lasts: Ticks(300), direction: None }, ..kernel(100, 0, 1, 1, 5) };
    let after = Task { after: Some(0), ..kernel(0, 1, 1, 50, 5) };
    let empty = Task { stream: StreamId(1), ..kernel(40, 0, 1, 1, 5) };
    let low = ProcessPlan::new("low", vec![kernel(0, 10, 4, 1000, 5), copy, after, empty]);
    let high = ProcessPlan::new("high", vec![kernel(1500, 2, 8, 100, 0)]);
    let workload = Workload { processes: vec![low, high], repeat: false };
    let mut dispatcher = Composed::builder(shape, 2)
        .turn("highest-level", HighestLevel)
        .preempt("always", Always(how))
        .build()
        .expect("it builds");
    let options = SimConfig {
        shape,
        cus: 2,
        costs: Costs { reset: Ticks(7), context_bytes_per_us: 1000, ..Costs::default() },
        energy: EnergyModel::ASSUMED,
    };
    let mut recorder = Recorder::new(2, 2, 1000);
    let outcome = run_watched(&workload, &mut dispatcher, &options, &mut recorder, &mut |_| {
        ControlFlow::Continue(())
    });
    let outcome = outcome.expect("a lawful dispatcher");
    let timeline = recorder.finish(&workload, &outcome, &TimelineNames::default());
    (outcome, timeline)
}

fn decoded(timeline: &Timeline) -> Decoded {
    let mut bytes = Vec::new();
    write_perfetto(timeline, &mut bytes, &mut |_, _| ()).expect("memory takes it");
    Decoded::of(&bytes)
}

/// Returns a decoded file as text: one line for each track, then one for each slice or sample;
/// arrows as `=> launch`.
fn text(decoded: &Decoded) -> String {
    let mut out = String::new();
    let mut order: Vec<u64> = decoded.tracks.keys().copied().collect();
    let key = |&id: &u64| {
        let (mut at, mut ranks) = (Some(id), Vec::new());
        while let Some(id) = at {
            ranks.insert(0, decoded.tracks[&id].rank);
            at = decoded.tracks[&id].parent;
        }
        ranks
    };
    order.sort_by_key(key);
    for id in order {
        let depth = decoded.path(id).len() - 1;
        let _ = writeln!(out, "{}{}", "  ".repeat(depth), decoded.tracks[&id].name);
        let indent = "  ".repeat(depth + 1);
        for (at, value) in decoded.counters.get(&id).into_iter().flatten() {
            let _ = writeln!(out, "{indent}{at}: {value}");
        }
        for (position, slice) in decoded.slices.iter().enumerate().filter(|(_, s)| s.track == id) {
            let notes: Vec<String> = slice.notes.iter().map(|(k, v)| format!("{k}={v}")).collect();
            let mut line = format!(
                "{indent}{}{}..{} {} [{}] {}",
                "| ".repeat(slice.depth),
                slice.start,
                slice.end,
                slice.name,
                slice.category,
                notes.join(" "),
            );
            if decoded.flows.iter().any(|flow| flow.0 == position) {
                line += " =>";
            }
            if decoded.flows.iter().any(|flow| flow.1 == position) {
                line += " <=";
            }
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    out
}

#[test]
fn a_small_timeline_reads_like_this() {
    insta::assert_snapshot!(text(&decoded(&run(Some(Preemption::Switch)).1)));
}

#[test]
fn every_way_off_the_device_gives_a_file_that_decodes() {
    for how in [
        None,
        Some(Preemption::Wait),
        Some(Preemption::Flag),
        Some(Preemption::Drain),
        Some(Preemption::Reset),
        Some(Preemption::Switch),
    ] {
        let (outcome, timeline) = run(how);
        let decoded = decoded(&timeline);
        let mut busy: BTreeMap<&str, u64> = BTreeMap::new();
        let mut groups = 0;
        for (process, slice) in decoded.on_units().map(|(_, slice)| (&*slice.category, slice)) {
            *busy.entry(process).or_default() += slice.end - slice.start;
            groups += slice.notes["workgroups"].parse::<u64>().unwrap();
        }
        assert_eq!(groups, outcome.counters.workgroups, "{how:?}");
        // A workgroup of the urgent process has 8 waves; of the other 4, in its last launch one.
        assert_eq!(u128::from(busy["high"]) * 8, outcome.wave_ns[1], "{how:?}");
        let last = outcome.records[2].ended.unwrap().since(outcome.records[2].started.unwrap()).0;
        assert_eq!(u128::from(busy["low"] - last) * 4 + u128::from(last), outcome.wave_ns[0]);
        let off = |name: &str| decoded.slices.iter().filter(|slice| slice.name == name).count();
        let ending = |name: &str| {
            let slices = decoded.on_units().map(|(_, slice)| slice);
            slices.filter(|slice| slice.notes.get("ending").is_some_and(|e| e == name)).count()
        };
        let seen = (off("off: drained"), off("off: killed"), off("off: saved"));
        let wanted = match how {
            Some(Preemption::Drain) => ((1, 0, 0), (0, 0)),
            Some(Preemption::Reset) => ((0, 1, 0), (4, 0)),
            Some(Preemption::Switch) => ((0, 0, 1), (0, 4)),
            _ => ((0, 0, 0), (0, 0)),
        };
        assert_eq!((seen, (ending("killed"), ending("saved"))), wanted, "{how:?}");
    }
}
