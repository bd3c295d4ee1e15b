//! Does a policy keep the laws of its trait? And what else do the tests of several crates need?
//!
//! Use this crate as a development dependency only.
#![warn(clippy::too_many_lines)]
#![deny(unsafe_op_in_unsafe_fn)]

mod allocations;
mod builders;
mod host;
mod laws;
mod pages;
mod samples;
mod schema;
mod sink;

pub use allocations::{CountingAllocator, held, made, peak};
pub use builders::{LARGEST_CU, LaunchBuilder, SMALL_CU, altered, demand, launch, process, ready};
pub use host::{Mischief, PlayedEnd, PlayedHost, check_host};
pub use laws::*;
pub use pages::{file_holds, page_holds};
pub use samples::{absent, beside, sample, samples, vectors};
pub use schema::schema_breaches;
pub use sink::Sink;
