//! What does a build without the feature `nsys` say of a database?
#![cfg(not(feature = "nsys"))]

use raddle_trace::{ImportOptions, TraceError, read};

#[test]
fn a_build_without_sqlite_says_what_to_do() {
    let file = b"SQLite format 3\0".as_slice();
    let error = read("run.sqlite", file, &ImportOptions::default()).unwrap_err();
    assert!(matches!(error, TraceError::SqliteSwitchedOff { .. }));
    let error = error.to_string();
    assert!(error.contains("its feature `nsys`") && error.contains("-f csv"), "{error}");
}
