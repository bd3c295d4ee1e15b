//! Is what exists also named where a reader looks for it?

use std::collections::BTreeSet;

use super::Finding;
use super::tree::Tree;

const STATUS: &str = "docs/STATUS.md";
const ARCHITECTURE: &str = "docs/ARCHITECTURE.md";
const POLICIES: &str = "crates/raddle-workgroup/src/policy/";

/// Every crate of `crates/` stands in the status page and in the architecture page.
pub(crate) fn crates(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for page in [STATUS, ARCHITECTURE] {
        let Some(file) = tree.get(page) else { continue };
        let missing = tree.crates().filter(|name| *name != "xtask" && !names(&file.text, name));
        found.extend(missing.map(|name| {
            let what = format!("crate `{name}` is not named");
            Finding::in_file(page, what, "say there what the crate is for and what it lacks")
        }));
    }
    found
}

/// Every policy of the workgroup crate stands in the status page.
pub(crate) fn policies(tree: &Tree) -> Vec<Finding> {
    let Some(status) = tree.get(STATUS) else {
        return Vec::new();
    };
    let policy = |path: &str| {
        let name = path.strip_prefix(POLICIES)?.strip_suffix(".rs")?;
        (!name.contains('/') && !matches!(name, "mod" | "tests")).then(|| name.to_owned())
    };
    let unnamed =
        |name: &String| !names(&status.text, name) && !names(&status.text, &name.replace('_', "-"));
    let finding = |name: String| {
        let what =
            format!("policy `{}` ({POLICIES}{name}.rs) is not named", name.replace('_', "-"));
        Finding::in_file(STATUS, what, "say there what it does and which readings it takes")
    };
    tree.files().filter_map(|file| policy(&file.path)).filter(unnamed).map(finding).collect()
}

/// Every folder of fixtures that holds files says what they are and where they come from.
pub(crate) fn fixtures(tree: &Tree) -> Vec<Finding> {
    let folders: BTreeSet<&str> = tree
        .files()
        .filter(|file| file.path.starts_with("fixtures/"))
        .filter_map(|file| file.path.rsplit_once('/'))
        .map(|(folder, _)| folder)
        .collect();
    let without = folders.into_iter().filter(|folder| !tree.has(&format!("{folder}/README.md")));
    without
        .map(|folder| {
            let mend = "say there what each file is, where it comes from, and which tests read it";
            Finding::in_file(folder, "the folder has no README.md", mend)
        })
        .collect()
}

/// Whether the name stands in the text by itself, not as a part of a longer one.
fn names(text: &str, name: &str) -> bool {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    text.match_indices(name).any(|(at, _)| {
        let before = at.checked_sub(1).map(|at| text.as_bytes()[at]);
        let after = text.as_bytes().get(at + name.len()).copied();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_that_a_page_does_not_name_fails() {
        let tree = |status: &str| {
            Tree::with(&[
                ("crates/raddle/Cargo.toml", ""),
                ("crates/raddle-sim/Cargo.toml", ""),
                ("xtask/Cargo.toml", ""),
                (STATUS, status),
            ])
        };
        assert!(crates(&tree("`raddle` and raddle-sim.")).is_empty());
        // `raddle` inside `raddle-sim` is not enough.
        let found = crates(&tree("raddle-sim"));
        assert_eq!(found.len(), 1);
        assert!(found[0].what.contains("`raddle`"));
    }

    #[test]
    fn pages_that_do_not_exist_are_not_asked() {
        let tree =
            Tree::with(&[("crates/raddle/Cargo.toml", ""), (&format!("{POLICIES}a.rs"), "")]);
        assert!(crates(&tree).is_empty() && policies(&tree).is_empty());
    }

    #[test]
    fn a_policy_that_the_status_does_not_name_fails() {
        let tree = |status: &str| {
            Tree::with(&[
                (&format!("{POLICIES}round_robin.rs"), ""),
                (&format!("{POLICIES}mod.rs"), ""),
                (STATUS, status),
            ])
        };
        assert!(policies(&tree("- [x] round-robin")).is_empty());
        assert!(policies(&tree("- [x] `round_robin`")).is_empty());
        assert_eq!(policies(&tree("- [x] round-robin-2")).len(), 1);
    }

    #[test]
    fn a_folder_of_fixtures_without_a_readme_fails() {
        let tree = Tree::with(&[
            ("fixtures/README.md", ""),
            ("fixtures/a/README.md", ""),
            ("fixtures/a/x.json", ""),
            ("fixtures/b/y.json", ""),
        ]);
        let found = fixtures(&tree);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, "fixtures/b");
    }
}
