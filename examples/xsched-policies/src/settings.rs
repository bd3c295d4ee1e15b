//! How long is the slice of a policy that gives processes slices of time?

use raddle_policy::{SettingError, Ticks};
use serde::{Deserialize, Serialize};

/// Settings of a policy that gives processes slices of time: the length of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SliceConfig {
    /// Length of a slice in microseconds, 1 or more.
    pub slice_us: u64,
}

impl SliceConfig {
    /// Returns the length of a slice in ticks (ns); an error if it is 0 or too long for ticks.
    pub(crate) fn slice(self) -> Result<Ticks, SettingError> {
        let ns = self.slice_us.checked_mul(1000).filter(|&ns| ns > 0);
        ns.map(Ticks)
            .ok_or_else(|| SettingError::new("slice-us", "give 1 or more, and less than an age"))
    }
}
