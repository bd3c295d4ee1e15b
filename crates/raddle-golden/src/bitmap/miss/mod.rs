//! How often does a cheaper search miss a free run that is long enough?
//!
//! Two answers are given: an exact recurrence for random bits, each free with the same chance and
//! independent of the others ([`refused`], [`missed`]), and counting in a simulation of a resource
//! that is taken and given back ([`Churn`]). The example in paragraph 153 of seed 000 is of the
//! first kind: 128 blocks in groups of 4, a request of 4 blocks, free with chance 1/2.
//!
//! ```
//! use raddle_golden::bitmap::miss::{Chance, refused};
//! use raddle_bitmap::{Full, Grouped};
//!
//! let half = Chance::new(1, 2)?;
//! let grouped = refused(&Grouped::of_size(128, 4)?, 128, 4, half);
//! assert_eq!(grouped.to_string(), "0.127", "one execution unit lacks a group");
//! let module = grouped.any_of(4);
//! assert_eq!(module.to_string(), "0.419", "one of four lacks one; the seed cuts to 0.418");
//! assert_eq!(module.all_of(16).to_string(), "8.89e-7", "all sixteen modules do");
//! let full = refused(&Full, 128, 4, half);
//! assert_eq!(full.to_string(), "0.00971", "the exact search, which the seed leaves out");
//! assert_eq!(full.any_of(4).to_string(), "0.0383");
//! # Ok::<(), raddle_golden::ModelError>(())
//! ```

mod chance;
mod churn;
mod random;

pub use chance::Chance;
pub use churn::{Churn, ChurnCount};
pub use random::{missed, refused};
