//! Is a file or a function too long to be read at one go?
//!
//! Unit: lines. Test-only items and test files do not count. What is longer than the limit needs
//! an entry in the ratchet file.

use super::Finding;
use super::lexer;
use super::ratchet::Ratchet;
use super::tree::{File, Tree};

/// A file longer than this is reported.
const FILE_WARNS: usize = 400;
/// A file longer than this fails.
const FILE_FAILS: usize = 500;
/// A function longer than this fails.
const FUNCTION_FAILS: usize = 60;

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut ratchet = Ratchet::read(tree, &mut found);
    for file in tree.files().filter(|file| file.source_of().is_some() && !file.is_test()) {
        found.extend(file_size(file, &mut ratchet));
        found.extend(functions(file, &mut ratchet));
    }
    found.extend(ratchet.unused());
    found
}

fn file_size(file: &File, ratchet: &mut Ratchet) -> Option<Finding> {
    let lines = file.code_lines().count();
    let what = format!("the file has {lines} lines outside its tests");
    let mend = "split it: a file has one subject";
    if lines > FILE_FAILS {
        return ratchet.judge(&file.path, lines, Finding::at(&file.path, 1, what, mend));
    }
    (lines > FILE_WARNS).then(|| Finding::at(&file.path, 1, what, mend).into_warning())
}

fn functions(file: &File, ratchet: &mut Ratchet) -> Vec<Finding> {
    let long = |function: &lexer::Function| {
        function.lines > FUNCTION_FAILS && !file.is_test_line(function.line)
    };
    let mut longest: Vec<lexer::Function> =
        lexer::functions(&file.code).into_iter().filter(long).collect();
    // One entry of the ratchet stands for every function of that name: the longest counts.
    longest.sort_by(|a, b| a.name.cmp(&b.name).then(b.lines.cmp(&a.lines)));
    longest.dedup_by(|next, kept| next.name == kept.name);
    let judge = |function: lexer::Function| {
        let finding = Finding::at(
            &file.path,
            function.line,
            format!(
                "`{}` has {} lines, {FUNCTION_FAILS} are allowed",
                function.name, function.lines
            ),
            "cut it into steps with names of their own",
        );
        ratchet.judge(&format!("{}::{}", file.path, function.name), function.lines, finding)
    };
    longest.into_iter().filter_map(judge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "crates/a/src/lib.rs";

    fn found(text: &str, ratchet: &str) -> Vec<String> {
        let tree = Tree::with(&[(PATH, text), ("docs/ratchet.txt", ratchet)]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    fn function(lines: usize) -> String {
        format!("fn long() {{\n{}}}\n", "a;\n".repeat(lines - 2))
    }

    #[test]
    fn a_file_over_400_lines_warns_and_over_500_fails() {
        assert!(found(&"a\n".repeat(400), "").is_empty());
        assert!(found(&"a\n".repeat(401), "")[0].contains("warning: the file has 401 lines"));
        assert!(found(&"a\n".repeat(500), "")[0].contains("warning"));
        assert!(found(&"a\n".repeat(501), "")[0].contains("error: the file has 501 lines"));
    }

    #[test]
    fn tests_at_the_end_of_a_file_do_not_count() {
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "a;\n".repeat(900));
        assert!(found(&format!("a\n{tests}"), "").is_empty());
    }

    #[test]
    fn a_function_over_60_lines_fails() {
        assert!(found(&function(60), "").is_empty());
        let found = found(&function(61), "");
        assert!(found[0].starts_with("crates/a/src/lib.rs:1: error: `long` has 61"), "{found:?}");
    }

    #[test]
    fn the_longest_of_equal_names_counts_once() {
        let text = format!("{}{}", function(61), function(70));
        assert_eq!(found(&text, "").len(), 1);
        assert!(found(&text, "crates/a/src/lib.rs::long = 70").is_empty());
    }
}
