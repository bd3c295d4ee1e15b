//! How well does the first half of a recording foretell how long kernels beside neighbours last in
//! the second half?
//!
//! The first half in time teaches, the second is held out. The time of a launch beside a neighbour
//! is foretold from launches of the same kernel beside the same class of neighbour, else from its
//! time alone and the factor of its class. The interval of a foretold time spans how far launches
//! of the first half were from the median of the others of their kind.

use std::collections::BTreeMap;

use raddle_device::Device;
use raddle_trace::{Op, Profile};
use serde::{Deserialize, Serialize};

use super::NeighbourClass;
use super::observed::{Observed, Shape, observed, shape};
use super::table::{Factor, median, name, permille};

/// The result of testing contention factors on one recording: factors learnt from the first half
/// predict the times of launches in the second half.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct HeldOut {
    /// The number of launches in the second half of the recording that ran beside a neighbour.
    pub launches: u64,
    /// The number of launches beside a neighbour in the second half whose time can be predicted
    /// from the first half.
    pub foretold: u64,
    /// The median error of the predicted times of launches, as a fraction of the recorded time;
    /// `None` where no time was predicted.
    pub median_error: Option<f64>,
    /// The median error of the predicted times of launches, as a fraction of the recorded time,
    /// after one step of the recording clock is subtracted from each error (to no less than 0);
    /// `None` where no time was predicted.
    pub median_error_beyond_step: Option<f64>,
    /// The median error of the predicted times, as a fraction of the recorded time, of launches
    /// that took at least 20 steps of the recording clock; `None` where there are none.
    pub median_error_long: Option<f64>,
    /// The number of predicted launches that took at least 20 steps of the recording clock.
    pub long: u64,
    /// The fraction, 0 to 1, of the predicted launches whose recorded time lies in the predicted
    /// interval; the goal is 0.9. `None` where no time was predicted.
    pub within: Option<f64>,
}

/// Two classes of kernels: (class of the kernel, class of its neighbour).
type Classes = (NeighbourClass, NeighbourClass);

/// The times of workgroups (medians, in ns) and the slowdown factors (in thousandths) that the
/// first half of a recording gives.
#[derive(Default)]
struct Taught {
    alone: BTreeMap<Shape, u64>,
    /// The median time of one workgroup in ns, by kernel and class of its neighbour.
    beside: BTreeMap<(Shape, NeighbourClass), u64>,
    /// The slowdown factors by the classes of kernel and neighbour: the time beside the neighbour
    /// in thousandths of the time alone.
    factors: BTreeMap<Classes, Factor>,
    /// The spread of recorded times by the classes of kernel and neighbour: each launch's time in
    /// thousandths of the median time of the other launches of its kernel.
    spread: BTreeMap<Classes, Factor>,
}

impl HeldOut {
    /// Compares the second half of a recording with the predictions from its first half.
    /// `workgroups` has the time of one workgroup of each op (kernel, copy or fill) in ns; with
    /// `None`, these times are derived from the recorded durations.
    #[must_use]
    pub fn of(profile: &Profile, own: &Device, workgroups: Option<&[u64]>) -> Self {
        let all = observed(profile, own, workgroups);
        let op = |one: &Observed| &profile.ops[one.op as usize];
        let (first, second): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|one| op(one).start_ns < profile.span_ns / 2);
        let taught = Taught::by(profile, &first);
        let mut found = Self::default();
        let (mut errors, mut beyond, mut long) = (Vec::new(), Vec::new(), Vec::new());
        let mut within = 0u64;
        for one in &second {
            let Some(class) = one.beside else { continue };
            found.launches += 1;
            let op = op(one);
            let classes = (NeighbourClass::of(name(profile, op)), class);
            let Some(foretold) = taught.foretold(op, classes) else { continue };
            found.foretold += 1;
            let ratio = permille(one.workgroup_ns, foretold);
            let spread = taught.spread.get(&classes);
            within += u64::from(spread.is_some_and(|of| (of.low..=of.high).contains(&ratio)));
            // Rounds are those of the recording, so the duration is off as its workgroups are.
            let off = foretold.abs_diff(one.workgroup_ns) as f64 / one.workgroup_ns.max(1) as f64;
            let step = profile.resolution_ns as f64 / op.duration_ns.max(1) as f64;
            errors.push(off);
            beyond.push((off - step).max(0.0));
            if op.duration_ns >= profile.resolution_ns.saturating_mul(20) {
                long.push(off);
            }
        }
        found.long = long.len() as u64;
        found.within = (found.foretold > 0).then(|| within as f64 / found.foretold as f64);
        found.median_error = middle(errors);
        found.median_error_beyond_step = middle(beyond);
        found.median_error_long = middle(long);
        found
    }
}

impl Taught {
    fn by(profile: &Profile, first: &[Observed]) -> Self {
        let mut alone: BTreeMap<Shape, Vec<u64>> = BTreeMap::new();
        let mut beside: BTreeMap<(Shape, NeighbourClass), Vec<u64>> = BTreeMap::new();
        for one in first {
            let of = shape(&profile.ops[one.op as usize]);
            match one.beside {
                None => alone.entry(of).or_default().push(one.workgroup_ns),
                Some(class) => beside.entry((of, class)).or_default().push(one.workgroup_ns),
            }
        }
        let alone: BTreeMap<Shape, u64> =
            alone.into_iter().map(|(of, times)| (of, median(times))).collect();
        let (mut factors, mut spread) = (BTreeMap::new(), BTreeMap::new());
        for ((of, class), times) in &beside {
            let kernel = profile.kernels.get(of.0 as usize).map_or("", String::as_str);
            let classes: Classes = (NeighbourClass::of(kernel), *class);
            if let Some(&alone) = alone.get(of) {
                let own: &mut Vec<u32> = factors.entry(classes).or_default();
                own.extend(times.iter().map(|&ns| permille(ns, alone)));
            }
            // Each launch is compared with the median of the others of its kind.
            let sorted = {
                let mut all = times.clone();
                all.sort_unstable();
                all
            };
            let own: &mut Vec<u32> = spread.entry(classes).or_default();
            for (at, &ns) in sorted.iter().enumerate().filter(|_| sorted.len() > 1) {
                let middle = (sorted.len() - 1) / 2;
                let others = sorted[middle + usize::from(at <= middle)];
                own.push(permille(ns, others));
            }
        }
        let factor = |all: BTreeMap<Classes, Vec<u32>>| {
            all.into_iter().filter_map(|(of, own)| Some((of, Factor::of(own)?))).collect()
        };
        let beside = beside.into_iter().map(|(of, times)| (of, median(times))).collect();
        Self { alone, beside, factors: factor(factors), spread: factor(spread) }
    }

    fn foretold(&self, op: &Op, classes: Classes) -> Option<u64> {
        let of = shape(op);
        self.beside.get(&(of, classes.1)).copied().or_else(|| {
            let (alone, factor) = (self.alone.get(&of)?, self.factors.get(&classes)?);
            u64::try_from(u128::from(*alone) * u128::from(factor.permille) / 1000).ok()
        })
    }
}

fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().map(crate::figures::round)
}
