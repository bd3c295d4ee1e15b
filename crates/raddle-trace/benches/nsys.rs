//! How long does the import of an SQLite export of Nsight Systems take, and how much memory?
//!
//! `cargo bench -p raddle-trace --features nsys --bench nsys`: 100,000 kernels, as many other
//! calls and 10,000 copies, made on the spot; five imports, the median.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a bench reads the clock and prints"
)]

#[cfg(feature = "nsys")]
#[path = "../tests/it/nsys_db/mod.rs"]
mod nsys_db;

#[cfg(not(feature = "nsys"))]
fn main() {
    println!("nsys: skipped, the feature `nsys` is off");
}

#[cfg(feature = "nsys")]
fn main() {
    use std::time::Instant;

    use raddle_trace::{ImportOptions, read};

    const RUNS: usize = 5;
    const KERNELS: u32 = 100_000;

    let bytes = nsys_db::long_run(KERNELS);
    let before = peak_mb();
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        let profile = read("run", bytes.as_slice(), &ImportOptions::default()).expect("our own");
        times.push(start.elapsed());
        assert_eq!(profile.report.kernels, u64::from(KERNELS));
        assert_eq!(profile.report.quirks().count(), 0, "{}", profile.report);
    }
    times.sort_unstable();
    let median = times[RUNS / 2].as_secs_f64();
    println!("{KERNELS} kernels, median of {RUNS}");
    println!("  database                  {:>12.2} MB", bytes.len() as f64 / 1e6);
    println!("  import                    {median:>12.3} s   (goal 1.0)");
    println!("  peak memory, ours before  {before:>12.2} MB");
    println!("  peak memory after         {:>12.2} MB", peak_mb());
}

/// Peak resident memory of this process, where the system tells it.
#[cfg(feature = "nsys")]
fn peak_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.map_or(f64::NAN, |kib| kib * 1024.0 / 1e6)
}
