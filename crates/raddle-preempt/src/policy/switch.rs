//! Preempt: resident workgroups are saved and later restored, everything else is held.

use raddle_policy::{How, Preempt, VictimView};
use raddle_types::Tick;

/// [`Switch`] has nothing to set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SwitchConfig {}

/// The victim's registers and LDS are moved out at the device's bandwidth, and back later; the only
/// way that gives an exact time slice.
///
/// # Laws
///
/// 1. What is saved comes back to the same compute units and lasts as long as was left.
/// 2. Workgroups that were assigned to a compute unit and have not started are distributed anew.
/// 3. What has not started stays submitted and is held. Latency: bytes / bandwidth, whatever runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Switch;

impl Preempt for Switch {
    fn preempt(&mut self, _victim: &VictimView<'_>, _now: Tick) -> How {
        How::Switch
    }
}
