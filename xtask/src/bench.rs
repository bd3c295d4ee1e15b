//! How fast is it here? Runs the benchmarks of every crate that has some, or of one.
//!
//! A benchmark is a file or a folder of `crates/CRATE/benches`, or a folder of the package
//! `xtask/benches/CRATE`, which lies outside the workspace because of what it compares with; either prints
//! its own table (`harness = false`). With `-p CRATE` only those of one crate run. What else stands
//! behind the verb goes to each of them: `cargo xtask bench grouped`,
//! `cargo xtask bench -p raddle-bitmap churn`.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{shell, workspace};

pub(crate) fn run(rest: &[String]) -> Result<(), String> {
    let (only, rest) = only(rest)?;
    let mut found = 0_usize;
    for folder in names(&workspace::root().join("crates")) {
        if only.is_some_and(|only| only != folder) {
            continue;
        }
        for name in benchmarks(&workspace::root().join("crates").join(&folder).join("benches")) {
            found = found.saturating_add(1);
            println!("\n== {folder}: {name}");
            // What is measured may lie behind a feature.
            let of = ["--all-features", "-p", &folder];
            shell::run(bench(&of, &name).args(rest))?;
        }
        let package = workspace::root().join("xtask/benches").join(&folder);
        for name in benchmarks(&package) {
            found = found.saturating_add(1);
            println!("\n== {folder}: {name}");
            let manifest = format!("xtask/benches/{folder}/Cargo.toml");
            let mut cargo = bench(&["--manifest-path", &manifest], &name);
            if env::var_os("CARGO_TARGET_DIR").is_none() {
                cargo.env("CARGO_TARGET_DIR", workspace::root().join("target"));
            }
            shell::run(cargo.args(rest))?;
        }
    }
    match (found, only) {
        (0, Some(only)) => Err(format!("no crate {only:?} has benchmarks")),
        (0, None) => {
            println!("no crate has benchmarks yet, so there is nothing to measure");
            Ok(())
        }
        _ => Ok(()),
    }
}

/// `cargo bench` of one benchmark; what is added goes to the benchmark itself.
fn bench(of: &[&str], name: &str) -> Command {
    let mut cargo = shell::cargo();
    cargo.args(["bench", "--quiet"]).args(of).args(["--bench", name, "--"]);
    cargo
}

/// The benchmarks of a folder, sorted.
fn benchmarks(folder: &Path) -> Vec<String> {
    let name = |entry: &String| {
        let has_main = folder.join(entry).join("main.rs").is_file();
        bench_name(entry, has_main).map(str::to_owned)
    };
    names(folder).iter().filter_map(name).collect()
}

/// The crate of `-p CRATE` or `--package CRATE`, which stands first, and what stands behind it.
fn only(rest: &[String]) -> Result<(Option<&str>, &[String]), String> {
    match rest {
        [flag, rest @ ..] if matches!(flag.as_str(), "-p" | "--package") => match rest {
            [name, rest @ ..] => Ok((Some(name), rest)),
            [] => Err(format!("{flag} needs the name of a crate: bench {flag} raddle-bitmap")),
        },
        _ => Ok((None, rest)),
    }
}

/// The name of a benchmark, from the name of its file, or of its folder where that has a main
/// file. Anything else beside a benchmark is its data or its helper.
fn bench_name(entry: &str, has_main: bool) -> Option<&str> {
    if has_main { Some(entry) } else { entry.strip_suffix(".rs") }
}

/// The names in a folder, sorted; none where there is no such folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_beside_a_benchmark_is_no_benchmark() {
        assert_eq!(bench_name("search.rs", false), Some("search"));
        assert_eq!(bench_name("search", true), Some("search"));
        assert_eq!(bench_name("helper", false), None);
        assert_eq!(bench_name("table.csv", false), None);
    }

    #[test]
    fn a_crate_can_be_chosen_and_the_rest_goes_to_its_benchmarks() {
        let args = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<String>>();
        assert_eq!(only(&[]), Ok((None, &[][..])));
        assert_eq!(only(&args("churn -p")), Ok((None, &args("churn -p")[..])));
        let line = args("-p raddle-bitmap churn --quick");
        assert_eq!(only(&line), Ok((Some("raddle-bitmap"), &args("churn --quick")[..])));
        assert_eq!(only(&args("--package raddle-sim")), Ok((Some("raddle-sim"), &[][..])));
        assert!(only(&args("-p")).is_err_and(|why| why.contains("needs the name of a crate")));
    }

    #[test]
    fn benchmarks_lie_in_their_crate_or_in_a_package_beside_the_workspace() {
        let root = workspace::root();
        assert_eq!(benchmarks(&root.join("crates/raddle-trace/benches")), ["import", "nsys"]);
        assert_eq!(benchmarks(&root.join("xtask/benches/raddle-bitmap")), ["search"]);
        assert!(benchmarks(&root.join("xtask/benches/raddle-trace")).is_empty());
    }

    #[test]
    fn a_crate_without_benchmarks_is_refused() {
        let why = run(&["-p".to_owned(), "raddle-nothing".to_owned()]);
        assert_eq!(why, Err("no crate \"raddle-nothing\" has benchmarks".to_owned()));
    }
}
