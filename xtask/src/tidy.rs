//! Does the repository keep the house rules that no compiler checks?
//!
//! Each rule is a function from the tree of files to what it found; `docs/STYLE.md` says which
//! rule holds which sentence. A finding either fails or warns; only failures make the exit code 1.
//! The same rules run as a test of this crate, so that `cargo test --workspace` finds them too.

mod arrows;
mod header;
mod lexer;
mod links;
mod named;
mod purity;
mod ratchet;
mod size;
mod text;
mod tree;
mod words;

use std::fmt;

use crate::{shell, workspace};
use tree::Tree;

/// One thing that breaks a rule.
#[derive(Debug)]
pub(crate) struct Finding {
    /// `path` or `path:line`.
    place: String,
    /// What is wrong.
    what: String,
    /// How to mend it.
    mend: String,
    /// Whether it fails, or only warns.
    fails: bool,
}

impl Finding {
    fn at(path: &str, line: usize, what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self::in_file(&format!("{path}:{line}"), what, mend)
    }

    fn in_file(place: &str, what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { place: place.to_owned(), what: what.into(), mend: mend.into(), fails: true }
    }

    fn into_warning(self) -> Self {
        Self { fails: false, ..self }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.fails { "error" } else { "warning" };
        write!(f, "{}: {kind}: {}\n    mend: {}", self.place, self.what, self.mend)
    }
}

type Rule = fn(&Tree) -> Vec<Finding>;

/// Every rule under its name.
const RULES: &[(&str, Rule)] = &[
    ("header", header::check),
    ("size", size::check),
    ("arrows", arrows::check),
    ("unfinished", words::unfinished),
    ("unwrap", words::unwrap),
    ("machine-path", text::machine_paths),
    ("line-ends", text::line_ends),
    ("build-outputs", text::build_outputs),
    ("purity", purity::policy_crates),
    ("crates-named", named::crates),
    ("policies-named", named::policies),
    ("fixtures", named::fixtures),
    ("links", links::check),
];

pub(crate) fn run(rest: &[String]) -> Result<(), String> {
    shell::no_arguments(rest)?;
    let tree = Tree::read(&workspace::root())?;
    let found = check(&tree);
    for (rule, finding) in &found {
        println!("[{rule}] {finding}");
    }
    let failures = found.iter().filter(|(_, finding)| finding.fails).count();
    let warnings = found.len().saturating_sub(failures);
    let summary = format!(
        "rules: {}, files: {}, errors: {failures}, warnings: {warnings}",
        RULES.len(),
        tree.files().len()
    );
    if failures > 0 {
        return Err(summary);
    }
    println!("tidy: {summary}");
    Ok(())
}

fn check(tree: &Tree) -> Vec<(&'static str, Finding)> {
    let of_rule = |(name, rule): &(&'static str, Rule)| {
        let name = *name;
        rule(tree).into_iter().map(move |finding| (name, finding))
    };
    RULES.iter().flat_map(of_rule).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let tree = Tree::read(&workspace::root()).expect("the repository can be read");
        assert!(tree.get("xtask/src/tidy.rs").is_some(), "the tree must hold this very file");
        let failures: Vec<String> = check(&tree)
            .into_iter()
            .filter(|(_, finding)| finding.fails)
            .map(|(rule, finding)| format!("[{rule}] {finding}"))
            .collect();
        assert!(failures.is_empty(), "cargo xtask tidy:\n{}", failures.join("\n"));
    }

    #[test]
    fn every_rule_is_explained_in_the_style_guide() {
        let tree = Tree::read(&workspace::root()).expect("the repository can be read");
        let style = &tree.get("docs/STYLE.md").expect("the style guide is there").text;
        for (name, _) in RULES {
            assert!(style.contains(&format!("`{name}`")), "docs/STYLE.md must name rule `{name}`");
        }
    }

    #[test]
    fn a_finding_says_where_what_and_how_to_mend_it() {
        let finding = Finding::at("a.rs", 3, "too long", "cut it");
        assert_eq!(finding.to_string(), "a.rs:3: error: too long\n    mend: cut it");
        let shown = finding.into_warning().to_string();
        assert!(shown.starts_with("a.rs:3: warning: "), "{shown}");
    }
}
