//! Which settings do the preempt policies `reset` and `cheapest` have?
//!
//! Units: microseconds and nanoseconds.

use raddle_policy::Demand;

use crate::abilities::Abilities;

/// Settings of the policy `reset`.
///
/// Without `most-kills`, a launch that is longer than the time between two losses of the turn is
/// killed each time and never ends. A recipe whose turns may end by time therefore fills in
/// [`MOST_KILLS`](crate::MOST_KILLS).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
#[doc(hidden)]
pub struct ResetConfig {
    /// Most times that one launch is killed; 0 kills nothing, `None` is no limit.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub most_kills: Option<u32>,
}

/// Settings of the policy `cheapest` ([`ByRule::cheapest`](super::ByRule::cheapest)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
#[doc(hidden)]
pub struct CheapestConfig {
    /// Longest time that the work of a process may take to leave the device, in microseconds.
    pub bound_us: u64,
    /// Methods that the runtime has; all methods where this is `None`.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub abilities: Option<Abilities>,
    /// Most times that one launch is killed; 0 kills nothing, `None` is no limit.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub most_kills: Option<u32>,
    /// Costs of taking work off the device; `None` in a recipe, where the tool fills in the costs
    /// of its device table.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub costs: Option<DeviceCosts>,
}

/// Costs of taking work off a device. `None` in a field means that the cost is unknown, and counts
/// as no cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct DeviceCosts {
    /// Time from raising a preemption flag until kernels that start see it, in nanoseconds; `None`
    /// where that is unknown, and counts as 0.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub flag_ns: Option<u64>,
    /// Time that one launch takes to leave by the preemption flag (tested by each launch at its
    /// start), in nanoseconds; launches of a stream leave one after the other. `None` where that is
    /// unknown, and counts as 0.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub exit_ns: Option<u64>,
    /// Time to kill the running launches, in nanoseconds.
    pub reset_ns: u64,
    /// Time of a save or a restore, in nanoseconds, in addition to the time that moving the bytes
    /// takes; `None` where that is unknown, and counts as 0.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub switch_ns: Option<u64>,
    /// Least number of bytes that a save or a restore is taken to move, even where the work has
    /// fewer; `None` where no such minimum is known.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub switch_bytes: Option<u64>,
    /// Bandwidth of a save or a restore, in bytes per microsecond; 0 is unknown.
    pub bytes_per_us: u64,
    /// Bytes of one granule of vector registers of one wave.
    pub vgpr_bytes: u32,
    /// Bytes of one granule of scalar registers of one wave.
    pub sgpr_bytes: u32,
    /// Bytes of one granule of LDS.
    pub lds_bytes: u32,
}

impl DeviceCosts {
    /// Returns the bytes of registers and LDS that one workgroup of this demand keeps on the
    /// device. Saturates.
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
