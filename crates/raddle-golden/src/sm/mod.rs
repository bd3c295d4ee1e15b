//! Blocks and warps of seed 003.

pub mod run;
