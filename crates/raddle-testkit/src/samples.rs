//! Where are the recorded profiles and other files for tests, and what if they are absent?

use std::path::PathBuf;

use serde_json::Value;

/// Returns the folder of recorded profiles for tests: the path in the variable `RADDLE_SAMPLES`,
/// else `shared/traces` beside the repository. The folder need not exist.
#[must_use]
pub fn samples() -> PathBuf {
    std::env::var_os("RADDLE_SAMPLES").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/traces")),
        PathBuf::from,
    )
}

/// Prints that a test is skipped because the file or folder `what` is absent.
///
/// # Panics
/// Under `RADDLE_REQUIRE_SAMPLES=1`, where nothing may be absent.
#[allow(clippy::print_stdout, reason = "a skipped test says so where its output is shown")]
pub fn absent(what: &str) {
    let required = std::env::var("RADDLE_REQUIRE_SAMPLES").is_ok_and(|value| value == "1");
    assert!(!required, "{what} is required but absent");
    println!("skipped: {what} is absent");
}

/// Returns the path of a recorded profile, or of a folder of them, by its path within [`samples`];
/// `None` where it is absent.
///
/// # Panics
/// Where it is absent, and the variable `RADDLE_REQUIRE_SAMPLES` is 1.
#[must_use]
pub fn sample(name: &str) -> Option<PathBuf> {
    let path = samples().join(name);
    if path.exists() {
        return Some(path);
    }
    absent(&format!("the sample {name}"));
    None
}

/// Returns the path of the folder `folder` beside the folder of recorded profiles; `None` where it
/// is absent.
///
/// # Panics
/// Where it is absent, and the variable `RADDLE_REQUIRE_SAMPLES` is 1.
#[must_use]
pub fn beside(folder: &str) -> Option<PathBuf> {
    let found = samples().parent().map(|parent| parent.join(folder)).filter(|path| path.is_dir());
    if found.is_none() {
        absent(&format!("the folder {folder} beside RADDLE_SAMPLES"));
    }
    found
}

/// Returns worked examples of the patents (seeds): the JSON content of the file `file` in
/// `fixtures/vectors` of this crate.
///
/// # Panics
/// If there is no such file, or it is not JSON.
#[must_use]
pub fn vectors(file: &str) -> Value {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/vectors"));
    let text = std::fs::read_to_string(folder.join(file)).expect("worked examples are there");
    serde_json::from_str(&text).expect("worked examples are JSON")
}
