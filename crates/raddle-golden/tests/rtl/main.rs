//! Do circuits that are written as Verilog answer as `raddle-bitmap` does, with the gates that are
//! promised?
//!
//! Verilator and Icarus run the benches, Yosys counts. Where a tool is missing its tests say so and
//! pass, except under `RADDLE_REQUIRE_RTL=1`. `RADDLE_RTL_LINES` sets the lines a bench (`cargo xtask
//! soak rtl`).
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "all of this is test code")]

mod benches;
mod gates;
mod kit;
mod recorders;
