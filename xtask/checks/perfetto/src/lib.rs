//! Does a timeline file hold what the public definitions of its format allow, and is it whole?
//!
//! Times are nanoseconds, as in the file. Nothing of raddle's own is used to read it.

mod check;
mod definitions;
mod fault;
mod fields;

pub use check::{Found, Track, check};
pub use definitions::{Definitions, Error};
pub use fault::{Fault, What};
