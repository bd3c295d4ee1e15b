//! How is work taken off a GPU that cannot be preempted?
//!
//! Kernel preemption in software (seed 001): only a few launches are in the runtime at a time, each
//! tests a flag before it begins, and where every one of them may be run again the compute units
//! are reset, so that not even the running one has to end.
//!
//! | part | question |
//! |---|---|
//! | [`Controller`] | what does the thread between a program and its runtime do next? |
//! | [`policy`] | how does work leave in a dispatcher, when its process loses the turn? |
#![no_std]
#![warn(clippy::float_arithmetic, clippy::too_many_lines)]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod abilities;
mod controller;
mod error;
pub mod policy;
mod progress;

pub use abilities::Abilities;
pub use controller::{
    CaptureOrder, CapturedWork, Command, Controller, ControllerOptions, Declared, Exit, FlagCut,
    LaunchHandle, NoReset, Preempted, ProcessPhase, ResetScope, ResetVerdict, Resumed,
};
pub use error::PreemptError;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
