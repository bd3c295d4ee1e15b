//! Is what is absent skipped, unless it must be there?

use std::panic::catch_unwind;

use raddle_testkit::{beside, sample, samples};

#[test]
fn what_is_absent_is_nothing_or_a_failure() {
    let required = std::env::var("RADDLE_REQUIRE_SAMPLES").is_ok_and(|value| value == "1");
    let nothing = |found: std::thread::Result<bool>| match found {
        Ok(found) => assert!(!found && !required),
        Err(_) => assert!(required),
    };
    nothing(catch_unwind(|| sample("no folder/no profile.json").is_some()));
    nothing(catch_unwind(|| beside("no folder").is_some()));
}

#[test]
fn what_is_there_is_found() {
    if !samples().is_dir() {
        return raddle_testkit::absent("the folder of samples");
    }
    assert_eq!(sample("."), Some(samples().join(".")));
}
