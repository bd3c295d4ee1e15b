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

/// The time that a first launch takes to begin, in nanoseconds, which some files do not tell.
const LATENCY: u64 = 10_000;

/// The longest turn of a process, in nanoseconds.
const TURN: u64 = 2_500_000;

/// A request: small kernels, all issued ahead.
fn serve() -> Vec<Launch> {
    let launch = |at: u64| {
        let (issued, start) = (at * 700, 6_000 + at * 34_000);
        Launch { name: "attend", grid: 64, block: 256, registers: 32, issued, start, lasts: 30_000 }
    };
    (0..8).map(launch).collect()
}

/// A step of training: kernels of many rounds, all of them issued at its begin.
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

/// A run as the files of its two programs.
type Files = [Vec<u8>; 2];

fn both(write: impl Fn(&[Launch]) -> Vec<u8>) -> Files {
    [write(&serve()), write(&train())]
}

/// The answer to a run: the recommended way, the p99 of requests and the step of training under
/// each way, by their names, and the warnings.
struct Answer {
    way: Option<String>,
    figures: Vec<(String, [u64; 2])>,
    warnings: String,
}

/// Asks `replay` or `share` with their defaults.
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

/// Compares the answers to files with those to the launch table of the run.
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

/// A program whose host is slow, alone: a file with launches tells why, one without cannot.
#[test]
fn nobody_is_called_slow_without_launch_times() {
    let slow: Vec<Launch> = (0..10)
        .map(|at| {
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
        })
        .collect();
    let place = Place::new();
    let replayed = |bytes: Vec<u8>, more: &[&str]| {
        place.file("slow", bytes);
        let ran = place.raddle(&[&["replay", "slow", "--no-files"], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let known = replayed(nsys_sqlite(&slow), &[]);
    assert!(known.contains("the host is too slow"), "{known}");
    for more in [&[][..], &["--arrivals=queued"]] {
        let bare = replayed(nsys_csv(&slow), more);
        assert!(bare.contains("Whether scheduling would help is not known: the file of"), "{bare}");
        assert!(!bare.contains("too slow") && !bare.contains("will not help"), "{bare}");
        assert!(bare.contains("% (assumed) of "), "{bare}");
        assert!(!bare.contains("no host had issued"), "{bare}");
    }
}
