//! What does Nsight Systems say about the work of a GPU?
//!
//! Two of its exports are read: the SQLite database, which holds everything, and the report
//! `cuda_gpu_trace` as CSV, which leaves out arrivals, priorities and the device's limits.

pub(super) mod csv;
#[cfg(feature = "sqlite")]
pub(super) mod sqlite;
mod work;
