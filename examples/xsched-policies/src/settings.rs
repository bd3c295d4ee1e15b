//! How long is a turn?

use raddle_policy::{SettingError, Ticks};
use serde::{Deserialize, Serialize};

/// Settings of a policy with time slices: their length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SliceConfig {
    /// Length of a slice in microseconds, 1 or more.
    pub slice_us: u64,
}

impl SliceConfig {
    /// Returns the length of a slice in ticks, which are nanoseconds; an error for 0 or too long a
    /// slice.
    pub(crate) fn slice(self) -> Result<Ticks, SettingError> {
        let ns = self.slice_us.checked_mul(1000).filter(|&ns| ns > 0);
        ns.map(Ticks)
            .ok_or_else(|| SettingError::new("slice-us", "give 1 or more, and less than an age"))
    }
}
