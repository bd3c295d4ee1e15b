//! Does the model of a GPU with one stream do what seed 001 and its digest say?
#![allow(clippy::unwrap_used, reason = "all of this is test code")]

mod checks;
mod runs;
mod vectors;
