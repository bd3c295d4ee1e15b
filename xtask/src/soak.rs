//! Do the checks hold that take too long for `.ci/run`?

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::{fuzz, workspace};

/// A check by its name.
struct Check {
    name: &'static str,
    what: &'static str,
    run: fn(&Shell) -> Result<()>,
}

const CHECKS: [Check; 4] = [
    Check {
        name: "properties",
        what: "the property tests of the no_std crates, 10,000 cases each",
        run: properties,
    },
    Check { name: "mutations", what: "10,000 mutations of real profiles", run: mutations },
    Check { name: "fuzz", what: "100,000 executions of every fuzz target", run: all_targets },
    Check {
        name: "packets",
        what: "100,000,000 executions of the fuzz target that decodes packets",
        run: packets,
    },
];

/// Runs the check of this name; without a name, lists them.
///
/// # Errors
/// When there is no such check, or it fails.
pub(crate) fn run(shell: &Shell, name: Option<&str>) -> Result<()> {
    let Some(name) = name else {
        for Check { name, what, .. } in &CHECKS {
            println!("cargo xtask soak {name:12} {what}");
        }
        return Ok(());
    };
    let check = CHECKS.iter().find(|check| check.name == name);
    let check = check.with_context(|| {
        let names = CHECKS.each_ref().map(|check| check.name);
        format!("unknown check `{name}`; known: {}", names.join(", "))
    })?;
    (check.run)(shell)
}

fn properties(shell: &Shell) -> Result<()> {
    let packages = workspace::without_std().flat_map(|name| ["-p", name]);
    Ok(cmd!(shell, "cargo test --release").args(packages).env("PROPTEST_CASES", "10000").run()?)
}

fn mutations(shell: &Shell) -> Result<()> {
    let test = cmd!(shell, "cargo test --release -p raddle-trace --features nsys --test mutations");
    Ok(test.args(["--", "--nocapture"]).env("RADDLE_MUTATIONS", "10000").run()?)
}

fn all_targets(shell: &Shell) -> Result<()> {
    let args = fuzz::Args { targets: Vec::new(), runs: 100_000, longest: 8192, keep: false };
    fuzz::run(shell, &args)
}

fn packets(shell: &Shell) -> Result<()> {
    let targets = vec!["packet".to_owned()];
    // Room for four packets.
    fuzz::run(shell, &fuzz::Args { targets, runs: 100_000_000, longest: 258, keep: false })
}
