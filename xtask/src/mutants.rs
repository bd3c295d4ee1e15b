//! Do the tests of a crate fail when a mistake (a mutant) is put into its code?
//!
//! `xtask/mutants/CRATE.toml` lists mistakes: a file, a text that occurs in it once, and the text
//! that replaces it. `also` names other packages that test the crate, `cases` is the number of
//! cases of a random test. Each mistake is put into a copy of the checkout; tests must then fail.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use xshell::{Shell, cmd};

use crate::checkout;

/// Longest time, in seconds, that the tests may take without a mistake.
const HOUR: u64 = 3_600;

/// Time, in seconds, that is allowed for building a crate with its tests again.
const BUILD: u64 = 60;

#[derive(Debug, Deserialize)]
struct Mutants {
    /// Names of other packages that test the crate, such as that of its golden models.
    #[serde(default)]
    also: Vec<String>,
    /// Number of cases that a random test draws; `None` for the test's own default.
    cases: Option<u32>,
    mutant: Vec<Mutant>,
}

/// Mistake that is put into a copy of the crate: in `file`, `to` replaces the text `from`.
#[derive(Debug, Deserialize)]
struct Mutant {
    name: String,
    file: String,
    from: String,
    to: String,
}

#[expect(clippy::disallowed_methods, reason = "the limit of a mistake is of this machine")]
pub(crate) fn run(shell: &Shell, package: &str) -> Result<()> {
    let root = checkout::root();
    let list = root.join("xtask/mutants").join(format!("{package}.toml"));
    let text = fs::read_to_string(&list).with_context(|| format!("no list {}", list.display()))?;
    let mutants: Mutants = toml::from_str(&text)?;
    let scratch = tempfile::tempdir()?;
    for file in checkout::files(&root)? {
        let to = scratch.path().join(&file);
        fs::create_dir_all(to.parent().unwrap_or(scratch.path()))?;
        fs::copy(root.join(&file), to)?;
    }
    let _here = shell.push_dir(scratch.path());
    let target = checkout::target_folder().join("mutants");
    let others = mutants.also.iter().flat_map(|other| ["-p", other]);
    let others: &[&str] = &others.collect::<Vec<_>>();
    let cases = mutants.cases.map(|cases| ("PROPTEST_CASES", cases.to_string()));
    let tests = |seconds: u64, last: &[&str]| -> Result<Output> {
        let limit = [&seconds.to_string(), "cargo", "test", "--quiet", "-p", package];
        let test = cmd!(shell, "timeout {limit...} {others...} --target-dir {target} {last...}");
        let test = test.env("CARGO_PROFILE_DEV_DEBUG", "none").envs(cases.clone());
        Ok(test.quiet().ignore_status().output()?)
    };
    tests(HOUR, &["--no-run"])?;
    let begin = Instant::now();
    let right = tests(HOUR, &[])?;
    let told = String::from_utf8_lossy(&right.stdout);
    ensure!(right.status.success(), "{package} fails without any mistake:\n{told}");
    // Some mistakes make a test wait for ever. The limit is of this machine: on a slow one a fixed
    // limit counts each mistake as noticed.
    let limit = 3 * (BUILD + begin.elapsed().as_secs());
    let mut survivors = Vec::new();
    for mutant in &mutants.mutant {
        let file = scratch.path().join(&mutant.file);
        if !is_noticed(&file, mutant, &|| Ok(tests(limit, &[])?.status.success()))? {
            survivors.push(mutant.name.as_str());
        }
    }
    let (all, left) = (mutants.mutant.len(), survivors.len());
    println!("{package}: {all} mistakes, {} noticed, {left} not", all - left);
    ensure!(survivors.is_empty(), "not noticed: {}", survivors.join("; "));
    Ok(())
}

/// Puts one mistake into a file, runs the tests by `pass` (which returns whether all pass), and
/// takes the mistake out again. Returns whether a test failed.
fn is_noticed(file: &Path, mutant: &Mutant, pass: &dyn Fn() -> Result<bool>) -> Result<bool> {
    let right = fs::read_to_string(file)?;
    let places = right.matches(&mutant.from).count();
    ensure!(places == 1, "{}: its text stands {places} times in {}", mutant.name, mutant.file);
    fs::write(file, right.replace(&mutant.from, &mutant.to))?;
    let noticed = !pass()?;
    fs::write(file, right)?;
    println!("{} {}", if noticed { "noticed    " } else { "NOT noticed" }, mutant.name);
    Ok(noticed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mistake_has_its_place() {
        let root = checkout::root();
        let lists = fs::read_dir(root.join("xtask/mutants")).expect("the folder of the lists");
        for list in lists.map(|entry| entry.expect("an entry of the folder").path()) {
            let text = fs::read_to_string(&list).expect("a list can be read");
            let mutants: Mutants = toml::from_str(&text).expect("a list of mistakes");
            for Mutant { name, file, from, .. } in &mutants.mutant {
                let source = fs::read_to_string(root.join(file)).expect("the file of a mistake");
                let places = source.matches(from).count();
                assert_eq!(places, 1, "{}: {name}: its text stands once in {file}", list.display());
            }
        }
    }
}
