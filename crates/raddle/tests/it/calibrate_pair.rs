//! What do two programs tell of a device, and how far are replays from them?

use std::fs;

use serde_json::{Value, json};

use crate::common::{Place, infer, train};

/// Returns measurements of the bundled pair on an H200: the first 120 ms under two ways of sharing,
/// at 20 requests a second.
fn short() -> Value {
    let whole: Value =
        serde_json::from_str(include_str!("../../../../fixtures/h200/measured.json"))
            .expect("JSON");
    let times = |of: &Value| -> Vec<f64> {
        of.as_array().expect("a list").iter().filter_map(Value::as_f64).collect()
    };
    let mut arrivals = times(&whole["arrivals"]["20"]);
    arrivals.retain(|&at| at < 120.0);
    let mut ways = serde_json::Map::new();
    for way in ["time-slice", "mps-30-70"] {
        let case = &whole["ways"][way]["beside 20"];
        let decode = times(&case["decode"])[..arrivals.len()].to_vec();
        let mut at = 0.0;
        let mut train = times(&case["train"]);
        train.retain(|&took| {
            at += took;
            at < 120.0
        });
        ways.insert(way.to_owned(), json!({"beside 20": {"decode": decode, "train": train}}));
    }
    for case in ["decode alone 20", "decode alone 40", "train alone"] {
        ways["time-slice"][case] = whole["ways"]["time-slice"][case].clone();
    }
    json!({
        "raddle-pair": 1, "device": whole["device"], "unit": "ms", "seconds": 0.12,
        "programs": whole["programs"], "arrivals": {"20": arrivals}, "ways": ways,
    })
}

fn bundled() -> Place {
    let place = Place::new();
    place.file("decode.csv", include_str!("../../data/demo/decode.csv"));
    place.file("train.csv", include_str!("../../data/demo/train.csv"));
    place
}

const PROFILES: [&str; 4] =
    ["calibrate", "pair", "--profile-a=decode.csv", "--profile-b=train.csv"];

/// Checks fits to the measured pair: the errors before the fit are those of docs/judged.md, and no
/// fit makes the replays that it uses worse.
#[test]
fn a_fit_to_the_measured_pair_holds_each_way_out() {
    let place = bundled();
    place.file("truth.json", short().to_string());
    let more = ["--from=truth.json", "--save=mine.toml", "--format=json"];
    let ran = place.raddle(&[&PROFILES[..], &more].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let fit: Value = serde_json::from_str(&ran.out).unwrap();
    let errors = |of: &Value| -> Vec<i64> {
        let each = of.as_array().unwrap().iter();
        let off = |way: &Value| {
            [1, 2].map(|at| {
                let [now, then] = ["replayed-ns", "measured-ns"].map(|key| way[key][at].as_i64());
                (now.unwrap() - then.unwrap()).abs() * 100 / then.unwrap()
            })
        };
        each.flat_map(off).collect()
    };
    let (before, after) = (errors(&fit["before"]), errors(&fit["after"]));
    assert!(before.iter().all(|&off| off < 15), "p99 and steps in percent: {before:?}");
    assert!(after.iter().sum::<i64>() <= before.iter().sum::<i64>(), "{before:?} {after:?}");
    let held: Vec<&Value> = fit["held-out"].as_array().unwrap().iter().collect();
    let recipes: Vec<&str> = held.iter().map(|it| it["recipe"].as_str().unwrap()).collect();
    assert_eq!(recipes, ["partition", "time-slice"]);
    // Without time slices nothing tells of turns, so they are held out as they were before.
    assert_eq!(held[1]["errors"][0], fit["before"][1]);
    // The profiles are those of the programs that were measured: alone they take as long.
    let alone: Vec<(&Value, &Value, i64)> = fit["alone"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            let [now, then] = ["replayed-ns", "measured-ns"].map(|key| it[key].as_i64().unwrap());
            (&it["program"], &it["repetitions"], (now - then).abs() * 100 / then)
        })
        .collect();
    let [(decode, twice, off), (train, once, other)] = alone[..] else { panic!("{alone:?}") };
    assert_eq!(
        (decode, twice, train, once),
        (&json!("decode"), &json!(2), &json!("train"), &json!(1))
    );
    assert!(off <= 5 && other <= 5, "{alone:?}");
    let turn = fit["fitted"].as_array().unwrap().iter().find(|it| it["key"] == "turn-ns");
    let [least, most] = [0, 1].map(|at| turn.expect("it is told")["between"][at].as_u64().unwrap());
    assert!(least < most, "one pair leaves an interval: {turn:?}");
    let text = fs::read_to_string(place.path().join("mine.toml")).unwrap();
    assert!(text.contains("turn-ns = [") && text.contains("fitted to a measured pair"), "{text}");
    let args = ["replay", "decode.csv", "train.csv", "--device=mine.toml", "--until=50ms"];
    let ran = place.raddle(&[&args[..], &["--requests=decode=20/s", "--no-files"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn a_check_takes_both_tenants_from_a_measured_pair() {
    let place = bundled();
    let mut truth = short();
    place.file("truth.json", truth.to_string());
    let predict = ["replay", "decode.csv", "train.csv", "--requests=decode=20/s", "--until=120ms"];
    let ways = ["--recipe=time-slice", "--priority=train=5", "--out=plan", "-q"];
    assert_eq!(place.raddle(&[&predict[..], &ways].concat()).code, 0);
    let ran = place.raddle(&["check", "plan", "truth.json", "--format=json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let check: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(check["recipe"], "time-slice");
    let tenant = |at: usize| (check["tenants"][at]["name"].clone(), check["tenants"][at].clone());
    assert_eq!((tenant(0).0, tenant(1).0), (json!("decode"), json!("train")));
    assert_eq!(tenant(0).1["measured-ns"], 21_583_000, "the longest of four requests");
    assert!(place.path().join("plan/check.html").exists());

    truth["ways"]["time-slice"]["beside 40"] = truth["ways"]["time-slice"]["beside 20"].clone();
    truth["arrivals"]["40"] = truth["arrivals"]["20"].clone();
    place.file("truth.json", truth.to_string());
    let several = place.raddle(&["check", "plan", "truth.json", "--no-files"]);
    assert!(
        several.err.contains("several of its cases") && several.err.contains("--load"),
        "{several:?}"
    );
    let one = place.raddle(&["check", "plan", "truth.json", "--no-files", "--load=40"]);
    assert_eq!(one.code, 0, "{}", one.err);
    let odd = place.raddle(&[
        "check",
        "plan",
        "truth.json",
        "--no-files",
        "--recipe=time-slice",
        "--load=7",
    ]);
    assert!(odd.err.contains("but mps-30-70 at 20"), "{odd:?}");
    let of = |recipe: &str| {
        let more = [recipe, "--no-files", "--load=20"];
        place.raddle(&[&["check", "plan", "truth.json"], &more[..]].concat()).err
    };
    let told = of("--recipe=mps");
    assert!(told.contains("no recipe") || told.contains("--way=mps`"), "{told}");
    // Three times as many requests in the time tell nothing of the prediction.
    let arrivals: Vec<f64> = (0..40).map(|at| f64::from(at) * 3.0).collect();
    truth["ways"]["time-slice"]["beside 20"]["arrivals"] = json!(arrivals);
    place.file("truth.json", truth.to_string());
    let told = of("--recipe=time-slice");
    assert!(told.contains("requests/s and was measured at 333.3"), "{told}");
    let recording = place.raddle(&["check", "plan", "decode.csv", "--no-files", "--load=7"]);
    assert_eq!(recording.code, 2, "{recording:?}");
}

/// Text of a Python program that answers a request each 10 ms, or repeats steps of 10 ms, by
/// sleeping.
const PROGRAM: &str = r#"
import os, sys, time
with open("seen", "a") as seen:
    seen.write(" ".join(f"{key}={os.environ.get(key)}" for key in (
        "RADDLE_LOAD", "CUDA_MPS_CLIENT_PRIORITY", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE")) + "\n")
with open(os.environ["RADDLE_TIMES"], "a") as times:
    while True:
        begun = time.monotonic_ns()
        time.sleep(float(sys.argv[1]))
        times.write(f"{begun},{time.monotonic_ns()}\n")
        times.flush()
"#;

#[test]
#[cfg(unix)]
fn two_programs_are_measured_for_real() {
    let place = Place::new();
    place.file("infer.csv", infer());
    place.file("train.csv", train());
    place.file("program.py", PROGRAM);
    if place.pasted("python3 -c ''").code != 0 {
        println!("skipped: there is no python3");
        return;
    }
    let line = "raddle calibrate pair --profile-a infer.csv --profile-b train.csv --seconds 0.3";
    let programs = "-- python3 program.py 0.010 -- python3 program.py 0.012";
    // A machine with a daemon of MPS is not what this test is about.
    let without = "nvidia-cuda-mps-control() { return 1; }; export -f nvidia-cuda-mps-control";
    let plan = place.pasted(&format!("{line} --dry-run {programs}"));
    assert_eq!(plan.code, 0, "{}", plan.err);
    assert!(plan.out.contains("3 runs of 0.3 s"), "{}", plan.out);
    assert!(plan.out.contains("nvidia-cuda-mps-control -d"), "{without}: {}", plan.out);
    assert!(!place.path().join("seen").exists());

    let ran = place.pasted(&format!("{line} --save mine.toml {programs}"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("No way was held out: one recipe was measured"), "{}", ran.out);
    let text = fs::read_to_string(place.path().join("infer-beside-train.json")).unwrap();
    let truth: Value = serde_json::from_str(&text).unwrap();
    let way = &truth["ways"]["time-slice"];
    let cases: Vec<&String> = way.as_object().unwrap().keys().collect();
    assert_eq!(cases, ["beside own", "infer alone own", "train alone"]);
    let times = way["beside own"]["infer"][0].as_array().unwrap();
    // A sleep is never shorter than asked, so at most that many fit.
    assert!((1..=30).contains(&times.len()), "{times:?}");
    assert!(times.iter().all(|ms| ms.as_f64().unwrap() >= 9.9), "{times:?}");
    let arrived = way["beside own"]["arrivals"][0].as_array().unwrap().len();
    assert!(
        (times.len()..=times.len() + 1).contains(&arrived),
        "the last may go on beyond the end"
    );
    assert_eq!(fs::read_to_string(place.path().join("seen")).unwrap().lines().count(), 4);

    // The file has that way already; those of MPS want a daemon, which a script stands in for here.
    let again = place.pasted(&format!("{line} {programs}"));
    assert!(again.err.contains("it is in infer-beside-train.json already"), "{}", again.err);
    assert_eq!(fs::read_to_string(place.path().join("infer-beside-train.json")).unwrap(), text);
    let refused = place.pasted(&format!("{line} --way mps {programs}"));
    assert!(refused.code == 2 && refused.err.contains("does not do by itself"), "{refused:?}");
    place.file("nvidia-cuda-mps-control", "#!/bin/sh\ncat > /dev/null\n");
    let mps = format!(
        "chmod +x nvidia-cuda-mps-control; PATH=$PWD:$PATH {line} --way mps-30-70 --load 100 {programs}"
    );
    let ran = place.pasted(&mps);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let seen = fs::read_to_string(place.path().join("seen")).unwrap();
    let last: Vec<&str> = seen.lines().skip(4).collect();
    assert_eq!(last.len(), 4, "{seen}");
    for (line, load, percent) in [(0, "None", 70), (1, "100", 30)] {
        let wanted = format!(
            "RADDLE_LOAD={load} CUDA_MPS_CLIENT_PRIORITY=None CUDA_MPS_ACTIVE_THREAD_PERCENTAGE={percent}"
        );
        assert_eq!(last[line], wanted, "{seen}");
    }
}

#[test]
#[cfg(unix)]
fn a_program_that_breaks_the_contract_is_told_how() {
    let place = Place::new();
    place.file("infer.csv", infer());
    place.file("train.csv", train());
    let ask = |programs: &[&str]| {
        let args = ["calibrate", "pair", "--profile-a=infer.csv", "--profile-b=train.csv"];
        place.raddle(&[&args[..], &["--truth=t.json", "--seconds=0.2", "--"], programs].concat())
    };
    let ended = ask(&["true", "--", "true"]);
    assert!(ended.err.contains("the program of train ended"), "{ended:?}");
    let odd = ask(&["true", "--", "sh", "-c", "echo secret > $RADDLE_TIMES; exec sleep 5"]);
    assert!(odd.err.contains("train: line 1 of its times is none: a line is START,END"), "{odd:?}");
    let absent = ask(&["true", "--", "./absent"]);
    assert!(absent.err.contains("cannot be run"), "{absent:?}");
    let one = ask(&["true"]);
    assert!(one.code == 2 && one.err.contains("two programs are measured"), "{one:?}");
    assert!(!place.path().join("t.json").exists());
}
