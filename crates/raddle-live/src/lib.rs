//! How does raddle schedule a real device?
//!
//! | part | question |
//! |---|---|
//! | [`Client`] | how do the threads of one program and of its runtime share a controller? |
//!
//! Nothing here knows OpenCL, CUDA or HIP: a backend implements
//! [`raddle_preempt::Runtime`], and hands what it captures to a [`Client`].
#![warn(clippy::too_many_lines)]
#![allow(
    clippy::disallowed_methods,
    reason = "a live runtime has threads and clocks; what decides gets the time as an argument"
)]
#![forbid(unsafe_code)]

mod client;
mod error;
mod sync;

pub use client::{Client, ClientCounts, ClientOptions, PROCESS, Reporter, Until};
pub use error::LiveError;
