//! Which of the policies that XSched ships can be written against `raddle-policy`, and how long are
//! they?
//!
//! All ten, each a file of at most 60 lines. What they do is that of XSched's sources
//! (<https://github.com/XpuOS/xsched>, `sched/src/policy`), said in words of our own; no code is
//! taken over. A queue of XSched is a stream, what suspends it is the turn. `examples/mix.rs` is
//! the command line of raddle with them in it.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod awf;
mod cfs;
mod fifo;
mod hhpf;
mod hpf;
mod kedf;
mod lax;
mod mlfq;
mod pup;
mod settings;
mod up;

pub use awf::ActiveWindowFirst;
pub use cfs::CompletelyFair;
pub use fifo::FirstComeFirstServed;
pub use hhpf::SystemPriority;
pub use hpf::HighestPriority;
pub use kedf::{KEarliestDeadlines, KEarliestDeadlinesConfig};
pub use lax::Laxity;
pub use mlfq::FeedbackQueues;
pub use pup::ProcessPartition;
pub use settings::SliceConfig;
pub use up::StreamPartition;
