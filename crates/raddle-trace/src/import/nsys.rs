//! Which exports of Nsight Systems are read, and what is common to both?
//!
//! One export is the SQLite database, which holds everything, the other the report `cuda_gpu_trace`
//! as CSV, which leaves out issue times, priorities and the device's limits.

pub(super) mod csv;
#[cfg(feature = "sqlite")]
pub(super) mod sqlite;
mod work;
