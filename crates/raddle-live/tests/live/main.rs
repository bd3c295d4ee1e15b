//! Clients and a daemon with real threads, over a card that is none.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "test code with threads and clocks"
)]

mod client;
mod cost;
mod daemon;
mod dying;
mod fake;
mod rig;
mod rude;
mod set;

use std::sync::{Arc, Mutex};

use raddle_live::{PROCESS, Reporter};
