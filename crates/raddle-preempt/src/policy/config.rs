//! Which settings do `reset` and `cheapest` have?
//!
//! Units: microseconds and nanoseconds.

use raddle_policy::Demand;

use crate::abilities::Abilities;

/// The settings of `reset`.
///
/// Without `most-kills`, a launch that is longer than the time between two losses of the turn is
/// killed each time and never ends. A recipe whose turns may end by time therefore fills in
/// [`MOST_KILLS`](crate::MOST_KILLS).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct ResetConfig {
    /// The most times that a launch is killed; 0 kills nothing, `None` is no limit.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub most_kills: Option<u32>,
}

/// The settings of `cheapest` ([`ByRule::cheapest`](super::ByRule::cheapest)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct CheapestConfig {
    /// The longest latency that is wanted, in microseconds.
    pub bound_us: u64,
    /// The abilities of the runtime; all of them if left out.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub abilities: Option<Abilities>,
    /// The most times that a launch is killed; 0 kills nothing, `None` is no limit.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub most_kills: Option<u32>,
    /// The costs of the device; the tool fills them in from its device table.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub costs: Option<DeviceCosts>,
}

/// The costs of taking work off a device. `None` means unknown, and counts as no cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct DeviceCosts {
    /// The time from raising a flag until kernels that start see it, in nanoseconds.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub flag_ns: Option<u64>,
    /// The time of the exit of one launch by the flag, in nanoseconds; launches of a stream exit
    /// one after the other.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub exit_ns: Option<u64>,
    /// The time to kill the running launches, in nanoseconds.
    pub reset_ns: u64,
    /// The time of a save or a restore, in nanoseconds, in addition to the bytes that it moves.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub switch_ns: Option<u64>,
    /// The fewest bytes that a save or a restore moves.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub switch_bytes: Option<u64>,
    /// Bytes saved or restored in a microsecond.
    pub bytes_per_us: u64,
    /// Bytes of a granule of vector registers of one wave.
    pub vgpr_bytes: u32,
    /// Bytes of a granule of scalar registers of one wave.
    pub sgpr_bytes: u32,
    /// Bytes of a granule of LDS.
    pub lds_bytes: u32,
}

impl DeviceCosts {
    /// Returns the bytes that one workgroup keeps on the device: registers and LDS. Saturates.
    #[must_use]
    pub fn context_bytes(&self, demand: &Demand) -> u64 {
        let bytes = |granules: u32, each: u32| u64::from(granules).saturating_mul(each.into());
        let wave = bytes(demand.vgpr.into(), self.vgpr_bytes)
            .saturating_add(bytes(demand.sgpr.into(), self.sgpr_bytes));
        let waves = u64::from(demand.waves).saturating_mul(wave);
        waves.saturating_add(bytes(demand.lds, self.lds_bytes))
    }
}
