//! What did a GPU do in a recorded run? This crate turns a profile into a neutral workload.
//!
//! [`open`] reads what PyTorch, JAX, Nsight Systems, rocprof and rocmProfileData write, or a launch
//! table, and gives a [`Profile`]: the kernels, copies and fills of one device with their shapes,
//! footprints, times, arrivals and the op each waits for. A value that a file lacks is assumed by a
//! stated rule, marked in the op's [`Provenance`] and counted in the [`ImportReport`]. Only figures
//! and the names of kernels and devices are taken from a file.
//!
//! Units: nanoseconds since the earliest arrival or start in the profile, grids in workgroups.
#![warn(clippy::too_many_lines)]
#![forbid(unsafe_code)]

mod activity;
mod archive;
pub mod arrivals;
mod assemble;
mod between;
mod captures;
mod comm;
mod config;
mod copies;
mod csv_table;
mod decimal;
mod distributed;
mod error;
mod format;
mod idempotence;
mod import;
mod input;
mod need;
mod need_rule;
mod priority;
mod profile;
mod provenance;
mod report;
mod unknown;
mod work;

pub use activity::assumed_activity;
pub use archive::archive_members;
pub use between::{between_repetitions, repetitions};
pub use captures::GraphCaptures;
pub use comm::{CommRule, Communication, is_communication};
pub use config::{BarrierRule, ImportConfig};
pub use copies::{CopiesElsewhere, CopyDirection};
pub use distributed::rank_of_trace;
pub use error::TraceError;
pub use format::ProfileFormat;
pub use idempotence::IdempotenceRule;
pub use import::{LAUNCH_TABLE_COLUMNS, Watch, open, read, read_watched};
pub use need::{KernelNeed, LaunchSize, NamedNeed, NeedSource};
pub use need_rule::NeedRule;
pub use priority::{LevelTarget, PriorityRule, Ranks, level_of};
pub use profile::{
    Collective, HostWait, Op, OpKind, Profile, SourceDevice, StreamLabel, StreamWait, profile_name,
};
pub use provenance::{Field, Origin, Provenance};
pub use report::{ImportReport, QuirkMet};
pub use unknown::UnknownTime;
pub use work::{LaunchWork, OpWork};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
