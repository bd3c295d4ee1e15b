//! Which policies could be written outside raddle? Three: one a slot of a dispatcher.
//!
//! They depend on `raddle-policy` alone. `examples/mine.rs` is the command line of raddle with them in it,
//! and `mine.toml` a recipe that names them.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod considerate;
mod least_served;
mod smallest_first;

pub use considerate::Considerate;
pub use least_served::{LeastServed, LeastServedConfig};
pub use smallest_first::SmallestFirst;
