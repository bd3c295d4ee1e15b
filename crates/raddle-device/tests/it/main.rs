//! Are devices, granules and residency what their documentation says?

mod occupancy;
mod rules;
mod serde;
