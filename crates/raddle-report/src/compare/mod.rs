//! What differs between two results of replays, or more?
//!
//! The first result is what the others are measured by. Whatever else differs than the figures
//! (device, profiles, version, settings of a recipe) is said before them.

mod fill;
mod gate;
mod input;
mod label;
mod metrics;
mod rows;
mod unlike;

pub use fill::{document, markdown};
pub use gate::{Gate, NoGate};
pub use input::ComparedResult;
pub use rows::{Comparison, compare};
