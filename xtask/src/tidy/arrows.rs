//! Does a crate depend on a crate that it must not know?
//!
//! Reads `[dependencies]` of each manifest, build and target tables too; dev-dependencies are
//! free. The arrows are the table in `workspace.rs`. A policy from outside the tree depends on
//! `raddle-policy` alone, which the bundled example has to show.

use super::Finding;
use super::tree::{File, Tree};
use crate::workspace::{self, Knows};

const TABLE: &str = "xtask/src/workspace.rs";
const OUTSIDE: &str = "examples/outside-policy/Cargo.toml";

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for name in tree.crates() {
        let path = manifest(name);
        let Some(file) = tree.get(&path) else {
            continue;
        };
        match workspace::row(name) {
            Some(row) => found.extend(of_crate(file, row)),
            None => found.push(Finding::at(
                &path,
                1,
                format!("crate `{name}` has no row among the crates"),
                format!("say in {TABLE} what it may know"),
            )),
        }
    }
    found.extend(tree.get(OUTSIDE).map(of_outside_policy).unwrap_or_default());
    found
}

fn manifest(name: &str) -> String {
    if name == "xtask" { "xtask/Cargo.toml".into() } else { format!("crates/{name}/Cargo.toml") }
}

fn of_crate(file: &File, row: &workspace::Crate) -> Vec<Finding> {
    let mut found = Vec::new();
    for dependency in dependencies(&file.text) {
        let name = dependency.name.as_str();
        let wrong = if workspace::row(name).is_some() {
            let known = match row.knows {
                Knows::Only(known) => known.contains(&name),
                Knows::Anything => name != workspace::FOR_TESTS,
            };
            (!known).then(|| format!("`{}` must not know `{name}`", row.name))
        } else {
            match row.outside {
                Some(allowed) if !allowed.contains(&name) => {
                    Some(format!("`{}` takes `{name}` from outside", row.name))
                }
                Some(_) if !dependency.optional => {
                    Some(format!("`{name}` is not optional in `{}`", row.name))
                }
                _ => None,
            }
        };
        let mend = format!("do without it, put it behind a feature, or argue for it in {TABLE}");
        found.extend(wrong.map(|what| Finding::at(&file.path, dependency.line, what, mend)));
    }
    found
}

fn of_outside_policy(file: &File) -> Vec<Finding> {
    let ours = dependencies(&file.text).into_iter().filter(|dependency| {
        workspace::row(&dependency.name).is_some() && dependency.name != "raddle-policy"
    });
    let finding = |dependency: Dependency| {
        let what = format!("a policy from outside depends on `{}`", dependency.name);
        let mend = "raddle-policy alone must be enough; move what only its tests need to \
                    [dev-dependencies]";
        Finding::at(&file.path, dependency.line, what, mend)
    };
    ours.map(finding).collect()
}

/// One entry of a manifest.
#[derive(Debug, PartialEq, Eq)]
struct Dependency {
    /// The package, also where the manifest renames it.
    name: String,
    line: usize,
    optional: bool,
}

/// The entries of all tables of dependencies but the ones for development.
fn dependencies(manifest: &str) -> Vec<Dependency> {
    let mut found: Vec<Dependency> = Vec::new();
    let mut table = Table::Other;
    for (line, text) in (1..).zip(manifest.lines()) {
        let text = text.split('#').next().unwrap_or_default().trim();
        if let Some(header) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            table = kind(header);
            if let Table::One(name) = &table {
                found.push(Dependency { name: name.clone(), line, optional: false });
            }
            continue;
        }
        let Some((key, value)) = text.split_once('=') else {
            continue;
        };
        match table {
            Table::Other => {}
            Table::Many => {
                let key = key.split('.').next().unwrap_or_default();
                found.push(Dependency { name: unquoted(key).to_owned(), line, optional: false });
                read_keys(&mut found, text);
            }
            Table::One(_) => read_keys(&mut found, &format!("{} = {value}", key.trim())),
        }
    }
    found
}

/// What the lines below a header hold.
enum Table {
    /// Entries of dependencies.
    Many,
    /// The keys of the dependency of this name.
    One(String),
    /// Anything else.
    Other,
}

fn kind(header: &str) -> Table {
    let wanted = |name: &str| matches!(name, "dependencies" | "build-dependencies");
    // `target.'cfg(..)'.dependencies` counts like `dependencies`.
    let parts: Vec<&str> = header.rsplitn(3, '.').collect();
    match parts.as_slice() {
        ["dependencies", "workspace", ..] => Table::Other,
        [last, ..] if wanted(last) => Table::Many,
        [name, table, ..] if wanted(table) => Table::One(unquoted(name).to_owned()),
        _ => Table::Other,
    }
}

/// Takes up what the text says of the last dependency.
fn read_keys(found: &mut [Dependency], text: &str) {
    let Some(last) = found.last_mut() else { return };
    let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    last.optional |= dense.contains("optional=true");
    let package = dense.split_once("package=\"").and_then(|(_, rest)| rest.split_once('"'));
    if let Some((package, _)) = package {
        package.clone_into(&mut last.name);
    }
}

fn unquoted(name: &str) -> &str {
    name.trim().trim_matches('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, manifest_text: &str) -> Vec<String> {
        let tree = Tree::with(&[(&manifest(name), manifest_text)]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_arrow_that_runs_back_fails() {
        let text =
            "[package]\nname = \"raddle-policy\"\n[dependencies]\nraddle-sim = { path = \"x\" }\n";
        let back = found("raddle-policy", text);
        let start =
            "crates/raddle-policy/Cargo.toml:4: error: `raddle-policy` must not know `raddle-sim`";
        assert!(back[0].starts_with(start), "{back:?}");
        assert!(found("raddle-sim", "[dependencies]\nraddle-policy.workspace = true\n").is_empty());
        assert!(found("raddle", "[dependencies]\nraddle-sim.workspace = true\n").is_empty());
    }

    #[test]
    fn what_is_for_tests_is_known_to_tests_alone() {
        for name in ["raddle", "raddle-sim", "raddle-policy"] {
            let text = "[dependencies]\nraddle-testkit = { path = \"x\" }\n";
            assert_eq!(found(name, text).len(), 1, "{name}");
            assert!(found(name, &text.replace("[dep", "[dev-dep")).is_empty(), "{name}");
        }
    }

    #[test]
    fn development_may_know_anything() {
        let text =
            "[dev-dependencies]\nraddle-sim = { workspace = true }\n[dev-dependencies.insta]\n";
        assert!(found("raddle-policy", text).is_empty());
    }

    #[test]
    fn a_no_std_crate_takes_only_optional_serde_and_proptest() {
        let optional = "[dependencies]\nserde = { workspace = true, optional = true }\n";
        assert!(found("raddle-device", optional).is_empty());
        assert_eq!(found("raddle-device", "[dependencies]\nserde = \"1\"\n").len(), 1);
        assert_eq!(found("raddle-device", "[dependencies]\nlibm = { optional = true }\n").len(), 1);
        assert!(found("raddle-sim", "[dependencies]\nlibm = \"1\"\n").is_empty());
        assert_eq!(found("xtask", "[dependencies]\nlibm = \"1\"\n").len(), 1);
    }

    #[test]
    fn a_crate_without_a_row_fails() {
        assert!(found("raddle-new", "")[0].contains("`raddle-new` has no row"));
    }

    #[test]
    fn an_outside_policy_that_needs_more_than_the_traits_fails() {
        let text = "[dependencies]\nraddle-policy = \"0\"\nraddle-device = \"0\"\nserde = \"1\"\n\
                    [dev-dependencies]\nraddle-dispatch = \"0\"\n";
        let found = check(&Tree::with(&[(OUTSIDE, text)]));
        assert_eq!(found.len(), 1);
        assert!(found[0].what.contains("`raddle-device`"));
    }

    #[test]
    fn every_way_to_write_a_dependency_is_read() {
        let text = "\
[workspace.dependencies]
no = \"1\"
[dependencies]
a = \"1\" # b = 2
\"c\" = { package = \"d\", optional = true }
[dependencies.e]
version = \"1\"
optional = true
[target.'cfg(unix)'.dependencies]
f.workspace = true
[build-dependencies]
g = \"1\"
[dev-dependencies.no]
[features]
no = []
";
        let read =
            |name: &str, line, optional| Dependency { name: name.to_owned(), line, optional };
        assert_eq!(
            dependencies(text),
            [
                read("a", 4, false),
                read("d", 5, true),
                read("e", 6, true),
                read("f", 10, false),
                read("g", 12, false),
            ]
        );
    }
}
