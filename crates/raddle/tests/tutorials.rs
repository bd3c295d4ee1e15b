//! Do the commands of the tutorials, and of the skill for agents, print what the pages say?
//!
//! `TRYCMD=overwrite cargo test -p raddle --test tutorials` writes the pages anew.
#![allow(clippy::unwrap_used, reason = "all of this is test code")]

use std::path::Path;
use std::{env, fs};

use raddle_testkit::page_holds;

#[test]
fn tutorials() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    // The commands find the profiles of the pages where they run, and write their results there.
    let here = tempfile::tempdir().unwrap();
    for file in [
        "crates/raddle/data/demo/decode.csv",
        "crates/raddle/data/demo/train.csv",
        "fixtures/pair/infer.csv",
    ] {
        let from = root.join(file);
        fs::copy(&from, here.path().join(from.file_name().unwrap())).unwrap();
    }
    env::set_current_dir(here.path()).unwrap();
    let pages = trycmd::TestCases::new();
    // A slow machine would put lines of progress between those of the pages.
    pages.env("RADDLE_PROGRESS", "off");
    pages.case(root.join("docs/tutorials/*.md")).case(root.join("SKILL.md"));
    pages.run();
    env::set_current_dir(root).unwrap();
}

/// Returns the part of a file of the example from the text `first` on, up to the text `second` if
/// there is one.
fn excerpt(file: &str, first: &str, second: Option<&str>) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/outside-policy");
    let text = fs::read_to_string(folder.join(file)).unwrap();
    let from = &text[text.find(first).unwrap()..];
    let to = second.map_or(from.len(), |second| from.find(second).unwrap());
    from[..to].trim_end().to_owned()
}

#[test]
fn the_policy_of_the_page_is_that_of_the_example() {
    let page = |mark: &str, language: &str, code: &str| {
        let block = format!("```{language}\n{code}\n```\n");
        page_holds("docs/tutorials/own-policy.md", mark, &block);
    };
    page(
        "policy",
        "rust,ignore",
        &excerpt("src/smallest_first.rs", "#[derive(", Some("impl Configured")),
    );
    page(
        "laws",
        "rust,ignore",
        &excerpt("tests/it.rs", "proptest! {", Some("#[test]\nfn smallest")),
    );
    let decisions = excerpt("tests/it.rs", "       t  launch", None);
    let first: Vec<&str> = decisions.lines().take(5).filter_map(|line| line.get(4..)).collect();
    page("decisions", "text", &first.join("\n"));
}
