//! What can each policy be set to, and what does it promise?
//!
//! [`ByRule::fixed`](super::ByRule::fixed) is the policy of all but [`CheapestConfig`]. Units:
//! microseconds and nanoseconds.

use raddle_policy::Demand;

use crate::abilities::Abilities;

/// `wait`, the gentlest method: nothing is thrown away, moved or submitted twice. No settings.
///
/// # Laws
///
/// 1. What is submitted when the turn is lost ends as if it had not been.
/// 2. Nothing is submitted after it. Latency: at most the window's launches, one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct WaitConfig {}

/// `flag`, that of seed 001 (S3.2) as a launch sees it: it is tested once, when its first workgroup
/// starts, and holds for all of it. No settings.
///
/// # Laws
///
/// 1. A launch of which anything has started, or is assigned to a compute unit, runs to its end.
/// 2. Every other one goes back to the head of its process's buffer, in the order of issue, and is
///    submitted again, in that order, with the turn. Latency: one launch a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct FlagConfig {}

/// `drain`: the victim leaves workgroup by workgroup. No settings.
///
/// # Laws
///
/// 1. Workgroups that are resident, bound to a compute unit or partly started run to their end.
/// 2. What has not started stays submitted and is held. Latency: one workgroup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct DrainConfig {}

/// `reset`, that of seed 001 (S3.3).
///
/// # Laws
///
/// 1. A launch is killed only if every launch that its process has submitted, running or not, is
///    known to be idempotent; unknown counts as not.
/// 2. A killed launch starts again from its first workgroup, in its old place in the order.
/// 3. Everything else is as under [`FlagConfig`]. Latency: that of the reset, or one launch a stream.
/// 4. With `most-kills = n`, no launch is killed more than n times. While one that was is submitted,
///    its process leaves as under [`FlagConfig`].
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

/// `switch`: the victim's registers and LDS are moved out at the device's bandwidth, and back later;
/// the only method that gives an exact time slice. No settings.
///
/// # Laws
///
/// 1. What is saved comes back to the same compute units and lasts as long as was left.
/// 2. Workgroups that were assigned to a compute unit and have not started are distributed anew.
/// 3. What has not started stays submitted and is held. Latency: bytes / bandwidth, whatever runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SwitchConfig {}

/// `cheapest`: the method that wastes least among those that are over within the bound; where none
/// is, the quickest. The policy is [`ByRule::cheapest`](super::ByRule::cheapest).
///
/// # Laws
///
/// 1. It answers what the runtime can do, and a reset only where every submitted launch is known to
///    be idempotent.
/// 2. Where its estimates are right and a method is over within the bound, the work is gone within it.
/// 3. Unknown times count as endless: the first launch of a kind is not waited for, unless nothing
///    else can be done.
/// 4. With `most-kills = n`, no launch is killed more than n times. While one that was is submitted,
///    its process is not reset.
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

/// What a device takes to let work go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct DeviceCosts {
    /// To kill everything of a launch, in nanoseconds.
    pub reset_ns: u64,
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
