//! How much of a profile's kernel time needs memory, arithmetic or neither, and how is that known?

use std::collections::BTreeMap;

use raddle_device::{Device, MemoryRates};
use raddle_sim::{DemandRule, OpNeed, process_demand};
use raddle_trace::{KernelNeed, NeedSource, OpKind, Profile};
use serde::Serialize;

use super::KERNEL;
use crate::document::{Column, Document, Table};
use crate::units::{count, duration, percent, plain, share};

/// Kernels of unknown need that are named.
const NAMED: usize = 3;

/// The needs of a profile's kernels, on the device that it was recorded on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct KernelNeeds {
    /// One entry a need that some kernel has.
    by_need: Vec<NeedPart>,
    /// Kernels of unknown need, by time, the longest first.
    unknown: Vec<UnknownNeed>,
    /// The bandwidth of one compute unit and of all, in bytes a microsecond.
    unit_bytes_per_us: u64,
    reached_bytes_per_us: u64,
    /// True if the bandwidth of a unit is derived from the peak.
    unit_is_derived: bool,
}

/// The kernels of one need.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
struct NeedPart {
    need: &'static str,
    launches: u64,
    total_ns: u64,
    share: f64,
    /// The bytes that a launch of it is taken to move in a microsecond, where it fills the device.
    bytes_per_us: u64,
    /// The sources of the need, each with its share of the time of this need.
    known_by: BTreeMap<&'static str, f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
struct UnknownNeed {
    kernel: String,
    total_ns: u64,
    share: f64,
}

/// Launches, time, rate, and the time by source, of one need.
type Sums = (u64, u64, u64, BTreeMap<NeedSource, u64>);

impl KernelNeeds {
    /// Sums up the needs of the kernels of a profile, by op.
    pub(crate) fn of(profile: &Profile, own: &Device, needs: &[OpNeed]) -> Self {
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

    pub(super) fn fill(&self, document: &mut Document) {
        let figures = ["launches", "kernel time", "share", "GB/s"];
        let mut table = Table::new("Needs", [Column::text("need")]).figures(figures);
        let mut known = Vec::new();
        for part in &self.by_need {
            table.row([
                part.need.to_owned(),
                count(part.launches),
                duration(part.total_ns),
                percent(part.share),
                if part.bytes_per_us > 0 { count(part.bytes_per_us / 1000) } else { "-".into() },
            ]);
            let by = part.known_by.iter().map(|(source, of)| format!("{source} {}", percent(*of)));
            known.push(format!("{} by {}", part.need, by.collect::<Vec<_>>().join(", ")));
        }
        if known.is_empty() {
            return;
        }
        document.table(table);
        let mut text = format!(
            "what a kernel needs most beside others and on fewer units (docs/demand.md); GB/s = what it is taken to move while it fills the device, of which one unit moves {}{} and all reach {}. Known: {}",
            count(self.unit_bytes_per_us / 1000),
            if self.unit_is_derived { " (derived)" } else { "" },
            count(self.reached_bytes_per_us / 1000),
            known.join("; "),
        );
        let named = self
            .unknown
            .iter()
            .take(NAMED)
            .map(|of| format!("`{}` {}", plain(&of.kernel, KERNEL), percent(of.share)));
        let named: Vec<String> = named.collect();
        if !named.is_empty() {
            text += &format!(
                ". Unknown are {}: `--kernel-class 'NAME=memory'` says it",
                named.join(", ")
            );
        }
        document.paragraph("Needs", text);
    }
}
