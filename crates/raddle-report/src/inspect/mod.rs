//! What is in a profile, and how well does its replay agree with it?

mod claims;
mod concurrency;
mod fidelity;
mod fill;
mod kernels;
mod limits;
mod origins;
mod profile;
mod streams;

pub use fill::document;
pub use profile::{InspectedAs, InspectedProfile, Inspection};
