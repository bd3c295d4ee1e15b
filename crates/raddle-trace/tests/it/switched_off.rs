//! What does a build without its optional readers say of the files that they read?

#[cfg(not(feature = "sqlite"))]
#[test]
fn a_build_without_sqlite_says_what_to_do() {
    use raddle_trace::{ImportConfig, TraceError, read};
    let file = b"SQLite format 3\0".as_slice();
    let error = read("run.sqlite", file, &ImportConfig::default()).unwrap_err();
    assert!(matches!(error, TraceError::SqliteSwitchedOff { .. }));
    let error = error.to_string();
    assert!(error.contains("its feature `sqlite`") && error.contains("-f csv"), "{error}");
}

#[cfg(not(feature = "xplane"))]
#[test]
fn a_build_without_planes_says_what_to_do() {
    use raddle_trace::{ImportConfig, TraceError, read};
    let file = b"\n\x10\x12\x0e/host:metadata".as_slice();
    let error = read("run.xplane.pb", file, &ImportConfig::default()).unwrap_err();
    assert!(matches!(error, TraceError::XPlaneSwitchedOff { .. }), "{error}");
}
