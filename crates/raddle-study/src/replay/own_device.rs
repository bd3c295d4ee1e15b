//! On which device was a profile recorded, and how does it relate to the device that is simulated?

use raddle_sim::TimeScale;

use crate::answer::RecordedOn;
use crate::devices::Chosen;

/// Device on which a profile was recorded, and the scale that converts its times to times of the
/// simulated device.
#[derive(Debug)]
pub(crate) struct OwnDevice {
    pub(super) own: Chosen,
    pub(super) scale: TimeScale,
}

impl OwnDevice {
    /// Returns how the device on which a profile was recorded relates to the simulated device
    /// `target`.
    pub(crate) fn recorded_on(&self, target: &Chosen) -> RecordedOn {
        match &self.own.device {
            own if own.is_same_kind(&target.device) => RecordedOn::ThisDevice,
            own if own.vendor == target.device.vendor => RecordedOn::SameVendor,
            _ => RecordedOn::OtherVendor,
        }
    }
}
