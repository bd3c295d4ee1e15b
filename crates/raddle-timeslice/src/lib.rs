//! Who may use the GPU now, and for how long?
//!
//! Seed 004: of the processes of the most urgent level, those that fit the GPU's cache and are owed
//! most are loaded (stage one), and each runs alone for a slice that follows from its weight (stage
//! two). Both stages are values that can be used alone:
//!
//! | part | question | steps |
//! |---|---|---|
//! | [`Levels`] | how are levels coded? | S11 |
//! | [`Weight`] | how much is a process owed? | S14 |
//! | [`StageOne`] | which processes are loaded? | S10 to S14 |
//! | [`StageTwo`], [`Rule`] | how long is each slice? | S21 |
//! | [`Arranger`], [`Order`] | which goes first? | S22 |
//! | [`TwoStage`] | which slice is next? | S10 to S23 |
//! | [`Pool`], [`Exclusive`] | what happens on a GPU that runs exactly these slices? | S20 to S23 |
//!
//! In the turn slot of a dispatcher, as [`Turn`](raddle_policy::Turn) policies:
//!
//! | policy | who may issue |
//! |---|---|
//! | [`WeightedSlices`] | one process at a time, as both stages say |
//! | [`RoundRobin`] | one process at a time, equal slices |
//! | [`UnmapAll`] | as many as fit; everybody leaves when a new process appears |
//! | [`Vruntime`] | one process at a time: the one with the least run time, scaled by level |
//!
//! Units: ticks; levels count from 0, the most urgent. Integers only.
//!
//! ```
//! use raddle_timeslice::{Exclusive, Levels, Rule, Settings, Shares, Task, TaskId};
//! use raddle_policy::{Level, Tick, Ticks};
//! let settings = Settings { shares: Shares::Time, ..Settings::new(Ticks(40), 8, Rule::MinOne) };
//! let mut gpu = Exclusive::new(&settings, Levels::default())?;
//! for (id, share) in [(0, 3), (1, 1)] {
//!     let task = Task { id: TaskId(id), level: Level(2), share, created: Tick(0), ran: Ticks(0) };
//!     gpu.add(task, None, Tick(0))?;
//! }
//! gpu.advance(Tick(1_000_000), &mut |_| {})?;
//! let ran: Vec<u64> = gpu.pool().tasks().iter().map(|task| task.ran.0).collect();
//! assert_eq!(ran.iter().sum::<u64>(), 1_000_000);
//! assert!((735_000..=765_000).contains(&ran[0]), "three quarters: {ran:?}");
//! # Ok::<(), raddle_timeslice::Error>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod coarse;
mod error;
mod exclusive;
mod filter;
mod level;
mod order;
mod policy;
mod pool;
mod scan;
mod stage_one;
mod stage_two;
mod two_stage;
mod weight;

pub use error::Error;
pub use exclusive::{Exclusive, Stretch};
pub use level::{Code, Levels};
pub use order::{Arranger, Order};
pub use policy::{
    RoundRobin, RoundRobinConfig, UnmapAll, UnmapAllConfig, Vruntime, VruntimeConfig,
    WeightedSlices, WeightedSlicesConfig,
};
pub use pool::{Pool, Task, TaskId};
pub use stage_one::{Candidates, Entry, Loaded, StageOne};
pub use stage_two::{Rule, StageTwo};
pub use two_stage::{Reload, Runnable, Settings, Shares, Slice, TakeOver, TwoStage};
pub use weight::Weight;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
