//! Which fraction of the free resources is not in the longest free runs, over time?
//!
//! Fragmentation of a resource is the share of what is free on the device that does not lie in the
//! longest run of its SIMD (of its compute unit for scalar registers and LDS): 0 where all that is
//! free lies in one run each. Units: granules; ns.

use raddle_policy::{CuId, FreeRun, IN_RUNS, Tick, WaitReason, WaitTally};
use serde::{Deserialize, Serialize};

use crate::figures::round;

/// The most intervals into which the time of a run is divided; `SHORTEST_NS` is the shortest length
/// of an interval, in ns.
const BINS: usize = 64;
const SHORTEST_NS: u64 = 1024;

/// The free granules of one resource summed over time: of all free granules, and of only the
/// longest run (row of free granules) of each compute unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FreeTime {
    /// The number of free granules, integrated over time, in granules times ns.
    pub(crate) free: u128,
    /// The number of free granules in the longest run (row of free granules) of each compute unit,
    /// integrated over time, in granules times ns.
    pub(crate) longest: u128,
}

impl FreeTime {
    const fn add(&mut self, run: FreeRun, ns: u64) {
        self.free += run.free as u128 * ns as u128;
        self.longest += run.longest as u128 * ns as u128;
    }

    fn share(self) -> f64 {
        if self.free == 0 { 0.0 } else { (self.free - self.longest) as f64 / self.free as f64 }
    }
}

/// The free granules over the time of a run, for vector registers, scalar registers and LDS (the
/// order of [`IN_RUNS`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FreeOverTime {
    /// The length of each interval into which the time of the run is divided, in ns.
    pub(crate) bin_ns: u64,
    /// The free granules of every resource in each interval, from the beginning of the run on.
    pub(crate) bins: Vec<[FreeTime; 3]>,
}

/// A meter of the free granules of a simulated run, in total and in the longest runs (rows of free
/// granules), over time.
#[derive(Debug)]
pub(crate) struct FragmentationLog {
    /// The free granules of each compute unit, by resource; empty where the dispatcher does not
    /// track which granules are free.
    units: Vec<[FreeRun; 3]>,
    cus: u16,
    all: [FreeRun; 3],
    now: Tick,
    found: FreeOverTime,
}

impl FragmentationLog {
    pub(crate) fn new(cus: u16) -> Self {
        let found = FreeOverTime { bin_ns: SHORTEST_NS, bins: Vec::new() };
        Self { units: Vec::new(), cus, all: Default::default(), now: Tick::ZERO, found }
    }

    /// Returns whether the dispatcher tracks the addresses of granules, so that there are runs of
    /// free granules to measure.
    pub(crate) const fn has_addresses(&self) -> bool {
        !self.units.is_empty()
    }

    /// Updates the free granules of the compute units `units`, which have changed. `of` returns the
    /// free granules of one compute unit by resource; `None` where the dispatcher does not track
    /// addresses.
    pub(crate) fn see(
        &mut self,
        units: impl Iterator<Item = usize>,
        of: impl Fn(CuId) -> Option<[FreeRun; 3]>,
    ) {
        if self.units.is_empty() {
            // Either all units have addresses or none has.
            if of(CuId(0)).is_none() {
                return;
            }
            let all: Option<Vec<_>> = (0..self.cus).map(CuId).map(&of).collect();
            self.units = all.unwrap_or_default();
            self.all = Default::default();
            for unit in &self.units {
                for (sum, run) in self.all.iter_mut().zip(unit) {
                    (sum.free, sum.longest) = (sum.free + run.free, sum.longest + run.longest);
                }
            }
            return;
        }
        for cu in units {
            // Compute units are numbered by u16.
            let after = of(CuId(cu as u16));
            let (Some(before), Some(after)) = (self.units.get_mut(cu), after) else { continue };
            for ((sum, before), after) in self.all.iter_mut().zip(*before).zip(after) {
                sum.free = sum.free + after.free - before.free;
                sum.longest = sum.longest + after.longest - before.longest;
            }
            *before = after;
        }
    }

    /// Adds the present free granules, times the ns from the last call until `now`, to the sums of
    /// each interval.
    pub(crate) fn advance(&mut self, now: Tick) {
        let mut from = self.now.0;
        self.now = now;
        if self.units.is_empty() {
            return;
        }
        while self.found.bin_ns.saturating_mul(BINS as u64) < now.0 {
            let merged = self.found.bins.chunks(2).map(|two| {
                let mut sum = two[0];
                if let Some(of) = two.get(1) {
                    for (to, more) in sum.iter_mut().zip(of) {
                        (to.free, to.longest) = (to.free + more.free, to.longest + more.longest);
                    }
                }
                sum
            });
            self.found.bins = merged.collect();
            self.found.bin_ns *= 2;
        }
        while from < now.0 {
            // There are no more than 64 bins.
            let bin = (from / self.found.bin_ns) as usize;
            let until = now.0.min((from / self.found.bin_ns + 1) * self.found.bin_ns);
            if self.found.bins.len() <= bin {
                self.found.bins.resize(bin + 1, Default::default());
            }
            for (sum, run) in self.found.bins[bin].iter_mut().zip(self.all) {
                sum.add(run, until - from);
            }
            from = until;
        }
    }

    pub(crate) fn finish(self) -> FreeOverTime {
        self.found
    }
}

/// The fragmentation of one resource over a simulation: the fraction of its free granules that lie
/// outside of the longest row of free granules of their compute unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FragmentedResource {
    /// The name of the resource whose granules are fragmented.
    pub resource: String,
    /// The mean fragmentation over the whole run, 0 to 1.
    pub mean: f64,
    /// The greatest fragmentation of the resource (fraction of its free granules outside of the
    /// longest free runs, 0 to 1) in any interval of the run.
    pub most: f64,
    /// The fragmentation of one resource in each interval of the run, from the beginning on: the
    /// fraction of its free granules, 0 to 1, that lies outside of the longest free runs.
    pub over_time: Vec<f64>,
}

/// The number of times that work waited for one resource for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LackCount {
    /// The name of the resource that was lacking first, on the first compute unit that the policy
    /// tried.
    pub resource: String,
    /// The reason why the lacking resource was not enough for a workgroup.
    pub reason: WaitReason,
    /// The number of answers of the allocate policy that left work waiting for `resource` for the
    /// reason `reason`.
    pub count: u64,
}

/// The fragmentation of free resources in a run, and the reasons why work waited. It exists only
/// under a policy that keeps the addresses of granules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AddressSummary {
    /// The length in ns of each interval for which fragmentation is given.
    pub(crate) bin_ns: u64,
    /// The fragmentation of each resource that was ever free.
    pub fragmentation: Vec<FragmentedResource>,
    /// The number of times that work waited, by resource and reason; empty under a policy that does
    /// not count waits.
    pub waits: Vec<LackCount>,
}

impl AddressSummary {
    /// Returns the fragmentation and the waits of a run; `None` where the policy tracks no
    /// addresses of granules.
    pub(crate) fn new(found: &FreeOverTime, waits: &[WaitTally]) -> Option<Self> {
        if found.bins.is_empty() {
            return None;
        }
        let of = |(at, resource): (usize, &raddle_policy::Resource)| {
            let bins = found.bins.iter().map(|bin| bin[at]);
            let sum = bins.clone().fold(FreeTime::default(), |sum, bin| FreeTime {
                free: sum.free + bin.free,
                longest: sum.longest + bin.longest,
            });
            (sum.free > 0).then(|| FragmentedResource {
                resource: resource.name().to_owned(),
                mean: round(sum.share()),
                most: round(bins.clone().map(FreeTime::share).fold(0.0, f64::max)),
                over_time: bins.map(|bin| round(bin.share())).collect(),
            })
        };
        let mut waits: Vec<WaitTally> = waits.to_vec();
        waits.sort_by_key(|wait| (wait.resource.name(), wait.reason));
        let cause = |wait: WaitTally| LackCount {
            resource: wait.resource.name().to_owned(),
            reason: wait.reason,
            count: wait.count,
        };
        Some(Self {
            bin_ns: found.bin_ns,
            fragmentation: IN_RUNS.iter().enumerate().filter_map(of).collect(),
            waits: waits.into_iter().map(cause).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_time_and_bins_double() {
        let mut found = FragmentationLog::new(2);
        let runs =
            |free, longest| [FreeRun { free, longest }, FreeRun::default(), FreeRun::default()];
        found.see(0..1, |_| Some(runs(10, 10)));
        found.advance(Tick(1000));
        found.see(1..2, |_| Some(runs(10, 5)));
        found.advance(Tick(131_072));
        let free = found.finish();
        assert_eq!((free.bin_ns, free.bins.len()), (2048, 64));
        let summary = AddressSummary::new(&free, &[]).expect("there are addresses");
        let [vgpr] = &summary.fragmentation[..] else { panic!("nothing is free of the others") };
        assert_eq!((vgpr.most, vgpr.over_time[1]), (0.25, 0.25));
        // A quarter of what is free after 1,000 of 131,072 ns.
        assert_eq!(vgpr.mean, 0.2481);
        assert_eq!(AddressSummary::new(&FreeOverTime::default(), &[]), None);
    }
}
