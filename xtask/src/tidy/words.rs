//! Does a Rust file hold words that unfinished or careless code holds?
//!
//! The words are built from parts, so that this file does not hold them itself.

use super::Finding;
use super::lexer;
use super::tree::{File, Tree};

/// Words that stand for work not done, in code or comments, and where to put that work instead.
const UNFINISHED: &[&str] = &[
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("to", "do!"),
    concat!("unimple", "mented!"),
    concat!("db", "g!"),
    concat!("#[", "ignore"),
];

/// No unfinished work and no forgotten aid anywhere, comments included.
pub(crate) fn unfinished(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.files().filter(|file| file.is_rust()) {
        for (line, text) in (1..).zip(file.text.lines()) {
            let hits =
                UNFINISHED.iter().filter(|word| lexer::find_word(text, word).next().is_some());
            found.extend(hits.map(|word| left_over(file, line, word)));
            if text.contains(concat!("cfg_", "attr"))
                && lexer::find_word(text, "ignore").next().is_some()
            {
                found.push(left_over(file, line, concat!("#[", "ignore")));
            }
        }
    }
    found
}

fn left_over(file: &File, line: usize, word: &str) -> Finding {
    let mend = "do it now, or leave it out and say so in docs/STATUS.md; a test that cannot run \
                here prints why and passes";
    Finding::at(&file.path, line, format!("`{word}` stands here"), mend)
}

/// No panic without a reason outside tests.
pub(crate) fn unwrap(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.files().filter(|file| file.is_rust() && !file.is_test()) {
        for (line, code) in file.code_lines().filter(|(_, code)| code.contains(".unwrap()")) {
            let what = format!("`.unwrap()` outside tests: {}", code.trim());
            let mend = "return the error, or say with `expect(\"...\")` why it cannot fail";
            found.push(Finding::at(&file.path, line, what, mend));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(path: &str, text: &str) -> Tree {
        Tree::with(&[(path, text)])
    }

    #[test]
    fn each_word_is_found_also_in_a_comment() {
        for word in UNFINISHED {
            let text = format!("//! What?\n// {word}(x)\nfn a() {{ {word}] }}\n");
            assert_eq!(unfinished(&tree("crates/a/tests/b.rs", &text)).len(), 2, "{word}");
        }
        let text = concat!("#[cfg_", "attr(miri, ", "ignore)]\nfn a() {}");
        assert_eq!(unfinished(&tree("a.rs", text)).len(), 1);
    }

    #[test]
    fn parts_of_other_words_are_not_found() {
        let text = concat!("let mas", "TO", "DONS = 1; #[", "ignored] to", "do();");
        assert!(unfinished(&tree("a.rs", text)).is_empty());
    }

    #[test]
    fn an_unwrap_is_found_in_code_only() {
        let found = |path: &str, text: &str| unwrap(&tree(path, text)).len();
        let path = "crates/a/src/b.rs";
        assert_eq!(found(path, "fn a() { b().unwrap() }"), 1);
        assert_eq!(found("examples/a/src/lib.rs", "fn a() {\n b()\n .unwrap() }"), 1);
        assert_eq!(found(path, "/// a().unwrap()\nfn a() { \".unwrap()\"; b.unwrap_or(c) }"), 0);
        assert_eq!(found(path, "#[cfg(test)]\nmod tests {\n fn a() { b().unwrap() }\n}"), 0);
        assert_eq!(found("crates/a/tests/b.rs", "fn a() { b().unwrap() }"), 0);
    }
}
