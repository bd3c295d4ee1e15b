//! How are the shape of a compute unit, the demand of a workgroup and the place of a wave written
//! in C?

use raddle_policy::{CuShape, Demand, Place, Resource};

use crate::memory::Plain;
use crate::status::Failure;

/// Resources of one empty compute unit, in the granules in which they are allocated.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleCuShape {
    /// Number of SIMDs (SM sub-partitions), 1 to 8.
    pub simds: u8,
    /// Number of wave slots of one SIMD, 1 or more.
    pub waves_per_simd: u16,
    /// Number of vector-register granules of one SIMD.
    pub vgpr_per_simd: u16,
    /// Number of scalar-register granules of the compute unit; 65535 if scalar registers never
    /// limit.
    pub sgpr: u16,
    /// Number of granules of shared memory (LDS) of the compute unit.
    pub lds: u32,
    /// Number of workgroup slots of the compute unit, 1 or more.
    pub workgroups: u16,
    /// Number of hardware barriers of the compute unit.
    pub barriers: u16,
}

/// Resources that one workgroup takes, in granules. All its waves are equal.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleDemand {
    /// Number of waves of the workgroup, 1 or more.
    pub waves: u16,
    /// Number of vector-register granules of one wave.
    pub vgpr: u16,
    /// Number of scalar-register granules of one wave.
    pub sgpr: u16,
    /// Number of granules of shared memory (LDS) of the workgroup.
    pub lds: u32,
    /// Number of hardware barriers of the workgroup.
    pub barriers: u16,
}

/// Place of one wave on its compute unit: where its part of each resource begins, in granules. All
/// waves of a workgroup share one start in LDS.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddlePlace {
    /// SIMD of the compute unit that runs the wave, from 0.
    pub simd: u8,
    /// First vector-register granule of the wave, counted within the SIMD.
    pub vgpr: u16,
    /// First scalar-register granule of the wave, counted within the compute unit.
    pub sgpr: u16,
    /// First LDS granule of the workgroup, counted within the compute unit.
    pub lds: u32,
}

/// Resource of which a launch may need more than there is, as a number for C.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleResource {
    /// The launch lacks wave slots of a compute unit.
    Waves = 0,
    /// The launch lacks vector registers of a compute unit.
    Vgpr = 1,
    /// The launch lacks scalar registers of a compute unit.
    Sgpr = 2,
    /// The launch lacks shared memory (LDS) of a compute unit.
    Lds = 3,
    /// The launch lacks hardware barriers of a compute unit.
    Barriers = 4,
    /// The launch lacks workgroup slots of a compute unit.
    Workgroups = 5,
    /// The launch lacks workgroups: its grid is empty.
    Grid = 6,
    /// The launch lacks compute units that the policy lets its process use.
    Cus = 7,
    /// The launch lacks a resource that this version of the C interface does not know.
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
    /// Checks the fields and returns the shape of a compute unit that they describe; an error where
    /// no compute unit can have it.
    pub(crate) fn checked(self) -> Result<CuShape, Failure> {
        let Self { simds, waves_per_simd, vgpr_per_simd, sgpr, lds, workgroups, barriers } = self;
        let shape =
            CuShape { simds, waves_per_simd, vgpr_per_simd, sgpr, lds, workgroups, barriers };
        shape.check().map_err(Failure::invalid)?;
        Ok(shape)
    }
}

impl RaddleDemand {
    /// Checks the fields and returns the demand of a workgroup that they describe; an error where
    /// no workgroup can have it.
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
