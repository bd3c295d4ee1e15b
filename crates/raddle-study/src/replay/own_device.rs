//! On which device was a profile recorded, beside the device that it is replayed on?

use raddle_sim::TimeScale;

use crate::answer::RecordedOn;
use crate::devices::Chosen;

/// Device on which a profile was recorded, and the scale that converts its times to times of the
/// device replayed on.
#[derive(Debug)]
pub(crate) struct OwnDevice {
    pub(super) own: Chosen,
    pub(super) scale: TimeScale,
}

impl OwnDevice {
    /// Returns how the device on which a profile was recorded relates to the device replayed on.
    pub(crate) fn recorded_on(&self, target: &Chosen) -> RecordedOn {
        match &self.own.device {
            own if own.is_same_kind(&target.device) => RecordedOn::ThisDevice,
            own if own.vendor == target.device.vendor => RecordedOn::SameVendor,
            _ => RecordedOn::OtherVendor,
        }
    }
}
