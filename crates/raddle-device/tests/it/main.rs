//! Are devices, granules and residency what their documentation says?

mod known;
mod occupancy;
mod rules;
mod serde;
