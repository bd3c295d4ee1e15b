//! Where is a free run of equal blocks, and which blocks are taken?
//!
//! A [`FreeMap`] records for each of N blocks whether it is free or taken. A search reserves
//! nothing: [`first_fit`](FreeMap::first_fit) and the other searches return a [`RunPlan`], and only
//! [`commit`](FreeMap::commit), which takes the plan by value, changes the map. Amounts and
//! positions count blocks, whatever a block stands for: registers, bytes.
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
//! - [`FreeMap`], with [`RunPlan`], [`Fragmentation`] and [`FitRefusal`]. Errors are [`Error`], and leave
//!   everything as it was.
//! - [`Search`]: the four methods of seed 000 as one family, [`Full`], [`Grouped`], [`Sampled`] and
//!   [`Shared`]. Each says whether it [is exact](Search::is_exact), and what it [needs](Need).
//! - [`Ring`]: parts that are handed out at a tail and reclaimed in order.
//! - [`Bank`]: many maps of one resource, with the longest run of each.
//!
//! # Features
//!
//! `bitvec` for conversions from and to `bitvec`; `circuit` for `raddle-golden` and the times of
//! decisions. The crate needs `alloc`.
#![no_std]
#![warn(clippy::float_arithmetic, clippy::too_many_lines)]
#![forbid(unsafe_code)]

extern crate alloc;

mod bank;
// Circuits of the seed, for `raddle-golden`, which draws and counts them: not of the surface that is
// kept.
#[cfg(feature = "circuit")]
#[doc(hidden)]
pub mod circuit;
#[cfg(feature = "bitvec")]
mod convert;
mod error;
mod map;
mod ring;
mod search;
mod words;

// Hidden items serve other crates of the workspace alone: they are not of the surface that is kept.
pub use bank::{Bank, MapState};
pub use error::{Error, ErrorKind};
pub use map::{FitRefusal, Fragmentation, FreeMap, Polarity, RunPlan, View};
pub use ring::Ring;
pub use search::{Full, Grouped, Kind, Layout, Need, Sampled, Search, Shared, SharedRun, Slot};
pub use words::Runs;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
