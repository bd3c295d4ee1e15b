//! What differs between two or more results of replays?
//!
//! The first result is the one that the others are measured by. All differences beside the figures
//! (device, profiles, version, settings of a recipe) come before the figures.

mod advice;
mod gate;
mod input;
mod label;
mod limits;
mod metrics;
mod rows;
mod told;
mod unlike;

pub use gate::{Gate, NoGate};
pub use input::ComparedResult;
pub(crate) use limits::told;
pub use limits::{JudgedLimit, LimitedChange};
pub use metrics::{MetricUnit, TURNS_LOST};
pub use rows::{ChangeVerdict, Comparison, FigureChange, MetricRow, ResultOrigin, compare};
