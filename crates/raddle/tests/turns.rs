//! Do co-located real profiles run under every turn policy and rule, in one comparison?

mod common;

use common::{Place, sample};
use serde_json::Value;

const RULES: [&str; 5] = ["claim", "equal", "mean", "inverse", "min-one"];
const BASELINES: [&str; 3] = ["round-robin", "unmap-all", "vruntime"];

/// Writes a recipe file for every turn policy and rule, with slices of `slice_us` microseconds.
/// Returns the options that name the files.
fn recipes(place: &Place, slice_us: u64) -> Vec<String> {
    let mut options = Vec::new();
    let mut add = |name: &str, turn: &str| {
        let text = format!("raddle = 1\n[turn]\n{turn}\n[preempt]\npolicy = \"switch\"\n");
        place.file(&format!("{name}.toml"), text);
        options.extend(["--recipe".to_owned(), format!("{name}.toml")]);
    };
    for rule in RULES {
        let turn = format!("policy = \"weighted-slices\"\nrule = \"{rule}\"\nt0-us = {slice_us}");
        add(rule, &turn);
    }
    for policy in BASELINES {
        add(policy, &format!("policy = \"{policy}\"\nslice-us = {slice_us}"));
    }
    for policy in ["everyone", "highest-level"] {
        add(policy, &format!("policy = \"{policy}\""));
    }
    options
}

/// Replays samples under all of these recipes, and returns the summary; `None` if a sample is
/// absent.
fn compared(samples: &[&str], device: &str, slice_us: u64) -> Option<Value> {
    let place = Place::new();
    let paths: Option<Vec<String>> =
        samples.iter().map(|name| Some(sample(name)?.display().to_string())).collect();
    let paths = paths?;
    let mut args = vec!["replay", "--no-files", "--once", "--format", "json", "--device", device];
    // The rules of turns alone: nothing that devices and neighbours add.
    args.extend(["--partial", "--arrivals=queued", "--contention=none", "--launch-latency=none"]);
    args.extend(paths.iter().map(String::as_str));
    let options = recipes(&place, slice_us);
    args.extend(options.iter().map(String::as_str));
    let ran = place.raddle(&args);
    assert_eq!(ran.code, 0, "{}", ran.err);
    Some(serde_json::from_str(&ran.out).expect("JSON"))
}

#[track_caller]
fn check(report: &Value, processes: usize) {
    let recipes = report["recipes"].as_array().expect("a list");
    assert_eq!(recipes.len(), RULES.len() + BASELINES.len() + 2);
    let number = |value: &Value| value.as_u64().expect("a whole number");
    let mut runs = Vec::new();
    for result in recipes {
        let (name, summary) = (&result["name"], &result["summary"]);
        let fairness = &summary["fairness"];
        assert_eq!(summary["stuck"], 0, "{name}");
        let times = fairness["processes"].as_array().expect("a list");
        assert_eq!(times.len(), processes, "{name}");
        let run: u64 = times.iter().map(|time| number(&time["run-ns"])).sum();
        let busy = number(&fairness["busy-ns"]);
        assert!(busy > 0 && run >= busy, "{name}: {run} {busy}");
        let alone = !["everyone", "highest-level", "unmap-all"].iter().any(|n| name == n);
        if alone {
            // Only what leaves late is on the device together with the next.
            assert!(run - busy <= number(&fairness["overrun-ns"]), "{name}: {run} {busy}");
        }
        for key in ["jain-run", "jain-rate"] {
            let jain = fairness[key].as_f64().expect("a number");
            assert!((1.0 / processes as f64 - 1e-4..=1.0).contains(&jain), "{name} {jain}");
        }
        runs.push((name.as_str().unwrap_or_default(), fairness));
    }
    let of = |name: &str| runs.iter().find(|(found, _)| *found == name).expect("it is there").1;
    assert_eq!(number(&of("everyone")["switches"]), 0);
    for rule in RULES {
        assert!(number(&of(rule)["switches"]) > 0, "{rule}");
    }
}

#[test]
fn two_real_profiles_under_every_rule() {
    let samples = [
        "kineto_amd/tracelens_mi210_gpu_only.json.gz",
        "kineto_amd/hta_mi250_minitoy_rocm6.2.json.gz",
    ];
    let Some(report) = compared(&samples, "mi210", 200) else { return };
    check(&report, 2);
}

#[test]
fn eight_real_profiles_under_every_rule() {
    let samples = [
        "kineto_nvidia/hta_alexnet_cuda_sync.json.gz",
        "kineto_nvidia/hta_cuda_event_sync_multi_stream.json.gz",
        "kineto_amd/tracelens_mi_sglang_qwen3-8b_decode.json.gz",
        "kineto_amd/tracelens_mi210_gpu_only.json.gz",
        "kineto_amd/hta_mi250_minitoy_rocm6.2.json.gz",
        "rocprof/rocprofv3_2024_kernel_trace.csv",
        "kineto_nvidia/kineto_2026_occupancy_dict_unittest_h100.json",
        "rocprof/rocprofv3_2025_kernel_trace.csv",
    ];
    let Some(report) = compared(&samples, "mi300x", 200) else { return };
    check(&report, 8);
}

/// Returns the time in ns from ready to the first wave of `high`, which comes in the middle of a
/// slice of `low`, whose launches are long and fill the device; `turn` has settings of the turn
/// policy.
fn urgent(turn: &str) -> u64 {
    let place = Place::new();
    place.file("low.csv", common::table(&["k 1 640 256 64 0 0 0 20000000"; 10]));
    place.file("high.csv", common::table(&["k 1 640 256 64 0 0 0 1000000"; 1]));
    place.file("it.toml", format!("raddle = 1\n[turn]\npolicy = \"weighted-slices\"\n{turn}"));
    let args = "replay low.csv high.csv --priority low.csv=5 --start high.csv=25ms --recipe it.toml \
                --device v100 --no-files --once --format json";
    let ran = place.raddle(&args.split_whitespace().collect::<Vec<_>>());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let report: Value = serde_json::from_str(&ran.out).expect("JSON");
    let summary = &report["recipes"][0]["summary"];
    assert_eq!(summary["stuck"], 0);
    let high = summary["processes"].as_array().expect("a list");
    let high = high.iter().find(|process| process["name"] == "high").expect("it is there");
    high["levels"][0]["latency-p99-ns"].as_u64().expect("a number")
}

/// Checks that a more urgent process takes over immediately by the method of the preempt slot, or
/// at the end of the slice, or at the end of the batch, as the recipe says.
#[test]
fn a_more_urgent_process_takes_over_as_the_recipe_says() {
    let latency = |take_over: &str, preempt: &str| {
        let slices = "rule = \"equal\"\nt0-us = 7000";
        let preempt = format!("[preempt]\npolicy = \"{preempt}\"\n");
        urgent(&format!("{slices}\ntake-over = \"{take_over}\"\n{preempt}"))
    };
    // The urgent launch comes at 25 ms: 3 before a slice ends, 5 before the workgroups that run do.
    let near =
        |latency: u64, ms: u64| (ms * 1_000_000..ms * 1_000_000 + 100_000).contains(&latency);
    let (switched, drained) = (latency("at-once", "switch"), latency("at-once", "drain"));
    assert!(near(switched, 0) && near(drained, 5), "{switched} {drained}");
    let ended = latency("slice-end", "switch");
    assert!(near(ended, 3), "{ended}");
    // Alone in its batch, a slice is one.
    assert_eq!(latency("batch-end", "switch"), ended);
}

#[test]
fn slices_go_with_every_allocation_policy() {
    for allocate in ["round-robin", "greedy", "leftover", "spatial", "matching", "block-warp"] {
        let place = Place::new();
        let row = "k 1 640 256 64 0 0 0 10000000";
        for name in ["a.csv", "b.csv"] {
            place.file(name, common::table(&[row; 12]));
        }
        let recipe = format!(
            "raddle = 1\n[allocate]\npolicy = \"{allocate}\"\n[turn]\npolicy = \"weighted-slices\"\n\
             rule = \"min-one\"\nt0-us = 2000\n[preempt]\npolicy = \"switch\"\n"
        );
        place.file("it.toml", recipe);
        let args =
            "replay a.csv b.csv --recipe it.toml --device v100 --no-files --once --format json";
        let ran = place.raddle(&args.split_whitespace().collect::<Vec<_>>());
        assert_eq!(ran.code, 0, "{allocate}: {}", ran.err);
        let report: Value = serde_json::from_str(&ran.out).expect("JSON");
        let summary = &report["recipes"][0]["summary"];
        assert_eq!(summary["stuck"], 0, "{allocate}");
        let fairness = &summary["fairness"];
        assert!(fairness["switches"].as_u64().is_some_and(|n| n > 20), "{allocate}: {fairness}");
        assert!(fairness["jain-run"].as_f64().is_some_and(|jain| jain > 0.99), "{allocate}");
    }
}

/// Writes nanoseconds as milliseconds, with three digits.
fn ms(ns: u64) -> String {
    let decimals = if ns < 10_000_000 { 2 } else { 1 };
    format!("{:.decimals$}", ns as f64 / 1e6)
}

#[test]
fn the_page_shows_a_busy_profile_twice() {
    let Some(file) = sample("kineto_amd/tracelens_mi210_gpu_only.json.gz") else { return };
    let place = Place::new();
    for name in ["a.json.gz", "b.json.gz"] {
        place.file(name, std::fs::read(&file).expect("the sample can be read"));
    }
    let options = recipes(&place, 200);
    let args = "replay a.json.gz b.json.gz --start b.json.gz=1ms --device mi210 --no-files --once \
                --format json";
    let args = args.split_whitespace().chain(options.iter().map(String::as_str));
    let ran = place.raddle(&args.collect::<Vec<_>>());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let report: Value = serde_json::from_str(&ran.out).expect("JSON");
    let mut table =
        String::from("| recipe | all ended after, ms | longest wait, ms |\n|---|---|---|\n");
    for name in ["everyone", "claim", "min-one", "round-robin"] {
        let recipes = report["recipes"].as_array().expect("a list");
        let of = recipes.iter().find(|recipe| recipe["name"] == name).expect("it is there");
        let number =
            |pointer: &str| ms(of.pointer(pointer).and_then(Value::as_u64).expect(pointer));
        let (end, wait) =
            (number("/summary/makespan-ns"), number("/summary/fairness/longest-wait-ns"));
        table += &format!("| `{name}` | {end} | {wait} |\n");
    }
    raddle_testkit::page_holds("docs/policies/weighted-slices.md", "two copies", &table);
}

/// Checks the run times under the bundled recipe: 75 to 25 for shares of 3 to 1, where both
/// processes are runnable all the time.
#[test]
fn shares_on_the_command_line() {
    let place = Place::new();
    let row = "k 1 640 256 64 0 0 0 20000000";
    place.file("a.csv", common::table(&[row; 60]));
    place.file("b.csv", common::table(&[row; 20]));
    let args = ["replay", "a.csv", "b.csv", "--share", "a.csv=3", "--recipe", "weighted-slices"];
    let ran = place.raddle(&[&args[..], &["--no-files", "--once", "--format", "json"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let report: Value = serde_json::from_str(&ran.out).expect("JSON");
    let fairness = &report["recipes"][0]["summary"]["fairness"];
    let share = fairness["processes"][1]["share"].as_f64().expect("a number");
    assert!((share - 0.25).abs() <= 0.015, "{fairness}");
    assert!(fairness["switches"].as_u64().is_some_and(|switches| switches > 20), "{fairness}");
    assert!(fairness["switch-ns"].as_u64().is_some_and(|ns| ns > 0), "{fairness}");
}
