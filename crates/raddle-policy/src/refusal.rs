//! Why was a workgroup not placed, and how much is missing?

use core::fmt;

use crate::{CuId, LaunchId};

/// A resource of which a workgroup may need more than is free; named as AMD's SPI counters name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Resource {
    /// Wave slots: each holds one wave on a SIMD.
    Waves,
    /// Vector registers, in granules.
    Vgpr,
    /// Scalar registers, in granules.
    Sgpr,
    /// Shared memory of a workgroup (local data share), in granules.
    Lds,
    /// Hardware barriers.
    Barriers,
    /// Workgroup slots: each holds one workgroup on a compute unit.
    Workgroups,
    /// Workgroups in the grid. A launch with an empty grid is refused for this: it has no workgroup
    /// that could start.
    Grid,
    /// Compute units that the policy lets the process use.
    Cus,
}

impl Resource {
    /// Returns the name of the resource in kebab-case, as logs and recipes spell it.
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

/// The reason why a workgroup was not placed: the resource that was lacking, the amounts, and the
/// compute unit. A refusal is data, not an error.
///
/// Amounts are granules or slots of the device, summed over the waves of one workgroup; where
/// enough is free, but in runs (adjacent free granules) that are too short, they are the lengths of
/// one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct Refusal {
    /// The launch whose next workgroup found no place.
    pub launch: LaunchId,
    /// The compute unit that was tried first; `None` if the refusal concerns all of them.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub cu: Option<CuId>,
    /// The resource of which less was available than wanted.
    pub resource: Resource,
    /// The amount that one workgroup needs, in granules or slots.
    pub wanted: u64,
    /// The amount that was available, in granules or slots.
    pub available: u64,
}

impl Refusal {
    /// Returns the amount that is missing, in granules or slots.
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
