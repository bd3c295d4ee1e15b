//! Does an unmodified program behave under the layer as without it?
//!
//! Each client is this test program once more, in a process of its own that calls OpenCL through the loader,
//! with `OPENCL_LAYERS` set or not. What it prints is compared.
#![expect(unsafe_code, reason = "clients call C")]
#![expect(clippy::print_stdout, reason = "a test that has no device says so")]

mod clients;
mod figures;
mod hazards;
mod loading;
mod others;
mod policies;
mod ranges;
mod run;
mod storm;
mod storms;
