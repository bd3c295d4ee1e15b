//! Where does a run of equal blocks lie free, and who has taken it?
//!
//! A [`FreeMap`] says of each of N blocks whether it is free or taken. Searching reserves nothing:
//! [`FreeMap::first_fit`] gives a [`Plan`], and only [`FreeMap::commit`], which takes the plan by
//! value, changes the map. The unit is the block, whatever it stands for: registers, bytes.
//!
//! ```
//! use raddle_bitmap::FreeMap;
//!
//! let mut map = FreeMap::new(16);
//! let plan = map.first_fit(6).expect("the map is empty");
//! assert_eq!(plan.start(), 0);
//! assert_eq!(map.free_blocks(), 16, "searching reserves nothing");
//! let start = map.commit(plan)?;
//! assert_eq!((map.free_blocks(), map.longest_run()), (10, 10));
//! assert!(map.first_fit(11).is_none());
//! map.release(start, 6)?;
//! assert_eq!(map.free_blocks(), 16);
//! # Ok::<(), raddle_bitmap::Error>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod error;
mod free_map;
mod words;

pub use error::Error;
pub use free_map::{FreeMap, Plan};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
