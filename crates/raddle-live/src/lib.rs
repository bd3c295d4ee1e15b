//! How does raddle schedule a real device?
//!
//! | part | question |
//! |---|---|
//! | [`Client`] | how do the threads of one program and of its runtime share a controller? |
//! | [`Link`] | how does a program hear whose turn it is? |
//! | [`Daemon`] | who schedules the programs of a user? |
//! | [`hint()`] | what may a program say of itself while it runs? |
//! | [`replay()`] | do the events of a live log give the same answers again? |
//! | [`check()`] | does the log of a program keep the rules of the controller? |
//!
//! The crate does not depend on OpenCL, CUDA or HIP: a backend implements
//! [`raddle_preempt::Runtime`], and passes the launches that it captures to a [`Client`].
#![cfg(target_os = "linux")]
#![warn(clippy::too_many_lines)]
#![allow(
    clippy::disallowed_methods,
    reason = "a live runtime has threads and clocks; what decides gets the time as an argument"
)]
#![forbid(unsafe_code)]

mod ask;
mod client;
mod daemon;
mod error;
mod hint;
mod link;
mod replay;
mod rules;
#[cfg(test)]
mod schedules;
mod status;
mod sync;
mod wire;

pub use ask::{Inquiry, default_socket, hint, hint_by_number};
pub use client::{Client, ClientConfig, ClientCounts, PROCESS, Reporter, Until};
pub use daemon::{DEFAULT_LEVEL, Daemon, DaemonConfig, Storm};
pub use error::LiveError;
pub use hint::LiveHint;
pub use link::env::{self, mark_loaded, start_from_env};
pub use link::{Link, LinkConfig};
pub use replay::{LiveReplayed, replay, replay_with};
pub use rules::check;
pub use status::{
    ClientSummary, LiveStatus, OffReason, ProgramStanding, ProgramStatus, RefusedClient,
};
