//! Slices on a GPU that runs one task at a time.

mod exclusive;

pub use exclusive::{Exclusive, GpuStretch, GpuTask, TaskId};
