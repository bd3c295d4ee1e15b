//! Where are the files that no repository may hold, and what if they are not there?

use std::path::PathBuf;

use serde_json::Value;

/// The folder of real profiles: what `RADDLE_SAMPLES` says, else `shared/traces` beside the
/// repository. It need not be there.
#[must_use]
pub fn samples() -> PathBuf {
    std::env::var_os("RADDLE_SAMPLES").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/traces")),
        PathBuf::from,
    )
}

/// Says that something is skipped because `what` is absent.
///
/// # Panics
/// Under `RADDLE_REQUIRE_SAMPLES=1`, where it must not be.
#[allow(clippy::print_stdout, reason = "a skipped test says so where its output is shown")]
pub fn absent(what: &str) {
    let required = std::env::var("RADDLE_REQUIRE_SAMPLES").is_ok_and(|value| value == "1");
    assert!(!required, "{what} is required but absent");
    println!("skipped: {what} is absent");
}

/// A real profile, or a folder of them, by its path within [`samples`]; `None` where it is absent
/// and need not be there.
///
/// # Panics
/// See [`absent`].
#[must_use]
pub fn sample(name: &str) -> Option<PathBuf> {
    let path = samples().join(name);
    if path.exists() {
        return Some(path);
    }
    absent(&format!("the sample {name}"));
    None
}

/// A folder beside that of the real profiles; `None` where it is absent and need not be there.
///
/// # Panics
/// See [`absent`].
#[must_use]
pub fn beside(folder: &str) -> Option<PathBuf> {
    let found = samples().parent().map(|parent| parent.join(folder)).filter(|path| path.is_dir());
    if found.is_none() {
        absent(&format!("the folder {folder} beside RADDLE_SAMPLES"));
    }
    found
}

/// Worked examples of the seeds: the file of this name in `fixtures/vectors` of this crate.
///
/// # Panics
/// If there is no such file, or it is not JSON.
#[must_use]
pub fn vectors(file: &str) -> Value {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/vectors"));
    let text = std::fs::read_to_string(folder.join(file)).expect("worked examples are there");
    serde_json::from_str(&text).expect("worked examples are JSON")
}
