//! What resources does a compute unit have, and how much does one workgroup need?
//!
//! Units: a [`Footprint`] is in threads, registers and bytes, as in a profile; a [`CuShape`] and a
//! [`Demand`] are in the device's allocation granules. `raddle-device` converts footprints to
//! demands.

/// The most SIMDs that a compute unit can have.
pub const MAX_SIMDS: usize = 8;

/// The resources of one empty compute unit, in granules.
///
/// Vector registers and wave slots belong to a SIMD; scalar registers, LDS, workgroup slots and
/// barriers to the whole compute unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct CuShape {
    /// Number of SIMDs (SM sub-partitions), 1 to [`MAX_SIMDS`].
    pub simds: u8,
    /// Number of wave slots of one SIMD: each holds one wave.
    pub waves_per_simd: u16,
    /// Number of vector-register granules of one SIMD; a wave takes a whole number of granules.
    pub vgpr_per_simd: u16,
    /// Number of scalar-register granules that the empty compute unit has; `u16::MAX` if they never
    /// limit.
    pub sgpr: u16,
    /// Number of shared-memory (LDS) granules that the empty compute unit has.
    pub lds: u32,
    /// Number of workgroup slots of the compute unit: each holds one workgroup.
    pub workgroups: u16,
    /// Number of hardware barriers of the compute unit.
    pub barriers: u16,
}

impl CuShape {
    /// Returns the wave slots of all SIMDs together.
    #[must_use]
    pub const fn waves(&self) -> u32 {
        self.waves_per_simd as u32 * self.simds as u32
    }

    /// Checks that the values are in the ranges that the other crates of raddle support.
    ///
    /// # Errors
    /// When there is no SIMD, more than [`MAX_SIMDS`], or no wave or workgroup slot.
    pub const fn check(&self) -> Result<(), ShapeError> {
        if self.simds == 0 || self.simds as usize > MAX_SIMDS {
            return Err(ShapeError(WrongShape::Simds(self.simds)));
        }
        if self.waves_per_simd == 0 {
            return Err(ShapeError(WrongShape::NoWaves));
        }
        if self.workgroups == 0 {
            return Err(ShapeError(WrongShape::NoWorkgroups));
        }
        Ok(())
    }
}

/// The reason why a [`CuShape`] cannot be a compute unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapeError(WrongShape);

impl core::fmt::Display for ShapeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

impl core::error::Error for ShapeError {}

/// The reason for a [`ShapeError`], with the value that the error message shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WrongShape {
    /// The shape has no SIMD, or more than [`MAX_SIMDS`]; the value is their number.
    Simds(u8),
    /// The shape has no wave slot.
    NoWaves,
    /// The shape has no workgroup slot.
    NoWorkgroups,
}

crate::texts! { WrongShape:
    Simds(count) => "{count} SIMDs a compute unit: 1 to {MAX_SIMDS} are possible";
    NoWaves => "a SIMD without wave slots can run nothing: give at least 1";
    NoWorkgroups => "a compute unit without workgroup slots can run nothing: give at least 1";
}

/// The resources that one workgroup of a launch takes, in granules. All its waves are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct Demand {
    /// Number of waves of the workgroup, at least 1.
    pub waves: u16,
    /// Number of vector-register granules of one wave.
    pub vgpr: u16,
    /// Number of scalar-register granules of one wave.
    pub sgpr: u16,
    /// Number of LDS granules of the workgroup.
    pub lds: u32,
    /// Number of hardware barriers of the workgroup.
    pub barriers: u16,
}

/// The resources that one workgroup needs, as a profile states them: not yet rounded up to granules
/// of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct Footprint {
    /// Number of work-items (threads) of the workgroup.
    pub threads: u32,
    /// Number of vector registers, of 32 bits, of one work-item (on AMD the sum of arch and
    /// accumulation VGPRs).
    pub vgprs_per_thread: u32,
    /// Number of scalar registers, of 32 bits, of one wave; 0 if they are not a shared resource of
    /// the device.
    pub sgprs_per_wave: u32,
    /// Number of bytes of shared memory (LDS) of the workgroup, static and dynamic.
    pub lds_bytes: u32,
    /// Use of barriers by the workgroup: its waves wait for each other at one, do not, or this is
    /// unknown.
    pub barrier: Barrier,
}

/// Use of barriers by a kernel: the waves of a workgroup wait for each other at one, do not, or
/// this is unknown. No profile records it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Barrier {
    /// The waves never wait for each other at a barrier.
    No,
    /// The waves wait for each other at a barrier.
    Yes,
    /// Unknown, so a barrier is assumed: an unknown answer never counts as [`Barrier::No`].
    #[default]
    Assumed,
}

impl Barrier {
    /// Returns whether a policy must expect a barrier: true for [`Barrier::Yes`] and
    /// [`Barrier::Assumed`].
    #[must_use]
    pub const fn possible(self) -> bool {
        !matches!(self, Self::No)
    }
}
