//! How fast is it here? Runs the benchmarks of every crate that has some.
//!
//! A benchmark is a file of `crates/*/benches` (`harness = false`) that prints its own table. The
//! arguments of this verb go to each of them: `cargo xtask bench grouped`.

use std::fs;
use std::path::Path;

use crate::{shell, workspace};

pub(crate) fn run(rest: &[String]) -> Result<(), String> {
    let mut found = 0_usize;
    for folder in names(&workspace::root().join("crates")) {
        let benches = workspace::root().join("crates").join(&folder).join("benches");
        for entry in names(&benches) {
            let has_main = benches.join(&entry).join("main.rs").is_file();
            let Some(name) = bench_name(&entry, has_main) else {
                continue;
            };
            found = found.saturating_add(1);
            println!("\n== {folder}: {name}");
            let mut cargo = shell::cargo();
            // What is measured may lie behind a feature.
            let what = ["bench", "--quiet", "--all-features", "-p", &folder, "--bench", name, "--"];
            cargo.args(what);
            shell::run(cargo.args(rest))?;
        }
    }
    if found == 0 {
        println!("no crate has a folder `benches` yet, so there is nothing to measure");
    }
    Ok(())
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
}
