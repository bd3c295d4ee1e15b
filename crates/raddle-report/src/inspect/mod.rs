//! What is in a profile, and how well does its replay agree with it?

mod amounts;
mod claims;
mod concurrency;
mod fidelity;
mod fill;
pub(crate) mod kernels;
pub(crate) mod limits;
mod needs;
mod origins;
mod profile;
mod streams;
mod verdicts;

pub use amounts::WantedAmounts;
pub use fill::document;
pub use profile::{FittedLatency, InspectedAs, InspectedProfile, Inspection, SelfReplayed};
pub use verdicts::SourceVerdict;

/// Characters of the name of a kernel.
const KERNEL: usize = 44;
/// Rows of a table of kernels or streams.
const LISTED: usize = 10;
