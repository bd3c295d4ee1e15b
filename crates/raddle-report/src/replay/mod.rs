//! How is the result of a replay shown?
//!
//! [`document`] shows it to people, with pictures made from the runs.

mod answer;
mod cards;
mod columns;
mod comparison;
mod files;
mod fill;
mod preemptions;
mod refused;
mod requests;
mod shares;

pub use files::Closing;
pub use fill::document;

/// Characters of a name on a terminal.
const NAME: usize = 20;
