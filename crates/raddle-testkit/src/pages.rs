//! Does a page of the documentation show what the code says today?
//!
//! `cargo xtask bless -p CRATE` writes the page; a person reads the diff.

use std::env;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Lock that lets only one test at a time read or write a page of the documentation.
static PAGES: Mutex<()> = Mutex::new(());

/// Checks that the content of a file of the repository is exactly the text `wanted`. With
/// `INSTA_UPDATE=always` writes that text instead.
///
/// # Panics
/// If the file holds something else, unless snapshots are to be written.
pub fn file_holds(path: &str, wanted: &str) {
    let _one = PAGES.lock().unwrap_or_else(PoisonError::into_inner);
    current(path, |_| wanted.to_owned());
}

/// Checks that a file of the repository holds exactly the text `wanted` between the lines `<!--
/// MARK -->` and `<!-- end of MARK -->`. With `INSTA_UPDATE=always` writes that text instead.
///
/// # Panics
/// If the file holds something else there, unless snapshots are to be written, or lacks the marks.
pub fn page_holds(path: &str, mark: &str, wanted: &str) {
    let _one = PAGES.lock().unwrap_or_else(PoisonError::into_inner);
    current(path, |there| {
        let (begin, end) = (format!("<!-- {mark} -->\n"), format!("<!-- end of {mark} -->\n"));
        let (before, rest) = there.split_once(&begin).expect("the page has the mark");
        let (_, after) = rest.split_once(&end).expect("the page has both marks");
        format!("{before}{begin}{wanted}{end}{after}")
    });
}

fn current(path: &str, wanted: impl Fn(&str) -> String) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    let there = fs::read_to_string(&file).unwrap_or_default();
    let wanted = wanted(&there);
    if env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        fs::write(&file, wanted).expect("the tree can be written");
        return;
    }
    if let Some(line) = first_unlike(&there, &wanted) {
        panic!("{path} is not current: `cargo xtask bless` writes\n{line}");
    }
}

/// Returns the first line of `wanted` that is missing or different in the text `there`; `None`
/// where the texts are equal.
fn first_unlike(there: &str, wanted: &str) -> Option<String> {
    if there == wanted {
        return None;
    }
    let same = there.lines().zip(wanted.lines()).take_while(|(one, two)| one == two).count();
    Some(wanted.lines().nth(same).unwrap_or("the end, here").to_owned())
}

#[cfg(test)]
mod tests {
    use super::first_unlike;

    #[test]
    fn it_tells_the_line() {
        assert_eq!(first_unlike("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_unlike("a\nb\n", "a\nc\n").as_deref(), Some("c"));
        assert_eq!(first_unlike("a\nb\nc\n", "a\nb\n").as_deref(), Some("the end, here"));
        assert_eq!(first_unlike("a\nb", "a\nb\n").as_deref(), Some("the end, here"));
    }
}
