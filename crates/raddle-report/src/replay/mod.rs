//! How is the result of a replay shown?
//!
//! [`document`] shows it to people, with charts made from the runs.

mod answer;
mod cards;
mod choice;
mod columns;
mod comparison;
mod files;
mod fill;
mod hidden;
mod looks;
mod preemptions;
mod refused;
mod requests;
mod shares;
mod spent;

pub use files::Closing;
pub use fill::document;

/// Largest number of characters that a terminal shows of a name, such as that of a recipe (way of
/// sharing the device).
const NAME: usize = 20;
