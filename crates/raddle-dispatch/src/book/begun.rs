//! What is known of a workgroup that does not start as a whole?

use raddle_policy::{CuId, Split};

/// A workgroup that is assigned to a compute unit, or that has started there wave by wave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Partial {
    pub(super) cu: CuId,
    /// The waves on each SIMD that are on the device.
    pub(super) split: Split,
    pub(super) started: u16,
    pub(super) ended: u16,
}

/// One part (some waves) of a workgroup that was cut into waves, while the part is on the device.
#[derive(Clone, Copy, Debug)]
pub(super) struct CutPart {
    pub(super) cu: CuId,
    pub(super) split: Split,
}
