//! Does an unmodified program behave with the library in the place of the driver as without it?
//!
//! The driver is one in C, as is the program; `cc` compiles both. What the program prints is compared.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![expect(clippy::print_stdout, reason = "storms tell how often they preempt")]

mod figures;
mod hazards;
mod levels;
mod loading;
mod run;
#[path = "../../../raddle-opencl/tests/it/storm.rs"]
mod storm;
