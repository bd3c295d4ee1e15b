//! Does all that is compiled for a level of processors answer what plain loops answer?
//!
//! The tests are those of `raddle-bitmap`, with nothing else beside them.
#![cfg(test)]
#![allow(clippy::unwrap_used, reason = "all of this is test code")]

#[path = "../../../crates/raddle-bitmap/tests/it/every_level.rs"]
mod every_level;
#[allow(dead_code, reason = "one test needs a part of it")]
#[path = "../../../crates/raddle-bitmap/tests/it/naive.rs"]
mod naive;
