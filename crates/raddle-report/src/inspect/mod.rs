//! How is what is in a profile shown?

mod amounts;
mod changes;
mod fidelity;
mod fill;
mod idle;
mod needs;
mod verdicts;

pub use changes::document as changes;
pub use fill::document;

/// Characters of the name of a kernel.
const KERNEL: usize = 44;
/// Rows of a table of kernels or streams.
const LISTED: usize = 10;
