//! Can a fuzzer break an importer, or make a bitmap answer wrongly?
//!
//! Builds the targets of `xtask/fuzz/` with coverage for libFuzzer, which the stable compiler can do, and
//! runs them one after the other. New inputs are kept below the target folder of cargo; those worth
//! committing go to `xtask/fuzz/corpus/TARGET` by `--keep`, which merges the smallest set that covers as
//! much.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{shell, workspace};

/// Executions a target when none are asked for.
const DEFAULT_RUNS: u64 = 100_000;

/// Bytes of an input at most, when nothing else is asked for; shorter ones run more often a second.
const DEFAULT_LONGEST: u64 = 8192;

/// What libFuzzer needs from the compiler.
const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    targets: Vec<String>,
    runs: u64,
    /// Bytes.
    longest: u64,
    keep: bool,
}

pub(crate) fn run(rest: &[String]) -> Result<(), String> {
    let Asked { targets, runs, longest, keep } = asked(rest, &targets()?)?;
    if shell::output(Command::new("c++").arg("--version")).is_none() {
        println!("skipped: libFuzzer needs a C++ compiler (on Debian: apt-get install g++)");
        return Ok(());
    }
    let host = host()?;
    let built = workspace::root().join("target/fuzz");
    let built = env::var_os("CARGO_TARGET_DIR").map_or(built, |dir| Path::new(&dir).join("fuzz"));
    let mut cargo = shell::cargo();
    cargo.args([
        "build",
        "--release",
        "--manifest-path",
        "xtask/fuzz/Cargo.toml",
        "--target",
        &host,
    ]);
    // With a target named, build scripts and macros stay without coverage.
    shell::run(cargo.arg("--target-dir").arg(&built).env("RUSTFLAGS", COVERAGE))?;
    for target in &targets {
        let program = built.join(&host).join("release").join(target);
        fuzz(&program, target, &built, (runs, longest))?;
        if keep {
            merge(&program, target, &built)?;
        }
    }
    Ok(())
}

/// Runs one target over what is known, and further.
fn fuzz(
    program: &Path,
    target: &str,
    built: &Path,
    (runs, longest): (u64, u64),
) -> Result<(), String> {
    let (found, faults) = (built.join("found").join(target), built.join("faults"));
    for folder in [&found, &faults] {
        fs::create_dir_all(folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    }
    let mut command = Command::new(program);
    command.arg(format!("-runs={runs}")).arg(format!("-max_len={longest}"));
    command.args(["-timeout=20", "-seed=1"]);
    command.args(["-rss_limit_mb=2048", "-print_final_stats=1", "-verbosity=0"]);
    command.arg(format!("-artifact_prefix={}/{target}-", faults.display()));
    command.arg(&found).arg(corpus(target)).current_dir(workspace::root());
    shell::run(&mut command).map_err(|why| {
        format!("{why}\nthe input that did it is in {}; make it a test", faults.display())
    })
}

/// Adds what covers more than the committed corpus to it.
fn merge(program: &Path, target: &str, built: &Path) -> Result<(), String> {
    let mut command = Command::new(program);
    command.args(["-merge=1", "-max_len=8192", "-verbosity=0"]).arg(corpus(target));
    shell::run(command.arg(built.join("found").join(target)))
}

fn corpus(target: &str) -> PathBuf {
    workspace::root().join("xtask/fuzz/corpus").join(target)
}

/// The names of all targets, sorted.
fn targets() -> Result<Vec<String>, String> {
    let folder = workspace::root().join("xtask/fuzz/targets");
    let entries = fs::read_dir(&folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(".rs")?.to_owned())).collect();
    names.sort();
    Ok(names)
}

/// The triple of this machine.
fn host() -> Result<String, String> {
    let text = shell::output(Command::new("rustc").arg("-vV")).unwrap_or_default();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not name its host".to_owned())
}

fn asked(rest: &[String], all: &[String]) -> Result<Asked, String> {
    let longest = DEFAULT_LONGEST;
    let mut asked = Asked { targets: Vec::new(), runs: DEFAULT_RUNS, longest, keep: false };
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--keep" => asked.keep = true,
            "--runs" => {
                let runs = words.next().and_then(|runs| runs.parse().ok());
                asked.runs = runs.ok_or("--runs takes a whole number of executions")?;
            }
            "--longest" => {
                let bytes = words.next().and_then(|bytes| bytes.parse().ok());
                asked.longest = bytes.ok_or("--longest takes a whole number of bytes")?;
            }
            target if all.iter().any(|name| name == target) => {
                asked.targets.push(target.to_owned());
            }
            other => {
                return Err(format!("there is no target `{other}`; there are {}", all.join(", ")));
            }
        }
    }
    if asked.targets.is_empty() {
        asked.targets = all.to_vec();
    }
    Ok(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_and_runs_are_read_and_strangers_refused() {
        let all = ["kineto".to_owned(), "nsys_csv".to_owned()];
        let given = |words: &[&str]| {
            asked(&words.iter().map(ToString::to_string).collect::<Vec<_>>(), &all)
        };
        let every = given(&[]).unwrap();
        assert_eq!((every.targets.len(), every.runs, every.keep), (2, DEFAULT_RUNS, false));
        let one = given(&["kineto", "--runs", "7", "--keep", "--longest", "512"]).unwrap();
        assert_eq!((one.runs, one.keep, one.longest), (7, true, 512));
        assert_eq!((one.targets, every.longest), (vec!["kineto".to_owned()], DEFAULT_LONGEST));
        assert!(given(&["--runs"]).is_err());
        assert!(given(&["--runs", "many"]).is_err());
        assert!(given(&["elf"]).unwrap_err().contains("kineto, nsys_csv"));
    }

    #[test]
    fn every_importer_has_a_target() {
        let names = targets().unwrap();
        assert!(names.iter().any(|name| name == "kineto"), "{names:?}");
        for name in names {
            assert!(corpus(&name).is_dir(), "{name} has no corpus");
        }
    }
}
