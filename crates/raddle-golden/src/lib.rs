//! What would the hardware have to answer, and how does it come to that answer?
#![warn(clippy::too_many_lines)]
#![forbid(unsafe_code)]

pub mod bitmap;
pub mod matching;
pub mod placement;
pub mod preempt;
pub mod slices;
pub mod sm;
