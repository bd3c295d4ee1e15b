//! How are shapes, demands and places written in C?

use raddle_policy::{CuShape, Demand, Place, Resource};

use crate::memory::Plain;
use crate::status::Failure;

/// The resources of one empty compute unit, in the granules in which they are allocated.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleCuShape {
    /// SIMDs (SM sub-partitions), 1 to 8.
    pub simds: u8,
    /// Wave slots of one SIMD, 1 or more.
    pub waves_per_simd: u16,
    /// Vector-register granules of one SIMD.
    pub vgpr_per_simd: u16,
    /// Scalar-register granules; 65535 if they never limit.
    pub sgpr: u16,
    /// Shared-memory (LDS) granules.
    pub lds: u32,
    /// Workgroup slots, 1 or more.
    pub workgroups: u16,
    /// Hardware barriers.
    pub barriers: u16,
}

/// The resources that one workgroup takes, in granules. All its waves are equal.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleDemand {
    /// Waves of the workgroup, 1 or more.
    pub waves: u16,
    /// Vector-register granules of one wave.
    pub vgpr: u16,
    /// Scalar-register granules of one wave.
    pub sgpr: u16,
    /// LDS granules of the workgroup.
    pub lds: u32,
    /// Barriers of the workgroup.
    pub barriers: u16,
}

/// The address of one wave on its compute unit: start positions in granules. All waves of a workgroup share one
/// start in LDS.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddlePlace {
    /// The SIMD of the compute unit.
    pub simd: u8,
    /// First vector-register granule, counted within the SIMD.
    pub vgpr: u16,
    /// First scalar-register granule, counted within the compute unit.
    pub sgpr: u16,
    /// First LDS granule, counted within the compute unit.
    pub lds: u32,
}

/// A resource of a compute unit that can lack.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleResource {
    /// Wave slots.
    Waves = 0,
    /// Vector registers.
    Vgpr = 1,
    /// Scalar registers.
    Sgpr = 2,
    /// Shared memory.
    Lds = 3,
    /// Hardware barriers.
    Barriers = 4,
    /// Workgroup slots.
    Workgroups = 5,
    /// Workgroups of the grid: an empty grid lacks one.
    Grid = 6,
    /// A compute unit that the policy lets this process use.
    Cus = 7,
    /// One that this version does not know.
    Other = 255,
}

impl RaddleResource {
    pub(crate) const fn of(resource: Resource) -> u32 {
        let known = match resource {
            Resource::Waves => Self::Waves,
            Resource::Vgpr => Self::Vgpr,
            Resource::Sgpr => Self::Sgpr,
            Resource::Lds => Self::Lds,
            Resource::Barriers => Self::Barriers,
            Resource::Workgroups => Self::Workgroups,
            Resource::Grid => Self::Grid,
            Resource::Cus => Self::Cus,
            _ => Self::Other,
        };
        known as u32
    }
}

// SAFETY: integers.
unsafe impl Plain for RaddleCuShape {}
// SAFETY: integers.
unsafe impl Plain for RaddleDemand {}

impl RaddleCuShape {
    /// Returns the shape, if a compute unit can have it.
    pub(crate) fn checked(self) -> Result<CuShape, Failure> {
        let Self { simds, waves_per_simd, vgpr_per_simd, sgpr, lds, workgroups, barriers } = self;
        let shape =
            CuShape { simds, waves_per_simd, vgpr_per_simd, sgpr, lds, workgroups, barriers };
        shape.check().map_err(Failure::invalid)?;
        Ok(shape)
    }
}

impl RaddleDemand {
    /// Returns the demand, if a workgroup can have it.
    pub(crate) fn checked(self) -> Result<Demand, Failure> {
        let Self { waves, vgpr, sgpr, lds, barriers } = self;
        if waves == 0 {
            return Err(Failure::argument("`demand.waves` is 0: give 1 or more"));
        }
        Ok(Demand { waves, vgpr, sgpr, lds, barriers })
    }
}

impl From<&Place> for RaddlePlace {
    fn from(&Place { simd, vgpr, sgpr, lds }: &Place) -> Self {
        Self { simd, vgpr, sgpr, lds }
    }
}
