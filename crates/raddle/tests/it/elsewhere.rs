//! What is said of a profile that is replayed on another device than its own?

use raddle_testkit::sample;
use serde_json::Value;

use crate::common::{Place, infer, table, train};

fn shown(place: &Place, args: &[&str]) -> Value {
    let ran = place.raddle(&[&["replay", "--no-files", "--format", "json"], args].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).expect("it is JSON")
}

/// Returns the time for which a profile keeps a device busy, in nanoseconds.
fn busy(place: &Place, file: &str, args: &[&str]) -> f64 {
    let alone = ["--once", "--comm=drop", "--recipe=leftover", file];
    let found = shown(place, &[&alone[..], args].concat());
    let time = &found["recipes"][0]["summary"]["device-time"];
    let parts = ["under-quarter-ns", "to-three-quarters-ns", "above-ns"];
    parts.map(|part| time[part].as_f64().expect("a time")).iter().sum()
}

/// Checks the errors that verdicts state for a recording of another device against pairs of
/// recordings of one program on two devices.
#[test]
fn true_times_lie_where_pairs_of_recordings_put_them() {
    let place = Place::new();
    let hta = |name: &str| sample(&format!("kineto_nvidia/hta_trace_diff_{name}.json.gz"));
    let mixbench =
        |gpu: &str| sample(&format!("rocprof/rocprofv1_2022_mixbench_{gpu}_timestamps.csv"));
    let pairs = [
        [(hta("test_v100"), "v100"), (hta("control_a100"), "a100")],
        [(mixbench("mi100"), "mi100"), (mixbench("mi200"), "mi210")],
    ];
    let (mut least, mut most) = (0.0_f64, 0.0_f64);
    for pair in pairs {
        let [(Some(one), _), (Some(other), _)] = &pair else { return };
        let files = [one, other].map(|path| path.to_str().expect("a path of plain letters"));
        let on = [0, 1].map(|at| format!("--device={}", pair[at].1));
        let own = [0, 1].map(|at| busy(&place, files[at], &[&on[at]]));
        // A part of the model of the A100 cannot run on a V100.
        let ways = if pair[0].1 == "v100" { &[(0, 1)][..] } else { &[(0, 1), (1, 0)] };
        for &(from, to) in ways {
            for scale in ["--scale=none", "--scale=bandwidth"] {
                let error = busy(&place, files[from], &[&on[to], scale]) / own[to] - 1.0;
                (least, most) = (least.min(error), most.max(error));
            }
        }
    }
    assert_eq!(((least * 100.0).round(), (most * 100.0).round()), (-35.0, 59.0));
}

#[test]
fn a_figure_of_another_device_has_the_interval_of_such_replays() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    let pair = ["train.csv", "infer.csv", "--recipe=mps", "--recipe=leftover-drain"];
    let here = shown(&place, &pair);
    assert_eq!(here["answer"]["processes"][0]["device-factors"], Value::Null);
    let there = shown(&place, &[&pair[..], &["--device=a100"]].concat());
    let own = &there["answer"]["processes"][0];
    assert_eq!(own["device-factors"], serde_json::json!([0.63, 1.54]));
    let told = place.raddle(&[&["replay", "--no-files", "--device=a100"], &pair[..]].concat()).out;
    let line = "train +1 more: recorded on v100, unscaled: true times 0.63 to 1.54x";
    assert!(told.contains(line), "{told}");
    assert!(there["overturning"].to_string().contains(line), "{}", there["overturning"]);
}

/// Checks that figures from a recording of another vendor's device are shown, but nothing is
/// recommended by them, as its kernels are others.
#[test]
fn nothing_is_ranked_by_a_recording_of_another_vendor() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    let ran = ["train.csv", "infer.csv", "--device=mi300x", "--goal=infer step 100s"];
    let found = shown(&place, &ran);
    let verdict = &found["answer"]["verdict"];
    assert_eq!((&verdict["kind"], &verdict["recipe"]), (&"other-vendor".into(), &Value::Null));
    let text = verdict["text"].as_str().expect("a text");
    assert!(text.starts_with("Nothing is ranked: train was recorded on NVIDIA "), "{text}");
    assert_eq!(found["answer"]["rows"].as_array().map(Vec::len), Some(4));
    let told = place.raddle(&[&["replay", "--no-files"], &ran[..]].concat());
    assert!(!told.out.contains("\n* "), "{}", told.out);
    // Nor does anything hold up to a load.
    let load = ["--requests=infer=100/s", "--until=100ms", "--goal=infer p99 100s"];
    let limited = |device: &str| {
        let pair = ["train.csv", "infer.csv", device];
        !shown(&place, &[&pair[..], &load].concat())["load-limit"].is_null()
    };
    assert_eq!([limited("--device=mi300x"), limited("--device=v100")], [false, true]);
}

/// Checks that figures of time slices have an interval by the least and the most turn and switch on
/// devices on which these were not measured, unless the user sets them; and so has the default way
/// where nobody names it.
#[test]
fn time_slices_have_an_interval_by_turn_and_switch() {
    let place = Place::new();
    let kernels: Vec<String> =
        (0..20).map(|at| format!("k 7 80 1024 32 0 {at} {} 1000000", at * 1_000_000)).collect();
    let kernels: Vec<&str> = kernels.iter().map(String::as_str).collect();
    place.file("one.csv", table(&kernels).replace("device = v100", "device = h100"));
    let sliced = ["one.csv*2", "--once", "--recipe=time-slice"];
    let between = |args: &[&str]| {
        let found = shown(&place, &[&sliced[..], args].concat());
        let own = &found["answer"]["rows"][0]["processes"][0];
        let of = |at: usize| own["between-ns"][at].as_u64();
        (of(0), own["decisive-ns"].as_u64(), of(1))
    };
    let (least, own, most) = between(&[]);
    assert!(least.is_some() && least < own && own < most, "{least:?} {own:?} {most:?}");
    let corners = [("1024", "20000"), ("1024", "178000"), ("3000", "20000"), ("3000", "178000")];
    let corners = corners.map(|(turn, half)| {
        let [turn, half] =
            [format!("--set=turn.slice-us={turn}"), format!("--set=preempt.switch-ns={half}")];
        let found = between(&[&turn, &half]);
        assert_eq!((found.0, found.2), (None, None), "nothing of it is assumed");
        found.1
    });
    assert_eq!(*corners.iter().chain([&own]).min().expect("five"), least);
    assert_eq!(*corners.iter().chain([&own]).max().expect("five"), most);
    let today = shown(&place, &["one.csv*2", "--once", "--recipe=today"]);
    let own_today = &today["answer"]["rows"][0]["processes"][0];
    assert_eq!(own_today["between-ns"], serde_json::json!([least, most]));
    let trust = today["answer"]["verdict"]["trust"].to_string();
    let told = "Assumed of time-slice, which its intervals allow for: a turn takes 2.27 ms (1.02 ms to 3.00 ms), a switch takes 303 us (40.0 us to 356 us)";
    assert!(trust.contains(told), "{trust}");
    let measured = between(&["--device=rtx-5090"]);
    assert_eq!(between(&["--device=rtx-5090", "--set=preempt.switch-ns=20000"]).0, None);
    let width = |(least, own, most): (Option<u64>, Option<u64>, Option<u64>)| {
        (most.unwrap_or(0) - least.unwrap_or(0)) as f64 / own.unwrap_or(1) as f64
    };
    assert!(width(measured) < width((least, own, most)), "it was measured there");
}
