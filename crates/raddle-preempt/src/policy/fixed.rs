//! Which of the policies always take the same way, and what does each promise?
//!
//! Each is [`ByRule::fixed`](super::ByRule::fixed) with its way; here are their settings and laws.

/// `wait`, the gentlest way: nothing is thrown away, moved or submitted twice. Nothing to set.
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
/// starts, and holds for all of it. Nothing to set.
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

/// `drain`: the victim leaves workgroup by workgroup. Nothing to set.
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
///    known to be idempotent; one of which nobody knows it counts as not.
/// 2. A killed launch starts again from its first workgroup, in its old place in the order.
/// 3. Everything else is as under [`FlagConfig`]. Latency: that of the reset, or one launch a stream.
/// 4. With `most-kills = n`, no launch is killed more than n times. While one that was is submitted,
///    its process leaves as under [`FlagConfig`].
///
/// Without `most-kills` a process that loses the turn again and again before its launch has ended
/// starts it again and again: nothing then guarantees that it ever ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct ResetConfig {
    /// How often a launch is killed at most; 0 kills nothing, left out there is no end to it.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub most_kills: Option<u32>,
}

/// `switch`: the victim's registers and LDS are moved out at the device's bandwidth, and back later;
/// the only way that gives an exact time slice. Nothing to set.
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
