//! Which questions does a GPU dispatcher ask its policies, and what may they answer?
//!
//! The crate has four small traits, one for each slot of a dispatcher, and the types that they
//! exchange:
//!
//! | slot | trait | question |
//! |---|---|---|
//! | launch path | [`LaunchPath`] | how do launches reach the device, at what cost? |
//! | turn | [`Turn`] | which processes may issue now, and until when? |
//! | allocate | [`Allocate`] | which workgroups or waves go where? |
//! | preempt | [`Preempt`] | how does work leave when its process loses the turn? |
//!
//! A policy only answers: it reads a view, gets the time as an argument, may keep memory of its
//! own, and returns a value. The documentation of each trait numbers its laws; the crate
//! `raddle-testkit` checks them for any implementation.
//!
//! This crate has no policies. A policy of your own needs only this crate:
//!
//! ```
//! use raddle_policy::{Allocate, Answer, ReadyView, Round, Tick};
//!
//! /// The lowest compute unit that has room.
//! #[derive(Clone, Debug)]
//! struct LowestFirst;
//!
//! impl Allocate for LowestFirst {
//!     fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
//!         for entry in ready.launches().iter().filter(|entry| entry.undistributed() > 0) {
//!             if let Some(cu) = ready.cus().ids().find(|&cu| ready.cus().room(cu, &entry.launch().demand) > 0) {
//!                 return round.start_one(entry, cu);
//!             }
//!             round.refuse(ready.cus().refusal(raddle_policy::CuId(0), entry.launch()));
//!         }
//!         Answer::WAIT
//!     }
//! }
//! ```
#![no_std]
#![warn(clippy::float_arithmetic, clippy::too_many_lines)]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

// Types that the questions to policies and their answers name.
mod activity;
mod demand;
mod dim;
mod error_kind;
mod free_run;
mod hint;
mod id;
mod launch;
mod level;
mod refusal;
mod texts;
mod time;

// Questions to policies, with the views that policies read and the answers that they give.
#[cfg(feature = "alloc")]
mod action;
#[cfg(feature = "alloc")]
mod allocate;
#[cfg(feature = "alloc")]
mod configured;
#[cfg(feature = "alloc")]
mod cu_set;
#[cfg(feature = "alloc")]
mod cus;
#[cfg(feature = "alloc")]
mod event;
#[cfg(feature = "alloc")]
mod fact;
#[cfg(feature = "alloc")]
mod host;
#[cfg(feature = "alloc")]
mod launch_path;
#[cfg(feature = "alloc")]
mod layers;
#[cfg(feature = "alloc")]
mod per_cu;
#[cfg(feature = "alloc")]
mod piece;
#[cfg(feature = "alloc")]
mod policy_fn;
#[cfg(feature = "alloc")]
mod preempt;
#[cfg(feature = "alloc")]
mod preemption;
#[cfg(feature = "alloc")]
mod ranked;
#[cfg(feature = "alloc")]
mod turn;

// Hidden items serve other crates of the workspace alone: they are not of the surface that is kept.
pub use activity::{Activity, InstructionKind};
pub use demand::{Barrier, CuShape, Demand, Footprint, MAX_SIMDS, ShapeError};
pub use dim::Dim3;
pub use error_kind::ErrorKind;
pub use free_run::{FreeRun, IN_RUNS, WaitReason, WaitTally};
pub use hint::{Hint, Hints};
pub use id::{CuId, LaunchId, ProcessId, StreamId};
pub use launch::{Idempotence, KernelCall, Launch};
pub use level::Level;
pub use refusal::{Refusal, Resource};
pub use time::{Tick, Ticks};

#[cfg(feature = "alloc")]
pub use self::{
    action::{Action, Actions, FlagCut},
    allocate::{Allocate, Answer, ReadyLaunch, ReadyView, Round, StartPart},
    configured::{Configured, Needs, NoConfig, SettingError},
    cu_set::CuSet,
    cus::{Cus, Free, Split, TakenUnits, take_highest},
    event::Event,
    fact::Fact,
    host::{Host, HostError, Tell},
    launch_path::{LaunchPath, Submission},
    layers::{Asked, Fallback, PerProcess, Traced},
    per_cu::PerCu,
    piece::{Piece, Place, WaveSpan},
    policy_fn::{PolicyFn, allocate_fn, preempt_fn, turn_fn},
    preempt::{Preempt, VictimLaunch, VictimView},
    preemption::Preemption,
    ranked::{Rank, Ranked},
    turn::{CacheLoad, LoadedSlice, ProcessState, StreamState, Then, Turn},
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
