//! Preempt: resident workgroups finish, everything else of the process is held.

use raddle_policy::{How, Preempt, Tick, VictimView};
use serde::{Deserialize, Serialize};

/// [`Drain`] has nothing to set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrainConfig {}

/// The victim leaves workgroup by workgroup. Latency: one workgroup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drain;

impl Preempt for Drain {
    fn preempt(&mut self, _victim: &VictimView<'_>, _now: Tick) -> How {
        How::Drain
    }
}
