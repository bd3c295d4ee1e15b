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

/// The factor of a kernel that no neighbour slows down.
pub(crate) const ALONE: u32 = 1000;

/// The resource that a kernel mostly needs, by its name.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum NeighbourClass {
    /// Issue slots: matrix products, attention.
    Compute,
    /// Memory bandwidth: all other classes of names that are known.
    Memory,
    /// Other devices.
    Communication,
    /// Unknown: its name does not tell.
    #[default]
    Unknown,
}

impl NeighbourClass {
    /// Every class, in the order of [`Contention::permille`].
    pub const ALL: [Self; 4] = [Self::Compute, Self::Memory, Self::Communication, Self::Unknown];

    /// The class of a kernel of that name.
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

    /// The word for a class in results.
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

/// The charge of a replay on a kernel for its neighbours of other processes, and its own class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contention {
    /// The class that the kernel is of where it is the neighbour.
    pub class: NeighbourClass,
    /// How long the kernel lasts beside a neighbour of each class, in thousandths of its time
    /// alone, at least 1000; of several neighbours the worst counts.
    pub permille: [u32; 4],
}

impl Default for Contention {
    fn default() -> Self {
        Self { class: NeighbourClass::Unknown, permille: [ALONE; 4] }
    }
}

/// The end of the known range of contention that a replay charges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Charge {
    /// The least: the low end of intervals, nothing where nothing is known.
    Least,
    /// The medians, nothing where nothing is known.
    #[default]
    Expected,
    /// The most: the high end of intervals; where nothing is known, as many times as long as there
    /// are processes, as if all of them wanted all of the memory.
    Most,
}
