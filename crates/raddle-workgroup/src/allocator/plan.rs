//! Where would a workgroup lie, and which rule gives its waves their SIMDs?

use raddle_policy::{CuId, Demand, Place, Resource};
use smallvec::SmallVec;

/// Which SIMD a wave goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimdRule {
    /// The one with room for most further such waves, ties to the lowest: the rule of
    /// [`raddle_policy::Cus`]. One whose free registers lie in pieces too small is passed over.
    MostRoom,
    /// The first that takes it, counted around from this one; the next wave begins one further.
    From(u8),
}

/// Where each wave of one workgroup would lie. Nothing is taken: only
/// [`Allocator::commit`](crate::Allocator::commit) does.
///
/// Neither `Copy` nor `Clone`, so that no place is taken twice.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a plan takes nothing; give it to `Allocator::commit`"]
pub struct GroupPlan {
    pub(super) group: PlacedGroup,
    pub(super) rotation: u8,
}

impl GroupPlan {
    /// On which compute unit.
    #[must_use]
    pub const fn cu(&self) -> CuId {
        self.group.cu
    }

    /// One address a wave, in their order.
    #[must_use]
    pub fn places(&self) -> &[Place] {
        &self.group.places
    }

    /// The SIMD with which a rotation goes on afterwards: see [`SimdRule::From`].
    #[must_use]
    pub const fn rotation(&self) -> u8 {
        self.rotation
    }
}

/// Which stage refused a workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeRefusal {
    /// What lacks, as a whole or in one run.
    pub resource: Resource,
    /// The SIMD with which a rotation goes on: steps that waves made before the one that failed
    /// are kept.
    pub rotation: u8,
}

/// The addresses of a workgroup, one a wave: most workgroups have eight waves or fewer.
pub(super) type WavePlaces = SmallVec<[Place; 8]>;

/// A workgroup on a compute unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlacedGroup {
    pub(super) cu: CuId,
    pub(super) demand: Demand,
    pub(super) places: WavePlaces,
}
