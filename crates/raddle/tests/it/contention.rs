//! Does `raddle contention` tell factors where there are some, and else that it knows nothing?

use crate::common::{Place, infer, sample, table, train};
use serde_json::Value;

fn learnt(place: &Place, args: &[&str]) -> Value {
    let ran = place.raddle(&[&["contention", "--format", "json"], args].concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    serde_json::from_str(&ran.out).expect("it is JSON")
}

/// Returns a recording in which the kernel `reduce` takes twice its time beside the kernel `gemm`.
fn beside() -> String {
    table(&[
        "reduce 1 20 256 32 0 0    0    1000",
        "reduce 1 20 256 32 0 0    1000 1000",
        "reduce 1 20 256 32 0 3000 3000 2000",
        "gemm   2 20 256 32 0 3000 3000 2500",
    ])
}

#[test]
fn factors_and_unknown() {
    let place = Place::new();
    place.file("beside.csv", beside());
    let found = learnt(&place, &["beside.csv"]);
    assert_eq!(found["raddle-contention"], 1);
    let row = &found["families"][0];
    assert_eq!((row["family"].as_str(), row["class"].as_str()), (Some("reduce"), Some("memory")));
    assert_eq!(row["compute"]["permille"], 2000);
    assert_eq!(row["compute"]["samples"], 1);
    assert_eq!(row["memory"], Value::Null);
    let text = place.raddle(&["contention", "beside.csv"]);
    assert!(text.out.contains("2.00 (2.00 to 2.00) of 1"), "{}", text.out);
    assert!(text.out.contains("unknown"), "{}", text.out);

    place.file("train.csv", train());
    let nothing = place.raddle(&["contention", "train.csv"]);
    assert_eq!(nothing.code, 0, "{}", nothing.err);
    assert!(nothing.out.contains("unknown: "), "{}", nothing.out);
}

/// Checks that contention learnt from one profile is charged to a process that never met it, and
/// that unknown contention widens the interval.
#[test]
fn tenants_that_never_met_are_charged() {
    let place = Place::new();
    place.file("beside.csv", beside());
    place.file("other.csv", table(&["gemm 1 20 256 32 0 0 0 6000"]));
    place.file("infer.csv", infer());
    let replay = |more: &[&str]| {
        let args = ["replay", "beside.csv", "other.csv", "--recipe", "mps", "--once", "--no-files"];
        let more = [&["--device", "v100", "--launch-latency", "none", "--format", "json"], more];
        let ran = place.raddle(&[&args[..], &more.concat()].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let value: Value = serde_json::from_str(&ran.out).expect("it is JSON");
        value["answer"]["rows"][0]["processes"].clone()
    };
    let free = replay(&["--contention", "none"]);
    assert_eq!(free[0]["decisive-ns"], 5500);
    assert_eq!(free[0]["between-ns"], Value::Null);
    let charged = replay(&["--contention", "learnt"]);
    // Two launches take 2 us each beside the other process; the third, which is in the recording at
    // 3 us, starts then and takes 4.
    assert_eq!(charged[0]["decisive-ns"], 7000);
    // The contention of `gemm` beside other kernels is unknown: up to twice as long.
    let between = charged[1]["between-ns"].as_array().expect("an interval");
    assert_eq!(charged[1]["decisive-ns"], 6000);
    assert!(between[0] == 6000 && between[1].as_u64() > Some(6000), "{between:?}");
}

/// Checks, for each recording, the second half as predicted by contention from the first: the
/// intervals should hold nine launches of ten, and the errors are those of docs/contention.md.
#[test]
fn the_second_half_of_recordings_by_the_first() {
    let goals = [
        ("kineto_nvidia/hta_trace_diff_control_a100.json.gz", 0.31, 0.90),
        ("kineto_nvidia/hta_trace_diff_test_v100.json.gz", 0.15, 0.90),
        ("kineto_amd/tracelens_mi300x_resnet_act_checkpoint.json.gz", 0.10, 0.90),
    ];
    for (name, error, within) in goals {
        let Some(file) = sample(name) else { return };
        let place = Place::new();
        let found = learnt(&place, &[file.to_str().expect("it is UTF-8")]);
        let held = &found["recordings"][0]["held-out"];
        println!("{name}: {held}");
        assert!(held["median-error"].as_f64() <= Some(error), "{name}: {held}");
        assert!(held["within"].as_f64() >= Some(within), "{name}: {held}");
    }
}
