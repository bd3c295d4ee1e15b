//! Do the parts of a matching dispatcher do what seed 000 says (E1's marks, E2, E3, E8 to E10)?
//!
//! Numbered checks (T1, ..) are those of the spec's check lists.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "all of this is test code")]

mod balance;
mod history;
mod marks;
mod place;
mod split;
mod sweeps;
mod vectors;
mod windows;
