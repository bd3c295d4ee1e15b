//! The baselines on the device of the placement contract.

pub mod contract;
