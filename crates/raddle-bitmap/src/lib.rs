//! Where does a run of equal blocks lie free, and who has taken it?
//!
//! A [`FreeMap`] says of each of N blocks whether it is free or taken. Searching reserves nothing:
//! [`first_fit`](Map::first_fit) and its like give a [`RunPlan`], and only [`commit`](Map::commit),
//! which takes the plan by value, changes the map. The unit is the block, whatever it stands for:
//! registers, bytes.
//!
//! ```
//! use raddle_bitmap::FreeMap;
//!
//! let mut map = FreeMap::new(16)?;
//! let plan = map.first_fit(6).expect("the map is empty");
//! assert_eq!(plan.start(), 0);
//! assert_eq!(map.free_blocks(), 16, "searching reserves nothing");
//! let start = map.commit(plan)?;
//! assert_eq!((map.free_blocks(), map.longest()), (10, 10));
//! assert!(map.first_fit(11).is_none());
//! map.release(start, 6)?;
//! assert_eq!(map.free_blocks(), 16);
//! # Ok::<(), raddle_bitmap::Error>(())
//! ```
//!
//! # What is here
//!
//! - [`Map`] in its forms: [`FreeMap`], and [`Map64`] to [`Map2048`] without a heap; [`RunPlan`],
//!   [`Fragmentation`], [`FitRefusal`]. Errors are [`Error`], and leave everything as it was.
//! - [`Search`]: the four methods of seed 000 as one family, [`Full`], [`Grouped`], [`Sampled`] and
//!   [`Shared`]. What each may report is in its [`Promise`] and its [`Need`].
//! - [`Bank`]: many maps of one resource, with the longest run of each; [`batch`]: what it measures
//!   them with.
//! - `circuit` (feature `circuit`): the sequences of the seed step by step, and what each variant
//!   costs in gates, registers and clocks.
//!
//! # Features
//!
//! `std` (default) is for finding out at run time what the processor can do; `circuit` for the view
//! of a hardware team; `bitvec` for conversions from and to `bitvec`. Without features the crate
//! needs `alloc` and depends on nothing.
#![no_std]
#![warn(clippy::float_arithmetic, clippy::too_many_lines)]
#![cfg_attr(not(all(feature = "std", target_arch = "x86_64")), forbid(unsafe_code))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod bank;
pub mod batch;
#[cfg(feature = "circuit")]
pub mod circuit;
#[cfg(feature = "bitvec")]
mod convert;
mod error;
mod map;
mod runs;
mod search;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod simd;
mod words;

pub use bank::Bank;
pub use error::Error;
pub use map::{
    FitRefusal, FixedMap, Fragmentation, FreeMap, Map, Map64, Map128, Map256, Map2048, Polarity,
    Refusals, RunPlan, View, WordStore,
};
pub use search::{
    Full, Grouped, Kind, Layout, Need, Promise, Sampled, Search, Shared, SharedRun, Slot,
};
pub use words::Runs;

/// Searches in plain words, 1 = free, in safe Rust for any processor: what every other form of a
/// search is compared with, and what a crate uses that searches single words without a call.
pub mod portable {
    pub use crate::words::{NOWHERE, first_fit_portable, longest_portable, shifts_for};
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
