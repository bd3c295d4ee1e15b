//! Do the controllers do what seed 003, its digest and a naive twin say?
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "all of this is test code")]

mod checks;
mod controllers;
mod mixes;
mod naive;
mod ours;
mod refusals;
mod starvation;
mod sweep;
mod twin;
mod vectors;
mod worked;
