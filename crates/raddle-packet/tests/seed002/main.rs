//! Does the codec do what seed 002 says, for every check of its digest and for packets drawn at
//! random, beside a naive one?
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "all of this is test code")]

mod checks;
mod corpus;

mod flips;
mod format;
mod naive;
mod promises;
mod random;
mod refusals;
mod ring;
mod sample;
mod sweeps;
mod vectors;
mod views;
