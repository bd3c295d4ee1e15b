//! Tests of raddle-kernel over its corpus, by reading and by execution.
#![allow(unsafe_code, reason = "OpenCL is an interface of C")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

mod branches;
mod corpus;
mod cost;
mod device;
mod execution;
mod machine;
mod prologue;
mod ptx;
mod ranges;
mod refused;
mod triton;
mod verdicts;
