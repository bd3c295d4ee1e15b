//! Which resource keeps more workgroups off the compute units, and which kernels cannot be
//! preempted between two workgroups?

use raddle_device::Device;
use raddle_policy::Resource;
use serde::Serialize;

use super::kernels::{LaunchPart, LaunchShape, NamedKernel, Placing, total_ns};
use crate::VendorWords;
use crate::units::count;

/// Resources that can limit how many workgroups fit a compute unit, in the order of the results.
const LIMITERS: [Resource; 6] = [
    Resource::Workgroups,
    Resource::Waves,
    Resource::Vgpr,
    Resource::Sgpr,
    Resource::Lds,
    Resource::Barriers,
];

/// Shortest median duration, in ns, of a kernel that counts as persistent (made to keep compute
/// units until it ends): many times the cost of a launch.
const LONG_NS: u64 = 100_000;

/// Summary of how the launches of a profile fit the device of the recording. Each kind of fit has
/// its number of launches and their part of the time of all kernels.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LaunchLimits {
    /// Launches grouped by the resource that limits how many of their workgroups fit a compute
    /// unit, one entry for each resource.
    pub by_limiter: Vec<LimitedLaunches>,
    /// Launches whose workgroups do not fit a compute unit at all.
    pub unfit: LaunchPart,
    /// Launches with fewer workgroups than the device has compute units: some units stay empty.
    pub fewer_than_cus: LaunchPart,
    /// Launches whose workgroups the device holds all at the same time. Such a launch cannot be
    /// preempted between workgroups, as all of them start at once.
    pub one_round: LaunchPart,
    /// Shapes of persistent kernels: long launches with one workgroup for each compute unit, or for
    /// at least five sixths of the units.
    pub persistent: Vec<PersistentShape>,
}

/// Launches whose residency (number of workgroups that fit a compute unit) one resource limits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LimitedLaunches {
    /// Name of the resource that limits how many workgroups fit a compute unit.
    pub limiter: &'static str,
    /// Launches for which the resource `limiter` is the limit. Launches whose workgroups do not fit
    /// at all are left out.
    #[serde(flatten)]
    pub part: LaunchPart,
    /// Launches among `part` whose workgroups the device holds all at the same time, so that the
    /// limiting resource does not matter.
    pub one_round: LaunchPart,
}

/// Shape of a persistent kernel, each launch of which keeps its compute units until it ends.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PersistentShape {
    /// Name of the persistent kernel.
    pub kernel: String,
    /// Number of workgroups of each launch of the persistent kernel.
    pub workgroups: u64,
    /// Number of launches of the persistent kernel with this number of workgroups and needed
    /// resources.
    pub launches: u64,
    /// Median of the durations of the persistent kernel's launches, in ns.
    pub median_ns: u64,
    /// Longest duration of a launch of the persistent kernel, in ns.
    pub max_ns: u64,
    /// Sum of the durations of the persistent kernel's launches as a fraction of that of all
    /// kernels, 0 to 1.
    pub share: f64,
}

impl LaunchLimits {
    /// Sums up how the launches of all kernels fit `own`, the device of the recording; shapes
    /// without a computed fit are left out.
    #[must_use]
    pub fn of(kernels: &[NamedKernel], own: &Device) -> Self {
        let all = total_ns(kernels);
        let cus = u64::from(own.cus);
        let part = |holds: &dyn Fn(&LaunchShape, &Placing) -> bool| {
            let shapes = kernels.iter().flat_map(|kernel| &kernel.shapes);
            let fitting =
                shapes.filter(|shape| shape.placing.as_ref().is_some_and(|p| holds(shape, p)));
            LaunchPart::of(fitting.map(|shape| &shape.times), all)
        };
        let by_limiter = LIMITERS.map(|resource| {
            let limiter = resource.name();
            let limits = |p: &Placing| p.resident > 0 && p.limiter == limiter;
            LimitedLaunches {
                limiter,
                part: part(&|_, p| limits(p)),
                one_round: part(&|shape, p| limits(p) && fits_at_once(shape, p)),
            }
        });
        Self {
            by_limiter: by_limiter.to_vec(),
            unfit: part(&|_, p| p.resident == 0),
            fewer_than_cus: part(&|shape, _| shape.workgroups < cus),
            one_round: part(&|shape, p| fits_at_once(shape, p)),
            persistent: persistent(kernels, cus),
        }
    }
}

fn fits_at_once(shape: &LaunchShape, placing: &Placing) -> bool {
    placing.resident > 0 && shape.workgroups <= placing.at_once
}

/// Says how far a workgroup must reduce its need of the limiting resource so that one more
/// workgroup fits a compute unit: "32 registers a thread, now 40". `None` where less of that
/// resource does not help.
#[must_use]
pub fn one_more(shape: &LaunchShape, own: &Device) -> Option<String> {
    let placing = shape.placing.as_ref()?;
    let now = shape.footprint();
    let words = VendorWords::of(Some(own.vendor));
    let (most, name): (u32, _) = match placing.limiter {
        "vgpr" => (now.vgprs_per_thread, format!("registers a {}", words.work_item)),
        "lds" => (now.lds_bytes, "bytes of shared memory".to_owned()),
        "waves" => (now.threads, words.work_items.to_owned()),
        _ => return None,
    };
    let fits = |value: u32| {
        let mut less = now;
        match placing.limiter {
            "vgpr" => less.vgprs_per_thread = value,
            "lds" => less.lds_bytes = value,
            _ => less.threads = value,
        }
        own.residency(&less).workgroups() > placing.resident
    };
    let (mut low, mut high) = (1, most);
    if most < 2 || !fits(low) {
        return None;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(middle) { low = middle } else { high = middle }
    }
    Some(format!("{} {name}, now {}", count(low.into()), count(most.into())))
}

/// Returns whether a shape is that of a persistent kernel: long launches with at most one workgroup
/// for each of the `cus` compute units, and for at least five sixths of them.
fn is_persistent(shape: &LaunchShape, cus: u64) -> bool {
    let least = cus.saturating_mul(5).div_ceil(6);
    let fits = shape.placing.as_ref().is_some_and(|placing| placing.resident > 0);
    fits && (least..=cus).contains(&shape.workgroups) && shape.times.median_ns >= LONG_NS
}

/// Returns the shapes of persistent kernels by total time, the longest first; `cus` is the number
/// of compute units.
fn persistent(kernels: &[NamedKernel], cus: u64) -> Vec<PersistentShape> {
    let shapes = kernels.iter().flat_map(|kernel| {
        let shapes = kernel.shapes.iter().filter(|shape| is_persistent(shape, cus));
        shapes.map(|shape| (&kernel.name, shape))
    });
    let mut shapes: Vec<(&String, &LaunchShape)> = shapes.collect();
    shapes.sort_by_key(|(_, shape)| std::cmp::Reverse(shape.times.total_ns));
    let persistent = |(kernel, shape): (&String, &LaunchShape)| PersistentShape {
        kernel: kernel.clone(),
        workgroups: shape.workgroups,
        launches: shape.times.launches,
        median_ns: shape.times.median_ns,
        max_ns: shape.times.max_ns,
        share: shape.times.share,
    };
    shapes.into_iter().map(persistent).collect()
}
