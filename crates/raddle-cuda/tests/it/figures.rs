//! What does a launch through the library cost?
//!
//! The figures are printed where `RADDLE_MEASURE` is set, and are worth something on an idle machine,
//! with an optimised library (`RADDLE_TEST_LAYER`).

use crate::run::{Told, natively, with_library};

/// Goal for the nanoseconds that a launch with room in the window takes longer with the library.
const GOAL_NS: u64 = 300;

#[test]
fn cost_of_a_launch() {
    if std::env::var_os("RADDLE_MEASURE").is_none() {
        return;
    }
    let numbers = |told: Told| -> Vec<u64> {
        told.said.split_whitespace().map(|word| word.parse().expect("a number")).collect()
    };
    let mut all: Vec<(u64, [u64; 4])> = (0..5)
        .map(|_| {
            let (native, told) =
                (numbers(natively("cost", &[])), numbers(with_library("cost", &[])));
            (told[0].saturating_sub(native[0]), [native[0], told[0], native[1], told[1]])
        })
        .collect();
    all.sort_unstable();
    let (more, row) = all[2];
    println!("{{\"launch-ns\": {:?}, \"end-to-end-ns\": {:?}}}", &row[..2], &row[2..]);
    let judged = if more <= GOAL_NS { "kept" } else { "missed" };
    println!(
        "a launch takes {more} ns longer: the goal of {GOAL_NS} is {judged}; all rows: {all:?}"
    );
}
