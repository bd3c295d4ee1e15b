//! Is each figure of a comparison right? The expected ones are computed by hand or by a naive
//! oracle.

use proptest::prelude::*;
use raddle_device::Device;
use raddle_dispatch::Composed;
use raddle_policy::{Level, Ticks};
use raddle_sim::{
    Calibration, Costs, EnergyModel, LaunchLatency, ProcessPlan, SimConfig, WaitRule, Workload,
    plan, run,
};
use raddle_trace::{Collective, ImportConfig, StreamWait, read};

use super::both::{Both, Span};
use super::gaps::{Gap, gaps};
use super::*;

/// Number of workgroups of 128 work-items with 32 registers each that a V100 holds: 16 on each of
/// 80 compute units.
const FULL: u64 = 1280;

/// Makes a profile of a V100 from rows with the columns kind, stream, workgroups, arrival (`-`
/// where it was not recorded), start and duration; times in ns.
fn profile(head: &str, rows: &[&str]) -> Profile {
    let mut text = format!(
        "# device = v100\n{head}kind,name,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,\
         vgprs_per_thread,lds_bytes,arrival_ns,start_ns,duration_ns\n"
    );
    for row in rows {
        let cells: Vec<&str> = row.split_whitespace().collect();
        let [kind, stream, groups, arrival, start, duration] = cells[..] else {
            panic!("{row}: 6 cells are wanted");
        };
        // An unfit kernel wants more shared memory than there is.
        let (kind, lds) = if kind == "unfit" { ("kernel", 98_305) } else { (kind, 0) };
        let shape = match kind {
            "kernel" => format!("{groups},1,1,128,1,1,32,{lds}"),
            _ => ",,,,,,,".to_owned(),
        };
        let arrival = if arrival == "-" { "" } else { arrival };
        text += &format!("{kind},{kind},{stream},{shape},{arrival},{start},{duration}\n");
    }
    read("t.csv", text.as_bytes(), &ImportConfig::default()).expect("a launch table")
}

fn replayed(profile: &Profile) -> (Device, Outcome) {
    let own = raddle_device::find("v100").expect("in the table");
    let outcome = replayed_as(plan(profile, &PlanConfig::new(&own, &own), |_| Level(0)), &own);
    (own, outcome)
}

fn replayed_as(process: ProcessPlan, own: &Device) -> Outcome {
    let workload = Workload { processes: vec![process], repeat: false };
    let options = SimConfig {
        shape: own.shape,
        cus: own.cus,
        costs: Costs::of(own),
        energy: EnergyModel::ASSUMED,
    };
    let mut dispatcher = Composed::builder(own.shape, own.cus).build().expect("it builds");
    run(&workload, &mut dispatcher, &options, &mut |_| ()).expect("lawful")
}

/// Replays a profile with these options, such as a launch latency or fitted durations of
/// workgroups, and compares the replay with the recording.
fn fidelity_with(profile: &Profile, options: &PlanConfig<'_>) -> Fidelity {
    let outcome = replayed_as(plan(profile, options, |_| Level(0)), options.own);
    Fidelity::new(profile, options, &outcome)
}

fn fidelity_of(head: &str, rows: &[&str]) -> Fidelity {
    let profile = profile(head, rows);
    let (own, outcome) = replayed(&profile);
    Fidelity::new(&profile, &PlanConfig::new(&own, &own), &outcome)
}

fn fidelity(rows: &[&str]) -> Fidelity {
    fidelity_of("", rows)
}

/// Returns the causes of wrong waits as (name, ns), without those of 0 ns.
fn wait_causes(fidelity: &Fidelity) -> Vec<(&'static str, i64)> {
    let waits = fidelity.waits.as_ref().expect("launches were recorded");
    let parts = waits.causes.iter().filter(|part| part.ns != 0);
    parts.map(|part| (part.cause, part.ns)).collect()
}

fn busy_causes(fidelity: &Fidelity) -> Vec<(&'static str, i64)> {
    let parts = fidelity.busy.causes.iter().filter(|part| part.ns != 0);
    parts.map(|part| (part.cause, part.ns)).collect()
}

#[test]
fn a_queue_loses_each_launch_latency_and_hands_the_loss_on() {
    // Simulated: 0 to 500, 500 to 800, and 1900 to 2000, when the last one is issued.
    let found = fidelity(&[
        "kernel 1 80 0    1000 500",
        "kernel 1 80 0    1700 300",
        "kernel 1 80 1900 2100 100",
    ]);
    let waits = found.waits.as_ref().expect("launches were recorded");
    // Errors 1000, 1200, 200; recorded waits 1000, 1700, 200.
    assert_eq!((waits.error_ns, waits.error_p50_ns, waits.error_p95_ns), (2400, 1000, 1200));
    assert_eq!((waits.recorded_p50_ns, waits.recorded_p95_ns), (1000, 1700));
    assert_eq!((waits.relative_p50, waits.relative_p95), (1.0, 1.0));
    assert_eq!((waits.early, waits.late, waits.kernels, waits.within), (3, 0, 3, 1.0));
    assert_eq!(wait_causes(&found), [("launch", 2400)]);
    // The second kernel carries the 1000 of the first. The third was issued at 1900: of the 1200 by
    // which the second ended too early, 100 reach it.
    assert_eq!(waits.carried, 0.4583);
    // The errors that the kernels add themselves are 1000, 200, 100.
    assert_eq!((waits.own_error_p50_ns, waits.own_error_p95_ns), (200, 1000));
    assert_eq!((waits.launches, waits.launch_p50_ns), (1, 1000));
    assert_eq!((waits.handovers, waits.handover_p50_ns), (2, 100));
    assert_eq!((found.busy.recorded_ns, found.busy.simulated_ns), (900, 900));
    assert_eq!((found.recorded_makespan_ns, found.simulated_makespan_ns), (2200, 2000));
}

#[test]
fn the_goal_is_two_microseconds_and_a_twentieth_of_the_wait() {
    for (start, within) in [(2105, 1.0), (2106, 0.0)] {
        // A wait of 2105 ns may be off by 2000 + 105; the simulated one is 0.
        let found = fidelity(&[&format!("kernel 1 80 0 {start} 10")]);
        assert_eq!(found.waits.expect("one kernel").within, within, "{start}");
    }
}

#[test]
fn a_wait_beside_other_streams_is_split_by_what_ran() {
    let found = fidelity(&[
        "kernel 1 80 1000  1000  10000",
        "copy   3 0  11000 11000 300",
        "kernel 2 80 0     11500 100",
    ]);
    // Idle: 0 to 1000 and 11300 to 11500.
    assert_eq!(
        wait_causes(&found),
        [("launch", 1200), ("other-kernels", 10_000), ("other-copies", 300)]
    );
    let waits = found.waits.expect("two kernels");
    assert_eq!((waits.zero_waits, waits.launches, waits.carried), (1, 1, 0.0));
}

#[test]
fn an_overlapped_op_of_the_same_stream_is_not_waited_for() {
    let found =
        fidelity(&["kernel 1 80 0 0    1000", "kernel 1 80 0 300  1000", "kernel 1 80 0 1200 100"]);
    // The second kernel overlaps the first, so both start at 0; the third waits for the first
    // alone.
    assert_eq!(wait_causes(&found), [("own-stream", 500)]);
    assert_eq!((found.busy.recorded_ns, found.busy.simulated_ns), (1300, 1100));
    assert_eq!(busy_causes(&found), [("overlap-in-stream", -200)]);
}

#[test]
fn a_programmatic_launch_ends_when_it_did() {
    let found =
        fidelity(&["kernel 1 80 0 0    1000", "kernel 1 80 0 800  1000", "kernel 1 80 0 1800 100"]);
    // The second kernel starts at 1000, as it waits for the first, and lasts for the rest of its
    // recorded time.
    assert_eq!(wait_causes(&found), [("clock-step", 200)]);
    assert_eq!((found.busy.recorded_ns, found.busy.simulated_ns), (1900, 1900));
    assert!(busy_causes(&found).is_empty());
}

#[test]
fn two_that_fill_the_device_overlap_in_a_recording_only() {
    let rows = [format!("kernel 1 {FULL} 0 0 1000"), format!("kernel 2 {FULL} 0 100 1000")];
    let found = fidelity(&[&rows[0], &rows[1]]);
    // The second kernel waits for room until 1000 instead of 100.
    assert_eq!(wait_causes(&found), [("room", 900)]);
    let waits = found.waits.as_ref().expect("two kernels");
    assert_eq!((waits.early, waits.late), (0, 1));
    assert_eq!((found.busy.recorded_ns, found.busy.simulated_ns), (1100, 2000));
    assert_eq!(found.busy.difference, 0.8182);
    assert_eq!(busy_causes(&found), [("overlap-across-streams", 900)]);
}

#[test]
fn room_explains_a_recorded_wait_first() {
    let rows = [format!("kernel 1 {FULL} 0 0 1000"), format!("kernel 2 {FULL} 0 1300 1000")];
    let found = fidelity(&[&rows[0], &rows[1]]);
    // The recorded wait is 1300, of which 1000 passed beside the first kernel; the simulated wait
    // is 1000, all of it for room.
    assert_eq!(wait_causes(&found), [("launch", 300)]);
}

#[test]
fn a_kernel_that_finds_half_the_room_lasts_twice_as_long_and_delays_the_next() {
    let half = FULL / 2;
    let rows = [
        format!("kernel 1 {half} 0 0   1000"),
        format!("kernel 2 {FULL} 0 0   500"),
        "kernel 2 1 0 500 100".to_owned(),
    ];
    let found = fidelity(&rows.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(wait_causes(&found), [("room", 500)]);
    assert_eq!(found.waits.as_ref().expect("three kernels").carried, 1.0);
    // 1600 ns of kernels cover 1000 ns in the recording, 2100 ns cover 1100 ns now.
    assert_eq!((found.busy.recorded_ns, found.busy.simulated_ns), (1000, 1100));
    assert_eq!(busy_causes(&found), [("room", 500), ("overlap-across-streams", -400)]);
}

#[test]
fn rounds_of_whole_nanoseconds_lose_the_rest() {
    let rows = [format!("kernel 1 {} 0 0 1000", 3 * FULL), "kernel 1 1 0 1000 50".to_owned()];
    let found = fidelity(&[&rows[0], &rows[1]]);
    assert_eq!(wait_causes(&found), [("rounding", 1)]);
    assert_eq!(busy_causes(&found), [("rounding", -1)]);
    assert_eq!(found.busy.difference, -0.001);
}

#[test]
fn what_is_refused_takes_no_time() {
    let found = fidelity(&["unfit 1 80 0 0 1000", "kernel 1 80 0 1000 500"]);
    assert_eq!((found.kernels, found.ran), (2, 1));
    assert_eq!(wait_causes(&found), [("not-run", 1000)]);
    assert_eq!(busy_causes(&found), [("not-run", -1000)]);
    assert_eq!(found.order.pairs, 0);
}

#[test]
fn kernels_without_a_recorded_launch_are_left_out_and_still_delay_others() {
    let copy = "copy 5 0 0 0 10";
    let found = fidelity(&[copy, "kernel 1 80 - 1000 500", "kernel 1 80 1400 1600 500"]);
    // The first kernel is issued when it was recorded to start, so the second starts where the
    // first ends.
    let waits = found.waits.as_ref().expect("one kernel");
    assert_eq!((waits.kernels, waits.left_out, waits.error_ns), (1, 1, 100));
    assert_eq!(wait_causes(&found), [("launch", 100)]);
    let found = fidelity(&[copy, "kernel 1 80 - 1000 500", "kernel 2 80 - 1600 500"]);
    assert_eq!(found.waits, None);
    assert_eq!(found.busy.recorded_ns, 1000);
}

#[test]
fn the_clock_step_hides_overlaps() {
    let found = fidelity_of(
        "# resolution_ns = 1000\n",
        &["kernel 1 80 0 0 2000", "kernel 1 80 0 1000 2000", "kernel 1 80 9000 9000 0"],
    );
    // The second kernel waits for the end of the first, at 2000.
    assert_eq!(wait_causes(&found), [("clock-step", 1000)]);
    assert_eq!(found.assumed_durations, 1);
    // The recorded overlap of 1000 is gone.
    assert_eq!(busy_causes(&found), [("overlap-in-stream", 1000)]);
}

#[test]
fn neighbours_that_change_places() {
    let found = fidelity(&[
        "kernel 1 80 500 800  10",
        "kernel 2 80 0   1000 10",
        "kernel 3 80 600 1000 10",
        "kernel 4 80 600 2000 10",
        "kernel 5 80 10  2500 10",
    ]);
    // Simulated 500, 0, 600, 600, 10. The second and third started together, so they are no pair;
    // the third and fourth start together now, which is no inversion.
    let StartOrder { pairs, inverted, share, inverted_in_stream } = found.order;
    assert_eq!((pairs, inverted, share, inverted_in_stream), (3, 2, 0.6667, 0));
}

#[test]
fn nothing_of_nothing() {
    let found = fidelity(&["unfit 1 80 0 0 500"]);
    assert_eq!((found.kernels, found.ran, found.waits), (1, 0, None));
    assert_eq!((found.busy.simulated_ns, found.busy.difference), (0, -1.0));
    assert_eq!((found.order.pairs, found.order.share), (0, 0.0));
}

#[test]
fn a_latency_that_every_launch_has_is_found_and_leaves_no_error() {
    // 10 us from launch to start, 1.5 us from one op to the next.
    let profile = profile(
        "",
        &[
            "kernel 1 80 0      10000  5000",
            "kernel 1 80 0      16500  5000",
            "copy   1 0  0      23000  2000",
            "kernel 1 80 100000 110000 5000",
            "kernel 2 80 200000 210000 5000",
            "kernel 2 80 206000 216500 5000",
        ],
    );
    let own = raddle_device::find("v100").expect("in the table");
    let options = PlanConfig::new(&own, &own);
    let latency = LaunchLatency::fitted(&profile, &options);
    let wanted = LaunchLatency { launch: Ticks(10_000), handover: Ticks(1500) };
    assert_eq!(latency, wanted);
    let found = fidelity_with(&profile, &PlanConfig { latency, ..PlanConfig::new(&own, &own) });
    let waits = found.waits.as_ref().expect("launches were recorded");
    assert_eq!((waits.error_ns, waits.within, wait_causes(&found)), (0, 1.0, vec![]));
    assert_eq!(found.simulated_makespan_ns, found.recorded_makespan_ns);
    // A launch latency that is 250 ns too long makes every start late by 250 ns.
    let latency = LaunchLatency { launch: Ticks(10_250), handover: Ticks(1500) };
    let found = fidelity_with(&profile, &PlanConfig { latency, ..PlanConfig::new(&own, &own) });
    // Three kernels are late by themselves, two by the kernels before them in their queues.
    assert_eq!(wait_causes(&found), [("launch", 5 * 250)]);
    // Without a recorded launch nothing is fitted.
    let silent = self::profile("", &["kernel 1 80 - 10000 5000"]);
    assert_eq!(LaunchLatency::fitted(&silent, &options), LaunchLatency::default());
}

#[test]
fn contention_is_not_paid_twice() {
    // Beside the first, 1260 of the 1280 workgroups of the second have room: two rounds, of which
    // the recorded duration has both.
    let rows = ["kernel 1 20 0 0 3000".to_owned(), format!("kernel 2 {FULL} 100 100 1000")];
    let profile = profile("", &rows.iter().map(String::as_str).collect::<Vec<_>>());
    let own = raddle_device::find("v100").expect("in the table");
    let options = PlanConfig::new(&own, &own);
    let before = fidelity_with(&profile, &options);
    assert_eq!(busy_causes(&before), [("room", 1000), ("overlap-across-streams", -1000)]);
    let mut calibration =
        Calibration::new(&profile, &own, |_| Level(0)).expect("two ran side by side");
    for _ in 0..calibration.passes() {
        let outcome = replayed_as(calibration.plan(), &own);
        calibration.learn(&outcome);
    }
    let workgroups = calibration.into_workgroups();
    assert_eq!(workgroups, [3000, 500]);
    let options = PlanConfig { workgroups: Some(&workgroups), ..options };
    let after = fidelity_with(&profile, &options);
    assert_eq!(busy_causes(&after), []);
    // Kernels that run one after the other give nothing to learn.
    let apart = self::profile("", &["kernel 1 20 0 0 3000", "kernel 2 20 0 3000 100"]);
    assert!(Calibration::new(&apart, &own, |_| Level(0)).is_none());
}

#[test]
fn a_wait_between_streams_holds_as_the_rule_says() {
    let mut profile = profile("", &["kernel 1 80 0 0 5000", "kernel 2 80 0 5000 1000"]);
    profile.stream_waits = vec![StreamWait { op: 1, source: 0, inferred: true }];
    let own = raddle_device::find("v100").expect("in the table");
    let errors = |waits| {
        let found = fidelity_with(&profile, &PlanConfig { waits, ..PlanConfig::new(&own, &own) });
        (found.waits.as_ref().expect("two kernels").error_ns, wait_causes(&found))
    };
    assert_eq!(errors(WaitRule::Inferred), (0, vec![]));
    for waits in [WaitRule::None, WaitRule::Recorded] {
        assert_eq!(errors(waits), (5000, vec![("other-kernels", 5000)]));
    }
    profile.stream_waits[0].inferred = false;
    let errors = |waits| {
        let found = fidelity_with(&profile, &PlanConfig { waits, ..PlanConfig::new(&own, &own) });
        found.waits.expect("two kernels").error_ns
    };
    assert_eq!((errors(WaitRule::Recorded), errors(WaitRule::None)), (0, 5000));
}

#[test]
fn a_collective_ends_with_its_peers_which_are_as_late_as_the_one_before() {
    let mut profile = profile(
        "",
        &["kernel 1 80 0 0 5000", "kernel 1 80 0 5000 3000", "kernel 1 80 0 8000 1000"],
    );
    profile.collectives =
        vec![Collective { op: 0, work_ns: 1000 }, Collective { op: 2, work_ns: 600 }];
    let own = raddle_device::find("v100").expect("in the table");
    let ends = |late: u64| {
        let mut process = plan(&profile, &PlanConfig::new(&own, &own), |_| Level(0));
        process.tasks[0].arrival = Ticks(late);
        let outcome = replayed_as(process, &own);
        outcome.records.iter().map(|it| it.ended.expect("it ran").0).collect::<Vec<_>>()
    };
    // In the first run, as recorded, the last one has its work done at 8600 and waits for its peers
    // until 9000.
    assert_eq!(ends(0), [5000, 8000, 9000]);
    // A delay of 4000 ns costs nothing, as the peers come that late.
    assert_eq!(ends(4000), [5000, 8000, 9000]);
    // A delay of 700 ns more makes all peers late from then on.
    assert_eq!(ends(4700), [5700, 8700, 9700]);
    let found = fidelity_with(&profile, &PlanConfig::new(&own, &own));
    assert_eq!(busy_causes(&found), []);
}

/// Returns for each op (launch, copy or fill) the gap between its earliest possible start and its
/// recorded start, by a look at every nanosecond: the slow oracle of [`gaps`].
fn naive(ops: &[Both]) -> Vec<Gap> {
    let gap = |(position, op): (usize, &Both)| {
        let mut gap = Gap::default();
        for at in op.could_start(ops)..op.recorded.start {
            let runs = |other: &&Both| (other.recorded.start..other.recorded.end).contains(&at);
            let others = ops.iter().enumerate().filter(|(other, _)| *other != position);
            let running: Vec<&Both> = others.map(|(_, other)| other).filter(runs).collect();
            if running.iter().any(|other| other.stream == op.stream) {
                gap.own += 1;
            } else if running.iter().any(|other| other.kernel) {
                gap.kernels += 1;
            } else if running.is_empty() {
                gap.idle += 1;
            } else {
                gap.copies += 1;
            }
        }
        gap
    };
    ops.iter().enumerate().map(gap).collect()
}

/// One row of a table: (workgroups of a kernel, or 0 for a copy; stream; wait + 1, or 0 where it
/// was not recorded; start; duration), times in ns.
type Row = (u64, u8, u64, u64, u64);

fn row((groups, stream, wait, start, duration): Row) -> String {
    let kind = if groups == 0 { "copy" } else { "kernel" };
    let arrival = match wait {
        0 => "-".to_owned(),
        _ => start.saturating_sub(wait - 1).to_string(),
    };
    format!("{kind} {stream} {groups} {arrival} {start} {duration}")
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let groups = prop_oneof![Just(0), Just(1), Just(700), Just(FULL), Just(3000)];
    prop::collection::vec((groups, 0..4_u8, 0..300_u64, 0..600_u64, 0..200_u64), 1..30)
}

proptest! {
    #[test]
    fn causes_add_up_to_what_they_explain(
        rows in rows(),
        step in 1..40_u64,
        waits in prop::collection::vec((0..30_u32, 0..30_u32), 0..8),
        latency in prop_oneof![Just((0, 0)), (0..200_u64, 0..200_u64)],
    ) {
        let mut rows: Vec<String> = rows.into_iter().map(row).collect();
        // Copies alone are no profile.
        rows.push("kernel 4 80 0 100 50".to_owned());
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let mut profile = profile(&format!("# resolution_ns = {step}\n"), &rows);
        let mut waits: Vec<StreamWait> = waits
            .into_iter()
            .filter(|&(op, source)| source < op && (op as usize) < profile.ops.len())
            .map(|(op, source)| StreamWait { op, source, inferred: true })
            .collect();
        waits.sort_unstable();
        waits.dedup();
        profile.stream_waits = waits;
        let own = raddle_device::find("v100").expect("in the table");
        let latency = LaunchLatency { launch: Ticks(latency.0), handover: Ticks(latency.1) };
        let options = PlanConfig { latency, ..PlanConfig::new(&own, &own) };
        let outcome = replayed_as(plan(&profile, &options, |_| Level(0)), &own);
        let ops = both(&profile, &options, &outcome);
        prop_assert!(ops.iter().all(|op| op.simulated.is_some()));
        let gaps = gaps(&ops);
        prop_assert_eq!(&gaps, &naive(&ops));
        for (op, off) in ops.iter().zip(off::all_off(&ops, &gaps)) {
            let Span { start, .. } = op.simulated.expect("every one ran");
            prop_assert_eq!(off.start, start - op.recorded.start);
            prop_assert_eq!(off.parts.iter().sum::<i64>(), off.start);
            prop_assert!(off.carried.abs() <= start.max(op.could_start(&ops)));
            let latest = op.before(&ops).filter_map(|(_, it)| Some(it.simulated?.end)).max();
            prop_assert!(latest.is_none_or(|end| start >= end));
        }
        let found = Fidelity::new(&profile, &options, &outcome);
        let change = found.busy.simulated_ns as i64 - found.busy.recorded_ns as i64;
        prop_assert_eq!(found.busy.causes.iter().map(|part| part.ns).sum::<i64>(), change);
        if let Some(waits) = &found.waits {
            prop_assert_eq!(waits.causes.iter().map(|part| part.ns).sum::<i64>(), waits.error_ns as i64);
        }
    }
}
