//! How does a run become a timeline?
//!
//! A [`Recorder`] watches a run and keeps what a viewer draws: which launch held which workgroup
//! slots from when to when, when launches were off the device, how many waves were resident and how
//! many launches were ready. Its cost grows with pieces and fronts, not with workgroups, and its
//! memory with the slices wanted, not with the run.

mod build;
mod counts;
mod recorder;
mod slots;
mod store;
mod unit;

pub use build::TimelineNames;
pub use recorder::Recorder;
