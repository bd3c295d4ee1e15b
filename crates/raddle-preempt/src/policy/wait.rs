//! Preempt: everything that was submitted runs to its end.

use raddle_policy::{How, Preempt, VictimView};
use raddle_types::Tick;

/// [`Wait`] has nothing to set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct WaitConfig {}

/// The gentlest way: nothing is thrown away, moved or submitted twice.
///
/// # Laws
///
/// 1. What is submitted when the turn is lost ends as if it had not been.
/// 2. Nothing is submitted after it. Latency: at most the window's launches, one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wait;

impl Preempt for Wait {
    fn preempt(&mut self, _victim: &VictimView<'_>, _now: Tick) -> How {
        How::Wait
    }
}
