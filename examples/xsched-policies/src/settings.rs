//! How long is a turn?

use raddle_policy::{SettingError, Ticks};
use serde::{Deserialize, Serialize};

/// The settings of a policy with time slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SliceConfig {
    /// The slice in microseconds, 1 or more.
    pub slice_us: u64,
}

impl SliceConfig {
    /// Returns the slice; a tick is a nanosecond.
    pub(crate) fn slice(self) -> Result<Ticks, SettingError> {
        let ns = self.slice_us.checked_mul(1000).filter(|&ns| ns > 0);
        ns.map(Ticks)
            .ok_or_else(|| SettingError::new("slice-us", "give 1 or more, and less than an age"))
    }
}
