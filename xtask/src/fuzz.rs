//! Does any input make an importer crash or hang, or a bitmap or packet decoder answer wrongly?
//!
//! Builds the fuzz targets in `xtask/fuzz` with coverage for libFuzzer, which the stable compiler
//! can do, and runs them one after the other. New inputs go to cargo's target folder; `--keep` also
//! adds the smallest set that covers as much code to `xtask/fuzz/corpus/TARGET`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use xshell::{Shell, cmd};

use crate::checkout;

/// Flags by which the Rust compiler adds the coverage counters that libFuzzer needs.
const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

/// Fuzz targets that need the cargo feature of their name, as their dependencies build slowly.
const FEATURES: [&str; 2] = ["sqlite", "xplane"];

#[derive(Debug, clap::Args)]
pub(crate) struct FuzzArgs {
    /// Names of targets; without any, all are run
    pub(crate) targets: Vec<String>,
    /// Number of inputs that each target is run with
    #[arg(long, default_value_t = 100_000)]
    pub(crate) runs: u64,
    /// Longest input, in bytes
    #[arg(long, default_value_t = 8192)]
    pub(crate) longest: u64,
    /// Add inputs that cover more to the committed corpus
    #[arg(long)]
    pub(crate) keep: bool,
}

pub(crate) fn run(shell: &Shell, args: &FuzzArgs) -> Result<()> {
    let all = targets()?;
    for target in &args.targets {
        ensure!(all.contains(target), "unknown target `{target}`; known: {}", all.join(", "));
    }
    if cmd!(shell, "c++ --version").quiet().ignore_stdout().run().is_err() {
        println!("skipped: libFuzzer needs a C++ compiler (on Debian: apt-get install g++)");
        return Ok(());
    }
    let rustc = cmd!(shell, "rustc -vV").quiet().read()?;
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("rustc does not name its host")?;
    let built = checkout::target_folder().join("fuzz");
    let wanted = if args.targets.is_empty() { &all } else { &args.targets };
    let chosen = wanted.iter().flat_map(|target| ["--bin", target]);
    let features = FEATURES.iter().filter(|feature| wanted.iter().any(|it| it == *feature));
    let features = features.flat_map(|feature| ["--features", feature]);
    // With a host named, build scripts and macros stay without coverage.
    cmd!(shell, "cargo build --release --manifest-path xtask/fuzz/Cargo.toml --target {host} --target-dir {built}")
        .args(chosen)
        .args(features)
        .env("RUSTFLAGS", COVERAGE)
        .run()?;
    for target in wanted {
        let program = built.join(host).join("release").join(target);
        one(shell, args, &program, target)?;
    }
    Ok(())
}

/// Runs one fuzz target on its committed corpus, on inputs that earlier runs found, and new ones.
fn one(shell: &Shell, args: &FuzzArgs, program: &Path, target: &str) -> Result<()> {
    let built = checkout::target_folder().join("fuzz");
    let (found, faults) = (built.join("found").join(target), built.join("faults"));
    fs::create_dir_all(&found)?;
    fs::create_dir_all(&faults)?;
    let corpus = format!("xtask/fuzz/corpus/{target}");
    let (runs, longest) = (args.runs.to_string(), args.longest.to_string());
    // Inputs are neither weighed nor shortened: both take longer than most executions.
    let limits =
        ["-timeout=20", "-seed=1", "-rss_limit_mb=2048", "-entropic=0", "-reduce_inputs=0"];
    let shown = ["-print_final_stats=1", "-verbosity=0"];
    let prefix = format!("-artifact_prefix={}/{target}-", faults.display());
    cmd!(
        shell,
        "{program} -runs={runs} -max_len={longest} {limits...} {shown...} {prefix} {found} {corpus}"
    )
    .run()
    .with_context(|| format!("the input is in {}; make it a test", faults.display()))?;
    if args.keep {
        cmd!(shell, "{program} -merge=1 -max_len=8192 -verbosity=0 {corpus} {found}").run()?;
    }
    Ok(())
}

/// Returns the names of all fuzz targets, sorted.
fn targets() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(checkout::root().join("xtask/fuzz/targets"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".rs").map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_a_corpus() {
        let names = targets().expect("the targets can be listed");
        assert!(names.iter().any(|name| name == "kineto"), "{names:?}");
        for name in names {
            assert!(checkout::root().join("xtask/fuzz/corpus").join(&name).is_dir(), "{name}");
        }
    }
}
