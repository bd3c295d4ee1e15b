//! What can be put through the scenarios of the contract?

use raddle_golden::placement::contract::PlacedWorkgroup;
use raddle_policy::{CuId, Place};

/// A workgroup that was placed: its compute unit, and the number of compute units that plain
/// scanning looked at before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) cu: CuId,
    pub(crate) places: Vec<Place>,
}

/// A device, with one algorithm object for each kernel, that scenarios can be played on.
pub(crate) trait Subject {
    /// Tries to place the next workgroup of a kernel; returns its number and where it was placed,
    /// `None` where nothing has room.
    fn place(&mut self, kernel: usize) -> Option<(u64, Placed)>;
    /// Frees the resources that a workgroup of a kernel holds.
    fn release(&mut self, kernel: usize, workgroup: u64);
    /// Returns the number of compute units that were looked at until now.
    fn probes(&self) -> u64;
}

pub(crate) fn row(number: u64, placed: &Placed) -> String {
    PlacedWorkgroup { number, cu: placed.cu, places: placed.places.clone() }.to_string()
}
