//! Free runs of a bitmap.

pub mod miss;
