//! What does a launch through the library cost?
//!
//! The figures are printed where `RADDLE_MEASURE` is set, and are worth something on an idle machine,
//! with an optimised library (`RADDLE_TEST_LAYER`).

use crate::run::{Told, natively, with_library};

#[test]
fn cost_of_a_launch() {
    if std::env::var_os("RADDLE_MEASURE").is_none() {
        return;
    }
    let numbers = |told: Told| -> Vec<u64> {
        told.said.split_whitespace().map(|word| word.parse().expect("a number")).collect()
    };
    let mut all: Vec<[u64; 4]> = (0..3)
        .map(|_| {
            let (native, told) =
                (numbers(natively("cost", &[])), numbers(with_library("cost", &[])));
            [native[0], told[0], native[1], told[1]]
        })
        .collect();
    all.sort_unstable();
    println!("{{\"launch-ns\": {:?}, \"end-to-end-ns\": {:?}}}", &all[1][..2], &all[1][2..]);
}
