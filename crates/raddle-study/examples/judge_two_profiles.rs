//! What does an inference request lose beside training, and which way of sharing suits both?
//!
//! `cargo run -p raddle-study --example judge_two_profiles`
//!
//! Both profiles are launch tables made below; `MemoryFiles` takes the bytes of any profile that raddle reads. The keys
//! of the question are the options of `raddle replay`.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::fmt::Write;

use raddle_study::{MemoryFiles, Registry, Study, Surroundings};

/// Writes a launch table of `launches` kernels with `workgroups` workgroups each, which take
/// `duration_us` microseconds and follow each other 2 us apart.
fn table(launches: u64, workgroups: u64, duration_us: u64) -> String {
    let head =
        "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns\n".to_owned();
    (0..launches).fold(head, |mut text, launch| {
        let (start, lasts) = (launch * (duration_us + 2) * 1_000, duration_us * 1_000);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "gemm,{workgroups},1,1,256,1,1,{start},{lasts}");
        text
    })
}

const QUESTION: &str = r#"{
    "profiles": ["request.csv", "training.csv"], "device": "a100",
    "load": {"requests": ["request=100/s"], "until": 500000000}, "goals": ["request p99 4ms"],
    "recipes": ["leftover", "time-slice", "spatial", "leftover-drain"]
}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let profiles = [("request.csv", table(40, 60, 25)), ("training.csv", table(60, 2_000, 400))];
    let files = profiles.map(|(name, text)| (name.to_owned(), text.into_bytes()));
    let study: Study = serde_json::from_str(QUESTION)?;
    let around = Surroundings {
        registry: &Registry::bundled(),
        files: &MemoryFiles(files.into()),
        watcher: &(),
        jobs: None,
    };
    let studied = study.run(&around)?;
    let figures = studied.result.answer();
    println!("{}", figures.sentence());
    for (row, of) in figures.rows.iter().enumerate() {
        print!("  {:<16}", of.recipe);
        for (process, judged) in figures.processes.iter().enumerate() {
            let slowdown = figures.slowdown(row, process).unwrap_or(f64::NAN);
            print!("  {} takes {slowdown:>6.2} x as long as alone", judged.name);
        }
        println!();
    }
    Ok(())
}
