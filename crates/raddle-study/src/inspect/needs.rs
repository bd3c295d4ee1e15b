//! How much of a profile's kernel time needs memory, arithmetic or neither, and how is that known?

use std::collections::BTreeMap;

use raddle_device::{Device, MemoryRates};
use raddle_sim::{DemandRule, OpNeed, process_demand};
use raddle_trace::{KernelNeed, NeedSource, OpKind, Profile};
use serde::Serialize;

use crate::units::share;

/// The needs of a profile's kernels, on the device that it was recorded on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct KernelNeeds {
    /// One entry a need that some kernel has.
    pub by_need: Vec<NeedPart>,
    /// Kernels of unknown need, by time, the longest first.
    pub unknown: Vec<UnknownNeed>,
    /// The bandwidth of one compute unit, in bytes a microsecond.
    pub unit_bytes_per_us: u64,
    /// The bandwidth that all compute units reach together.
    pub reached_bytes_per_us: u64,
    /// True if the bandwidth of a unit is derived from the peak.
    pub unit_is_derived: bool,
}

/// The kernels of one need.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NeedPart {
    /// The name of the need.
    pub need: &'static str,
    /// The launches of these kernels.
    pub launches: u64,
    /// The time of these launches.
    pub total_ns: u64,
    /// The share of the time of all kernels.
    pub share: f64,
    /// The bytes that a launch of it is taken to move in a microsecond, where it fills the device.
    pub bytes_per_us: u64,
    /// The sources of the need, each with its share of the time of this need.
    pub known_by: BTreeMap<&'static str, f64>,
}

/// A kernel whose need is unknown.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct UnknownNeed {
    /// The name of the kernel.
    pub kernel: String,
    /// The time of its launches.
    pub total_ns: u64,
    /// The share of the time of all kernels.
    pub share: f64,
}

/// Launches, time, rate, and the time by source, of one need.
type Sums = (u64, u64, u64, BTreeMap<NeedSource, u64>);

impl KernelNeeds {
    /// Sums up the needs of the kernels of a profile, by op.
    pub fn of(profile: &Profile, own: &Device, needs: &[OpNeed]) -> Self {
        let demand = process_demand(profile, needs, (own, own), &DemandRule::EXPECTED);
        let mut sums: BTreeMap<KernelNeed, Sums> = BTreeMap::new();
        let mut unknown: BTreeMap<u32, u64> = BTreeMap::new();
        let mut all = 0u64;
        let launches = profile.ops.iter().zip(needs).zip(&demand.tasks);
        for ((op, need), task) in launches.filter(|((op, _), _)| op.kind == OpKind::Kernel) {
            let (launches, total, rate, by) = sums.entry(need.need).or_default();
            *launches += 1;
            *total = total.saturating_add(op.duration_ns);
            *rate = task.rate.max(*rate);
            let from = by.entry(need.source).or_default();
            *from = from.saturating_add(op.duration_ns);
            all = all.saturating_add(op.duration_ns);
            if need.need == KernelNeed::Unknown {
                let of = unknown.entry(op.kernel).or_default();
                *of = of.saturating_add(op.duration_ns);
            }
        }
        let part = |(need, (launches, total_ns, bytes_per_us, by)): (KernelNeed, Sums)| NeedPart {
            need: need.name(),
            launches,
            total_ns,
            share: share(total_ns.into(), all.into()),
            bytes_per_us,
            known_by: by
                .into_iter()
                .map(|(source, ns)| (source.name(), share(ns.into(), total_ns.into())))
                .collect(),
        };
        let mut unknown: Vec<UnknownNeed> = unknown
            .into_iter()
            .map(|(kernel, total_ns)| UnknownNeed {
                kernel: profile.kernels.get(kernel as usize).cloned().unwrap_or_default(),
                total_ns,
                share: share(total_ns.into(), all.into()),
            })
            .collect();
        unknown.sort_by(|a, b| b.total_ns.cmp(&a.total_ns).then_with(|| a.kernel.cmp(&b.kernel)));
        let MemoryRates { unit, reached, derived, .. } = own.memory_rates();
        Self {
            by_need: sums.into_iter().map(part).collect(),
            unknown,
            unit_bytes_per_us: unit,
            reached_bytes_per_us: reached,
            unit_is_derived: derived,
        }
    }
}
