//! Which questions does a GPU dispatcher ask its policies, and what may they answer?
//!
//! Four small traits, one a slot of a dispatcher, and what they exchange:
//!
//! | slot | trait | question |
//! |---|---|---|
//! | launch path | [`LaunchPath`] | how do launches reach the device, at what cost? |
//! | turn | [`Turn`] | which processes may issue now, and until when? |
//! | allocate | [`Allocate`] | which workgroups or waves go where? |
//! | preempt | [`Preempt`] | how does work leave when its process loses the turn? |
//!
//! A policy answers and does nothing else: it reads a view, gets the time as an argument, keeps at
//! most memory of its own, and returns a value. The laws of each trait are numbered in its
//! documentation and checkable for any implementation with the feature `test-kit`.
//!
//! There is no policy in this crate. A policy from outside needs this crate alone:
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
//!         for entry in ready.launches.iter().filter(|entry| entry.undistributed() > 0) {
//!             if let Some(cu) = ready.cus.ids().find(|&cu| ready.cus.room(cu, &entry.launch.demand) > 0) {
//!                 return round.start_one(entry, cu);
//!             }
//!             round.refuse(ready.cus.refusal(raddle_policy::CuId(0), &entry.launch));
//!         }
//!         Answer::WAIT
//!     }
//! }
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "test-kit")]
extern crate std;

mod action;
mod allocate;
mod book;
mod cus;
mod event;
mod fact;
mod launch_path;
mod piece;
mod preempt;
mod turn;

#[cfg(feature = "test-kit")]
pub mod test_kit;

pub use action::{Action, Actions, TakeOff};
pub use allocate::{Allocate, Answer, OneByOne, ReadyLaunch, ReadyView, Round};
pub use book::{Book, BookError, Lifted};
pub use cus::{Cu, Cus, Free, Split};
pub use event::Event;
pub use fact::Fact;
pub use launch_path::{LaunchPath, Submission};
pub use piece::{Piece, Place, WaveSpan};
pub use preempt::{How, Preempt, VictimLaunch, VictimView};
pub use turn::{ProcessState, Turn};

pub use raddle_types::{
    Activity, Barrier, CuId, CuShape, Demand, Idempotence, InstructionKind, Launch, LaunchId,
    Level, MAX_SIMDS, ProcessId, Refusal, Resource, StreamId, Tick, Ticks,
};
