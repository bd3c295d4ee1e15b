//! Who gets the next free warp slot?
//!
//! Block and warp allocation with priority (seed 003): a block of an important kernel goes to an SM
//! that can run it whole; if there is none, to an SM that can start one warp of it; otherwise it
//! queues on an SM that runs only lower work, and gets every warp slot that becomes free there.
//! Running work is never stopped.
//!
//! | part | question |
//! |---|---|
//! | [`Controllers`] | what do the global and the SM controllers do next, by the seed's tables? |
//! | [`BlockWarp`] | the same rules as an [`Allocate`](raddle_policy::Allocate) policy |
//! | [`BlockWarpConfig`] | which readings of the seed are followed, at what price? |
//!
//! This crate says SM, block and warp, as the seed does, for compute unit, workgroup and wave; ids
//! and refusals are the shared types. A smaller rank is more urgent, as everywhere in raddle; in
//! the seed a larger priority is more important.
//!
//! ```
//! use raddle_sm::{Controllers, Kernel, BlockWarpConfig, Resources, Route};
//! use raddle_policy::LaunchId;
//!
//! let each = Resources { registers: 64, warps: 8, shared: 16 };
//! let mut gpu = Controllers::new(2, each, BlockWarpConfig::default())?;
//! let low = Kernel {
//!     id: LaunchId(0), rank: 9, blocks: 4, warps: 4, registers: 4, shared: 2, barrier: false,
//! };
//! assert_eq!(gpu.arrive(&low)?, None, "a block of it fits an SM");
//! for n1 in [2, 2] {
//!     let decision = gpu.decide().expect("an SM is free");
//!     assert_eq!((decision.route(), decision.n1()), (Route::Whole, n1));
//!     while gpu.serve(decision.sm())?.is_some() {}
//! }
//! // Every warp slot is taken: an important block queues on the first SM with lower work only.
//! gpu.arrive(&Kernel { id: LaunchId(1), rank: 1, blocks: 1, ..low })?;
//! let decision = gpu.decide().expect("lower work everywhere");
//! assert_eq!((decision.route(), decision.sm().0), (Route::Second, 0));
//! assert_eq!(gpu.serve(decision.sm())?, None, "nothing is stopped for it");
//! # Ok::<(), raddle_sm::Error>(())
//! ```
#![no_std]
#![warn(clippy::float_arithmetic, clippy::too_many_lines)]
#![forbid(unsafe_code)]

extern crate alloc;

mod blocks;
mod config;
mod controllers;
mod error;
mod index;
mod policy;
mod search;
mod tables;

// Hidden items serve other crates of the workspace alone: they are not of the surface that is kept.
pub use config::{BlockWarpConfig, Choose};
pub use controllers::Controllers;
pub use error::Error;
pub use policy::BlockWarp;
/// Crate with the types in the signatures of this crate: ticks, ids, levels, launches.
pub use raddle_policy;
pub use raddle_policy::ErrorKind;
pub use search::Route;
pub use tables::{BlockRow, Decision, Ended, Handle, Kernel, KernelRow, Resources, SmRow, Started};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
