//! Does a replay give the same everywhere, all that it should tell, and nothing that it should not?

use std::fs;

use crate::common::{Place, infer, table, train};
use serde_json::Value;

pub(crate) fn two() -> Place {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    place
}

pub(crate) fn summary(place: &Place, folder: &str) -> Value {
    let text =
        fs::read_to_string(place.path().join(folder).join("summary.json")).expect("it is there");
    serde_json::from_str(&text).expect("it is JSON")
}

const BOTH: [&str; 7] =
    ["replay", "train.csv", "infer.csv", "--priority", "train*=5", "--out", "out"];

#[test]
fn the_comparison_of_two_processes() {
    let ran = two().raddle(&BOTH);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    insta::assert_snapshot!("first-screen", ran.out);
    assert!(ran.out.lines().count() <= 20, "{}", ran.out);
    assert!(ran.out.lines().all(|line| line.chars().count() <= 80), "{}", ran.out);
    let most = two().raddle(&[&BOTH[..], &["--all"]].concat()).out;
    assert!(most.lines().count() <= 20, "{most}");
    let all = two().raddle(&[&BOTH[..], &["--all", "-v"]].concat());
    assert_eq!((all.code, all.err.as_str()), (0, ""));
    insta::assert_snapshot!("two-processes", all.out);
    assert!(all.out.lines().all(|line| line.chars().count() <= 120));
    let quiet = two().raddle(&[&BOTH[..], &["--quiet"]].concat());
    // The answer, and how far to trust it.
    assert_eq!((quiet.code, quiet.out.lines().count()), (0, 2), "{}", quiet.out);
}

#[test]
fn the_comparison_of_one_process_with_all_there_is_to_say() {
    let place = Place::new();
    place.file(
        "odd.csv",
        table(&[
            "fine  1 80 128 32 0     0     0     1000",
            "large 1 80 128 32 98305 100   2000  1000",
            "empty 1 0  128 32 0     200   4000  1000",
            "wide  2 80 2048 32 0    300   4000  1000",
            "last  1 80 128 32 0     400   6000  1000",
        ]),
    );
    let ran = place.raddle(&["replay", "odd.csv", "--recipe", "leftover", "--partial", "-v"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    insta::assert_snapshot!("one-process", ran.out);
    // Launches that can never run are listed with their limiters, and the launches that waited for
    // them ran.
    let result = &summary(&place, "raddle-out/odd")["recipes"][0];
    let refusals: Vec<String> = result["refusals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| format!("{} {} {} {}", r["kernel"], r["resource"], r["wanted"], r["available"]))
        .collect();
    assert_eq!(
        refusals,
        ["\"empty\" \"grid\" 1 0", "\"large\" \"lds\" 98560 98304", "\"wide\" \"waves\" 64 32"]
    );
    assert_eq!(result["summary"]["processes"][0]["ended"], 2);
    assert_eq!(result["summary"]["stuck"], 0);
}

#[test]
fn equal_runs_give_equal_bytes_however_many_go_at_a_time() {
    let place = two();
    let mut seen = Vec::new();
    for jobs in [None, Some("1"), Some("4")] {
        let mut args = [&BOTH[..], &["--all", "--log", "answers", "--timeline", "all"]].concat();
        args.extend(jobs.iter().flat_map(|jobs| ["--jobs", jobs]));
        let ran = place.raddle(&args);
        assert_eq!(ran.code, 0, "{}", ran.err);
        seen.push((ran.out, place.tree("out")));
    }
    let names = seen[0].1.keys();
    assert!(
        names.len() == 27,
        "a page, a summary, a record, twelve logs and twelve timelines: {names:?}"
    );
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(place.names("."), ["infer.csv", "out", "train.csv"], "nothing temporary is left");
}

#[test]
fn every_log_gives_its_answers_again() {
    let place = two();
    for detail in ["answers", "full"] {
        assert_eq!(place.raddle(&[&BOTH[..], &["--all", "--log", detail]].concat()).code, 0);
        for log in place.tree("out").keys().filter(|name| name.ends_with(".jsonl.zst")) {
            let ran = place.raddle(&["replay", "--events", &format!("out/{log}")]);
            assert_eq!(ran.code, 0, "{log}: {}", ran.err);
            assert!(ran.out.contains("agree byte for byte"), "{}", ran.out);
        }
    }
    let ran =
        place.raddle(&["replay", "--events", "out/greedy/decisions.jsonl.zst", "--format", "json"]);
    let value: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(value["agree"], true);
    assert!(value["answers"].as_u64().unwrap() > 0);
}

#[test]
fn a_log_that_was_changed_is_found_out() {
    let place = two();
    let args = [&BOTH[..], &["--recipe", "greedy", "--log", "answers"]].concat();
    assert_eq!(place.raddle(&args).code, 0);
    let log = place.log("out/greedy/decisions.jsonl.zst");
    let number = log.lines().position(|line| line.contains("\"answer\":\"start\"")).unwrap();
    let lines: Vec<String> = log
        .lines()
        .enumerate()
        .map(|(n, line)| if n == number { line.replace("start\"", "stare\"") } else { line.into() })
        .collect();
    place.file("changed.jsonl", lines.join("\n"));
    let ran = place.raddle(&["replay", "--events", "changed.jsonl"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    let place_of = format!("changed.jsonl, line {}", number + 1);
    assert!(ran.err.contains(&place_of) && ran.err.contains("stare"), "{}", ran.err);
}

#[test]
fn files_that_are_no_logs_are_refused() {
    let place = two();
    fs::create_dir(place.path().join("folder")).unwrap();
    for (file, words) in [
        ("train.csv", "line 1 of the decision log"),
        ("gone.jsonl", "cannot be read"),
        ("folder", "is a folder"),
    ] {
        let ran = place.raddle(&["replay", "--events", file]);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""));
        assert!(ran.err.contains(words) && ran.err.contains(file), "{}", ran.err);
    }
}

#[test]
fn the_document_on_the_terminal_is_the_one_in_the_folder() {
    let place = two();
    let ran = place.raddle(&[&BOTH[..], &["--all", "--format", "json"]].concat());
    assert_eq!(ran.code, 0);
    assert_eq!(ran.out.as_bytes(), place.tree("out")["summary.json"]);
    let value: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(value["device"]["id"], "v100");
    assert_eq!(value["recipes"].as_array().unwrap().len(), 12);
    let level = &value["recipes"][2]["summary"]["processes"][0]["levels"][0];
    assert_eq!(level["level"], 5);
    assert!(level["slowdown"].as_f64().unwrap() >= 1.0);
}

#[test]
fn without_files_nothing_is_written() {
    let place = two();
    let ran = place.raddle(&["replay", "train.csv", "--no-files"]);
    assert_eq!(ran.code, 0);
    assert!(!ran.out.contains("Files:"));
    assert_eq!(place.names("."), ["infer.csv", "train.csv"]);
}

#[test]
fn logs_are_small_and_can_be_left_out() {
    let place = two();
    let rows: Vec<String> =
        (0..3000).map(|n| format!("k{} 1 80 128 32 0 {n}00 {n}00 90", n % 7)).collect();
    place.file("many.csv", table(&rows.iter().map(String::as_str).collect::<Vec<_>>()));
    let replay = |more: &[&str]| {
        let base = [
            "replay",
            "many.csv",
            "-v",
            "--recipe",
            "greedy",
            "--timeline",
            "none",
            "--out",
            "out",
        ];
        let ran = place.raddle(&[&base[..], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        (ran.out, summary(&place, "out")["recipes"][0].clone())
    };
    let (text, result) = replay(&["--log", "full"]);
    let bytes = place.tree("out")["greedy/decisions.jsonl.zst"].len();
    assert_eq!(result["log-bytes"], bytes);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("decisions.jsonl.zst") && bytes < 1_000_000, "{bytes}: {text}");
    // Spelled out, it is a hundred times as large.
    let lines = place.log("out/greedy/decisions.jsonl.zst").len();
    assert!(lines > 1_000_000 && bytes * 20 < lines, "{bytes} {lines}");

    let (text, result) = replay(&["--log", "none"]);
    assert_eq!(place.names("out"), [".raddle.json", "report.html", "summary.json"]);
    assert_eq!((&result["log"], &result["log-bytes"]), (&Value::Null, &Value::Null));
    assert!(text.contains("Files: out: report.html, summary.json\n"), "{text}");
    assert!(!text.contains("decisions.jsonl.zst") && !text.contains("--events"), "{text}");
    // The results are the same.
    let figures = |result: &Value| result["summary"].to_string();
    assert_eq!(figures(&replay(&[]).1), figures(&result));
}

#[test]
fn an_earlier_result_is_replaced() {
    let place = two();
    assert_eq!(place.raddle(&BOTH).code, 0);
    let ran = place.raddle(&["replay", "train.csv", "--recipe", "greedy", "--out", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(place.names("out"), [".raddle.json", "greedy", "report.html", "summary.json"]);
    // A failure leaves the earlier result.
    place.file("empty.csv", "");
    assert_eq!(place.raddle(&["replay", "empty.csv", "--out", "out"]).code, 1);
    assert_eq!(place.names("out"), [".raddle.json", "greedy", "report.html", "summary.json"]);
}

#[test]
fn starts_shares_and_repeats_change_what_they_should() {
    let place = two();
    let replay = |more: &[&str]| {
        let base = ["replay", "train.csv", "infer.csv", "--recipe", "spatial", "--out", "out"];
        let ran = place.raddle(&[&base[..], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        summary(&place, "out")
    };
    let summed = |value: &Value| value["recipes"][0]["summary"].clone();
    let plain = replay(&[]);
    assert!(summed(&plain)["processes"][1]["iterations"].as_u64().unwrap() > 1);
    let once = replay(&["--once"]);
    assert_eq!(summed(&once)["processes"][1]["iterations"], 1);
    let late = replay(&["--once", "--start", "infer.csv=2.5ms"]);
    assert_eq!(late["profiles"][1]["start-ns"], 2_500_000);
    assert!(summed(&late)["makespan-ns"].as_u64() > summed(&once)["makespan-ns"].as_u64());
    let shared = replay(&["--once", "--share", "train=7"]);
    assert_eq!(shared["profiles"][0]["share"], 7);
    assert!(
        summed(&shared)["processes"][0]["last-end-ns"].as_u64()
            < summed(&once)["processes"][0]["last-end-ns"].as_u64()
    );
}

#[test]
fn the_bundled_pair_without_a_verb_is_what_the_readme_shows() {
    let place = Place::new();
    // The list of checks of a change runs the command too, and says where.
    let out = match std::env::var_os("RADDLE_BUNDLED").map(std::path::PathBuf::from) {
        Some(ran) => {
            let own = place.path().join("raddle-out");
            std::os::unix::fs::symlink(ran.join("raddle-out"), own).unwrap();
            std::fs::read_to_string(ran.join("table")).unwrap()
        }
        None => {
            let ran = place.raddle(&[]);
            assert_eq!((ran.code, ran.err.as_str()), (0, ""));
            ran.out
        }
    };
    let readme = include_str!("../../../../README.md");
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next());
    let shown = shown.expect("the README has a table");
    assert!(out.contains(shown), "mend the README; printed now:\n{}", out);
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{}", out);
    let pair = ["decode.csv", "load.json", "train.csv"];
    let compared = [".raddle.json", "partition-30-70", "report.html", "summary.json", "time-slice"];
    let mut names = [&compared[..], &pair].concat();
    names.sort_unstable();
    assert_eq!(place.names("raddle-out/bundled"), names);
    // The pair itself is there too, for every verb.
    let inspected = place.raddle(&["inspect", "raddle-out/bundled/decode.csv"]);
    assert_eq!((inspected.code, inspected.err.as_str()), (0, ""));
    let shared = "  raddle share raddle-out/bundled/decode.csv raddle-out/bundled/train.csv\n";
    assert!(out.contains(shared), "{out}");
    // Measured figures stand beside the foreseen ones, and are those of the recording.
    let measured = include_str!("../../../../fixtures/h200/measured.json");
    let measured: Value = serde_json::from_str(measured).unwrap();
    for (way, recipe) in [
        ("time-slice", "time-slice"),
        ("mps-30-70", "partition-30-70"),
        ("mps-priority", "mps-priority"),
        ("mps", "mps"),
    ] {
        let beside = &measured["ways"][way]["beside 40"];
        let [(.., p99), (step, _)] = ["decode", "train"].map(|of| {
            let mut all: Vec<f64> =
                beside[of].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            all.sort_by(f64::total_cmp);
            (mean, all[(all.len() * 99).div_ceil(100) - 1])
        });
        let told = out.split_whitespace().collect::<Vec<_>>().join(" ");
        let figures = match recipe {
            "time-slice" => format!("p99 {p99:.0} ms and train step {step:.1} ms under {recipe}"),
            _ => format!("{p99:.0} and {step:.1} under {recipe}"),
        };
        assert!(told.contains(&figures), "{figures}: {told}");
        // The README has these figures, rounded as the command prints them.
        let told = readme.split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, told) = told.split_once("that H200 was measured: p99 of").expect("it says so");
        let (told, _) = told.split_once(" ms,").expect("it ends");
        assert!(told.contains(&format!("{p99:.0}")), "{p99:.0}: {told}");
    }
    let requests =
        readme.split_once("inference service with ").and_then(|(_, rest)| rest.split(' ').next());
    let requests = format!("{} requests of decode", requests.expect("it says how many"));
    let told = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains(&requests), "{requests}: {}", out);
    let bytes: usize = place.tree("raddle-out/bundled").values().map(Vec::len).sum();
    assert!(bytes < 10_000_000, "{bytes}");
    let value = summary(&place, "raddle-out/bundled");
    let levels = |process: usize| {
        value["recipes"][0]["summary"]["processes"][process]["levels"][0]["level"].clone()
    };
    assert_eq!((levels(0), levels(1)), (0.into(), 5.into()));
    for result in value["recipes"].as_array().unwrap() {
        assert_eq!(result["summary"]["stuck"], 0);
    }
}

/// Checks that the files of a result are written even where the answer, which is printed before
/// timelines are drawn, has no reader.
#[test]
fn files_are_written_where_nobody_reads_the_answer() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    let command = "raddle replay train.csv infer.csv --requests=infer=1000/s --recipe=leftover \
                   --out=kept | true";
    let ran = place.pasted(command);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    let names = place.names("kept");
    assert!(["report.html", "summary.json"].iter().all(|it| names.contains(&(*it).to_owned())));
}
