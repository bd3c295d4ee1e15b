//! Can any sequence of taking and giving back leave a free map other than plain booleans would be?
#![no_main]

#[allow(dead_code, reason = "the target needs a part of it")]
#[path = "../../../crates/raddle-bitmap/tests/it/naive.rs"]
mod naive;
#[path = "../../../crates/raddle-bitmap/tests/it/script.rs"]
mod script;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| script::run(bytes));
