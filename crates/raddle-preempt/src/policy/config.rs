//! Which settings do the preempt policies `reset` and `cheapest` have?
//!
//! Units: microseconds and nanoseconds.

use raddle_policy::Demand;

use crate::abilities::Abilities;

/// Settings of the preempt policy `reset`.
///
/// Without `most-kills`, a launch that is longer than the time for which its process keeps the turn
/// (the right to submit launches) is killed each time and never ends. A recipe (choice of policies)
/// whose turns may end by time therefore sets [`MOST_KILLS`](crate::MOST_KILLS).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
#[doc(hidden)]
pub struct ResetConfig {
    /// Largest number of times that one launch is killed; 0 kills nothing, `None` is no limit.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub most_kills: Option<u32>,
}

/// Settings of the preempt policy `cheapest` ([`ByRule::cheapest`](super::ByRule::cheapest)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
#[doc(hidden)]
pub struct CheapestConfig {
    /// Longest time that the work of a preempted process should take to leave the device, in
    /// microseconds.
    pub bound_us: u64,
    /// Methods by which the runtime can take work off the device; `None` means all methods.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub abilities: Option<Abilities>,
    /// Largest number of times that one launch is killed; 0 kills nothing, `None` is no limit.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub most_kills: Option<u32>,
    /// Costs of taking work off the device. A recipe (choice of policies) leaves them out (`None`),
    /// and gets the costs of the device table.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub costs: Option<DeviceCosts>,
}

/// Costs of taking the work of a process off a device. A field that is `None` means an unknown
/// cost, which counts as 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct DeviceCosts {
    /// Time in nanoseconds from raising a preemption flag (tested by each launch at its start)
    /// until launches see it; `None` where it is unknown, which counts as 0.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub flag_ns: Option<u64>,
    /// Time in nanoseconds in which one launch leaves by the preemption flag (tested by each launch
    /// at its start); launches of a stream leave one after the other. `None` where it is unknown,
    /// which counts as 0.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub exit_ns: Option<u64>,
    /// Time that a reset takes to kill the running launches, in nanoseconds.
    pub reset_ns: u64,
    /// Fixed time of a save or a restore in nanoseconds, besides the time to move the bytes; `None`
    /// where it is unknown, which counts as 0.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub switch_ns: Option<u64>,
    /// Least number of bytes that a save or a restore moves, even where the work has fewer; `None`
    /// where there is no such minimum.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub switch_bytes: Option<u64>,
    /// Bandwidth of a save or a restore, in bytes per microsecond; 0 means unknown.
    pub bytes_per_us: u64,
    /// Size in bytes of one granule (allocation unit) of the vector registers of one wave.
    pub vgpr_bytes: u32,
    /// Size in bytes of one granule (allocation unit) of the scalar registers of one wave.
    pub sgpr_bytes: u32,
    /// Size in bytes of one granule (allocation unit) of LDS.
    pub lds_bytes: u32,
}

impl DeviceCosts {
    /// Returns the bytes of registers and LDS that one workgroup with the demand `demand` occupies
    /// on the device; saturates.
    #[must_use]
    #[doc(hidden)]
    pub fn context_bytes(&self, demand: &Demand) -> u64 {
        let bytes = |granules: u32, each: u32| u64::from(granules).saturating_mul(each.into());
        let wave = bytes(demand.vgpr.into(), self.vgpr_bytes)
            .saturating_add(bytes(demand.sgpr.into(), self.sgpr_bytes));
        let waves = u64::from(demand.waves).saturating_mul(wave);
        waves.saturating_add(bytes(demand.lds, self.lds_bytes))
    }
}
