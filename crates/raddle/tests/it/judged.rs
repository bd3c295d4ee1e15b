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
    ("mps-30-70", PARTS),
];

/// Parts of the device that `share` names as measured; in a replay of the recipe `partition` they
/// have other numbers of compute units, which counts in the error too.
const PARTS: &str = "partition-30-70";

/// Shares that the measured percentages of MPS stand for.
const SHARES: [&str; 2] = ["--share=decode=3", "--share=train=7"];

/// Options that leave out ways of sharing of which no truth is known, which takes less time.
const FEW: [&str; 4] =
    ["--recipe=time-slice", "--recipe=mps", "--recipe=mps-priority", "--recipe=partition"];

/// Ways of sharing among which a user chooses; the measured `streams` are left out, as they are of
/// one process.
const FOUR: [&str; 4] = ["time-slice", "mps", "mps-priority", "mps-30-70"];

/// Limits of p99 in ms, each a goal that a user may have.
const LIMITS: [f64; 4] = [25.0, 50.0, 100.0, 200.0];

/// A way of sharing that was measured: (its recipe, measured p99, replayed p99), both in ms.
type MeasuredWay = (&'static str, f64, f64);

/// Score of the advice of `raddle share`, over measurements of a device under several ways.
#[derive(Default)]
struct Score {
    /// Table of all comparisons.
    rows: String,
    comparisons: usize,
    /// Number of comparisons in which the verdict names two ways that may be the best.
    either: usize,
    /// Number of comparisons whose recommended way was measured.
    known: usize,
    /// Number of those in which the recommended way had the least measured p99.
    best: usize,
    /// For each of those, the measured p99 of the recommended way over the least one, less 1.
    regret: Vec<f64>,
    /// Number of comparisons in which, of the ways that were measured, the best ranked one had the
    /// least p99.
    best_of_measured: usize,
    /// (number of goals that the replays meet, how many of these the device missed).
    met: (usize, usize),
}

impl Score {
    /// Adds a comparison, such as that of a load, by the answer of `raddle share`. `ways` are those
    /// that were measured.
    fn count(&mut self, what: &str, answer: &serde_json::Value, ways: &[MeasuredWay]) {
        let verdict = &answer["verdict"];
        let starred = verdict["recipe"].as_str().expect("a recommendation");
        let or = verdict["or"].as_str().map_or(String::new(), |other| format!(" or {other}"));
        let least = ways.iter().map(|way| way.1).fold(f64::INFINITY, f64::min);
        let own = |recipe: &str| ways.iter().find(|way| way.0 == recipe);
        let ranking = answer["ranking"].as_array().expect("a list").iter();
        let mut ranked = ranking.filter_map(|at| {
            let row = &answer["rows"][at.as_u64()? as usize];
            own(row["recipe"].as_str()?)
        });
        let first = ranked.next().expect("a way that was measured is shown");
        self.comparisons += 1;
        self.either += usize::from(verdict["kind"] == "either");
        self.best_of_measured += usize::from(first.1 <= least);
        let truth = match own(starred) {
            Some(own) => {
                self.known += 1;
                self.best += usize::from(own.1 <= least);
                self.regret.push(own.1 / least - 1.0);
                format!("{:.1}", own.1)
            }
            None => "not measured".to_owned(),
        };
        self.rows += &format!(
            "| {what} | {starred}{or} | {truth} | {}: {:.1} | {least:.1} of {} |\n",
            first.0,
            first.1,
            ways.len()
        );
    }

    /// Counts the goals that the replays of one load meet, and those of them that the device missed.
    fn goals(&mut self, ways: &[MeasuredWay]) {
        for (_, measured, replayed) in ways {
            let met = LIMITS.iter().filter(|limit| replayed <= limit);
            let missed = met.clone().filter(|limit| measured > limit);
            self.met = (self.met.0 + met.count(), self.met.1 + missed.count());
        }
    }

    /// Returns the table of all comparisons.
    fn table(&self) -> String {
        format!(
            "| requests/s, parts | recommended | measured p99 | best ranked measured way | least p99 measured |\n|---|---|---|---|---|\n{}",
            self.rows
        )
    }

    /// Returns the score in words, for readers who do not know raddle.
    fn text(mut self) -> String {
        self.regret.sort_by(f64::total_cmp);
        let worst = self.regret.last().copied().unwrap_or_default() * 100.0;
        let Self { comparisons, known, best, best_of_measured, either, met, .. } = self;
        format!(
            "**How often was it right?** One decoder that answers requests and one training loop ran on \
             one H200, at 10, 20 and 40 requests a second, under up to four ways of sharing each; p99 \
             was measured. From a profile of each program, recorded alone, `raddle share` foretold it, \
             {comparisons} times in all. Of the measured ways it ranked the best one first in \
             {best_of_measured} of {comparisons}. The way that it advised was among the measured in \
             {known}, and the best of them in {best} (p99 {worst:.0} % above the least at worst); in \
             {either} it named two ways between which it cannot decide. Of {} goals that it said are \
             met (p99 of 25, 50, 100 or 200 ms), {} were missed. Constants of its model were fitted to \
             this pair: expect more error elsewhere.\n",
            met.0, met.1
        )
    }
}

/// Checks the score in words against the tables that stand below it, which longer tests measure.
#[test]
fn the_score_is_that_of_the_tables() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let page = |name: &str| std::fs::read_to_string(format!("{root}/{name}")).unwrap();
    let (readme, judged) = (page("README.md"), page("docs/judged.md"));
    let block = |page: &str, mark: &str| {
        let (_, rest) = page.split_once(&format!("<!-- {mark} -->\n")).expect("it begins");
        rest.split_once(&format!("<!-- end of {mark} -->")).expect("it ends").0.to_owned()
    };
    let rows = |mark: &str| -> Vec<Vec<String>> {
        let table = block(&judged, mark);
        let rows = table.lines().skip(2);
        rows.map(|row| row.split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
    };
    let ms = |cell: &str| cell.split([' ', ',']).next().unwrap().parse::<f64>().unwrap();
    let mut score = Score::default();
    for row in rows("advice") {
        let [recommended, measured, first, least] = &row[2..6] else { panic!("{row:?}") };
        let (least, first) = (ms(least), first.split_once(": ").unwrap().1);
        score.comparisons += 1;
        score.either += usize::from(recommended.contains(" or "));
        score.best_of_measured += usize::from(ms(first) <= least);
        if measured != "not measured" {
            score.known += 1;
            score.best += usize::from(ms(measured) <= least);
            score.regret.push(ms(measured) / least - 1.0);
        }
    }
    let mut most_off: f64 = 0.0;
    for row in rows("h200") {
        let (load, way, p99) = (&row[1], &row[2], &row[4]);
        let Some((_, recipe)) = SHARED.iter().find(|(name, _)| name == way) else { continue };
        let all: Vec<f64> = p99.split(", ").take(2).map(ms).collect();
        if FOUR.contains(&way.as_str()) {
            score.goals(&[(recipe, all[0], all[1])]);
            // At 40 a second MPS serves fewer requests than arrive.
            let off = if load == "40" && way == "mps" { 0.0 } else { all[1] / all[0] - 1.0 };
            most_off = most_off.max(off.abs());
        }
    }
    let text = score.text();
    for page in [&readme, &judged] {
        assert_eq!(block(page, "score"), text);
    }
    let told = format!("was off by at most {:.0} %", (most_off * 100.0).ceil());
    let readme = readme.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(readme.contains(&told), "{told}");
}

/// Returns (median, 99th percentile by nearest rank, mean) of a list of times in ms.
fn figures(ms: &serde_json::Value) -> [f64; 3] {
    let mut all: Vec<f64> =
        ms.as_array().expect("a list").iter().filter_map(serde_json::Value::as_f64).collect();
    all.sort_by(f64::total_cmp);
    let at = |percent: usize| all[(all.len() * percent).div_ceil(100) - 1];
    [at(50), at(99), all.iter().sum::<f64>() / all.len() as f64]
}

/// Runs a verb on the decoder with the requests of a load and returns the document; `more` are
/// further files and options.
fn asked(place: &crate::common::Place, verb: &str, load: &str, more: &[&str]) -> serde_json::Value {
    let arrivals = format!("decode=load-{load}.json");
    let args = [verb, "decode.csv", "--arrivals", &*arrivals, "--until", "3000ms"];
    let ran = place.raddle(&[&args[..], &["--no-files", "--format=json"], more].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).expect("it is JSON")
}

/// Asks `raddle share` how the decoder and the training share the device under a load.
fn shared(place: &crate::common::Place, load: &str, more: &[&str]) -> serde_json::Value {
    asked(place, "share", load, &[&["train.csv", "--priority=train=5"], more].concat())
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

/// What the replays of the bundled pair give beside its measurements.
#[derive(Default)]
struct Compared {
    /// Rows of the table of all figures.
    rows: String,
    /// Figures that are farther off than they may be.
    missed: Vec<String>,
    /// For each recipe the errors of p99.
    errors: BTreeMap<&'static str, Vec<f64>>,
}

impl Compared {
    /// Adds the measured and replayed (p50, p99, step) of a way under a load; a step of 0 is none.
    fn add(&mut self, load: &str, way: &str, measured: [f64; 3], now: [f64; 3]) {
        let cell = |at: usize| {
            let (measured, now) = (measured[at], now[at]);
            format!("{measured:.1}, {now:.1}, {:+.0} %", (now / measured - 1.0) * 100.0)
        };
        let step = if measured[2] > 0.0 { format!(" {} |", cell(2)) } else { " |".to_owned() };
        self.rows += &format!("| {load} | {way} | {} | {} |{step}\n", cell(0), cell(1));
    }

    /// Judges the figures of two programs under a recipe by how far they may be off.
    fn judge(&mut self, what: &str, recipe: &'static str, measured: [f64; 3], now: [f64; 3]) {
        self.errors.entry(recipe).or_default().push((now[1] / measured[1] - 1.0).abs());
        for at in 0..3 {
            let (measured, now) = (measured[at], now[at]);
            if (now / measured - 1.0).abs() >= [0.1, 0.15, 0.08][at] {
                self.missed.push(format!("{what}: {now:.1} for {measured:.1}"));
            }
        }
    }

    /// Takes the error of the p99 of a way under the last load for larger, if `off` is larger.
    fn also(&mut self, recipe: &'static str, off: f64) {
        let last = self.errors.get_mut(recipe).and_then(|all| all.last_mut());
        last.into_iter().for_each(|known| *known = known.max(off));
    }

    /// Compares the ways of one load, replayed together, and returns those of [`FOUR`].
    fn load(
        &mut self,
        load: &str,
        measured: &serde_json::Value,
        together: &serde_json::Value,
        told: impl Fn(&&'static str) -> bool,
    ) -> Vec<MeasuredWay> {
        let mut four = Vec::new();
        for (way, recipe) in SHARED.iter().filter(|(way, _)| told(way)) {
            let found = &measured["ways"][way][format!("beside {load}")];
            if found.is_null() {
                continue;
            }
            let ([p50, p99, _], [.., step]) = (figures(&found["decode"]), figures(&found["train"]));
            let (then, now) = ([p50, p99, step], figures_under(together, recipe));
            self.add(load, way, then, now);
            // Where more arrives than is served, figures depend on where the run is cut.
            if load != "40" || !["mps", "streams"].contains(way) {
                self.judge(&format!("{load} {way}"), recipe, then, now);
            }
            if FOUR.contains(way) {
                four.push((*recipe, p99, now[1]));
            }
        }
        four
    }
}

/// Compares the bundled pair as it was measured on an H200 with its replay, request for request.
///
/// By default the ways with a known truth are replayed at 20 and at 40 a second. With
/// `RADDLE_JUDGED` all loads are, by the command that users give: all ways of the device in one
/// run, once with parts that the search chooses and once with those that were measured.
#[test]
fn a_decoder_beside_training_on_an_h200() {
    let all = std::env::var_os("RADDLE_JUDGED").is_some();
    let measured = include_str!("../../../../fixtures/h200/measured.json");
    let measured: serde_json::Value = serde_json::from_str(measured).expect("it is JSON");
    let place = crate::common::Place::new();
    place.file("decode.csv", include_str!("../../data/demo/decode.csv"));
    place.file("train.csv", include_str!("../../data/demo/train.csv"));
    let (mut found, mut score, mut orders) = (Compared::default(), Score::default(), Vec::new());
    for load in if all { &["10", "20", "40"][..] } else { &["20", "40"] } {
        let trace = &measured["arrivals"][load];
        let task = serde_json::json!({"id": "decode", "load": {"type": "trace", "trace": trace}});
        let file = serde_json::json!({"tasks": [task]}).to_string();
        place.file(&format!("load-{load}.json"), file);
        if !all {
            let together = shared(&place, load, &[&SHARES[..], &FEW].concat());
            let told = |way: &&'static str| FOUR.contains(way);
            orders.push((load, found.load(load, &measured, &together, told)));
            continue;
        }
        let alone = &measured["ways"]["time-slice"][format!("decode alone {load}")]["decode"];
        let [p50, p99, _] = figures(alone);
        let now = figures_under(&asked(&place, "replay", load, &["--recipe=streams"]), "streams");
        found.add(load, "alone", [p50, p99, 0.0], now);
        let together = shared(&place, load, &SHARES);
        let ways = found.load(load, &measured, &together, |_| true);
        if let Some(parts) = ways.iter().find(|way| way.0 == PARTS) {
            let more = [&["train.csv", "--recipe=partition"][..], &SHARES].concat();
            let plain = figures_under(&asked(&place, "replay", load, &more), "partition");
            found.also(PARTS, (plain[1] / parts.1 - 1.0).abs());
        }
        let chosen = shared(&place, load, &[]);
        let is_shown = |way: &&MeasuredWay| names(&chosen).any(|name| name == way.0);
        let shown: Vec<MeasuredWay> = ways.iter().filter(is_shown).copied().collect();
        score.count(&format!("{load}, chosen"), &chosen["answer"], &shown);
        score.count(&format!("{load}, 30/70"), &together["answer"], &ways);
        score.goals(&ways);
        orders.push((load, ways));
    }
    println!("{}\n{}", found.rows, score.table());
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
        let rows = &found.rows;
        raddle_testkit::page_holds("docs/judged.md", "h200", &format!("{head}{rows}"));
        raddle_testkit::page_holds("docs/judged.md", "advice", &score.table());
        // The guard of a verdict is what these rows show.
        for (recipe, off) in &found.errors {
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
    assert!(found.missed.is_empty(), "{:?}", found.missed);
}

fn names(found: &serde_json::Value) -> impl Iterator<Item = &str> {
    found["recipes"].as_array().into_iter().flatten().filter_map(|it| it["name"].as_str())
}
