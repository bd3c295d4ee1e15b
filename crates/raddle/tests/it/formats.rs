//! Does one run give one answer, whichever profiler wrote it?
//!
//! Two programs are written as seven kinds of files. Formats that say when work was issued agree to
//! the microsecond, as all of them hold the same times. The others do not know how long a launch
//! takes to begin: times of ways without turns differ by that and by the phase in which requests
//! meet the other program, of ways with turns by up to a turn. The advice is one.

#[path = "../../../raddle-trace/tests/it/nsys_db/mod.rs"]
mod nsys_db;
mod written;

use serde_json::Value;

use crate::common::Place;
use written::{Launch, kineto, launch_table, nsys_csv, nsys_sqlite, rocpd, rocprof_csv};

/// Time from the issue of a first launch to its begin, in nanoseconds, which some file formats do
/// not hold.
const LATENCY: u64 = 10_000;

/// Longest turn of a process, in nanoseconds, by which answers may differ.
const TURN: u64 = 2_500_000;

/// Returns the launches of one request: small kernels, all issued ahead.
fn serve() -> Vec<Launch> {
    let launch = |at: u64| {
        let (issued, start) = (at * 700, 6_000 + at * 34_000);
        Launch { name: "attend", grid: 64, block: 256, registers: 32, issued, start, lasts: 30_000 }
    };
    (0..8).map(launch).collect()
}

/// Returns the launches of a step of training: kernels of many rounds, all of them issued at its
/// begin.
fn train() -> Vec<Launch> {
    let launch = |at: u64| {
        let (issued, start) = (at * 2_000, LATENCY + at * 402_000);
        Launch {
            name: "gemm",
            grid: 6_080,
            block: 512,
            registers: 64,
            issued,
            start,
            lasts: 400_000,
        }
    };
    (0..6).map(launch).collect()
}

/// Files of the two programs of one recording, in one format.
type Files = [Vec<u8>; 2];

fn both(write: impl Fn(&[Launch]) -> Vec<u8>) -> Files {
    [write(&serve()), write(&train())]
}

/// Answer of a command: the recommended way of sharing, the p99 of requests and the step of
/// training under each way, by their names, and the warnings.
struct Answer {
    way: Option<String>,
    figures: Vec<(String, [u64; 2])>,
    warnings: String,
}

/// Runs `replay` or `share` on these files with the default options, and returns the answer.
fn ask(verb: &str, files: &Files, device: &str) -> Answer {
    let place = Place::new();
    let names = ["serve", "train"];
    for (name, bytes) in names.iter().zip(files) {
        place.file(name, bytes);
    }
    let words = [
        verb,
        "serve",
        "train",
        "--device",
        device,
        "--requests=serve=100/s",
        "--until=100ms",
        "--no-files",
    ];
    let ran = place.raddle(&[&words[..], &["--format=json"]].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let found: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let rows = found["answer"]["rows"].as_array().expect("a list");
    let figures = rows.iter().map(|row| {
        let of = |at: usize| row["processes"][at]["decisive-ns"].as_u64().expect("a time");
        (row["recipe"].as_str().expect("a name").to_owned(), [of(0), of(1)])
    });
    Answer {
        way: found["answer"]["verdict"]["recipe"].as_str().map(str::to_owned),
        figures: figures.collect(),
        warnings: found["warnings"].to_string(),
    }
}

/// Compares the answers to the files of each format with those to the launch table of one
/// recording.
fn compare(device: &str, formats: &[(&str, bool, Files)]) {
    for verb in ["replay", "share"] {
        let table = ask(verb, &both(|run| launch_table(run, device)), device);
        for (format, says_issue, files) in formats {
            let answer = ask(verb, files, device);
            let of = format!("{verb}: {format}: {:?} for {:?}", answer.figures, table.figures);
            assert_eq!(answer.way, table.way, "{of}");
            assert_eq!(answer.figures.len(), table.figures.len(), "{of}");
            for (found, wanted) in answer.figures.iter().zip(&table.figures) {
                assert_eq!(found.0, wanted.0, "{of}");
                let turns = found.0.contains("slice");
                for (found, wanted) in found.1.iter().zip(&wanted.1) {
                    let bound = match (says_issue, turns) {
                        (true, _) => 1_000,
                        (false, false) => 2 * LATENCY + wanted / 20,
                        (false, true) => TURN,
                    };
                    let off = found.abs_diff(*wanted);
                    assert!(off <= bound, "{found} for {wanted}: {of}");
                }
            }
            let warned = answer.warnings.contains("no recorded launch time");
            assert_eq!(warned, !says_issue, "{format}: {}", answer.warnings);
        }
    }
}

#[test]
fn five_files_of_nvidia_give_one_answer() {
    compare(
        "h100",
        &[
            ("kineto", true, both(|run| kineto(run, true))),
            ("kineto without calls", false, both(|run| kineto(run, false))),
            ("nsys SQLite", true, both(nsys_sqlite)),
            ("nsys CSV", false, both(nsys_csv)),
        ],
    );
}

#[test]
fn three_files_of_amd_give_one_answer() {
    compare("mi300x", &[("rocprof CSV", false, both(rocprof_csv)), ("rocpd", true, both(rocpd))]);
}

/// Returns the launches of a program whose host is slow: a kernel of 20 us every 100 us.
fn slow() -> Vec<Launch> {
    let launch = |at: u64| {
        let start = 6_000 + at * 100_000;
        Launch {
            name: "k",
            grid: 64,
            block: 256,
            registers: 32,
            issued: start - 5_000,
            start,
            lasts: 20_000,
        }
    };
    (0..100).map(launch).collect()
}

/// Checks one program, alone and beside a copy of itself, in all formats: all files give one advice
/// and one order of ways; formats without launch times mark both, and the idle share, as assumed.
/// The parts of two equal programs differ by no more than a launch.
#[test]
fn a_slow_host_is_one_advice_whichever_file_shows_it() {
    let slow = slow();
    let nvidia = [
        ("launch table", true, launch_table(&slow, "h100")),
        ("kineto", true, kineto(&slow, true)),
        ("kineto without calls", false, kineto(&slow, false)),
        ("nsys SQLite", true, nsys_sqlite(&slow)),
        ("nsys CSV", false, nsys_csv(&slow)),
    ];
    let amd = [
        ("launch table", true, launch_table(&slow, "mi300x")),
        ("rocprof CSV", false, rocprof_csv(&slow)),
        ("rocpd", true, rocpd(&slow)),
    ];
    for (device, files) in [("h100", &nvidia[..]), ("mi300x", &amd[..])] {
        for words in [&["replay", "one"][..], &["replay", "one", "two"], &["share", "one", "two"]] {
            let mut told = Vec::new();
            for (format, says_issue, bytes) in files {
                let what = format!("{words:?}: {format}");
                let (found, out) = shown(words, device, bytes);
                let text = found["answer"]["verdict"]["text"].as_str().expect("a sentence");
                let assumed = text.contains("Scheduling will not help (assumed): the host");
                assert_eq!(assumed, !says_issue, "{what}: {text}");
                assert_eq!(out.contains("% (assumed) of "), !says_issue, "{what}: {out}");
                assert_eq!(out.contains("no host issued"), *says_issue, "{what}: {out}");
                // The sentence and the row of the GPU tell the same way, by the same share.
                let idle = |of: &str, end: &str| -> f64 {
                    let rest = out.split_once(of).expect(of).1;
                    rest.split_once(end).expect(end).0.trim().parse().expect("a number")
                };
                let both = [idle("GPU is idle ", "%"), idle(", idle ", "%")];
                assert!((both[0] - both[1]).abs() < 0.6, "{what}: {both:?} in {out}");
                let got = found["recipes"].as_array().expect("a list").iter();
                for got in got.flat_map(|it| it["got"].as_array().into_iter().flatten()) {
                    let received = got["received"].as_f64().expect("a share");
                    assert!((received - 0.5).abs() < 0.01, "{what}: {received}");
                }
                let advice = text.split_once(" The file").map_or(text, |it| it.0);
                let advice: String = advice.replace(" (assumed)", "");
                told.push((
                    advice,
                    found["answer"]["verdict"]["kind"].clone(),
                    found["answer"]["verdict"]["recipe"].clone(),
                    found["answer"]["ranking"].clone(),
                ));
            }
            let one = &told[0];
            assert!(told.iter().all(|it| it == one), "{words:?}: {told:#?}");
        }
    }
}

/// Returns the answer to a file, and to a copy of it where two are named: as JSON, and as text in
/// one line.
fn shown(words: &[&str], device: &str, bytes: &[u8]) -> (Value, String) {
    let place = Place::new();
    for name in &words[1..] {
        place.file(name, bytes);
    }
    let words = [words, &["--device", device, "--no-files"]].concat();
    let text = place.raddle(&words);
    let json = place.raddle(&[&words[..], &["--format=json"]].concat());
    assert_eq!((text.code, json.code), (0, 0), "{}{}", text.err, json.err);
    let found = serde_json::from_str(&json.out).expect("it is JSON");
    (found, text.out.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Checks that nothing is called idle because of a slow host where recorded gaps are closed.
#[test]
fn closed_gaps_blame_no_host() {
    let place = Place::new();
    place.file("slow", nsys_csv(&slow()));
    let ran = place.raddle(&["replay", "slow", "--no-files", "--arrivals=queued"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let told = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("Scheduling will not help (assumed): under all"), "{told}");
    assert!(!told.contains("too slow") && !told.contains("no host issued"), "{told}");
}
