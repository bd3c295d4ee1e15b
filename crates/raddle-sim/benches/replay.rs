//! How long do import and replay of a real profile take, and how much memory?
//!
//! `cargo bench -p raddle-sim --bench replay`: one thread, leftover, each phase five times, the
//! median. Skips with a message where the samples are absent.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a bench reads the clock and prints"
)]

use std::fs::File;
use std::time::{Duration, Instant};

use raddle_dispatch::log::{Detail, Header, LogWriter};
use raddle_dispatch::{Composed, Dispatcher, Recipe};
use raddle_policy::{Level, Ticks};
use raddle_report::timeline::{Recorder, TimelineNames, write_perfetto};
use raddle_sim::{
    Costs, EnergyModel, Options, Outcome, PlanOptions, Workload, plan, run, run_watched,
};
use raddle_trace::{ImportOptions, Op, Profile, open};

const RUNS: usize = 5;
const FILE: &str = "kineto_nvidia/hta_trace_diff_test_v100.json.gz";

fn main() {
    let samples = raddle_testkit::samples();
    let path = samples.join(FILE);
    if !path.exists() {
        println!("replay: skipped, {FILE} is not among the samples (set RADDLE_SAMPLES)");
        return;
    }
    let (profile, import) = median(|| open(&path, &ImportOptions::default()).expect("a sample"));
    let device = raddle_device::find("v100").expect("in the table");
    let options = PlanOptions { own: &device, target: &device, start: Ticks::ZERO, share: 1 };
    let (process, planning) = median(|| plan(&profile, &options, |_| Level(0)));
    let workload = Workload { processes: vec![process], repeat: false };
    let options = Options {
        shape: device.shape,
        cus: device.cus,
        costs: Costs::of(&device),
        energy: EnergyModel::ASSUMED,
    };
    let replay = |dispatcher: &mut dyn Dispatcher| {
        run(&workload, dispatcher, &options, &mut |_| ()).expect("lawful")
    };
    let (outcome, plain) =
        median(|| replay(&mut Composed::builder(device.shape, device.cus).build()));
    let before_log = peak_mb();
    let header = Header {
        raddle_log: 1,
        detail: Detail::Answers,
        device: device.id.clone(),
        cus: device.cus,
        shape: device.shape,
        recipe: Recipe::default(),
    };
    let (_, logged) = median(|| {
        let file = tempfile::tempfile().expect("a temporary file");
        let to = std::io::BufWriter::with_capacity(1 << 16, file);
        let log = LogWriter::new(Box::new(to), &header);
        replay(&mut Composed::builder(device.shape, device.cus).log(log).build())
    });
    let record = |most: usize| {
        let mut recorder = Recorder::new(device.cus, 1, most);
        let mut dispatcher = Composed::builder(device.shape, device.cus).build();
        let outcome = run_watched(&workload, &mut dispatcher, &options, &mut recorder, &mut |_| ());
        (recorder, outcome.expect("lawful"))
    };
    print(&profile, &outcome, [import, planning, plain, logged], before_log);
    let names = TimelineNames::of(&device.product, [&profile]);
    for most in [500_000, 1_000_000, 4_000_000] {
        timeline(most, plain, &|| record(most), &workload, &names);
    }
}

/// What a timeline of at most so many slices costs on top of the replay.
fn timeline(
    most: usize,
    plain: Duration,
    record: &dyn Fn() -> (Recorder, Outcome),
    workload: &Workload,
    names: &TimelineNames,
) {
    let ((recorder, outcome), recorded) = median(record);
    let start = Instant::now();
    let timeline = recorder.finish(workload, &outcome, names);
    let finished = start.elapsed();
    let mut size = 0;
    let (_, perfetto) =
        median(|| size = written(|to| write_perfetto(&timeline, to, &mut |_, _| ())));
    let recording = recorded.saturating_sub(plain);
    let all = (recording + finished + perfetto).as_secs_f64();
    let (drawn, grain) = (timeline.drawn(), timeline.grain.name());
    println!("  timeline of at most {most} slices: {drawn}, grain {grain}");
    for (what, time, size) in [
        ("recording adds", recording, None),
        ("putting it together", finished, None),
        ("timeline.perfetto-trace", perfetto, Some(size)),
    ] {
        let size = size.map_or_else(String::new, |size| format!("{:>9.2} MB", size as f64 / 1e6));
        println!("    {what:<24}{:>12.3} s {size}", time.as_secs_f64());
    }
    let share = 100.0 * all / plain.as_secs_f64();
    println!("    all of it               {all:>12.3} s  {share:.0} % of the replay (goal 100)");
    println!("    peak memory so far      {:>12.2} MB", peak_mb());
}

/// Writes into a temporary file; its bytes.
fn written(write: impl FnOnce(&mut File) -> std::io::Result<()>) -> u64 {
    let mut file = tempfile::tempfile().expect("a temporary file");
    write(&mut file).expect("room for it");
    file.metadata().expect("it is open").len()
}

fn print(profile: &Profile, outcome: &Outcome, times: [Duration; 4], before_log: f64) {
    let [import, planning, plain, logged] = times;
    let table = (profile.ops.len() * size_of::<Op>()) as f64 / 1e6;
    let seconds = |time: Duration| time.as_secs_f64();
    println!("{FILE}, leftover on v100, one thread, median of {RUNS}");
    println!("  launches, copies, fills   {:>12}", profile.ops.len());
    println!("  workgroups                {:>12}", outcome.counters.workgroups);
    println!("  start answers             {:>12}", outcome.counters.starts);
    println!("  import                    {:>12.3} s", seconds(import));
    println!("  plan                      {:>12.3} s", seconds(planning));
    println!("  replay, no files          {:>12.3} s", seconds(plain));
    println!(
        "  import + plan + replay    {:>12.3} s   (goal 1.5)",
        seconds(import + planning + plain)
    );
    println!(
        "  decisions.jsonl adds      {:>12.3} s   (goal 1.0)",
        seconds(logged.saturating_sub(plain))
    );
    println!(
        "  workgroups a second       {:>12.0}",
        outcome.counters.workgroups as f64 / seconds(plain)
    );
    println!("  launch table in memory    {table:>12.2} MB");
    println!("  peak memory               {before_log:>12.2} MB  (goal {:.1})", table * 10.0);
    println!("  peak with the log         {:>12.2} MB", peak_mb());
}

/// The last value and the median time of several calls.
fn median<T>(mut call: impl FnMut() -> T) -> (T, Duration) {
    let mut times = Vec::new();
    let mut value = None;
    for _ in 0..RUNS {
        // The old value goes first, so that memory never holds two.
        drop(value.take());
        let start = Instant::now();
        value = Some(call());
        times.push(start.elapsed());
    }
    times.sort_unstable();
    (value.expect("RUNS is not 0"), times[RUNS / 2])
}

/// Peak resident memory of this process, where the system tells it.
fn peak_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.map_or(f64::NAN, |kib| kib * 1024.0 / 1e6)
}
