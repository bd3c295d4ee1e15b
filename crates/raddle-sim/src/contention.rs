//! By how much longer does a kernel last beside a neighbour, before a resource is full?
//!
//! [`Contention`] is what a replay charges for one kernel; [`ContentionTable`] is learnt from
//! recordings that hold the same kernel with and without a neighbour. Factors are in thousandths of
//! the time alone.

mod held_out;
mod observed;
mod table;

use serde::{Deserialize, Serialize};

pub use held_out::HeldOut;
pub use table::{ContentionRow, ContentionTable, Factor};

/// The factor, in thousandths of the time alone, of a kernel that no neighbour slows down.
pub(crate) const ALONE: u32 = 1000;

/// The resource that a kernel mostly needs, as its name tells.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum NeighbourClass {
    /// Mostly the issue slots of the compute units, as matrix products and attention need them.
    Compute,
    /// Mostly the bandwidth of the memory, as the kernels with any other known name need it.
    Memory,
    /// Other devices: kernels that exchange data between devices.
    Communication,
    /// An unknown resource, as the name of the kernel says nothing about it.
    #[default]
    Unknown,
}

impl NeighbourClass {
    /// All classes, in the order of [`Contention::permille`].
    pub const ALL: [Self; 4] = [Self::Compute, Self::Memory, Self::Communication, Self::Unknown];

    /// Returns the class of a kernel with this name.
    ///
    /// ```
    /// use raddle_sim::NeighbourClass;
    /// assert_eq!(NeighbourClass::of("ampere_sgemm_128x64_tn"), NeighbourClass::Compute);
    /// assert_eq!(NeighbourClass::of("vectorized_elementwise_kernel"), NeighbourClass::Memory);
    /// assert_eq!(NeighbourClass::of("k"), NeighbourClass::Unknown);
    /// ```
    #[must_use]
    pub fn of(kernel: &str) -> Self {
        match raddle_trace::assumed_activity(kernel).0 {
            "attention" | "matrix" => Self::Compute,
            "communication" => Self::Communication,
            "other" => Self::Unknown,
            _ => Self::Memory,
        }
    }

    /// Returns the name of the class, as results spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Memory => "memory",
            Self::Communication => "communication",
            Self::Unknown => "unknown",
        }
    }
}

/// The cost that a replay charges a kernel for its neighbours of other processes, and the kernel's
/// own class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contention {
    /// The class of the kernel, by the resource that it mostly needs; it counts where the kernel is
    /// the neighbour of another one.
    pub class: NeighbourClass,
    /// The time of the kernel beside a neighbour of each class (by the resource that the neighbour
    /// needs), in thousandths of its time alone, at least 1000; of several neighbours the worst
    /// counts.
    pub permille: [u32; 4],
}

impl Default for Contention {
    fn default() -> Self {
        Self { class: NeighbourClass::Unknown, permille: [ALONE; 4] }
    }
}

/// The rule for what a replay charges a kernel for its neighbours, as its factor is known only as a
/// range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Charge {
    /// The replay charges the low end of the interval of each factor; 1000 thousandths (no cost)
    /// where no factor is known.
    Least,
    /// The replay charges the median of each factor; 1000 thousandths (no cost) where no factor is
    /// known.
    #[default]
    Expected,
    /// The replay charges the high end of the interval of each factor. Where no factor is known, a
    /// kernel takes as many times as long as there are processes, as if each of them wanted all of
    /// the memory.
    Most,
}
