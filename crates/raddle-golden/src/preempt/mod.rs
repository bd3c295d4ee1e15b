//! Preemption on a GPU with one stream.

pub mod model;
