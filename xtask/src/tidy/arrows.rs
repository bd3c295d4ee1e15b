//! Does a crate of the workspace depend on a crate that it must not know?
//!
//! The rows of `workspace.rs` say which dependencies are allowed; dependencies for tests alone are
//! free. A policy that somebody else writes depends on `raddle-policy` alone, as the two examples
//! with such policies have to show.

use anyhow::Result;
use serde::Deserialize;
use xshell::cmd;

use super::Finding;
use crate::checkout;
use crate::workspace::{CRATES, Crate, OUTSIDE};

const MEND: &str = "do without it, or argue for it in xtask/src/workspace.rs";
const EXAMPLES: [Crate; 2] = [
    Crate { name: "outside-policy", no_std: true, knows: &["policy"] },
    Crate { name: "xsched-policies", no_std: true, knows: &["policy"] },
];

/// Parts of the output of `cargo metadata` that are read: the packages.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// Kind of the dependency: `dev` or `build`; `None` for an ordinary one.
    kind: Option<String>,
}

pub(super) fn check() -> Result<Vec<Finding>> {
    let shell = checkout::shell()?;
    let cargo = cmd!(shell, "cargo metadata --format-version 1 --no-deps");
    let metadata: Metadata = serde_json::from_str(&cargo.quiet().read()?)?;
    Ok(metadata.packages.iter().flat_map(of_package).collect())
}

fn of_package(package: &Package) -> Vec<Finding> {
    let finding = |what| Finding { place: package.name.clone(), what, mend: MEND };
    let Some(row) = CRATES.iter().chain(&EXAMPLES).find(|row| row.name == package.name) else {
        return vec![finding("the crate has no row in xtask/src/workspace.rs".to_owned())];
    };
    let needed = package.dependencies.iter().filter(|dep| dep.kind.as_deref() != Some("dev"));
    let forbidden = needed.filter(|dep| match dep.name.strip_prefix("raddle-") {
        Some(ours) => !row.knows.contains(&ours),
        None => row.no_std && !OUTSIDE.contains(&dep.name.as_str()),
    });
    forbidden.map(|dep| finding(format!("it must not depend on `{}`", dep.name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, dependency: &str, kind: Option<&str>) -> usize {
        let dependency = Dependency { name: dependency.to_owned(), kind: kind.map(str::to_owned) };
        let package = Package { name: name.to_owned(), dependencies: vec![dependency] };
        of_package(&package).len()
    }

    #[test]
    fn an_arrow_that_points_up_is_found() {
        assert_eq!(found("raddle-policy", "raddle-sim", None), 1);
        assert_eq!(found("raddle-policy", "raddle-sim", Some("build")), 1);
        assert_eq!(found("raddle-policy", "raddle-sim", Some("dev")), 0);
        assert_eq!(found("raddle-sim", "raddle-policy", None), 0);
        assert_eq!(found("raddle-study", "raddle-report", None), 1);
        assert_eq!(found("raddle-report", "raddle-study", None), 0);
        assert_eq!(found("raddle", "raddle-testkit", None), 1);
    }

    #[test]
    fn a_crate_without_std_takes_little_from_outside() {
        assert_eq!(found("raddle-sm", "rayon", None), 1);
        assert_eq!(found("raddle-sm", "thiserror", None), 1);
        assert_eq!(found("raddle-workgroup", "smallvec", None), 0);
        assert_eq!(found("raddle-sim", "rayon", None), 0);
    }

    #[test]
    fn a_crate_without_a_row_is_found() {
        assert_eq!(found("raddle-new", "serde", None), 1);
    }
}
