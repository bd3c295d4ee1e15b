//! What do measurements on a device change, and how are they taken?

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use crate::common::Place;

const HEAD: &str = r#"{"raddle-calibration":1,"#;

/// Returns made-up measurements of a device, so that the figures are known: a compute unit moves 30
/// GB/s, and a turn of 2 ms has a switch of 120 us in it.
fn readings() -> String {
    let device = r#""what":"device","api":"cuda","name":"NVIDIA H200","units":132,"memory-bytes":150000000000,"compute":[9,0],"driver":"CUDA 13000"}"#;
    let mut text = format!("{HEAD}{device}\n");
    for (units, rate) in [(1, 30_000), (16, 480_000), (66, 1_980_000), (132, 3_900_000)] {
        let rates = [rate, rate - 20, rate - 10];
        let _ = writeln!(
            text,
            r#"{HEAD}"what":"bandwidth","workgroups":{units},"seen":{units},"bytes-per-us":{rates:?}}}"#
        );
    }
    let runs = |first: u64| -> Vec<[u64; 2]> {
        let of = |turn: u64| [first + turn * 4_000_000, first + turn * 4_000_000 + 1_880_000];
        (0..40).map(of).collect()
    };
    let (one, other) = (runs(1), runs(2_000_001));
    let _ = writeln!(text, r#"{HEAD}"what":"turns","runs":[{one:?},{other:?}]}}"#);
    let _ = writeln!(text, r#"{HEAD}"what":"percent","percent":30,"units":40}}"#);
    let _ = writeln!(text, r#"{HEAD}"what":"skipped","of":"priority","why":"not here"}}"#);
    text
}

fn pair(place: &Place) {
    place.file("decode.csv", include_str!("../../data/demo/decode.csv"));
    place.file("train.csv", include_str!("../../data/demo/train.csv"));
}

#[test]
fn a_device_file_of_measurements_changes_a_replay() {
    let place = Place::new();
    pair(&place);
    place.file("d.jsonl", readings());
    let wrote = place.raddle(&["calibrate", "device", "--from=d.jsonl", "--save=mine.toml"]);
    assert_eq!(wrote.code, 0, "{}", wrote.err);
    assert!(wrote.out.contains("Not measured: priority: not here"), "{}", wrote.out);
    let text = fs::read_to_string(place.path().join("mine.toml")).unwrap();
    for line in [
        "unit-bytes-per-us = 29999",
        "reached-bytes-per-us = 3899990",
        "turn-ns = [2000000, 2000000, 2000000]",
        "turn-switch-ns = [120000, 120000, 120000]",
        "percent-units = [[30, 40]]",
        "# unit-bytes-per-us 29,999 (29,998 to 30,000 in 3 readings)",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let replayed = |device: &str| -> Value {
        let args = ["replay", "decode.csv", "train.csv", "--requests=decode=40/s", "--seed=1"];
        let ways = ["--until=100ms", "--share=decode=3", "--share=train=7", "--recipe=partition"];
        let more = ["--recipe=time-slice", "--no-files", "--format=json", "--device", device];
        let ran = place.raddle(&[&args[..], &ways, &more].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        serde_json::from_str(&ran.out).unwrap()
    };
    let (table, own) = (replayed("h200"), replayed("mine.toml"));
    let p99 = |of: &Value, recipe: &str| {
        let row = of["answer"]["rows"].as_array().unwrap().iter().find(|it| it["recipe"] == recipe);
        row.unwrap()["processes"][0]["decisive-ns"].as_u64().unwrap()
    };
    // Units that move less and shorter turns show; a device that is of the same kind stays its own.
    assert!(p99(&own, "partition") > p99(&table, "partition") * 5 / 4);
    assert_ne!(p99(&own, "time-slice"), p99(&table, "time-slice"));
    let process = own["answer"]["processes"][0].as_object().unwrap();
    assert_eq!(process.get("recorded-on"), Some(&Value::Null), "no other device");
    assert!(!own.to_string().contains("a turn takes"), "it is known");

    let shared = |device: &str| -> Value {
        let args = ["share", "decode.csv", "train.csv", "--requests=decode=40/s", "--seed=1"];
        let more = ["--until=100ms", "--recipe=today", "--no-files", "--format=json", "--device"];
        let ran = place.raddle(&[&args[..], &more, &[device]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        serde_json::from_str(&ran.out).unwrap()
    };
    let (of_share, of_replay) = (shared("mine.toml"), p99(&own, "time-slice"));
    assert_eq!(p99(&of_share, "time-slice"), of_replay, "one model in both verbs");

    let json = place.raddle(&["calibrate", "device", "--from=d.jsonl", "--format=json"]);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["measured"][0]["between"], serde_json::json!([29_998, 30_000]));
}

/// Checks that measurements which a program printed before it failed are not lost; the program
/// stands in for Python.
#[test]
#[cfg(unix)]
fn measurements_are_kept_where_the_program_fails() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.file("told", readings());
    place.file("fake", "#!/bin/sh\ncat told\nexit 3\n");
    let fake = place.path().join("fake");
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
    let failed = place.raddle(&["calibrate", "device", "--save=a.toml", "--python=./fake"]);
    assert_eq!(failed.code, 1, "{failed:?}");
    assert!(failed.err.contains("`--from a.jsonl` takes that"), "{}", failed.err);
    assert_eq!(place.names("."), ["a.jsonl", "fake", "told"]);
    assert_eq!(fs::read_to_string(place.path().join("a.jsonl")).unwrap(), readings());
    place.file("fake", "#!/bin/sh\ncat told\n");
    let again = place.raddle(&["calibrate", "device", "--save=a.toml", "--python=./fake"]);
    assert!(again.err.contains("stays as it is"), "{}", again.err);
    let done = place.raddle(&["calibrate", "device", "--save=b.toml", "--python=./fake"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let absent = place.raddle(&["calibrate", "device", "--save=c.toml", "--python=./absent"]);
    assert!(absent.err.contains("name a Python 3 (--python)"), "{}", absent.err);
    assert_eq!(place.names(".").len(), 5);
}

/// Checks that a device to which no figures could be given is refused before it is measured, and
/// that nothing is left; the program stands in for Python.
#[test]
#[cfg(unix)]
fn a_device_that_is_unknown_is_refused_at_once() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let processor = r#""what":"device","api":"opencl","name":"cpu-haswell","units":2,"memory-bytes":16000000000,"compute":null,"driver":"PoCL"}"#;
    place.file("fake", format!("#!/bin/sh\necho '{HEAD}{processor}'\nexec sleep 600\n"));
    let fake = place.path().join("fake");
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
    let ran = place.raddle(&["calibrate", "device", "--save=a.toml", "--python=./fake"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    for words in
        ["is no device that raddle knows", "Nothing was measured", "on the machine with the GPU"]
    {
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
    }
    assert!(!ran.err.contains("This measures the first GPU"), "{}", ran.err);
    assert_eq!(place.names("."), ["fake"]);
    // The program finds none.
    place.file("fake", "#!/bin/sh\necho no device to measure >&2\nexit 1\n");
    let ran = place.raddle(&["calibrate", "device", "--save=a.toml", "--python=./fake"]);
    assert!(
        ran.code == 1 && ran.err.contains("for the reason above: `raddle calibrate"),
        "{ran:?}"
    );
    assert_eq!(place.names("."), ["fake"]);
}

/// Checks that a program whose lines cannot be read is ended, so that it does not go on measuring
/// by itself, and that what came before is kept.
#[test]
#[cfg(unix)]
fn a_program_that_cannot_be_read_is_ended() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.file("told", readings());
    place.file("fake", "#!/bin/sh\ncat told\necho $$ > pid\nprintf '\\377\\n'\nexec sleep 600\n");
    let fake = place.path().join("fake");
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
    let ran = place.raddle(&["calibrate", "device", "--save=a.toml", "--python=./fake"]);
    assert!(ran.code != 0 && ran.err.contains("UTF-8"), "{ran:?}");
    assert_eq!(place.names("."), ["a.jsonl", "fake", "pid", "told"]);
    assert_eq!(fs::read_to_string(place.path().join("a.jsonl")).unwrap(), readings());
    let alive = place.pasted("kill -0 $(cat pid)");
    assert_ne!(alive.code, 0, "the program still runs");
}

/// Measures the device of this machine in earnest: a GPU, or a processor through OpenCL.
#[test]
#[cfg(unix)]
fn the_device_at_hand_is_measured() {
    let place = Place::new();
    let measure = ["calibrate", "device", "--save=d.toml", "--repetitions=1"];
    let ran = place.raddle(&[&measure[..], &["--device=v100"]].concat());
    if ran.err.contains("no device to measure") || ran.err.contains("cannot be run") {
        assert!(ran.err.contains("nothing was measured, for the reason above"), "{}", ran.err);
        assert!(place.names(".").is_empty(), "nothing is left");
        println!("skipped: no Python, or neither CUDA nor OpenCL");
        return;
    }
    // Unless the device has as many units, it is refused before it is measured.
    let (units, _) = ran.err.split_once(" compute units were measured").expect("no V100 is here");
    let units = units.rsplit(' ').next().unwrap();
    assert!(ran.code == 1 && place.names(".").is_empty(), "{ran:?}");
    let base = place.raddle(&["devices", "--show=v100"]).out;
    place.file("base.toml", base.replace("cus = 80", &format!("cus = {units}")));
    let ran = place.raddle(&[&measure[..], &["--device=base.toml"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let args = ["calibrate", "device", "--from=d.jsonl", "--device=base.toml", "--format=json"];
    let fit = place.raddle(&args);
    assert_eq!(fit.code, 0, "{}", fit.err);
    let fit: Value = serde_json::from_str(&fit.out).unwrap();
    let all = fit["device"]["reached-bytes-per-us"].as_u64().expect("it was measured");
    assert!(all >= fit["device"]["unit-bytes-per-us"].as_u64().expect("so was this"), "{fit}");
}

#[test]
fn the_plan_is_told_and_nothing_is_done() {
    let place = Place::new();
    let told = place.raddle(&["calibrate", "device", "--dry-run", "--repetitions=6"]);
    assert_eq!(told.code, 0, "{}", told.err);
    assert!(told.out.contains("changes no setting"), "{}", told.out);
    assert!(told.out.contains("  36 s  in all"), "{}", told.out);
    assert!(!told.out.contains("percentages"), "they are not asked for: {}", told.out);
    assert!(place.names(".").is_empty());
    let bare = place.raddle(&["calibrate", "device"]);
    assert!(bare.code == 2 && bare.err.contains("--save"), "{bare:?}");
}

/// Checks that the programs prepared for a GPU are at least well-formed.
#[test]
#[cfg(unix)]
fn the_prepared_session_is_well_formed() {
    let place = Place::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/calibrate");
    let shell = place.pasted(&format!("bash -n {folder}/session.sh"));
    assert_eq!(shell.code, 0, "{}", shell.err);
    if place.pasted("python3 -c ''").code != 0 {
        println!("skipped: there is no python3");
        return;
    }
    for name in ["device.py", "session.py", "second.py"] {
        let parse = format!("import ast; ast.parse(open('{folder}/{name}').read())");
        let parsed = place.pasted(&format!("python3 -c \"{parse}\""));
        assert_eq!(parsed.code, 0, "{name}: {}", parsed.err);
    }
}

#[test]
fn a_table_without_a_word_before_it_is_told_the_word() {
    let place = Place::new();
    let old = place.raddle(&["calibrate", "readings.csv"]);
    assert_eq!(old.code, 2);
    assert!(old.err.contains("`raddle calibrate energy TABLE`"), "{}", old.err);
}
