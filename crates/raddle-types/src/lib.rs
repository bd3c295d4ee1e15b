//! Which nouns do the crates of raddle exchange?
//!
//! Ids, time, levels, the capacity of a compute unit, what a workgroup asks of it, what its waves
//! do, launches and refusals. No trait, no algorithm, no allocation: a type is here only if two sibling crates
//! exchange it.
//!
//! Units: time in [`Tick`]s, resources in the device's own granules ("units").
#![no_std]

mod activity;
mod demand;
mod dim;
mod id;
mod launch;
mod level;
mod refusal;
mod time;

pub use activity::{Activity, InstructionKind};
pub use demand::{Barrier, CuShape, Demand, Footprint, MAX_SIMDS, ShapeError};
pub use dim::Dim3;
pub use id::{CuId, LaunchId, ProcessId, StreamId};
pub use launch::{Idempotence, Launch};
pub use level::Level;
pub use refusal::{Refusal, Resource};
pub use time::{Tick, Ticks};
