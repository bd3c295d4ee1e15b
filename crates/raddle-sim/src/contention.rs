//! By how much longer does a kernel last beside a neighbour (a kernel that runs at the same time),
//! even where both have room?
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

/// The time of a kernel that no neighbour slows down, in thousandths of its time alone on the
/// device.
pub(crate) const ALONE: u32 = 1000;

/// The resource that a kernel mostly needs, as its name tells.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum NeighbourClass {
    /// The class of kernels that mostly need issue slots of the compute units, such as matrix
    /// products and attention.
    Compute,
    /// The class of kernels that mostly need memory bandwidth: all kernels with any other known
    /// name.
    Memory,
    /// The class of kernels that exchange data with other devices.
    Communication,
    /// The class of kernels whose name does not tell which resource they need.
    #[default]
    Unknown,
}

impl NeighbourClass {
    /// The classes of kernels, in the order of [`Contention::permille`].
    pub const ALL: [Self; 4] = [Self::Compute, Self::Memory, Self::Communication, Self::Unknown];

    /// Returns the class of a kernel (compute, memory, communication or unknown) by its name.
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

    /// Returns the name of the class of kernels (by what limits them), such as `memory`, as results
    /// spell it.
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

/// The slowdown of a kernel that a replay assumes beside kernels of other processes (its
/// neighbours), and the kernel's own class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contention {
    /// The class of the kernel, by the resource that it mostly needs. It decides how much this
    /// kernel slows its neighbours (kernels of other processes) down.
    pub class: NeighbourClass,
    /// The time of the kernel in thousandths of its time alone, at least 1000, beside a neighbour
    /// of each class (in the order of [`NeighbourClass::ALL`]). With several neighbours, the one
    /// that slows it down most counts.
    pub permille: [u32; 4],
}

impl Default for Contention {
    fn default() -> Self {
        Self { class: NeighbourClass::Unknown, permille: [ALONE; 4] }
    }
}

/// Choice of the value that a replay assumes for a kernel's slowdown by neighbours (kernels of
/// other processes), within the range that is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Charge {
    /// The replay assumes the low end of the range of each slowdown factor; no slowdown where no
    /// factor is known.
    Least,
    /// The replay assumes the median of each slowdown factor; no slowdown where no factor is known.
    #[default]
    Expected,
    /// The replay assumes the high end of the range of each slowdown factor. Where no factor is
    /// known, a kernel's time is multiplied by the number of processes, as if each process wanted
    /// all of the memory bandwidth.
    Most,
}
