//! Preempt: what has not started goes back to the buffer, what runs ends.

use raddle_policy::{How, Preempt, VictimView};
use raddle_types::Tick;

/// [`Flag`] has nothing to set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct FlagConfig {}

/// The flag of seed 001 (S3.2), as a launch sees it: it is tested once, when its first workgroup
/// starts, and holds for all of it.
///
/// # Laws
///
/// 1. A launch of which anything has started, or is assigned to a compute unit, runs to its end.
/// 2. Every other one goes back to the head of its process's buffer, in the order of issue, and is
///    submitted again, in that order, with the turn. Latency: one launch a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flag;

impl Preempt for Flag {
    fn preempt(&mut self, _victim: &VictimView<'_>, _now: Tick) -> How {
        How::Flag
    }
}
