//! Which exports of Nsight Systems are read, and what do both have in common?
//!
//! One is the SQLite database, which holds everything, the other the report `cuda_gpu_trace` as
//! CSV, which leaves out arrivals, priorities and the device's limits.

pub(super) mod csv;
#[cfg(feature = "sqlite")]
pub(super) mod sqlite;
mod work;
