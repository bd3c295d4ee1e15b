//! What would condensed packets save on a profile?

use raddle_packet::{AQL_BYTES, AqlField, AqlFormat, Replacement};
use raddle_trace::{OpKind, Profile, Quirk};
use serde::Serialize;

use super::args::{CostArgs, SharingArg, StatsArgs};
use super::play::{Making, PacketCounts};
use super::stream::{ArgumentPlaces, Item, Sending, TableQueue, queues};
use crate::profiles::Loaded;

/// The document of the verb.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct StatsReport {
    pub(super) raddle: &'static str,
    pub(super) assumed: Assumed,
    pub(super) profiles: Vec<Saved>,
}

/// What no profile says, and was taken to be so.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Assumed {
    /// Half-words up to which an entry of the same kernel is near.
    pub(super) near: u16,
    pub(super) entries: u16,
    pub(super) scope: SharingArg,
    /// Whether every launch has one of its own.
    pub(super) signals: bool,
    /// No launch has one, so none asks for a cleanup by it.
    pub(super) release_scope: bool,
    /// `None` is without end.
    pub(super) hold_us: Option<u64>,
    pub(super) costs: CostArgs,
}

/// What a profile would save.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Saved {
    pub(super) name: String,
    pub(super) format: &'static str,
    pub(super) streams: usize,
    /// Different kernels.
    pub(super) kernels: u64,
    pub(super) launches: u64,
    /// Copies and fills, which no packet goes across.
    pub(super) copies: u64,
    /// Launches and copies of which the profile does not say when they were issued.
    pub(super) unknown_issue: u64,
    /// Of the launches, nanoseconds.
    pub(super) kernel_ns: u64,
    pub(super) ordinary_bytes: u64,
    /// In nanoseconds.
    pub(super) ordinary_overhead_ns: u64,
    /// Launches behind an earlier one of their kernel in the stream.
    pub(super) repeated: u64,
    /// How many of these differ from that one in each field.
    pub(super) changes: Vec<FieldChange>,
    pub(super) rows: Vec<PacketCounts>,
}

/// How often a field changes.
#[derive(Debug, Serialize)]
pub(super) struct FieldChange {
    pub(super) field: &'static str,
    pub(super) launches: u64,
}

pub(super) fn saved(loaded: &Loaded, args: &StatsArgs, layout: &AqlFormat) -> Saved {
    let profile = &loaded.profile;
    let (mut kernels, mut launches, mut kernel_ns) = (Vec::new(), 0, 0_u64);
    for op in profile.ops.iter().filter(|op| op.kind == OpKind::Kernel) {
        kernels.push(op.kernel);
        launches += 1;
        kernel_ns = kernel_ns.saturating_add(op.duration_ns);
    }
    kernels.sort_unstable();
    kernels.dedup();
    let costs = args.costs.overhead();
    let of = |arguments| {
        let sending = Sending { arguments, signals: args.signals, scope: args.scope.scope() };
        queues(profile, layout, &sending)
    };
    let hold_ns = args.hold_us.map(|us| us.saturating_mul(1000));
    let making = Making { layout, near: args.near, hold_ns, costs: &costs };
    let mut rows = Vec::new();
    let (mut changes, mut repeated) = (Vec::new(), 0);
    for arguments in [ArgumentPlaces::Fixed, ArgumentPlaces::New] {
        let queues = of(arguments);
        if arguments == ArgumentPlaces::Fixed {
            (changes, repeated) = changed(layout, &queues);
        }
        for replacement in Replacement::ALL {
            rows.push(making.row(arguments.name(), replacement, &queues));
        }
    }
    Saved {
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
    }
}

fn unknown_issue(profile: &Profile) -> u64 {
    let met = profile.report.quirks().find(|(quirk, _)| *quirk == Quirk::NoLaunchCall);
    met.map_or(0, |(_, count)| count)
}

/// In which fields launches differ from the one before of the same kernel in their queue.
fn changed(layout: &AqlFormat, queues: &[TableQueue]) -> (Vec<FieldChange>, u64) {
    let mut counts = vec![0; layout.fields().len()];
    let (mut repeated, kernel) = (0, layout.field("kernel_object").unwrap_or(0));
    for queue in queues {
        let mut last = std::collections::BTreeMap::new();
        for item in queue.items() {
            let Item::Launch(launch) = item else { continue };
            let Some(before) = last.insert(launch.get(kernel), *launch) else { continue };
            repeated += 1;
            let vector = launch.differs(&before);
            for (number, count) in counts.iter_mut().enumerate() {
                *count += u64::from(vector >> number & 1);
            }
        }
    }
    let fields = layout.fields().iter().zip(counts);
    let told = |(field, launches): (&AqlField, u64)| FieldChange { field: field.name, launches };
    (fields.map(told).filter(|change| change.launches > 0).collect(), repeated)
}
