//! Does a policy crate reach for the world, or the crate of nouns for more than nouns?
//!
//! Test code, test kits and comments are free to.

use super::Finding;
use super::lexer;
use super::tree::{File, Tree};
use crate::workspace;

/// What a policy crate must not hold, with what to do instead.
const IMPURE: &[(&str, &str)] = &[
    ("std::time", "time arrives as an argument, in ticks"),
    ("std::thread", "independent runs are the caller's to spread"),
    ("std::fs", "data arrives as an argument"),
    ("println!", "answers and refusals are data; the caller prints them"),
    ("print!", "answers and refusals are data; the caller prints them"),
    ("eprintln!", "answers and refusals are data; the caller prints them"),
    ("eprint!", "answers and refusals are data; the caller prints them"),
    ("f32", "count in integers or exact fractions"),
    ("f64", "count in integers or exact fractions"),
];

const TYPES: &str = "raddle-types";
/// The crate of nouns stays small enough to be read in one go, tests included.
const TYPES_LINES: usize = 800;

/// No clock, thread, file, print or float in a policy crate.
pub(crate) fn policy_crates(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    let policy = |name| workspace::row(name).is_some_and(|row| row.no_std);
    for file in tree.files().filter(|file| file.source_of().is_some_and(policy)) {
        if !file.is_test() && !file.is_test_kit() {
            found.extend(banned(file, IMPURE, "policy crate"));
        }
    }
    found
}

/// No trait, no allocation and no bulk in the crate of nouns.
pub(crate) fn types_crate(tree: &Tree) -> Vec<Finding> {
    const BANNED: &[(&str, &str)] = &[
        ("trait", "a trait belongs to the crate whose question it asks"),
        ("alloc", "a noun is plain data of fixed size; lists belong to who makes them"),
    ];
    let mut found = Vec::new();
    let mut lines = 0_usize;
    for file in tree.files().filter(|file| file.source_of() == Some(TYPES)) {
        lines = lines.saturating_add(file.text.lines().count());
        found.extend(banned(file, BANNED, "crate of nouns"));
    }
    if lines > TYPES_LINES {
        let what = format!("the crate has {lines} lines, {TYPES_LINES} are allowed");
        let mend = "a type that no two sibling crates exchange belongs to the crate that uses it";
        found.push(Finding::in_file("crates/raddle-types/src", what, mend));
    }
    found
}

fn banned(file: &File, words: &[(&str, &str)], whose: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    for (line, code) in file.code_lines() {
        for (word, mend) in words {
            if lexer::find_word(code, word).next().is_some() {
                let what = format!("`{word}` in a {whose}: {}", code.trim());
                found.push(Finding::at(&file.path, line, what, *mend));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(path: &str, text: &str) -> usize {
        policy_crates(&Tree::with(&[(path, text)])).len()
    }

    #[test]
    fn each_impure_word_is_found_in_a_policy_crate_only() {
        for (word, _) in IMPURE {
            let text = format!("//! What?\nfn a() {{ {word} }}\n");
            assert_eq!(policy("crates/raddle-bitmap/src/a.rs", &text), 1, "{word}");
            assert_eq!(policy("crates/raddle-sim/src/a.rs", &text), 0, "{word}");
        }
    }

    #[test]
    fn comments_tests_and_the_test_kit_are_free() {
        assert_eq!(policy("crates/raddle-bitmap/src/a.rs", "/// f64\nfn a() { \"f64\" }"), 0);
        assert_eq!(policy("crates/raddle-bitmap/src/a.rs", "#[cfg(test)]\nmod a { f64 }"), 0);
        assert_eq!(policy("crates/raddle-policy/src/test_kit/a.rs", "f64"), 0);
        assert_eq!(policy("crates/raddle-bitmap/tests/a.rs", "f64"), 0);
    }

    fn types(text: &str) -> usize {
        types_crate(&Tree::with(&[("crates/raddle-types/src/a.rs", text)])).len()
    }

    #[test]
    fn traits_allocation_and_bulk_are_found_in_the_crate_of_nouns() {
        assert_eq!(types("pub trait A {}"), 1);
        assert_eq!(types("extern crate alloc;"), 1);
        assert_eq!(types(&"a\n".repeat(801)), 1);
        assert_eq!(types("/// A trait.\nfn allocate() {}"), 0);
        assert_eq!(types(&"a\n".repeat(800)), 0);
    }
}
