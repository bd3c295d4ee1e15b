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
        assert_eq!(policy("crates/raddle-testkit/src/a.rs", "f64"), 0);
        assert_eq!(policy("crates/raddle-bitmap/tests/a.rs", "f64"), 0);
    }
}
