//! How are the facts about a profile shown?

mod amounts;
mod changes;
mod fidelity;
mod fill;
mod idle;
mod needs;
mod verdicts;

pub use changes::document as changes;
pub use fill::document;

/// Largest number of characters that a table shows of the name of a kernel.
const KERNEL: usize = 44;
/// Largest number of rows of the tables of kernels and of streams.
const LISTED: usize = 10;
