//! How do many launches reach a device in few packets?
//!
//! Under seed 002 a *reference packet* launches a kernel and stores its data in a small table of
//! the agent; a *condensed packet* then launches many kernels by naming entries of the table and
//! the fields that differ.
//!
//! | part | question |
//! |---|---|
//! | [`AqlFormat`] | where is each field, and in which order are bits and half-words? |
//! | [`LaunchImage`] | what is in one launch? |
//! | [`KernelDispatch`], [`Reference`], [`BarrierPacket`], [`Condensed`] | what is in an AQL packet? (`parse`, `emit`) |
//! | [`PacketView`] | how is any packet printed, even a malformed one? |
//! | [`Agent`], [`ReferenceTable`] | which launches does a packet stand for? all or nothing |
//! | [`PacketRing`] | how do packets wait between host and agent? |
//! | [`Encoder`], [`Replacement`] | in how few packets can a stream be sent, and which launches get an entry? |
//! | [`Overhead`] | what does launching cost in addition to the kernels? |
//! | [`CondensedPath`] | what does it cost in the launch path slot of a dispatcher? |
//!
//! Bytes are little-endian. Without the feature `alloc` the crate has everything except
//! [`CondensedPath`], and nothing needs an allocator.
#![no_std]
#![warn(clippy::float_arithmetic, clippy::too_many_lines)]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate self as raddle_packet;
#[cfg(test)]
extern crate std;

mod agent;
mod condensed;
mod encoder;
mod error;
mod launch;
#[cfg(feature = "alloc")]
mod launch_path;
mod layout;
mod overhead;
mod packet_types;
mod replacement;
mod repr;
mod ring;
mod table;
mod view;

// The tests of the replacement policies compare with the naive codec of the other tests.
#[cfg(test)]
#[path = "../tests/seed002/naive.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod naive;
#[cfg(test)]
#[path = "../tests/seed002/sample.rs"]
#[allow(dead_code, clippy::unwrap_used, reason = "the other tests use the rest")]
mod sample;

// Hidden items serve other crates of the workspace alone: they are not of the surface that is kept.
pub use agent::{Agent, Received};
pub use condensed::{Condensed, CondensedKernel, Diff};
pub use encoder::{Encoder, PacketTally};
pub use error::PacketError;
pub use launch::{LaunchImage, cleanups};
#[cfg(feature = "alloc")]
pub use launch_path::{CondensedConfig, CondensedPath, KernelArguments};
pub use layout::{AqlConfig, AqlField, AqlFormat, PartOrder};
pub use overhead::Overhead;
pub use packet_types::{AQL_BYTES, AQL_ENTRIES, AqlPacket, HALF_WORDS, PacketTypes};
/// Crate of the types that the signatures of this one use: ticks, ids, levels, launches.
pub use raddle_policy;
pub use raddle_policy::ErrorKind;
pub use replacement::{AnyReplacement, FirstPolicy, NEAR, Replacement};
pub use repr::{BarrierPacket, KernelDispatch, Reference};
pub use ring::PacketRing;
pub use table::{ReferenceTable, TableScope};
pub use view::PacketView;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
