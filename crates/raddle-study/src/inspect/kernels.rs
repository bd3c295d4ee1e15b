//! Which kernels take the time, in which shapes (grid and needed resources), and how do these
//! shapes fit the device?

use std::collections::{BTreeMap, BTreeSet};

use raddle_device::Device;
use raddle_policy::Footprint;
use raddle_sim::percentile;
use raddle_trace::{Op, Profile};
use serde::Serialize;

use crate::launches::kernels;
use crate::units::share;

/// All launches in a profile of kernels with the same name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NamedKernel {
    /// Name of the kernel.
    pub name: String,
    /// True if the kernel is of a communication library, which moves data between devices.
    pub(crate) communication: bool,
    /// Number and durations of the kernel's launches.
    #[serde(flatten)]
    pub times: LaunchTimes,
    /// Shapes (grid and needed resources) of the kernel's launches by total time, the longest
    /// first. Launches of unknown shape are left out.
    pub shapes: Vec<LaunchShape>,
}

/// Number and durations of a group of launches, such as those of one kernel or of one shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LaunchTimes {
    /// Number of launches in this group, such as those of one kernel or of one shape.
    pub launches: u64,
    /// Sum of the durations of the group's launches, in ns.
    pub total_ns: u64,
    /// Median of the durations of the group's launches, in ns.
    pub median_ns: u64,
    /// Longest duration of a launch in the group, in ns.
    pub max_ns: u64,
    /// Sum of the durations of the group's launches as a fraction of that of all kernels in the
    /// profile, 0 to 1.
    pub share: f64,
}

/// All launches of one kernel that have the same shape: the same grid and needed resources.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LaunchShape {
    /// Number of workgroups of each launch.
    pub workgroups: u64,
    /// Number of work-items of each workgroup.
    pub threads: u32,
    /// Number of vector registers that each work-item needs.
    pub vgprs_per_thread: u32,
    pub(crate) sgprs_per_wave: u32,
    /// Shared memory (LDS) that each workgroup needs, in bytes.
    pub lds_bytes: u32,
    /// Number of workgroups in a cluster (workgroups that must run together); 0 or 1 where there
    /// are no clusters.
    #[serde(skip_serializing_if = "is_one")]
    pub(crate) cluster: u16,
    /// Number and durations of the kernel's launches that have this grid and workgroup.
    #[serde(flatten)]
    pub times: LaunchTimes,
    /// Fit of the shape on the device of the recording (how many workgroups it holds); `None` where
    /// that device is unknown.
    pub placing: Option<Placing>,
}

/// Fit of a launch shape on a device: how many workgroups the device holds, and which resource
/// limits that number.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Placing {
    /// Number of workgroups that one empty compute unit holds; 0 where not even one fits.
    pub resident: u32,
    /// Name of the resource that limits `resident`. Where several do, it is the first one in a
    /// fixed order.
    pub limiter: &'static str,
    /// Names of all resources that limit how many workgroups a compute unit holds (`resident`).
    pub limiters: Vec<&'static str>,
    /// Number of workgroups that the whole empty device holds at the same time.
    pub at_once: u64,
    /// Number of workgroups of a launch divided by `at_once`: 1.5 means that the workgroups run in
    /// one full round and a half-full one.
    pub rounds: f64,
    /// Occupancy as a fraction, 0 to 1: work-items on a compute unit divided by those for which it
    /// has room. It is an average over the first round, the workgroups that the empty device holds
    /// at the same time.
    pub occupancy: f64,
}

/// Number and total duration of some of the launches of a profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LaunchPart {
    /// Number of launches in this part of the profile's launches.
    pub launches: u64,
    /// Sum of the durations of the launches in this part of the profile's launches, in ns.
    pub total_ns: u64,
    /// Sum of the durations of the launches in this part, as a fraction of that of all kernels in
    /// the profile, 0 to 1.
    pub share: f64,
}

impl LaunchPart {
    /// Adds up the launches in `times`. `all` is the sum of the durations of all kernels in ns, by
    /// which the fraction is computed.
    pub(crate) fn of<'t>(times: impl Iterator<Item = &'t LaunchTimes>, all: u64) -> Self {
        let mut part = Self::default();
        for times in times {
            part.launches += times.launches;
            part.total_ns = part.total_ns.saturating_add(times.total_ns);
        }
        Self { share: share(part.total_ns.into(), all.into()), ..part }
    }
}

/// Key by which launches of the same shape are grouped: (workgroups, work-items of a workgroup,
/// vector registers of a work-item, scalar registers of a wave, LDS bytes of a workgroup,
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

/// Names that compilers write for an unnamed namespace in the names of kernels.
const UNNAMED: [&str; 2] = ["(anonymous namespace)", "<unnamed>"];

/// Returns the family of a kernel: its name without return type, parameters, template arguments and
/// a number at its end. Compilers add such numbers to tell generated kernels apart.
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
/// profile was recorded on; with `None` the fit of shapes on the device is not computed.
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

/// Counts the different shapes (workgroups and needed resources) among the launches of all kernels.
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

/// Returns the number and the total time of the launches of communication kernels (which move data
/// between devices).
pub(crate) fn communication(kernels: &[NamedKernel]) -> LaunchPart {
    let moving = kernels.iter().filter(|kernel| kernel.communication);
    LaunchPart::of(moving.map(|kernel| &kernel.times), total_ns(kernels))
}

pub(crate) fn total_ns(kernels: &[NamedKernel]) -> u64 {
    kernels.iter().fold(0, |sum, kernel| kernel.times.total_ns.saturating_add(sum))
}
