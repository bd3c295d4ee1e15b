//! Which kernels take the time, in which shapes, and how do these shapes fit the device?

use std::collections::{BTreeMap, BTreeSet};

use raddle_device::Device;
use raddle_policy::Footprint;
use raddle_sim::percentile;
use raddle_trace::{Op, Profile};
use serde::Serialize;

use crate::launches::kernels;
use crate::units::share;

/// All launches of the kernels with one name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NamedKernel {
    /// Name of the kernel that these launches ran.
    pub name: String,
    /// True if the kernel's name is that of a communication library, which moves data between
    /// devices.
    pub(crate) communication: bool,
    /// Figures of the durations of the launches of the kernel.
    #[serde(flatten)]
    pub times: LaunchTimes,
    /// Shapes (grid and needed resources) of the launches by total time, the longest first.
    /// Launches whose shape is not known are left out.
    pub shapes: Vec<LaunchShape>,
}

/// Durations of a group of launches, such as those of one kernel or of one shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LaunchTimes {
    /// Number of launches that are summed up.
    pub launches: u64,
    /// Sum of the durations of the launches, in ns.
    pub total_ns: u64,
    /// Median of the durations of the launches, in ns.
    pub median_ns: u64,
    /// Longest duration of a launch, in ns.
    pub max_ns: u64,
    /// Sum of the durations as a fraction of the time of all kernels, each launch counted in full,
    /// 0 to 1.
    pub share: f64,
}

/// All launches of one kernel with the same grid that need the same resources of the device.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LaunchShape {
    /// Number of workgroups of each launch of this shape.
    pub workgroups: u64,
    /// Number of work-items of each workgroup.
    pub threads: u32,
    /// Number of vector registers that each work-item needs.
    pub vgprs_per_thread: u32,
    pub(crate) sgprs_per_wave: u32,
    /// Shared memory (LDS) of a workgroup, in bytes.
    pub lds_bytes: u32,
    /// Number of workgroups of a cluster; 0 or 1 where there are no clusters.
    #[serde(skip_serializing_if = "is_one")]
    pub(crate) cluster: u16,
    /// Durations of the launches with this shape.
    #[serde(flatten)]
    pub times: LaunchTimes,
    /// Fit of the shape on the device that the profile was recorded on; `None` where that device is
    /// not known.
    pub placing: Option<Placing>,
}

/// How many workgroups of a launch shape a device holds, and which resource limits that number.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Placing {
    /// Number of workgroups that fit one compute unit; 0 where none fits.
    pub resident: u32,
    /// Name of the resource that limits `resident`; where several limit it, the one that comes
    /// first in a fixed order.
    pub limiter: &'static str,
    /// Names of all resources that limit `resident`, the number of workgroups on a compute unit.
    pub limiters: Vec<&'static str>,
    /// Number of workgroups that the whole empty device holds at the same time.
    pub at_once: u64,
    /// Number of workgroups of a launch divided by `at_once`, the number that the device holds: 1.5
    /// means one full round of workgroups and half of a second one.
    pub rounds: f64,
    /// Occupancy: the work-items in use on a compute unit, as a fraction of those for which it has
    /// room, on average in the first round of workgroups (as many as the device holds).
    pub occupancy: f64,
}

/// Number and total time of a subset of the launches of a profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LaunchPart {
    /// Number of launches in this subset.
    pub launches: u64,
    /// Sum of the durations of the launches, in ns.
    pub total_ns: u64,
    /// Sum of the durations as a fraction of the time of all kernels, 0 to 1.
    pub share: f64,
}

impl LaunchPart {
    /// Adds up the numbers and durations of launches in `times`; `all` is the time of all kernels
    /// in ns, by which the fraction is taken.
    pub(crate) fn of<'t>(times: impl Iterator<Item = &'t LaunchTimes>, all: u64) -> Self {
        let mut part = Self::default();
        for times in times {
            part.launches += times.launches;
            part.total_ns = part.total_ns.saturating_add(times.total_ns);
        }
        Self { share: share(part.total_ns.into(), all.into()), ..part }
    }
}

/// Key of a shape: (workgroups, work-items, vector registers, scalar registers, LDS bytes,
/// workgroups of a cluster).
type ShapeKey = (u64, u32, u32, u32, u32, u16);

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_one(cluster: &u16) -> bool {
    *cluster <= 1
}

fn key(op: &Op) -> ShapeKey {
    let Footprint { threads, vgprs_per_thread, sgprs_per_wave, lds_bytes, .. } = op.footprint;
    (op.workgroups, threads, vgprs_per_thread, sgprs_per_wave, lds_bytes, op.cluster)
}

/// Names that compilers give to unnamed namespaces in the names of kernels.
const UNNAMED: [&str; 2] = ["(anonymous namespace)", "<unnamed>"];

/// Returns the family of a kernel: its name without return type, parameters and template
/// arguments, and without a number at its end, as compilers that generate kernels count them.
///
/// ```
/// use raddle_study::inspect::family;
/// assert_eq!(family("void at::native::copy<float, 4>(int)"), "at::native::copy");
/// assert_eq!(family("triton_poi_fused_add_3"), "triton_poi_fused_add");
/// assert_eq!(family("void at::(anonymous namespace)::fill<8>(int)"), "at::(anonymous namespace)::fill");
/// assert_eq!(family("42"), "42");
/// ```
#[must_use]
pub fn family(kernel: &str) -> &str {
    let name = kernel.strip_prefix("void ").unwrap_or(kernel);
    let unnamed = |at: usize| UNNAMED.iter().any(|space| name[at..].starts_with(space));
    let mut ends = name.match_indices(['<', '(']).map(|(at, _)| at);
    let name = match ends.find(|&at| at > 0 && !unnamed(at)) {
        Some(at) => &name[..at],
        None => name,
    };
    let counted = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match counted.strip_suffix('_') {
        Some(short) if !short.is_empty() && counted.len() < name.len() => short,
        _ => name,
    }
}

/// Returns the kernels of a profile by total time, the longest first. `own` is the device that the
/// profile was recorded on; with `None` it is not computed how shapes fit a device.
#[must_use]
pub fn by_kernel(profile: &Profile, own: Option<&Device>) -> Vec<NamedKernel> {
    let mut found: BTreeMap<&str, BTreeMap<Option<ShapeKey>, Vec<u64>>> = BTreeMap::new();
    for op in kernels(profile) {
        let name = profile.kernels.get(op.kernel as usize).map_or("", String::as_str);
        let key = (!op.is_opaque()).then(|| key(op));
        found.entry(name).or_default().entry(key).or_default().push(op.duration_ns);
    }
    let all = kernels(profile).fold(0, |sum, op| op.duration_ns.saturating_add(sum));
    let kernel = |(name, shapes): (&str, BTreeMap<Option<ShapeKey>, Vec<u64>>)| {
        let durations = shapes.values().flatten().copied().collect();
        let shapes = shapes
            .into_iter()
            .filter_map(|(key, durations)| Some(shape(key?, durations, all, own)));
        let mut shapes: Vec<LaunchShape> = shapes.collect();
        shapes.sort_by_key(|shape| std::cmp::Reverse(shape.times.total_ns));
        NamedKernel {
            name: name.to_owned(),
            communication: raddle_trace::is_communication(name),
            times: LaunchTimes::of(durations, all),
            shapes,
        }
    };
    let mut kernels: Vec<NamedKernel> = found.into_iter().map(kernel).collect();
    kernels.sort_by_key(|kernel| std::cmp::Reverse(kernel.times.total_ns));
    kernels
}

impl LaunchTimes {
    fn of(mut durations: Vec<u64>, all: u64) -> Self {
        durations.sort_unstable();
        let total_ns = durations.iter().fold(0_u64, |sum, &ns| sum.saturating_add(ns));
        Self {
            launches: durations.len() as u64,
            total_ns,
            median_ns: percentile(&durations, 50),
            max_ns: durations.last().copied().unwrap_or(0),
            share: share(total_ns.into(), all.into()),
        }
    }
}

impl LaunchShape {
    /// Returns the resources that one workgroup of the shape needs.
    pub(crate) fn footprint(&self) -> Footprint {
        let &Self { threads, vgprs_per_thread, sgprs_per_wave, lds_bytes, .. } = self;
        Footprint { threads, vgprs_per_thread, sgprs_per_wave, lds_bytes, ..Footprint::default() }
    }
}

fn shape(key: ShapeKey, durations: Vec<u64>, all: u64, own: Option<&Device>) -> LaunchShape {
    let (workgroups, threads, vgprs_per_thread, sgprs_per_wave, lds_bytes, cluster) = key;
    let footprint =
        Footprint { threads, vgprs_per_thread, sgprs_per_wave, lds_bytes, ..Footprint::default() };
    LaunchShape {
        workgroups,
        threads,
        vgprs_per_thread,
        sgprs_per_wave,
        lds_bytes,
        cluster,
        times: LaunchTimes::of(durations, all),
        placing: own.map(|own| Placing::of(own, &footprint, (workgroups, cluster))),
    }
}

impl Placing {
    fn of(own: &Device, footprint: &Footprint, (workgroups, cluster): (u64, u16)) -> Self {
        let residency = own.residency(footprint);
        let resident = residency.workgroups();
        let at_once = own.at_once(resident, cluster.into());
        let tenths = own.achieved_occupancy_tenths(footprint, workgroups);
        Self {
            resident,
            limiter: residency.limiter().name(),
            limiters: residency.reached(resident).map(|limiter| limiter.name()).collect(),
            at_once,
            rounds: share(workgroups.into(), at_once.into()),
            occupancy: share(tenths.into(), 1000),
        }
    }
}

/// Counts the different shapes (grid and needed resources) of launches, whatever kernel they belong
/// to.
pub(crate) fn shapes(kernels: &[NamedKernel]) -> u64 {
    let shapes = kernels.iter().flat_map(|kernel| &kernel.shapes);
    let keys = shapes.map(|shape| {
        let LaunchShape {
            workgroups, threads, vgprs_per_thread, sgprs_per_wave, lds_bytes, ..
        } = shape;
        (workgroups, threads, vgprs_per_thread, sgprs_per_wave, lds_bytes)
    });
    keys.collect::<BTreeSet<_>>().len() as u64
}

/// Returns the number, total time and share of the launches of communication kernels, which move
/// data between devices.
pub(crate) fn communication(kernels: &[NamedKernel]) -> LaunchPart {
    let moving = kernels.iter().filter(|kernel| kernel.communication);
    LaunchPart::of(moving.map(|kernel| &kernel.times), total_ns(kernels))
}

/// Returns the sum of the durations of all kernels, in ns.
pub(crate) fn total_ns(kernels: &[NamedKernel]) -> u64 {
    kernels.iter().fold(0, |sum, kernel| kernel.times.total_ns.saturating_add(sum))
}
