//! What resources does a GPU have, how does it round the demand of a workgroup, and how many
//! workgroups fit?
//!
//! Units: a [`Device`] counts in its own allocation granules ([`Granules`] says how large they
//! are); bandwidth is in bytes a microsecond, time in nanoseconds. No floating point anywhere.
#![no_std]
#![warn(clippy::float_arithmetic, clippy::too_many_lines)]

extern crate alloc;

mod arch;
mod capability;
mod capacity;
mod clusters;
mod costs;
mod demand;
mod device;
mod error;
mod lookup;
mod memory;
mod occupancy;
mod properties;
mod residency;
mod rounded;
mod slices;
mod table;

// Hidden items serve other crates of the workspace alone: they are not of the surface that is kept.
pub use costs::{MEASURED_RESET_NS, moving};
pub use demand::Unfit;
pub use device::{Device, Granules, Vendor};
pub use error::DeviceError;
pub use lookup::{find, find_arch, find_product, with_arch, with_words};
pub use memory::MemoryRates;
pub use properties::{SourceDevice, from_properties};
/// Re-export of the crate `raddle-policy`, whose types, such as ticks and demands, are in the
/// signatures of this crate.
pub use raddle_policy;
pub use raddle_policy::ErrorKind;
pub use residency::Residency;
pub use slices::TimeSlices;
pub use table::{ids, table};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
