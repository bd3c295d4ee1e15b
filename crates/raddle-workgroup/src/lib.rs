//! On which compute unit does a workgroup start?
//!
//! The baselines of the allocate slot, each an [`Allocate`](raddle_policy::Allocate) policy:
//!
//! | policy | a workgroup goes to | launches |
//! |---|---|---|
//! | [`RoundRobin`] | the next compute unit with room after the last one used | in arrival order; one that waits lets later ones pass |
//! | [`Greedy`] | the lowest compute unit with room | as above |
//! | [`Leftover`] | the compute unit with room for most further ones | one after the other |
//! | [`Spatial`] | as leftover, within the compute units of its process | of one process one after the other |
//!
//! [`Allocator`] finds and tracks real addresses (SIMD, first vector register, first scalar
//! register, first byte of LDS).
//!
//! [`Matching`] combines the parts of the matching dispatcher of seed 000: which level is best, which
//! of several tied channels goes first, when a workgroup is cut, how many waves each SIMD gets, and
//! which compute unit takes a workgroup. Its configuration chooses each part.
//!
//! Units: granules of the device; positions are counted from 0.
//!
//! ```
//! use raddle_policy::{Allocate, Cus, Launch, LaunchId, ReadyLaunch, ReadyView, Round, Tick};
//! use raddle_workgroup::Leftover;
//! # use raddle_policy::{Barrier, CuShape, Demand, ProcessId};
//! # let shape = CuShape { simds: 4, waves_per_simd: 10, vgpr_per_simd: 64, sgpr: 200, lds: 256,
//! #     workgroups: 40, barriers: 32 };
//! # let demand = Demand { waves: 4, vgpr: 8, sgpr: 1, lds: 16, barriers: 1 };
//! # let launch = Launch::new(LaunchId(0), ProcessId(0), 20, demand).with_barrier(Barrier::Yes);
//! let cus = Cus::new(shape, 2);
//! let launches = [ReadyLaunch::new(launch, Tick::ZERO)];
//! let view = ReadyView::new(&launches, &cus);
//! let mut policy = Leftover::default();
//! let mut round = Round::default();
//! policy.allocate_round(&view, Tick::ZERO, &mut round);
//! let pieces: Vec<String> = round.pieces.iter().map(ToString::to_string).collect();
//! assert_eq!(pieces, ["w0+2x8@cu0", "w1+2x8@cu1"], "8 fit on each of the two");
//! ```
#![no_std]
#![warn(clippy::float_arithmetic, clippy::too_many_lines)]
#![forbid(unsafe_code)]

extern crate alloc;

mod allocator;
// Parts of seed 000 by themselves, for `raddle-golden`, which answers questions about them: not of the
// surface that is kept.
#[doc(hidden)]
pub mod balance;
mod baselines;
mod error;
mod matching;
#[doc(hidden)]
pub mod order;
#[doc(hidden)]
pub mod place;
#[doc(hidden)]
pub mod split;

// Hidden items serve other crates of the workspace alone: they are not of the surface that is kept.
pub use allocator::{Allocator, GroupPlan, ProbeRefusal, SimdRule};
pub use baselines::{
    BaselineConfig, Greedy, Leftover, LeftoverConfig, PlacedAddresses, RoundRobin, Spatial,
    SpatialConfig,
};
pub use error::Error;
pub use matching::{
    Amounts, Balance, ByResource, Choice, DecisionTime, EachResource, Excluded, Fit, FreeWeights,
    LevelOrder, LevelWindows, Matching, MatchingConfig, PlaceRule, PowerWeights, Primes,
    ResourceSearch, SearchCost, SearchRule, SearchTiming, SplitRule,
};
/// The crate with the types that the signatures of this one use: ticks, ids, levels, launches.
pub use raddle_policy;
pub use raddle_policy::ErrorKind;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
