//! Is a chain of launches that may not be run again right in a storm, and does the storm do anything?

use crate::hazards::there_is_a_device;
use crate::run::{natively, told_under_layer, under_layer};

/// A storm by seed, and what it must have led to.
fn storm(way: &str, seed: u32) -> String {
    format!("{way},300..2500,{seed}")
}

/// How many storms: 3, or as many as the environment says.
fn storms() -> u32 {
    let more = std::env::var("RADDLE_TEST_STORMS").ok();
    more.and_then(|text| text.parse().ok()).unwrap_or(3)
}

#[test]
fn chains_are_right_in_storms() {
    if !there_is_a_device() {
        return;
    }
    let native = natively("chains").expect("it ends");
    let (mut left, mut killed) = (0, 0);
    for seed in 0..storms() {
        for way in ["flag", "reset"] {
            let storm = storm(way, seed);
            let told = told_under_layer("chains", &[("RADDLE_OPENCL_STORM", &storm)]);
            let told = told.unwrap_or_else(|how| panic!("{storm}: {how}"));
            assert_eq!(told.answer, native, "{storm}");
            left += told.count("left");
            killed += told.count("killed");
        }
    }
    println!("{} storms: {left} launches left, {killed} were stopped part-way", 2 * storms());
    assert!(left > 0, "launches left");
    assert!(killed > 0, "launches were stopped part-way");
}

/// The same, but the layer takes every kernel for one that may be run again.
#[test]
fn with_verdicts_claimed_falsely_they_are_wrong() {
    if !there_is_a_device() {
        return;
    }
    let native = natively("chains").expect("it ends");
    let wrong = |seed| {
        let storm = storm("reset", seed);
        let lies =
            [("RADDLE_OPENCL_STORM", storm.as_str()), ("RADDLE_OPENCL_CLAIM_ALL_KILLABLE", "1")];
        under_layer("chains", &lies).is_ok_and(|told| told != native)
    };
    assert!((0..5).any(wrong), "a launch in place that was killed shows");
}
