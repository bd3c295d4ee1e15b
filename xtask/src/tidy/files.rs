//! Which house rules can be checked in each file by itself, and in folders of fixtures?

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path};

use anyhow::Result;

use super::Finding;
use crate::checkout;

/// Largest number of lines of a source file, up to the line `#[cfg(test)]` of its tests.
const LONGEST: usize = 500;

/// Texts that no file may hold, each with advice what to write instead. They are built from parts,
/// so that this file itself passes.
const FORBIDDEN: [(&str, &str); 8] = [
    (concat!("TO", "DO"), UNFINISHED),
    (concat!("FIX", "ME"), UNFINISHED),
    (concat!("#[", "ignore"), "a test that cannot run here prints why and passes"),
    (concat!("/wo", "rk/"), MACHINE),
    (concat!("/ho", "me/"), MACHINE),
    (concat!("/ro", "ot/"), MACHINE),
    (concat!("/Us", "ers/"), MACHINE),
    (concat!("/tm", "p/"), MACHINE),
];
const UNFINISHED: &str = "finish the work, or name it in docs/STATUS.md";
const MACHINE: &str = "write the path relative to the workspace, or take it from the environment";

/// Function that returns whether a file exists, by its path in the repository.
pub(super) type Exists<'a> = &'a dyn Fn(&str) -> bool;

/// Applies a rule to every text file of the repository, except inputs of fuzz targets. A rule takes
/// (path, text, whether a path exists), and returns its findings.
pub(super) fn check(rule: fn(&str, &str, Exists<'_>) -> Vec<Finding>) -> Result<Vec<Finding>> {
    let root = checkout::root();
    let exists = |path: &str| root.join(path).exists();
    let mut found = Vec::new();
    for path in checkout::files(&root)? {
        let text = fs::read_to_string(root.join(&path));
        if let Ok(text) = text
            && !path.starts_with("xtask/fuzz/corpus/")
        {
            found.extend(rule(&path, &text, &exists));
        }
    }
    Ok(found)
}

/// Reports a source file without a `//!` comment at its head; attributes may stand before it.
pub(super) fn header(path: &str, text: &str, _: Exists<'_>) -> Vec<Finding> {
    if !is_source(path) {
        return Vec::new();
    }
    let is_header = |line: &&str| line.starts_with("//!");
    // An attribute may go over several lines.
    let may_precede = |line: &str| {
        line.is_empty() || ["#![", "// ", "    ", ")]"].iter().any(|start| line.starts_with(start))
    };
    let before = text.lines().take_while(|line| !is_header(line));
    if text.lines().any(|line| is_header(&line)) && before.into_iter().all(may_precede) {
        return Vec::new();
    }
    vec![Finding {
        place: path.to_owned(),
        what: "the file does not open with a `//!` header".to_owned(),
        mend: "begin it with `//!` and the question that the file answers, then its units",
    }]
}

/// Reports a source file that has too many lines.
pub(super) fn size(path: &str, text: &str, _: Exists<'_>) -> Vec<Finding> {
    let lines = text.lines().take_while(|line| *line != "#[cfg(test)]").count();
    if !is_source(path) || lines <= LONGEST {
        return Vec::new();
    }
    let what = format!("the file has {lines} lines outside of its tests, {LONGEST} are allowed");
    vec![Finding { place: path.to_owned(), what, mend: "split it: a file has one subject" }]
}

/// Reports marks of unfinished work, disabled tests, and paths that exist only on one machine.
pub(super) fn words(path: &str, text: &str, _: Exists<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        for (word, mend) in FORBIDDEN.iter().filter(|(word, _)| stands_alone(line, word)) {
            let place = format!("{path}:{number}");
            found.push(Finding { place, what: format!("`{word}` stands here"), mend });
        }
    }
    found
}

/// Returns whether a line has the word by itself, not as a part of a longer word, path or host
/// name. A word that is a folder counts only with a name behind it.
fn stands_alone(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let alone = !before.is_some_and(|c| is_name(c) || "./-})".contains(c) && c != '/');
        alone && after.is_some_and(is_name) == word.ends_with('/')
    })
}

/// Reports links of a Markdown page to files that do not exist. A page of the book (`docs/`) may
/// link only to pages of the book.
pub(super) fn links(path: &str, text: &str, exists: Exists<'_>) -> Vec<Finding> {
    if !path.ends_with(".md") {
        return Vec::new();
    }
    let folder = Path::new(path).parent().unwrap_or(Path::new(""));
    let mut found = Vec::new();
    let mut fenced = false;
    for (number, line) in (1..).zip(text.lines()) {
        fenced ^= line.trim_start().starts_with("```");
        // Every second part lies between backquotes.
        let parts = line.split('`').step_by(2).filter(|_| !fenced);
        for target in parts.flat_map(|part| part.split("](").skip(1)) {
            let target = target.split([')', ' ', '#']).next().unwrap_or_default();
            let local = !target.is_empty() && !target.contains(':');
            let page = resolve(&folder.join(target)).filter(|page| exists(page));
            let in_book = !path.starts_with("docs/")
                || page.as_ref().is_none_or(|page| page.starts_with("docs/"));
            if local && !(page.is_some() && in_book) {
                found.push(Finding {
                    place: format!("{path}:{number}"),
                    what: match in_book {
                        true => format!("the link to `{target}` leads nowhere"),
                        false => format!("the link to `{target}` leads out of the book"),
                    },
                    mend: "link a file of this repository, relative to the page; in docs/ name the path of \
                           others between backquotes",
                });
            }
        }
    }
    found
}

/// Returns a path with each `..` resolved; `None` if the path leaves the repository.
fn resolve(path: &Path) -> Option<String> {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_str()?),
            Component::CurDir => {}
            Component::ParentDir => drop(parts.pop()?),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

/// Reports folders of fixtures that have files but no README to say what they are.
pub(super) fn fixtures() -> Result<Vec<Finding>> {
    let root = checkout::root();
    let files = checkout::files(&root)?;
    Ok(without_readme(&files))
}

fn without_readme(files: &[String]) -> Vec<Finding> {
    let fixtures = files.iter().filter(|path| path.starts_with("fixtures/"));
    let folders: BTreeSet<&str> =
        fixtures.filter_map(|path| path.rsplit_once('/')).map(|(folder, _)| folder).collect();
    let without = folders.iter().filter(|folder| !files.contains(&format!("{folder}/README.md")));
    let finding = |folder: &&str| Finding {
        place: (*folder).to_owned(),
        what: "the folder has no README.md".to_owned(),
        mend: "say there what each file is, where it comes from, and which tests read it",
    };
    without.map(finding).collect()
}

/// Returns whether a file is Rust source that the house rules cover, by its path.
pub(super) fn is_source(path: &str) -> bool {
    let inside = path.strip_prefix("crates/").and_then(|path| path.split_once('/'));
    let src = inside.is_some_and(|(_, rest)| rest.starts_with("src/"));
    (src || path.starts_with("xtask/src/")) && path.ends_with(".rs")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "crates/a/src/b.rs";

    fn found(rule: fn(&str, &str, Exists<'_>) -> Vec<Finding>, path: &str, text: &str) -> usize {
        rule(path, text, &|path| ["README.md", "docs/A.md", "docs/b"].contains(&path)).len()
    }

    #[test]
    fn a_source_file_without_a_header_is_found() {
        assert_eq!(found(header, FILE, "use core::fmt;\n"), 1);
        assert_eq!(found(header, FILE, "/// What?\nfn main() {}"), 1);
        assert_eq!(found(header, FILE, "#![no_std]\n// why\n\n//! What?\n"), 0);
        assert_eq!(found(header, "crates/a/tests/b.rs", "fn a() {}"), 0);
    }

    #[test]
    fn a_long_file_is_found_but_not_for_its_tests() {
        assert_eq!(found(size, FILE, &"a\n".repeat(501)), 1);
        let tests = format!("{}#[cfg(test)]\n{}", "a\n".repeat(500), "b\n".repeat(900));
        assert_eq!(found(size, FILE, &tests), 0);
    }

    #[test]
    fn forbidden_words_are_found_by_themselves() {
        for (word, _) in FORBIDDEN {
            let name = if word.ends_with('/') { "a" } else { "" };
            assert_eq!(found(words, "docs/A.md", &format!("x\n see {word}{name}\n")), 1, "{word}");
            assert_eq!(found(words, "docs/A.md", &format!("../a{word}{name}b")), 0, "{word}");
        }
        assert_eq!(found(words, "docs/A.md", concat!("file://", "/tm", "p/a")), 1);
    }

    #[test]
    fn a_link_to_a_missing_file_is_found() {
        for link in [
            "[a](missing.md)",
            "[`c`](b/D.md#x)",
            "[a](../../README.md)",
            "[a](/README.md)",
            "[c](../README.md)",
        ] {
            assert_eq!(found(links, "docs/A.md", link), 1, "{link}");
        }
        for link in ["[a](A.md#x) [b](b \"title\")", "[a](https://a.org/b)", "`[a](b.md)`"] {
            assert_eq!(found(links, "docs/A.md", link), 0, "{link}");
        }
        assert_eq!(found(links, "docs/A.md", "```\n[a](missing.md)\n```"), 0);
        assert_eq!(found(links, "a/A.md", "[c](../README.md)"), 0);
    }

    #[test]
    fn a_folder_of_fixtures_without_a_readme_is_found() {
        let files = ["fixtures/a/README.md", "fixtures/a/x", "fixtures/b/y"].map(str::to_owned);
        let found = without_readme(&files);
        assert_eq!(
            found.iter().map(|finding| &finding.place[..]).collect::<Vec<_>>(),
            ["fixtures/b"]
        );
    }
}
