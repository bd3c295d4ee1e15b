//! Preempt: resident workgroups are saved and later restored, everything else is held.

use raddle_policy::{How, Preempt, Tick, VictimView};
use serde::{Deserialize, Serialize};

/// [`Switch`] has nothing to set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SwitchConfig {}

/// The victim's registers and LDS are moved out at the device's bandwidth. Latency: bytes over
/// bandwidth; the only way that gives an exact time slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Switch;

impl Preempt for Switch {
    fn preempt(&mut self, _victim: &VictimView<'_>, _now: Tick) -> How {
        How::Switch
    }
}
