//! What can `reset` and `cheapest` be set to?
//!
//! Units: microseconds and nanoseconds.

use raddle_policy::Demand;

use crate::abilities::Abilities;

/// The settings of `reset`.
///
/// Without `most-kills`, a launch that is longer than the time between two losses of the turn is
/// killed each time and never ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct ResetConfig {
    /// How often a launch is killed at most; 0 kills nothing, `None` is no limit.
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
    /// What the runtime can do; everything if it is left out.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub abilities: Option<Abilities>,
    /// How often a launch is killed at most; 0 kills nothing, `None` is no limit.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub most_kills: Option<u32>,
    /// What the device takes; the tool fills in what its device table says.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub costs: Option<DeviceCosts>,
}

/// What a device takes to let work go. What is `None` is not known, and weighs nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct DeviceCosts {
    /// From raising a flag until kernels that start see it, in nanoseconds.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub flag_ns: Option<u64>,
    /// A launch that leaves by the flag, one after the other in a stream, in nanoseconds.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub exit_ns: Option<u64>,
    /// To kill what runs, in nanoseconds.
    pub reset_ns: u64,
    /// A save or a restore, beside what it moves, in nanoseconds.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub switch_ns: Option<u64>,
    /// The least that a save or a restore moves, in bytes.
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
    /// Bytes that one workgroup keeps on the device: registers and LDS. Saturates.
    #[must_use]
    pub fn context_bytes(&self, demand: &Demand) -> u64 {
        let bytes = |granules: u32, each: u32| u64::from(granules).saturating_mul(each.into());
        let wave = bytes(demand.vgpr.into(), self.vgpr_bytes)
            .saturating_add(bytes(demand.sgpr.into(), self.sgpr_bytes));
        let waves = u64::from(demand.waves).saturating_mul(wave);
        waves.saturating_add(bytes(demand.lds, self.lds_bytes))
    }
}
