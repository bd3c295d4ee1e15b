//! How do many launches reach a device in few packets?
//!
//! Seed 002: a *reference packet* launches a kernel and leaves its data in a small table of the
//! agent; a *condensed packet* then launches many kernels by naming entries of the table and the
//! fields that differ.
//!
//! | part | question |
//! |---|---|
//! | [`Format`] | where does which field lie, in which order of bits and half-words? |
//! | [`Launch`] | what does one launch say? |
//! | [`KernelDispatch`], [`Reference`], [`Barrier`], [`Condensed`] | what is in an AQL packet? (`parse`, `emit`) |
//! | [`View`] | what does any packet look like, also a malformed one? |
//! | [`Agent`], [`Table`] | which launches does a packet stand for? all or nothing |
//! | [`Encoder`], [`Keep`] | how few packets can a stream be, and what is worth an entry? |
//! | [`optimal`] | how few could they be if the whole stream were known? |
//! | [`Overhead`] | what does launching cost around the kernels? |
//! | [`CondensedPath`] | what does it cost in a dispatcher? (its launch path slot) |
//!
//! Bytes are little-endian. Encoder and agent allocate nothing, and without the feature `alloc` nothing
//! here needs an allocator; [`optimal`] and [`CondensedPath`] lie behind it.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

mod agent;
mod aql;
mod condensed;
mod diff;
mod encoder;
mod error;
mod format;
mod keep;
mod launch;
#[cfg(feature = "alloc")]
mod optimal;
mod overhead;
#[cfg(feature = "alloc")]
mod path;
mod run;
mod spec;
mod table;
mod value;
mod view;

pub use agent::{Agent, Launches, Received};
pub use aql::{AQL_BYTES, AQL_ENTRIES, AqlOptions};
pub use condensed::{Condensed, Kernel};
pub use diff::Diff;
pub use encoder::{Encoder, Tally};
pub use error::{Error, FormatFault};
pub use format::{Format, MAX_FIELDS};
pub use keep::{
    Ask, First, Frequency, Keep, Keeper, MostRecent, NEAR, Nearest, Rule, Scripted, Way,
};
pub use launch::Launch;
#[cfg(feature = "alloc")]
pub use optimal::{Item, Limits, Optimal, optimal};
pub use overhead::Overhead;
#[cfg(feature = "alloc")]
pub use path::{Arguments, CondensedConfig, CondensedPath};
pub use spec::{Field, HalfWords, HeaderBits, Spec, Types};
pub use table::{Scope, Table};
pub use value::{Barrier, KernelDispatch, Reference};
pub use view::{Kind, View};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
