//! The matching of seed 000.

pub mod model;
