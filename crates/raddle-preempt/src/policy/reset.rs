//! Preempt: what runs is killed where nothing is lost by it, else it ends.

use raddle_policy::{How, Preempt, VictimView};
use raddle_types::Tick;

/// [`Reset`] has nothing to set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ResetConfig {}

/// The reset of seed 001 (S3.3).
///
/// # Laws
///
/// 1. A launch is killed only if every launch that its process has submitted, running or not, is
///    known to be idempotent; one of which nobody knows it counts as not.
/// 2. A killed launch starts again from its first workgroup, in its old place in the order.
/// 3. Everything else is as under [`Flag`](super::Flag). Latency: that of the reset, or one launch a
///    stream.
///
/// A process that loses the turn again and again before its launch has ended starts it again and
/// again: nothing here guarantees that it ever ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reset;

impl Preempt for Reset {
    fn preempt(&mut self, _victim: &VictimView<'_>, _now: Tick) -> How {
        How::Reset
    }
}
