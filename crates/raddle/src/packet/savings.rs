//! How many packets, bytes and nanoseconds would condensed packets save on a profile?

use std::collections::BTreeMap;

use raddle_packet::{
    AQL_BYTES, AqlField, AqlFormat, CondensedConfig, CondensedPath, KernelArguments, PacketError,
    Replacement,
};
use raddle_trace::{OpKind, Profile};
use serde::Serialize;

use super::args::{CostArgs, SharingArg, StatsArgs};
use super::play::{Making, PacketCounts};
use super::recorded::{RecordedLaunch, recorded};
use raddle_study::Loaded;

/// JSON document that the verb `packet stats` prints.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct StatsReport {
    pub(super) raddle: &'static str,
    pub(super) assumed: Assumed,
    pub(super) profiles: Vec<Saved>,
    /// Facts about the profiles that can make the figures wrong, each as one line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) overturning: Vec<String>,
}

/// Assumptions of `packet stats` about facts that no profile holds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Assumed {
    /// Largest number of 16-bit half-words in which a launch may differ from a stored launch of its
    /// own kernel without being stored itself.
    pub(super) near: u16,
    pub(super) entries: u16,
    pub(super) scope: SharingArg,
    /// True if every launch is assumed to have a completion signal of its own.
    pub(super) signals: bool,
    /// Always false: no launch is assumed to have a release scope, which would cause a cleanup (the
    /// work before its end is known).
    pub(super) release_scope: bool,
    /// Longest time, in microseconds, for which the first launch of a condensed packet may wait for
    /// others to join it; `None` for no limit.
    pub(super) hold_us: Option<u64>,
    pub(super) costs: CostArgs,
}

/// Figures of one profile: its launches, the cost of ordinary packets, and the savings by each rule
/// that says which launches are stored in the table.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Saved {
    pub(super) name: String,
    pub(super) format: &'static str,
    pub(super) streams: usize,
    /// Number of different kernels in the profile.
    pub(super) kernels: u64,
    pub(super) launches: u64,
    /// Number of memory copies and fills in the profile; no condensed packet holds launches from
    /// before and after a copy.
    pub(super) copies: u64,
    /// Number of launches and copies whose time of issue the profile does not hold.
    pub(super) unknown_issue: u64,
    /// Sum of the durations of all launches, in nanoseconds.
    pub(super) kernel_ns: u64,
    pub(super) ordinary_bytes: u64,
    /// Time that launching costs if each launch has an ordinary packet, in nanoseconds.
    pub(super) ordinary_overhead_ns: u64,
    /// Number of launches whose kernel was launched before, by a launch that uses the same table of
    /// stored launches.
    pub(super) repeated: u64,
    /// For each field of the packet that ever differs, the number of repeated launches in which it
    /// differs from the previous launch of the same kernel.
    pub(super) changes: Vec<FieldChange>,
    pub(super) rows: Vec<PacketCounts>,
}

/// Number of repeated launches (of a kernel launched before) in which one field of the packet
/// differs from the kernel's previous launch.
#[derive(Debug, Serialize)]
pub(super) struct FieldChange {
    pub(super) field: &'static str,
    pub(super) launches: u64,
}

pub(super) fn saved(
    loaded: &Loaded,
    args: &StatsArgs,
    layout: &AqlFormat,
) -> Result<Saved, PacketError> {
    let profile = &loaded.profile;
    let (mut kernels, mut kernel_ns) = (Vec::new(), 0_u64);
    for op in profile.ops.iter().filter(|op| op.kind == OpKind::Kernel) {
        kernels.push(op.kernel);
        kernel_ns = kernel_ns.saturating_add(op.duration_ns);
    }
    let launches = kernels.len() as u64;
    kernels.sort_unstable();
    kernels.dedup();
    let costs = args.costs.overhead();
    let config = CondensedConfig::default()
        .with_costs_ns(costs)
        .with_near(args.near)
        .with_entries(args.entries)
        .with_scope(args.scope.scope())
        .with_signals(args.signals);
    let hold_ns = args.hold_us.map(|us| us.saturating_mul(1000));
    let (making, sent) = (Making { layout, config, hold_ns }, recorded(profile));
    let mut rows = Vec::new();
    for arguments in [KernelArguments::Fixed, KernelArguments::New] {
        for keep in Replacement::ALL {
            rows.push(making.row(arguments, keep, &sent)?);
        }
    }
    let (changes, repeated) = changed(layout, config, &sent)?;
    Ok(Saved {
        name: loaded.name.clone(),
        format: profile.format.name(),
        streams: profile.streams.len(),
        kernels: kernels.len() as u64,
        launches,
        copies: profile.ops.len() as u64 - launches,
        unknown_issue: unknown_issue(profile),
        kernel_ns,
        ordinary_bytes: launches.saturating_mul(AQL_BYTES as u64),
        ordinary_overhead_ns: costs.ordinary(&[0]).saturating_mul(launches),
        repeated,
        changes,
        rows,
    })
}

fn unknown_issue(profile: &Profile) -> u64 {
    profile.report.met("no-launch-call")
}

/// Counts, for each field of the packet, the launches in which it differs from the previous launch
/// of the same kernel. Only launches that use the same table of stored launches are compared.
/// Returns (counts by field, number of launches that have a previous one).
fn changed(
    layout: &AqlFormat,
    config: CondensedConfig,
    launches: &[RecordedLaunch],
) -> Result<(Vec<FieldChange>, u64), PacketError> {
    let config = config.with_arguments(KernelArguments::Fixed);
    let mut path = CondensedPath::in_format(config, *layout)?;
    let mut counts = vec![0; layout.fields().len()];
    let (mut repeated, mut last) = (0, BTreeMap::new());
    for RecordedLaunch { launch, .. } in launches {
        let image = path.image(launch);
        path.take(launch, &mut |_| {});
        let key = (config.scope().table(0, launch.stream.0), launch.call.kernel);
        let Some(before) = last.insert(key, image) else { continue };
        repeated += 1;
        let vector = image.differs(&before);
        for (number, count) in counts.iter_mut().enumerate() {
            *count += u64::from(vector >> number & 1);
        }
    }
    let fields = layout.fields().iter().zip(counts);
    let told = |(field, launches): (&AqlField, u64)| FieldChange { field: field.name(), launches };
    Ok((fields.map(told).filter(|change| change.launches > 0).collect(), repeated))
}
