//! What does a dispatcher made of four policies do next?
//!
//! [`Composed`] asks a launch path, a turn, an allocation and a preemption policy in a fixed order
//! and turns their answers into [`Action`]s; [`Recipe`] names the four in TOML or JSON; the
//! [`log`] holds every event and every answer, so that a run can be checked by replaying it.
//!
//! Time is an argument in ticks; the same events give the same actions and the same bytes of log.
//!
//! ```
//! use raddle_dispatch::{Composed, Dispatcher};
//! use raddle_policy::{Actions, Event, ProcessId, Tick};
//! # let shape = raddle_policy::CuShape { simds: 4, waves_per_simd: 16, vgpr_per_simd: 64,
//! #     sgpr: u16::MAX, lds: 384, workgroups: 32, barriers: 512 };
//! let mut dispatcher = Composed::builder(shape, 80).build()?;
//! dispatcher.event(&Event::ProcessJoined { process: ProcessId(0), share: 1 }, Tick::ZERO)?;
//! let mut actions = Actions::default();
//! dispatcher.decide(Tick::ZERO, &mut actions)?;
//! assert!(actions.list.is_empty());
//! # Ok::<(), raddle_dispatch::DispatchError>(())
//! ```
//!
//! Without the default features this crate is [`Composed`], [`Book`] and [`slots`] alone, and needs an allocator
//! but no standard library. Recipes, their registry and the log come with the feature `recipes`.
#![cfg_attr(not(feature = "recipes"), no_std)]
#![warn(clippy::too_many_lines)]
#![forbid(unsafe_code)]

extern crate alloc;

mod answer;
mod book;
mod by_launch;
mod composed;
mod dispatcher;
mod error;
mod host;
mod line;
#[cfg(feature = "recipes")]
pub mod log;
#[cfg(feature = "recipes")]
mod recipe;
pub mod slots;
mod standstill;
mod tally;
mod told;

pub use book::{Book, BookError};
// Hidden items serve other crates of the workspace alone: they are not of the surface that is kept.
pub use by_launch::ByLaunch;
pub use composed::{Builder, Composed};
pub use dispatcher::Dispatcher;
pub use error::DispatchError;
pub use host::{HostRun, Owed, run};
pub use raddle_policy::{Action, Actions, Event, Host, HostError, Tell};
pub use raddle_preempt::policy::DeviceCosts;
pub use raddle_preempt::{Abilities, ResetScope};
#[cfg(feature = "recipes")]
pub use recipe::{PolicySlot, PreemptRuntime, Recipe, RecipeError, Registry, TurnAndPreempt};
pub use standstill::Standstill;
pub use tally::{PreemptionTally, RefusedReset, TurnTally};
pub use told::ToldLine;
