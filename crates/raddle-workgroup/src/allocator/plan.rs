//! Which addresses would the waves of a workgroup get, and which rule gives them their SIMDs?

use raddle_policy::{CuId, Demand, Place, Resource};
use smallvec::SmallVec;

/// The rule that chooses the SIMD of each wave of a workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimdRule {
    /// The SIMD with room for most further waves of the same demand, ties to the lowest: the rule
    /// of [`raddle_policy::Cus`]. A SIMD whose free registers lie in runs that are too short is
    /// passed over.
    MostRoom,
    /// The first SIMD that takes the wave, from the SIMD with this number upwards and around; the
    /// search for the next wave begins one SIMD further (a rotation).
    From(u8),
}

/// The addresses (SIMD, and first granules of registers and LDS) that the waves of one workgroup
/// would get. A plan takes nothing: only [`Allocator::commit`](crate::Allocator::commit) does.
///
/// A plan is neither `Copy` nor `Clone`, so that no granule is taken twice.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a plan takes nothing; give it to `Allocator::commit`"]
pub struct GroupPlan {
    pub(super) group: PlacedGroup,
    pub(super) rotation: u8,
}

impl GroupPlan {
    /// Returns the compute unit on which the plan places the workgroup.
    #[must_use]
    pub const fn cu(&self) -> CuId {
        self.group.cu
    }

    /// Returns the address of each wave, in the order of the waves: its SIMD, and the first
    /// granules of its registers and LDS.
    #[must_use]
    pub fn places(&self) -> &[Place] {
        &self.group.places
    }

    /// Returns the SIMD at which the next search under [`SimdRule::From`] begins, once the plan is
    /// committed.
    #[must_use]
    pub const fn rotation(&self) -> u8 {
        self.rotation
    }
}

/// The refusal of a probe: a search that found no room for a workgroup on a compute unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeRefusal {
    /// The resource of which too little is free, in total or in neighbouring granules.
    pub(crate) resource: Resource,
    /// The SIMD at which the next search under [`SimdRule::From`] begins: one past the SIMD of the
    /// last wave that found room before the refused wave.
    pub(crate) rotation: u8,
}

impl ProbeRefusal {
    /// Returns the resource of which too little is free, in total or in neighbouring granules.
    #[must_use]
    pub const fn resource(&self) -> Resource {
        self.resource
    }

    /// Returns the SIMD at which the next search under [`SimdRule::From`] begins: one past the SIMD
    /// of the last wave that found room before the refused wave.
    #[must_use]
    pub const fn rotation(&self) -> u8 {
        self.rotation
    }
}

/// The address of each wave of a workgroup (SIMD, and first granules of registers and LDS). Up to
/// eight addresses, as many as most workgroups need, are stored without a heap allocation.
pub(super) type WavePlaces = SmallVec<[Place; 8]>;

/// A workgroup on a compute unit, with its demand and the address of each wave (SIMD, and first
/// granules of registers and LDS).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlacedGroup {
    pub(super) cu: CuId,
    pub(super) demand: Demand,
    pub(super) places: WavePlaces,
}
