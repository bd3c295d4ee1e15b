//! What is known of a workgroup that does not start as a whole?

use raddle_policy::{CuId, Split};

/// A workgroup that is assigned to a compute unit, or whose waves start there one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Partial {
    pub(super) cu: CuId,
    /// The number of waves of the workgroup that are on the device, by SIMD.
    pub(super) split: Split,
    pub(super) started: u16,
    pub(super) ended: u16,
}

/// A part (some waves) of a cut workgroup that is on the device. The parts of a cut workgroup may
/// be on different compute units.
#[derive(Clone, Copy, Debug)]
pub(super) struct CutPart {
    pub(super) cu: CuId,
    pub(super) split: Split,
}
