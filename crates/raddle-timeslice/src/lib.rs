//! Which process may use the GPU now, and for how long?
//!
//! Under seed 004, stage one loads from the most urgent level the processes with the greatest
//! weights, as many as fit the GPU's cache; in stage two each of them runs alone for a slice that
//! follows from its weight. Both stages are values that can be used alone:
//!
//! | part | question | steps |
//! |---|---|---|
//! | [`Weight`] | how much is a process owed? | S14 |
//! | [`StageOne`] | which processes are loaded? | S10 to S14 |
//! | [`StageTwo`], [`SliceRule`] | how long is each slice? | S21 |
//! | [`LoadOrder`] | which goes first? | S22 |
//! | [`TwoStage`] | which slice is next? | S10 to S23 |
//!
//! In the turn slot of a dispatcher, as [`Turn`](raddle_policy::Turn) policies:
//!
//! | policy | who may issue |
//! |---|---|
//! | [`WeightedSlices`] | one process at a time, as both stages say |
//! | [`RoundRobinTurn`] | one process at a time, equal slices |
//! | [`UnmapAll`] | as many as fit; everybody leaves when a new process appears |
//! | [`Vruntime`] | one process at a time: the one with the least run time, scaled by level |
//!
//! Units: ticks; levels count from 0, the most urgent. Integers only.
//!
//! ```
//! use raddle_timeslice::{PoolEntry, SliceRule, StageOne, StageTwo};
//! use raddle_policy::{Level, Ticks};
//! let process = |alive, ran| {
//!     PoolEntry { level: Level(2), share: 1, alive: Ticks(alive), ran: Ticks(ran) }
//! };
//! let (mut loaded, mut slices) = (Vec::new(), Vec::new());
//! let pool = [process(3600, 180), process(3600, 600)];
//! StageOne::new(Ticks(40), 8)?.load(pool, &mut loaded);
//! StageTwo::new(Ticks(40), SliceRule::Claim, None)?.slices(&loaded, &mut slices)?;
//! assert_eq!(slices, [52, 173], "the process that ran less has the shorter slice by this rule");
//! # Ok::<(), raddle_timeslice::SliceError>(())
//! ```
#![no_std]
#![warn(clippy::float_arithmetic, clippy::too_many_lines)]
#![forbid(unsafe_code)]

extern crate alloc;

mod error;
mod level;
mod order;
mod policy;
mod stage_one;
mod stage_two;
mod two_stage;
mod weight;

// Hidden items serve other crates of the workspace alone: they are not of the surface that is kept.
pub use error::SliceError;
pub use level::{LevelCode, LevelRange};
pub use order::{Arranger, LoadOrder};
pub use policy::{
    RoundRobinTurn, RoundRobinTurnConfig, UnmapAll, UnmapAllConfig, Vruntime, VruntimeConfig,
    WeightedSlices, WeightedSlicesConfig,
};
/// Crate with the types in the signatures of this crate: ticks, ids, levels, launches.
pub use raddle_policy;
pub use raddle_policy::ErrorKind;
pub use stage_one::{LoadedProcess, PoolEntry, StageOne};
pub use stage_two::{SliceRule, StageTwo};
pub use two_stage::{ProcessSlice, Reload, Runnable, Shares, SliceConfig, TakeOver, TwoStage};
pub use weight::Weight;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
