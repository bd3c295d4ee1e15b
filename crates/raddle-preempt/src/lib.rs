//! How is work taken off a GPU that cannot be preempted?
//!
//! Kernel preemption in software (seed 001): only a few launches are in the runtime at a time, each
//! tests a flag before it begins, and where every one of them may be run again the compute units
//! are reset, so that not even the running one has to end.
//!
//! | part | question |
//! |---|---|
//! | [`ways`] | which way off is the right one for this victim, at what cost? |
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod error;
pub mod ways;

pub use error::Error;
pub use ways::{Abilities, Cheapest, Choose, Costs, Fixed, Victim, Way};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
