//! Does a replay take whatever profiles there are, and tell no more of them than it should?

use std::fs;
use std::io::Write as _;

use crate::common::{Place, bare_table, kernel, sample, table, trace, train};
use crate::replay::{summary, two};
use serde_json::Value;

/// Returns the text of a file of rocprofv3 that was made for the tests.
fn rocprof(file: &str) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/profiles/");
    fs::read_to_string(format!("{path}{file}")).expect(file)
}

#[test]
fn a_profile_of_no_device_runs_on_the_one_named() {
    let place = Place::new();
    place.file("bare.csv", bare_table(&["k 1 80 128 32 0 0 0 1000"]));
    let ran = place.raddle(&["replay", "bare.csv", "--device", "MI300X", "--no-files", "-v"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("on AMD Instinct MI300X (mi300x, 304 CUs)"), "{}", ran.out);
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("bare does not say on which device it was recorded, so AMD"), "{words}");
}

#[test]
fn profiles_of_different_devices_are_warned_of() {
    let place = two();
    place.file("other.csv", train().replace("v100", "a100"));
    let ran = place.raddle(&["replay", "train.csv", "other.csv", "--no-files", "-v"]);
    assert_eq!(ran.code, 0);
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains(
            "other was recorded on NVIDIA A100 40GB (a100, 108 SMs); its workgroup times are unscaled"
        ),
        "{words}"
    );
}

#[test]
fn files_of_different_formats_and_vendors_share_a_device() {
    let place = Place::new();
    let events: Vec<String> = (0..20).map(|n| kernel("gemm", 10 + 20 * n, 10)).collect();
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    place.file("nvidia.json", trace("", &events));
    place.file("amd.json", rocprof("rocprof-result.json"));
    place.file("amd.csv", rocprof("rocprof-v3.csv"));
    place.file("table.csv", train());
    let files = ["nvidia.json", "amd.json", "amd.csv", "table.csv"];
    let replay = |more: &[&str]| {
        let ran = place
            .raddle(&[&["replay", "-v"], &files[..], &["--all", "--out", "out"], more].concat());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        (words, summary(&place, "out"))
    };
    let told = |value: &Value| -> Vec<String> {
        let profiles = value["profiles"].as_array().unwrap().iter();
        let told = |p: &Value| {
            let device = &p["device"];
            format!(
                "{} {} {} {} {}",
                p["name"], p["format"], device["id"], device["found"], p["at-home"]
            )
        };
        profiles.map(|p| told(p).replace('"', "")).collect()
    };

    // On the device of the first file: those of another one are named, and so is the one that
    // does not say where it comes from.
    let (words, value) = replay(&[]);
    assert_eq!(value["device"]["id"], "v100");
    assert_eq!(
        told(&value),
        [
            "nvidia kineto v100 table true",
            "amd rocprof-json mi300x table false",
            "amd-2 rocprof-csv v100 stand-in true",
            "table launch-table v100 table true",
        ]
    );
    let v100 = "NVIDIA Tesla V100 (v100, 80 SMs)";
    let warnings = [
        "amd was recorded on AMD Instinct MI300X (mi300x, 304 CUs); its workgroup times are unscaled. Where both devices of a pair were measured, true times were 0.6 to 5 times those of a replay (docs/fidelity.md)"
            .to_owned(),
        format!(
            "amd-2 does not say on which device it was recorded, so {v100} stands in for it in the cost model"
        ),
    ];
    for warning in &warnings {
        assert!(words.contains(warning.as_str()), "{warning}\n{words}");
        assert!(value["warnings"].as_array().unwrap().contains(&warning.as_str().into()));
    }
    // All of it ran, under every recipe.
    assert_eq!(value["recipes"].as_array().unwrap().len(), 12);
    for result in value["recipes"].as_array().unwrap() {
        let processes = result["summary"]["processes"].as_array().unwrap();
        for (process, launches) in processes.iter().zip([20, 7, 4, 3]) {
            assert!(process["ended"].as_u64().unwrap() >= launches, "{process}");
        }
        assert_eq!((processes.len(), &result["summary"]["stuck"]), (4, &0.into()));
    }

    // On the device of the AMD file it is the others that are named.
    let (words, _) = replay(&["--device", "mi300x"]);
    for name in ["nvidia", "table"] {
        let warning = format!("{name} was recorded on {v100}; its workgroup times are unscaled");
        assert!(words.contains(&warning), "{warning}\n{words}");
    }
}

#[test]
fn a_file_that_breaks_off_gives_its_whole_events_and_says_what_is_lost() {
    let place = Place::new();
    let events: Vec<String> = (0..20).map(|n| kernel("k", 10 + 20 * n, 10)).collect();
    let whole = trace("", &events.iter().map(String::as_str).collect::<Vec<_>>());
    let cut = &whole[..whole.find("\"ts\":210").unwrap()];
    place.file("cut.json", cut);
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(cut.as_bytes()).unwrap();
    place.file("cut2.json.gz", gz.finish().unwrap());
    for file in ["cut.json", "cut2.json.gz"] {
        let ran = place.raddle(&["replay", file, "-v", "--recipe", "greedy", "--no-files"]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("10 kernels (800 workgroups)"), "{words}");
        assert!(words.contains("truncated 1: the file stops before its end"), "{words}");
        assert!(words.contains("lost-events 1: events were cut off"), "{words}");
    }
}

#[test]
fn the_same_file_twice_makes_two_processes() {
    let place = two();
    let ran = place.raddle(&[
        "replay",
        "train.csv",
        "train.csv",
        "--recipe",
        "greedy",
        "--priority",
        "train-2=9",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let summary = summary(&place, "raddle-out/train+train-2");
    let processes = &summary["recipes"][0]["summary"]["processes"];
    assert_eq!(
        (&processes[0]["name"], &processes[1]["name"]),
        (&"train".into(), &"train-2".into())
    );
    assert_eq!(processes[0]["levels"][0]["level"], 0);
    assert_eq!(processes[1]["levels"][0]["level"], 9);
}

#[test]
fn no_metadata_of_a_source_goes_into_any_output() {
    let secrets =
        ["alice.secret", "secret-host", "/alices/secret", "--secret-flag", "secret_module.py"];
    let place = Place::new();
    fs::create_dir(place.path().join("secret-folder")).unwrap();
    let metadata = format!(
        "\"username\":\"{}\",\"hostname\":\"{}\",\"cwd\":\"{}\",\"command\":\"python {}\",\
         \"distributedInfo\":{{\"host\":\"{}\"}},",
        secrets[0], secrets[1], secrets[2], secrets[3], secrets[1]
    );
    let name = r#"{"ph":"M","name":"process_name","pid":0,"tid":0,"ts":0,"args":{"name":"python alice.secret@secret-host"}}"#;
    let op = r#"{"ph":"X","cat":"cpu_op","name":"/alices/secret/secret_module.py(3)","pid":9,"tid":9,"ts":10,"dur":3,"args":{"Call stack":"/alices/secret"}}"#;
    let text = trace(&metadata, &[name, op, &kernel("gemm", 10, 20), &kernel("gemm", 40, 20)]);
    place.file("secret-folder/run.json", text);
    for (format, log) in [("json", "answers"), ("json", "full"), ("text", "answers")] {
        let ran = place.raddle(&[
            "replay",
            "secret-folder/run.json",
            "--all",
            "--out",
            "out",
            "--format",
            format,
            "--log",
            log,
            "--timeline",
            "all",
        ]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        let mut all = place.tree("out");
        assert_eq!(all.len(), 27);
        if format == "json" {
            all.insert("terminal".to_owned(), ran.out.into_bytes());
        }
        for (file, bytes) in all {
            let text = String::from_utf8_lossy(&bytes);
            for secret in secrets.iter().chain(&["secret-folder"]) {
                assert!(!text.contains(secret), "{secret} in {file}");
            }
        }
    }
}

#[test]
fn names_from_outside_cannot_paint_on_the_terminal() {
    let place = Place::new();
    place.file(
        "t.csv",
        table(&["bad\u{1b}[31mname 1 80 128 32 98305 0 0 100", "k 1 1 32 16 0 0 9000 1000"]),
    );
    let ran = place.raddle(&["replay", "t.csv", "-v", "--recipe", "greedy", "--no-files"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.out.contains("`bad?[31mname`") && !ran.out.contains('\u{1b}'), "{}", ran.out);
}

#[test]
fn a_real_trace_of_a_v100() {
    let Some(path) = sample("kineto_nvidia/hta_trace_diff_test_v100.json.gz") else { return };
    let place = Place::new();
    let path = path.display().to_string();
    let ran = place.raddle(&["replay", &path, "--recipe", "leftover", "--format", "json"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let value: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&value["device"]["id"], &value["device"]["cus"]), (&"v100".into(), &80.into()));
    let profile = &value["profiles"][0];
    assert_eq!((&profile["kernels"], &profile["workgroups"]), (&9876.into(), &27_915_924.into()));
    let process = &value["recipes"][0]["summary"]["processes"][0];
    assert_eq!(process["launches"], 9876);
    let refused: u64 =
        process["refused"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
    assert_eq!(process["ended"].as_u64().unwrap() + refused, 9876);
    assert_eq!(place.names("raddle-out"), ["hta_trace_diff_test_v100"]);
}

#[test]
fn a_real_trace_of_a_b200_comes_again_from_its_logs() {
    let Some(path) = sample("kineto_nvidia/tracelens_b200_eager.json.gz") else { return };
    let place = Place::new();
    let ran = place.raddle(&["replay", &path.display().to_string(), "--out", "out", "-v"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.contains("768 kernels (953,020 workgroups)"), "{}", ran.out);
    for log in place.tree("out").keys().filter(|name| name.ends_with(".jsonl.zst")) {
        let ran = place.raddle(&["replay", "--events", &format!("out/{log}")]);
        assert_eq!(ran.code, 0, "{log}: {}", ran.err);
    }
}
