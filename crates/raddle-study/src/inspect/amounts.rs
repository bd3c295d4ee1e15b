//! How many adjacent free granules of each resource do the workgroups of a profile need, and for
//! which of these numbers would a search of the policy `matching` have to look (seed 000, E6: f31)?
//!
//! A run is granules of one resource in a row. Units: granules of the device; workgroups.

use std::collections::BTreeMap;

use raddle_device::Device;
use raddle_policy::Resource;
use raddle_trace::{OpKind, Profile};
use serde::Serialize;

/// Numbers of adjacent granules that the workgroups of a profile need, for each resource; a granule
/// is the unit in which a resource is given out. A search for free granules must find that many
/// beside each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct WantedAmounts {
    /// Percentage of the workgroups below which a number of granules counts as rare. Numbers that
    /// fewer workgroups need are left out of the setting `search`.
    pub rare: f64,
    /// Numbers of adjacent granules that workgroups need, one entry for each resource.
    pub resources: Vec<WantedRuns>,
    /// Setting `search` of the policy `matching`, as a line of a recipe: with it the policy
    /// searches only for the numbers of adjacent granules that are not rare.
    pub search: String,
}

/// Numbers of adjacent granules of one resource that the workgroups of a profile need; a workgroup
/// takes all its granules from one place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WantedRuns {
    /// Name of the resource whose granules are counted.
    pub resource: &'static str,
    /// Numbers of adjacent granules that workgroups need, ascending, each with the fraction of the
    /// workgroups that need it; 0 is left out, as no search is needed for it.
    pub amounts: Vec<WantedAmount>,
}

/// Number of adjacent granules of a resource, and the fraction of all workgroups that need it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WantedAmount {
    /// Number of adjacent granules of the resource that a workgroup needs.
    pub granules: u64,
    /// Fraction of all workgroups that need exactly `granules` granules, 0 to 1.
    pub share: f64,
    /// True if the setting `search` contains the number `granules`: enough workgroups need it, or
    /// it is the largest.
    pub kept: bool,
}

impl WantedAmounts {
    /// Counts how many adjacent granules the workgroups of a profile need on a device. Numbers that
    /// less than `rare` percent of the workgroups need are left out of the setting `search`, except
    /// for the largest. Workgroups that fit no compute unit of the device are not counted.
    #[must_use]
    pub fn of(profile: &Profile, device: &Device, rare: f64) -> Self {
        let mut wanted: BTreeMap<(u8, u64), u64> = BTreeMap::new();
        let mut all = 0_u64;
        for op in profile.ops.iter().filter(|op| op.kind == OpKind::Kernel) {
            let Ok(demand) = device.demand(&op.footprint) else { continue };
            let workgroups = op.workgroups;
            all = all.saturating_add(workgroups);
            let (waves, simds) = (u64::from(demand.waves), u64::from(device.shape.simds).max(1));
            let of_simd = [waves / simds, waves.div_ceil(simds)];
            let mut runs = vec![(2, u64::from(demand.lds))];
            runs.extend(of_simd.map(|waves| (0, waves * u64::from(demand.vgpr))));
            if device.shape.sgpr != u16::MAX {
                runs.push((1, waves * u64::from(demand.sgpr)));
            }
            runs.sort_unstable();
            runs.dedup();
            for run in runs.into_iter().filter(|&(_, amount)| amount > 0) {
                let entry = wanted.entry(run).or_default();
                *entry = entry.saturating_add(workgroups);
            }
        }
        let resources = [Resource::Vgpr, Resource::Sgpr, Resource::Lds];
        let resources = (0..).zip(resources).filter_map(|(at, resource)| {
            let of = wanted.range((at, 0)..=(at, u64::MAX));
            let shares = of.map(|(&(_, granules), &workgroups)| {
                (granules, workgroups as f64 / all.max(1) as f64)
            });
            let shares: Vec<_> = shares.collect();
            let last = shares.len().checked_sub(1)?;
            // The longest length is always kept: without it its workgroups could never be placed.
            let amount = |(n, &(granules, share)): (usize, &(u64, f64))| {
                let kept = n == last || share * 100.0 >= rare;
                WantedAmount { granules, share, kept }
            };
            let amounts = shares.iter().enumerate().map(amount).collect();
            Some(WantedRuns { resource: resource.name(), amounts })
        });
        let resources: Vec<_> = resources.collect();
        let search = recipe(&resources);
        Self { rare, resources, search }
    }
}

/// Writes the setting `search` of the policy `matching`, with the kept numbers of granules of these
/// resources; without any resource it asks for the full search.
fn recipe(resources: &[WantedRuns]) -> String {
    let of = |runs: &WantedRuns| {
        let kept = runs.amounts.iter().filter(|amount| amount.kept);
        let kept: Vec<_> = kept.map(|amount| amount.granules.to_string()).collect();
        format!("{} = [{}]", runs.resource, kept.join(", "))
    };
    let all: Vec<_> = resources.iter().map(of).collect();
    if all.is_empty() {
        return "search = \"full\"".to_owned();
    }
    format!("search = {{ sampled = {{ amounts = {{ {} }} }} }}", all.join(", "))
}
