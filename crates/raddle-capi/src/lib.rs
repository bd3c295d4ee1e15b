//! How do programs in C, SystemVerilog and Go use raddle?
//!
//! `include/raddle.h` declares every function here, and says the same of it; cbindgen makes it of this source. The
//! README has a table of all of them.
//!
//! | file | question |
//! |---|---|
//! | `status` | what does a call answer, and what is the text of an error? |
//! | `memory` | how is memory of the caller read and written? the only file that follows its pointers |
//! | `handle` | which object does a handle name, and may it be used now? |
//! | `nouns` | how are shapes, demands and launches written in C? |
//! | all others | one object each, with the functions that use it |
//!
//! # What a caller promises
//!
//! Checked, and answered by an error: null and misaligned pointers, lengths that no memory has, numbers that name
//! nothing, text that is not UTF-8, handles that are freed, of another kind, or in use by another thread. A handle is
//! a number that is looked up, never an address, so no handle can make a call read memory that is not there.
//!
//! Not checked, because nobody can: that a pointer that is neither null nor misaligned has memory of the stated
//! length behind it, that no other thread writes there during the call, and that text ends with a zero byte.
//!
//! # Safety
//! Every function that takes a pointer needs just that of it. A handle needs no promise.
#![allow(unsafe_code, reason = "every function is called from C, and writes to memory of C")]
#![allow(clippy::missing_safety_doc, reason = "the promises are the same for all: see the crate")]
#![warn(clippy::too_many_lines)]

mod action;
mod allocator;
mod block_warp;
mod controller;
mod dispatcher;
mod event;
mod free_map;
mod handle;
mod launch;
mod live;
mod memory;
mod nouns;
mod packet;
mod placement_check;
mod ring;
mod search;
mod shared;
mod slices;
mod status;

pub use action::{RaddleAction, RaddleActionKind, RaddleActions, RaddleStreamCut};
pub use allocator::*;
pub use block_warp::*;
pub use controller::*;
pub use dispatcher::*;
pub use event::{RaddleEvent, RaddleEventKind, RaddleHint};
pub use free_map::*;
pub use handle::raddle_free;
pub use launch::{
    RaddleBarrier, RaddleIdempotence, RaddleLaunch, RaddlePiece, RaddlePreemption, RaddleWaveKind,
    RaddleWaves,
};
pub use live::{RaddleLiveHint, raddle_live_hint};
pub use nouns::*;
pub use packet::*;
pub use placement_check::*;
pub use ring::*;
pub use search::*;
pub use shared::*;
pub use slices::*;
pub use status::{RaddleStatus, raddle_last_error, raddle_status_text, raddle_version};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
