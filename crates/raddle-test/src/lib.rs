//! What do the tests of several crates need?
//!
//! Only ever a development dependency; it knows none of our crates, so that each can use it.
#![deny(unsafe_op_in_unsafe_fn)]

mod allocations;
mod pages;
mod samples;

pub use allocations::{Counting, held, made, peak};
pub use pages::{file_holds, page_holds};
pub use samples::{absent, beside, sample, samples, vectors};
