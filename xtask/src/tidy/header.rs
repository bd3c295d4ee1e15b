//! Does every source file say which question it answers?

use super::Finding;
use super::tree::{File, Tree};

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let sources = tree.files().filter(|file| file.source_of().is_some());
    sources.filter(|file| !opens_with_header(file)).map(missing).collect()
}

fn missing(file: &File) -> Finding {
    Finding::at(
        &file.path,
        1,
        "the file does not open with a `//!` header",
        "begin it with `//!` and the question that the file answers, then its units",
    )
}

/// Only attributes of the whole file, plain comments and blank lines may come before it.
fn opens_with_header(file: &File) -> bool {
    let mut in_attribute = false;
    for (line, code) in file.text.lines().map(str::trim).zip(file.code.lines()) {
        if line.starts_with("//!") {
            return true;
        }
        in_attribute |= line.starts_with("#!");
        if !in_attribute && !code.trim().is_empty() {
            return false;
        }
        // An attribute may go over several lines; it ends with its bracket.
        in_attribute &= !code.contains(']');
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> usize {
        check(&Tree::with(&[("crates/a/src/lib.rs", text)])).len()
    }

    #[test]
    fn code_before_the_header_or_no_header_fails() {
        assert_eq!(found("use core::fmt;\n//! What?\n"), 1);
        assert_eq!(found("// What?\nfn main() {}"), 1);
        assert_eq!(found("/// What?\nfn main() {}"), 1);
        assert_eq!(found(""), 1);
    }

    #[test]
    fn attributes_and_comments_may_come_before_it() {
        assert_eq!(found("//! What?\n"), 0);
        assert_eq!(found("#![no_std]\n// why\n\n//! What?\n"), 0);
        assert_eq!(found("#![allow(\n    a,\n    b\n)]\n//! What?\n"), 0);
    }

    #[test]
    fn tests_and_examples_need_none() {
        let tree = Tree::with(&[("crates/a/tests/b.rs", "fn a() {}"), ("examples/a.rs", "")]);
        assert!(check(&tree).is_empty());
    }
}
