//! What does a replay give where others measured? The rows of docs/judged.md.
//!
//! The data lies beside the sample profiles, in `peers/measured`, with its sources.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use raddle_dispatch::Registry;
use raddle_policy::{Level, Tick};
use raddle_sim::{
    Costs, EnergyModel, Outcome, PlanConfig, ProcessPlan, SimConfig, WaitRule, Workload, plan, run,
};
use raddle_testkit::beside;
use raddle_trace::{ImportConfig, read};

/// Returns (start, end) in ms of the launches of a process in a file of measurements.
fn launches(file: &Path) -> Vec<(f64, f64)> {
    let text = fs::read_to_string(file).expect("it can be read");
    let cell = |line: &str, at: usize| -> f64 {
        line.split(',').nth(at).and_then(|cell| cell.parse().ok()).expect("a number")
    };
    text.lines().skip(1).map(|line| (cell(line, 5), cell(line, 6))).collect()
}

/// Simulates six processes under `time-slice`, each of 200 launches that fill the device for
/// `kernel_ns` nanoseconds.
fn time_sliced(kernel_ns: u64) -> Outcome {
    let device = raddle_device::find("rtx-5090").expect("in the table");
    let row = |at: u64| {
        let start = at * kernel_ns;
        format!("busy,0,{},1,1,768,1,1,32,0,0,{start},{kernel_ns}\n", u64::from(device.cus) * 2)
    };
    let rows: String = (0..200).map(row).collect();
    let text = format!(
        "# device = rtx-5090\nname,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,\
         vgprs_per_thread,lds_bytes,arrival_ns,start_ns,duration_ns\n{rows}"
    );
    let profile = read("busy.csv", text.as_bytes(), &ImportConfig::default()).expect("a table");
    let options = PlanConfig { waits: WaitRule::None, ..PlanConfig::new(&device, &device) };
    let one = plan(&profile, &options, |_| Level(0));
    let processes: Vec<ProcessPlan> = (0..6).map(|_| one.clone()).collect();
    let workload = Workload { processes, repeat: false };
    let text = raddle_study::recipes::texts().find(|(name, _)| *name == "time-slice");
    let (name, text) = text.expect("it is bundled");
    let mut recipe = Registry::bundled().recipe(name, text).expect("it is one");
    recipe.fill_costs(raddle_sim::device_costs(&device), raddle_sim::device_runtime(&device));
    let built = recipe.builder(device.shape, device.cus).expect("it fits").build();
    let options = SimConfig {
        shape: device.shape,
        cus: device.cus,
        costs: Costs::of(&device).under(&recipe),
        energy: EnergyModel::ASSUMED,
    };
    run(&workload, &mut built.expect("it builds"), &options, &mut |_| ()).expect("lawful")
}

/// Returns the deciles of times from start to end, in ms.
fn deciles(mut times: Vec<f64>) -> Vec<f64> {
    times.sort_by(f64::total_cmp);
    (1..10).map(|tenth| times[times.len() * tenth / 10]).collect()
}

/// Compares simulated with measured times of six processes on an RTX 5090, where each has four
/// queues with one launch at a time of 200 equal ones.
///
/// How long a kernel takes alone is not in the data. It is taken from the span, so the span is no
/// prediction; the median and the distribution are.
#[test]
fn six_time_sliced_processes() {
    let Some(folder) = beside("peers/measured/timeslice") else { return };
    let names = ["lc_0", "lc_1", "be_0", "be_1", "be_2", "be_3"];
    let all = names.map(|name| launches(&folder.join(format!("native_run0_{name}.csv"))));
    let first = all.iter().flatten().map(|of| of.0).fold(f64::INFINITY, f64::min);
    let last = all.iter().flatten().map(|of| of.1).fold(0.0, f64::max);
    let measured = deciles(all.iter().flatten().map(|of| of.1 - of.0).collect());
    let span_ms = last - first;
    // The part of a turn that goes to switching is known after a first run.
    let mut kernel_ns = (span_ms * 1e6 / 1200.0) as u64;
    let mut outcome = time_sliced(kernel_ns);
    for _ in 0..2 {
        let found = outcome.last.since(Tick::ZERO).0 as f64 / 1e6;
        kernel_ns = (kernel_ns as f64 * span_ms / found) as u64;
        outcome = time_sliced(kernel_ns);
    }
    let lasted = outcome.records.iter().filter_map(|record| {
        let (started, ended) = (record.started?, record.ended?);
        Some(ended.since(started).0 as f64 / 1e6)
    });
    let simulated = deciles(lasted.collect());
    let found = outcome.last.since(Tick::ZERO).0 as f64 / 1e6;
    println!("kernel alone {:.2} ms (from the span)", kernel_ns as f64 / 1e6);
    println!("span     measured {span_ms:.0} ms, replayed {found:.0} ms");
    println!("decile   measured   replayed   difference");
    for (at, (measured, simulated)) in measured.iter().zip(&simulated).enumerate() {
        let off = (simulated / measured - 1.0) * 100.0;
        println!("{:>6}0 {measured:>8.1} ms {simulated:>7.1} ms {off:>+9.1} %", at + 1);
    }
    assert!((found / span_ms - 1.0).abs() < 0.05, "{found} {span_ms}");
    assert!((simulated[4] / measured[4] - 1.0).abs() < 0.05, "{simulated:?} {measured:?}");
}

/// Ways in which an H200 was shared in measurements, each with the recipe that stands for it: (way,
/// recipe).
const SHARED: [(&str, &str); 6] = [
    ("time-slice", "time-slice"),
    ("mps", "mps"),
    ("streams", "mps"),
    ("mps-priority", "mps-priority"),
    ("stream-priorities", "mps-priority"),
    ("mps-30-70", "partition"),
];

/// Options of one command that compares all ways.
const COMPARED: [&str; 11] = [
    "train.csv",
    "--priority=train=5",
    "--share=decode=3",
    "--share=train=7",
    "--recipe=time-slice",
    "--recipe=mps",
    "--recipe=mps-priority",
    "--recipe=partition",
    "--no-files",
    "--format",
    "json",
];

/// Ways of sharing among which a user chooses; the measured `streams` are left out, as they are of
/// one process.
const FOUR: [&str; 4] = ["time-slice", "mps", "mps-priority", "mps-30-70"];

/// Limits of p99 in ms, each a goal that a user may have.
const LIMITS: [f64; 4] = [25.0, 50.0, 100.0, 200.0];

/// Score of the advice of the default command, over measurements of a device under every way.
#[derive(Default)]
struct Score {
    comparisons: usize,
    /// Number of comparisons in which the verdict names two ways that may be the best.
    either: usize,
    /// Number of comparisons in which the recommended way had the least measured p99.
    best: usize,
    /// For each comparison, the measured p99 of the recommended way over the least one, less 1.
    regret: Vec<f64>,
    /// (number of goals that the replays meet, how many of these the device missed).
    met: (usize, usize),
}

impl Score {
    /// Adds a comparison to the score: its verdict, and (way, measured p99, replayed p99) of each
    /// way, in ms.
    fn count(&mut self, verdict: &serde_json::Value, ways: &[(&str, f64, f64)]) {
        let starred = verdict["recipe"].as_str().expect("a recommendation");
        let recipe = |way: &str| SHARED.iter().find(|(name, _)| *name == way).expect("known").1;
        let own = ways.iter().find(|(way, ..)| recipe(way) == starred).expect("it was measured");
        let least = ways.iter().map(|way| way.1).fold(f64::INFINITY, f64::min);
        self.comparisons += 1;
        self.either += usize::from(verdict["kind"] == "either");
        self.best += usize::from(own.1 <= least);
        self.regret.push(own.1 / least - 1.0);
        for (_, measured, replayed) in ways {
            let met = LIMITS.iter().filter(|limit| replayed <= limit);
            let missed = met.clone().filter(|limit| measured > limit);
            self.met = (self.met.0 + met.count(), self.met.1 + missed.count());
        }
    }

    /// Returns the score in words.
    fn text(mut self) -> String {
        self.regret.sort_by(f64::total_cmp);
        let worst = self.regret.last().copied().unwrap_or_default() * 100.0;
        let middle = self.regret.len() / 2;
        let median = (self.regret[(self.regret.len() - 1) / 2] + self.regret[middle]) * 50.0;
        format!(
            "**Score of the advice**, where the truth is known for every way (one pair on one H200, \
             {} loads): the recommended way had the least p99 in {} of {}, the verdict said \
             \"either\" in {}. The p99 of the recommended way was {median:.0} % above the least in \
             the median, {worst:.0} % at worst. Of {} goals said to be met (p99 of 25, 50, 100 or \
             200 ms, under each way), the device missed {}.\n",
            self.comparisons, self.best, self.comparisons, self.either, self.met.0, self.met.1
        )
    }
}

/// Returns (median, 99th percentile by nearest rank, mean) of a list of times in ms.
fn figures(ms: &serde_json::Value) -> [f64; 3] {
    let mut all: Vec<f64> =
        ms.as_array().expect("a list").iter().filter_map(serde_json::Value::as_f64).collect();
    all.sort_by(f64::total_cmp);
    let at = |percent: usize| all[(all.len() * percent).div_ceil(100) - 1];
    [at(50), at(99), all.iter().sum::<f64>() / all.len() as f64]
}

/// Replays the decoder with the requests of a load and returns the document; `more` are further
/// options, such as those that compare all ways.
fn replayed(place: &crate::common::Place, load: &str, more: &[&str]) -> serde_json::Value {
    let arrivals = format!("decode=load-{load}.json");
    let args = ["replay", "decode.csv", "--arrivals", &*arrivals, "--until", "3000ms"];
    let ran = place.raddle(&[&args[..], more].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).expect("it is JSON")
}

/// Returns the replayed median and 99th percentile of the requests and the mean step of the
/// training beside them, in ms; the step is 0 without training.
fn figures_under(found: &serde_json::Value, recipe: &str) -> [f64; 3] {
    let all = found["recipes"].as_array().expect("a list");
    let own = all.iter().find(|it| it["name"] == recipe).expect("it is compared");
    let processes = &own["summary"]["processes"];
    let ms = |value: &serde_json::Value| value.as_f64().map_or(0.0, |ns| ns / 1e6);
    let requests = &processes[0]["requests"];
    [
        ms(&requests["latency-p50-ns"]),
        ms(&requests["latency-p99-ns"]),
        ms(&processes[1]["steps"]["step-ns"]),
    ]
}

/// Compares the bundled pair as it was measured on an H200 with its replay, request for request.
#[test]
fn a_decoder_beside_training_on_an_h200() {
    let all = std::env::var_os("RADDLE_JUDGED").is_some();
    let measured = include_str!("../../../../fixtures/h200/measured.json");
    let measured: serde_json::Value = serde_json::from_str(measured).expect("it is JSON");
    let place = crate::common::Place::new();
    place.file("decode.csv", include_str!("../../data/demo/decode.csv"));
    place.file("train.csv", include_str!("../../data/demo/train.csv"));
    let mut rows = String::new();
    let (mut orders, mut missed) = (BTreeMap::new(), Vec::new());
    let mut score = Score::default();
    let mut errors: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for load in ["10", "20", "40"] {
        let trace = &measured["arrivals"][load];
        let task = serde_json::json!({"id": "decode", "load": {"type": "trace", "trace": trace}});
        let file = serde_json::json!({"tasks": [task]}).to_string();
        place.file(&format!("load-{load}.json"), file);
        let alone = &measured["ways"]["time-slice"][format!("decode alone {load}")]["decode"];
        let mut compare = |way: &str, [p50, p99, step]: [f64; 3], now: [f64; 3]| {
            let off = |measured: f64, now: f64| format!("{:+.0} %", (now / measured - 1.0) * 100.0);
            rows += &format!(
                "| {load} | {way} | {p50:.1}, {:.1}, {} | {p99:.1}, {:.1}, {} |",
                now[0],
                off(p50, now[0]),
                now[1],
                off(p99, now[1])
            );
            rows += &if step > 0.0 {
                format!(" {step:.1}, {:.1}, {} |\n", now[2], off(step, now[2]))
            } else {
                " |\n".to_owned()
            };
        };
        if all {
            let [p50, p99, _] = figures(alone);
            let now = ["--recipe=streams", "--no-files", "--format=json"];
            let now = figures_under(&replayed(&place, load, &now), "streams");
            compare("alone", [p50, p99, 0.0], now);
        }
        let told = |way: &&str| all || load == "20" && FOUR.contains(way);
        let together = FOUR.iter().any(&told).then(|| replayed(&place, load, &COMPARED));
        let mut four = Vec::new();
        for (way, recipe) in &SHARED {
            let found = &measured["ways"][way][format!("beside {load}")];
            let Some(together) = together.as_ref().filter(|_| !found.is_null() && told(way)) else {
                continue;
            };
            let ([p50, p99, _], [.., step]) = (figures(&found["decode"]), figures(&found["train"]));
            let now = figures_under(together, recipe);
            compare(way, [p50, p99, step], now);
            // Where more arrives than is served, figures depend on where the run is cut.
            if load != "40" || !["mps", "streams"].contains(way) {
                errors.entry(*recipe).or_default().push((now[1] / p99 - 1.0).abs());
                for (now, measured, within) in
                    [(now[0], p50, 0.1), (now[1], p99, 0.15), (now[2], step, 0.08)]
                {
                    if (now / measured - 1.0).abs() >= within {
                        missed.push(format!("{load} {way}: {now:.1} for {measured:.1}"));
                    }
                }
            }
            if FOUR.contains(way) {
                four.push((*way, p99, now[1]));
            }
        }
        if let Some(together) = together.filter(|_| four.len() == FOUR.len()) {
            score.count(&together["answer"]["verdict"], &four);
        }
        orders.insert(load, four);
    }
    println!("{rows}");
    for (load, mut ways) in orders {
        ways.sort_by(|a, b| a.1.total_cmp(&b.1));
        let is_ordered = ways.is_sorted_by(|a, b| a.2 < b.2);
        assert!(
            is_ordered,
            "{load}: the order of the ways by p99 is not the measured one: {ways:?}"
        );
    }
    if all {
        let head = "| requests/s | way | requests p50: measured, replayed | p99 | training step, mean |\n|---|---|---|---|---|\n";
        raddle_testkit::page_holds("docs/judged.md", "h200", &format!("{head}{rows}"));
        // The guard of a verdict is what these rows show.
        for (recipe, off) in errors {
            let worst = (off.iter().copied().fold(0.0, f64::max) * 100.0).ceil() / 100.0;
            let cases = u32::try_from(off.len()).expect("a few rows");
            let found = raddle_study::answer::MeasuredError { worst, cases };
            assert_eq!(raddle_study::answer::measured_error(recipe), Some(found), "{recipe}");
        }
        let score = score.text();
        for page in ["docs/judged.md", "README.md"] {
            raddle_testkit::page_holds(page, "score", &score);
        }
    }
    // All rows are printed before one that is beyond its bound fails the test.
    assert!(missed.is_empty(), "{missed:?}");
}
