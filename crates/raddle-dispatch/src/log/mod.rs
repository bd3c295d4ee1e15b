//! Which events did a dispatcher get, and what did it answer?
//!
//! The decision log is JSON Lines: a header (recipe, device), then one line an event and one line
//! an answer, in order, and a last line with the counts of both. `step` counts decisions: all
//! events of a step were heard before its answers. Equal input gives equal bytes. Feeding the
//! events again must give the same answers: [`replay`], and [`replay_with`] where policies of your
//! own wrote the log. A live device writes its log in the same way, with a header, events and
//! answers of its own ([`LogWriter::with_header`]).
//!
//! Times are ticks. Workgroups are written as runs `[first, stride, count, cu, cus, step]`: on each
//! of `cus` compute units from `cu` on, `count` workgroups `stride` apart, the next unit beginning
//! at `first + step`; a step of 1 is left out. A uniform round over the device is one run.
//!
//! Whole workgroups need no further key. `"waves":[first,count]` are waves of workgroups
//! that start wave by wave, `"cut":[first,count]` a part of a workgroup that was cut; both stand
//! before the workgroups, never together.
//!
//! Addresses are spelled only in full detail, wave by wave: `"places":[[simd,vgpr,sgpr,lds],..]`.
//! Else `"addresses"` is a hash of the addresses, by which two answers can be told apart.
//!
//! A log is read in this form. A replay writes a shorter form to a file, which leaves out whatever
//! follows from earlier lines; `short` lists what, and [`spelled_out`] gives every line back.

pub mod check;
mod header;
mod host;
mod lines;
mod reader;
mod short;
mod writer;

pub use crate::line::{LogLine, hash_of};
pub use header::{LOG_VERSION, LogHeader};
pub use host::{event_of, spelled_actions};
pub use lines::spelled_out;
pub use reader::{Replayed, replay, replay_with};
pub use writer::{Detail, LogWriter, ended};
