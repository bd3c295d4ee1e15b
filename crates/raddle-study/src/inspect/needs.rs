//! How much of a profile's kernel time do memory, arithmetic or neither limit, and how is it known?

use std::collections::BTreeMap;

use raddle_device::{Device, MemoryRates};
use raddle_sim::{DemandRule, OpNeed, process_demand};
use raddle_trace::{KernelNeed, NeedSource, OpKind, Profile};
use serde::Serialize;

use crate::units::share;

/// Resources, such as memory bandwidth, that kernels need most on the device of the recording.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct KernelNeeds {
    /// Sums over launches, one entry for each resource that some kernels need most.
    pub by_need: Vec<NeedPart>,
    /// Kernels whose most needed resource is unknown, by total time, the longest first.
    pub unknown: Vec<UnknownNeed>,
    /// Memory bandwidth of one compute unit, in bytes per microsecond.
    pub unit_bytes_per_us: u64,
    /// Memory bandwidth that all compute units together reach in practice, in bytes per us.
    pub reached_bytes_per_us: u64,
    /// True if the bandwidth of a compute unit is derived from the peak bandwidth of the device;
    /// false if the device file states it.
    pub unit_is_derived: bool,
}

/// All launches of the kernels that need the same resource most, such as memory bandwidth.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NeedPart {
    /// Name of the resource that the kernels need most, such as `memory` or `compute`.
    pub need: &'static str,
    /// Number of launches of the kernels that need the resource `need` most.
    pub launches: u64,
    /// Sum of the durations of the launches of kernels that need the resource `need` most, in ns.
    pub total_ns: u64,
    /// Sum of the durations of these launches as a fraction of that of all kernels, 0 to 1.
    pub share: f64,
    /// Memory traffic that is assumed for the launches of these kernels, in bytes per microsecond,
    /// as if each filled the device. It is the average over their time.
    pub bytes_per_us: u64,
    /// Fractions of the kernels' time by the source from which their need is known, such as the
    /// name or the grid of a kernel.
    pub known_by: BTreeMap<&'static str, f64>,
}

/// Kernel whose most needed resource (such as memory bandwidth) is unknown.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct UnknownNeed {
    /// Name of the kernel.
    pub kernel: String,
    /// Sum of the durations of the kernel's launches, in ns.
    pub total_ns: u64,
    /// Sum of the durations of the kernel's launches as a fraction of that of all kernels, 0 to 1.
    pub share: f64,
}

/// Sums over the launches of kernels that need the same resource most: (number of launches, their
/// time in ns, memory traffic in bytes per microsecond times ns, time in ns by the source from
/// which the need is known).
type Sums = (u64, u64, u128, BTreeMap<NeedSource, u64>);

impl KernelNeeds {
    /// Sums up which resources the kernels of a profile need most on the device `own` of the
    /// recording; `needs` has one entry for each op (launch, copy or fill) of the profile.
    pub fn of(profile: &Profile, own: &Device, needs: &[OpNeed]) -> Self {
        let demand = process_demand(profile, needs, (own, own), &DemandRule::expected(own));
        let mut sums: BTreeMap<KernelNeed, Sums> = BTreeMap::new();
        let mut unknown: BTreeMap<u32, u64> = BTreeMap::new();
        let mut all = 0u64;
        let launches = profile.ops.iter().zip(needs).zip(&demand.tasks);
        for ((op, need), task) in launches.filter(|((op, _), _)| op.kind == OpKind::Kernel) {
            let (launches, total, rate, by) = sums.entry(need.need).or_default();
            *launches += 1;
            *total = total.saturating_add(op.duration_ns);
            *rate += u128::from(task.rate) * u128::from(op.duration_ns);
            let from = by.entry(need.source).or_default();
            *from = from.saturating_add(op.duration_ns);
            all = all.saturating_add(op.duration_ns);
            if need.need == KernelNeed::Unknown {
                let of = unknown.entry(op.kernel).or_default();
                *of = of.saturating_add(op.duration_ns);
            }
        }
        let part = |(need, (launches, total_ns, moved, by)): (KernelNeed, Sums)| NeedPart {
            need: need.name(),
            launches,
            total_ns,
            share: share(total_ns.into(), all.into()),
            bytes_per_us: u64::try_from(moved / u128::from(total_ns.max(1))).unwrap_or(u64::MAX),
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
