//! Which policies could be written outside raddle? One or two a slot of a dispatcher.
//!
//! They depend on `raddle-policy` alone. `examples/mine.rs` is the command line of raddle with them
//! in it, and `mine.toml` a recipe that names them.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod considerate;
mod least_served;
mod lottery;
mod smallest_first;

pub use considerate::Considerate;
pub use least_served::{LeastServed, LeastServedConfig};
pub use lottery::Lottery;
pub use smallest_first::SmallestFirst;
