//! Can any packets make an agent panic, launch part of a bad one, or launch other than a naive one?
#![no_main]

#[allow(dead_code, reason = "the target needs a part of it")]
#[path = "../../../crates/raddle-packet/tests/seed002/naive.rs"]
mod naive;
#[path = "../../../crates/raddle-packet/tests/seed002/promises.rs"]
mod promises;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| promises::run(bytes));
