//! Why was a workgroup not placed, and how much is missing?

use core::fmt;

use crate::{CuId, LaunchId};

/// A resource of a compute unit, under the names of AMD's SPI counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Resource {
    /// Wave slots.
    Waves,
    /// Vector registers.
    Vgpr,
    /// Scalar registers.
    Sgpr,
    /// Shared memory (local data share).
    Lds,
    /// Hardware barriers.
    Barriers,
    /// Workgroup slots.
    Workgroups,
    /// Workgroups in the grid: an empty grid lacks one.
    Grid,
    /// A compute unit that the policy lets this process use.
    Cus,
}

impl Resource {
    /// The kebab-case name, as logs and recipes spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Waves => "waves",
            Self::Vgpr => "vgpr",
            Self::Sgpr => "sgpr",
            Self::Lds => "lds",
            Self::Barriers => "barriers",
            Self::Workgroups => "workgroups",
            Self::Grid => "grid",
            Self::Cus => "cus",
        }
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A refusal is data: what was wanted, what was there, where.
///
/// Amounts are granules of the device, summed over the waves of one workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct Refusal {
    /// The launch whose next workgroup found no place.
    pub launch: LaunchId,
    /// The compute unit that was tried; `None` if the refusal concerns all of them.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub cu: Option<CuId>,
    /// The resource that is lacking.
    pub resource: Resource,
    /// The amount that one workgroup needs.
    pub wanted: u64,
    /// The amount that was available.
    pub available: u64,
}

impl Refusal {
    /// Returns the amount that is missing.
    #[must_use]
    pub const fn missing(&self) -> u64 {
        self.wanted.saturating_sub(self.available)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} lacks {}: wants {}, ", self.launch, self.resource, self.wanted)?;
        match self.cu {
            Some(cu) => write!(f, "{cu} has {}", self.available),
            None => write!(f, "an empty compute unit has {}", self.available),
        }
    }
}
