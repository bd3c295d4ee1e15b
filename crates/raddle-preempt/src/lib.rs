//! How is work taken off a GPU that has no preemption?
//!
//! This crate preempts kernels in software (seed 001). Only a few launches are in the runtime at a
//! time, and each tests a flag before it begins. If all of them may be run again, the compute units
//! are reset, so that even the running launch does not have to end.
//!
//! | part | question |
//! |---|---|
//! | [`Controller`] | what does the thread between a program and its runtime do next? |
//! | [`Driver`], [`Runtime`] | how do a controller and a runtime work together? |
//! | [`Arbiter`] | who has the turn, and how does the work of those who lose it leave? |
//! | [`policy`] | how does work leave in a dispatcher, when its process loses the turn? |
#![no_std]
#![warn(clippy::float_arithmetic, clippy::too_many_lines)]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod abilities;
mod arbiter;
mod controller;
mod driver;
mod error;
pub mod policy;
mod progress;

// Hidden items serve other crates of the workspace alone: they are not of the surface that is kept.
pub use abilities::Abilities;
pub use arbiter::{Arbiter, Decided, Standing};
pub use controller::{
    Capture, CaptureOrder, CapturedWork, Command, Controller, ControllerConfig, Declared, FlagCut,
    Heard, LaunchHandle, MOST_KILLS, NoReset, ProcessPhase, Report, ResetScope, WishAnswer,
    WorkKind,
};
pub use driver::{Counts, Driver, Runtime, SubmitCall, Task, Wish};
pub use error::PreemptError;
/// Crate of the types in this crate's signatures, such as ticks, ids, priority levels and launches.
pub use raddle_policy;
pub use raddle_policy::ErrorKind;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
