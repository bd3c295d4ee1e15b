//! What would condensed packets save on a profile?

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

/// The document of the verb.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct StatsReport {
    pub(super) raddle: &'static str,
    pub(super) assumed: Assumed,
    pub(super) profiles: Vec<Saved>,
    /// The facts about the files that can overturn the figures, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) overturning: Vec<String>,
}

/// The assumptions on what no profile holds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Assumed {
    /// The number of half-words up to which an entry of the same kernel is near.
    pub(super) near: u16,
    pub(super) entries: u16,
    pub(super) scope: SharingArg,
    /// True if every launch has a completion signal of its own.
    pub(super) signals: bool,
    /// Always false: no launch has a release scope, so none asks for a cleanup by it.
    pub(super) release_scope: bool,
    /// The span for which a packet's first launch may wait, in us; `None`: without end.
    pub(super) hold_us: Option<u64>,
    pub(super) costs: CostArgs,
}

/// The savings of a profile.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Saved {
    pub(super) name: String,
    pub(super) format: &'static str,
    pub(super) streams: usize,
    /// The number of different kernels.
    pub(super) kernels: u64,
    pub(super) launches: u64,
    /// The number of copies and fills, which no packet goes across.
    pub(super) copies: u64,
    /// The number of launches and copies of which the profile does not tell when they were issued.
    pub(super) unknown_issue: u64,
    /// The time of all launches together, in nanoseconds.
    pub(super) kernel_ns: u64,
    pub(super) ordinary_bytes: u64,
    /// The overhead of ordinary packets, in nanoseconds.
    pub(super) ordinary_overhead_ns: u64,
    /// The number of launches behind an earlier launch of the same kernel in the stream.
    pub(super) repeated: u64,
    /// By field, how many of the repeated launches differ from the launch before of their kernel.
    pub(super) changes: Vec<FieldChange>,
    pub(super) rows: Vec<PacketCounts>,
}

/// The number of launches in which a field changes.
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
    let config = CondensedConfig {
        enqueue_ns: costs.enqueue,
        processing_ns: costs.processing,
        decode_ns: costs.decode,
        schedule_ns: costs.schedule,
        cleanup_ns: costs.cleanup,
        near: args.near,
        entries: args.entries,
        scope: args.scope.scope(),
        signals: args.signals,
        ..CondensedConfig::default()
    };
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

/// Counts in which fields launches differ from the launch before of the same kernel by their table.
fn changed(
    layout: &AqlFormat,
    config: CondensedConfig,
    launches: &[RecordedLaunch],
) -> Result<(Vec<FieldChange>, u64), PacketError> {
    let config = CondensedConfig { arguments: KernelArguments::Fixed, ..config };
    let mut path = CondensedPath::in_format(config, *layout)?;
    let mut counts = vec![0; layout.fields().len()];
    let (mut repeated, mut last) = (0, BTreeMap::new());
    for RecordedLaunch { launch, .. } in launches {
        let image = path.image(launch);
        path.take(launch, &mut |_| {});
        let key = (config.scope.table(0, launch.stream.0), launch.call.kernel);
        let Some(before) = last.insert(key, image) else { continue };
        repeated += 1;
        let vector = image.differs(&before);
        for (number, count) in counts.iter_mut().enumerate() {
            *count += u64::from(vector >> number & 1);
        }
    }
    let fields = layout.fields().iter().zip(counts);
    let told = |(field, launches): (&AqlField, u64)| FieldChange { field: field.name, launches };
    Ok((fields.map(told).filter(|change| change.launches > 0).collect(), repeated))
}
