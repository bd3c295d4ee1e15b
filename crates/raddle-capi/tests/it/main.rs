//! Do the functions of C answer what the crates below answer, and refuse what is wrong?
//!
//! `header` compares the header with the source; `same` compares random calls with the crates; `misuse` calls wrongly
//! on purpose; `programs` compiles and runs C, SystemVerilog and Go.
#![allow(unsafe_code, reason = "the functions are those of C")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "all of this is test code")]

mod call;
mod header;
mod misuse;
mod programs;
mod same;
