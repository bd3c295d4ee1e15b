//! What can be put through the scenarios of the contract?

use raddle_golden::placement::contract::PlacedWorkgroup;
use raddle_policy::{CuId, Place};

/// A workgroup that was placed: where, and after how many probes of plain scanning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) cu: CuId,
    pub(crate) places: Vec<Place>,
}

/// A device with one algorithm object a kernel.
pub(crate) trait Subject {
    /// Tries to place the next workgroup of a kernel; its number and place.
    fn place(&mut self, kernel: usize) -> Option<(u64, Placed)>;
    /// Frees what a workgroup holds.
    fn release(&mut self, kernel: usize, workgroup: u64);
    /// Probes so far.
    fn probes(&self) -> u64;
}

pub(crate) fn row(number: u64, placed: &Placed) -> String {
    PlacedWorkgroup { number, cu: placed.cu, places: placed.places.clone() }.to_string()
}
