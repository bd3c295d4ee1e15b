//! Does every comment begin with a noun for its subject, or with a verb for what the item does?

use super::Finding;
use super::files::{Exists, is_source};

/// Words with which no comment may begin, as each stands for a noun that the reader has not seen.
/// Some could begin one with a noun behind them, as in "that file ..", which no comment here does.
const HEADLESS: [&str; 25] = [
    "what", "such", "so many", "so much", "so few", "so long", "so far", "so often", "as many",
    "as much", "as few", "the same", "those", "these", "whose", "it", "its", "they", "them",
    "their", "who", "which", "that", "none", "nothing",
];
const SUBJECT: &str =
    "begin with a verb in the third person (`Returns the ..`), or with a noun phrase and its noun";
const RETURNS: &str = "write a sentence of its own: `Returns whether ..`";

/// Finds the comments of a file that begin without a subject, except a question at its head.
pub(super) fn comments(path: &str, text: &str, _: Exists<'_>) -> Vec<Finding> {
    if !is_source(path) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (number, mark, block) in blocks(text) {
        let first = sentence(&block);
        let question = mark == "//!" && first.ends_with('?');
        let mut note = |what: String, mend| {
            found.push(Finding { place: format!("{path}:{number}"), what, mend });
        };
        if let Some(word) = headless(&block).filter(|_| !question) {
            note(format!("the comment begins with `{word}`"), SUBJECT);
        }
        if block.starts_with("Whether ") || block.contains("; whether ") {
            note("the comment says `whether` without a verb".to_owned(), RETURNS);
        }
    }
    found
}

/// Returns the comments of a file, each as (number of its first line, mark such as `///`, text).
fn blocks(text: &str) -> Vec<(usize, &str, String)> {
    let mut blocks: Vec<(usize, &str, String)> = Vec::new();
    let mut before = "";
    for (number, line) in (1..).zip(text.lines().map(str::trim_start)) {
        let mark = ["//!", "///", "//"].into_iter().find(|mark| line.starts_with(mark));
        let Some(mark) = mark else {
            before = "";
            continue;
        };
        let words = line[mark.len()..].trim();
        match blocks.last_mut().filter(|_| mark == before) {
            Some((.., block)) if !block.is_empty() => {
                block.push(' ');
                block.push_str(words);
            }
            Some((.., block)) => block.push_str(words),
            None => blocks.push((number, mark, words.to_owned())),
        }
        before = mark;
    }
    blocks
}

fn sentence(block: &str) -> &str {
    // A point inside of a name, such as that of a file, ends no sentence.
    let ends = block.match_indices(['.', '?', '!']).map(|(at, _)| at + 1);
    let end = ends.into_iter().find(|&end| block[end..].chars().next().is_none_or(|c| c == ' '));
    &block[..end.unwrap_or(block.len())]
}

/// Returns the word at the beginning of a comment that is no subject; `None` if it has a subject.
fn headless(block: &str) -> Option<&'static str> {
    let lower = block.to_lowercase();
    HEADLESS.into_iter().find(|word| {
        let rest = lower.strip_prefix(word);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(text: &str) -> Vec<String> {
        let found = comments("crates/x/src/lib.rs", text, &|_| true);
        found.into_iter().map(|it| it.place).collect()
    }

    #[test]
    fn comments_without_a_subject_are_found() {
        let lines = [
            "//! What does a.rs hold?",
            "",
            "/// What it holds.",
            "fn f() {}",
            "// It is",
            "// full.",
            "/// Counts; whether it did.",
            "/// Whether it is.",
        ];
        let text = &lines.join("\n");
        assert_eq!(
            broken(text),
            ["crates/x/src/lib.rs:3", "crates/x/src/lib.rs:5", "crates/x/src/lib.rs:7"]
        );
        assert_eq!(broken("//! What it holds.\n"), ["crates/x/src/lib.rs:1"]);
    }

    #[test]
    fn comments_with_one_pass() {
        let lines = [
            "/// Whatever is held counts.",
            "// Items that wait, and those that run.",
            "/// Returns whether it is so.",
            "let url = 1; // its place",
        ];
        let text = &lines.join("\n");
        assert_eq!(broken(text), Vec::<String>::new());
    }
}
