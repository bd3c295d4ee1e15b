//! How many megabytes of uncompressed trace does an import take in a second?
//!
//! `cargo bench -p raddle-trace --bench import`: one thread, the file in memory, so that neither
//! the disk nor (in the rows `text`) decompression counts; time on the processor where the system
//! tells it, so that waiting for other work does not count either. Best and median of several runs.
//! Skips what is not among the samples.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a bench reads the clock and prints"
)]

use std::io::Read;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use flate2::read::MultiGzDecoder;
use raddle_trace::{ImportOptions, Profile, read};

const RUNS: usize = 15;
const GOAL: f64 = 300.0;
const FILES: [&str; 3] = [
    "kineto_nvidia/hta_trace_diff_test_v100.json.gz",
    "kineto_nvidia/tracelens_b200_eager.json.gz",
    "kineto_amd/tracelens_mi300x_resnet_act_checkpoint.json.gz",
];

fn main() {
    let samples = raddle_testkit::samples();
    println!("import, one thread, best and median of {RUNS}; goal {GOAL} MB/s of text");
    for file in FILES {
        let Ok(packed) = std::fs::read(samples.join(file)) else {
            println!("  skipped: {file} is not among the samples (set RADDLE_SAMPLES)");
            continue;
        };
        let mut text = Vec::new();
        MultiGzDecoder::new(packed.as_slice()).read_to_end(&mut text).expect("a whole sample");
        println!("  {file}: {:.1} MB of text", text.len() as f64 / 1e6);
        row("text", &text, text.len());
        row("gzip", &packed, text.len());
    }
    println!("  peak memory, the texts included {:>8.1} MB", peak_mb());
}

/// Imports `bytes` several times and prints how fast, reckoned in `len` bytes of text.
fn row(kind: &str, bytes: &[u8], len: usize) {
    let import = || -> Profile {
        read("bench.json", bytes, &ImportOptions::default()).expect("a sample that imports")
    };
    let ops = import().ops.len();
    let mut rates: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = clock();
            let profile = std::hint::black_box(import());
            let time = clock().saturating_sub(start);
            drop(profile);
            len as f64 / 1e6 / time.as_secs_f64()
        })
        .collect();
    rates.sort_unstable_by(f64::total_cmp);
    let (best, median) = (rates[RUNS - 1], rates[RUNS / 2]);
    println!("    {kind}: {best:>7.0} MB/s best, {median:>7.0} median, {ops:>6} ops");
}

/// Time that this thread has spent on the processor, where the system tells it, else time passed.
fn clock() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = spent.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanos.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// Peak resident memory of this process, where the system tells it.
fn peak_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.map_or(f64::NAN, |kib| kib * 1024.0 / 1e6)
}
