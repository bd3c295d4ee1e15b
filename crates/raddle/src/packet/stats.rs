//! What would condensed packets save on a profile?

use raddle_packet::{AQL_BYTES, AqlField, AqlFormat, AqlOptions, Replacement};
use raddle_trace::{ImportOptions, OpKind, Profile, Quirk};
use serde::Serialize;

use super::args::{CostArgs, Shared, StatsArgs};
use super::play::{Making, Row};
use super::stats_text;
use super::stream::{Arguments, Item, Queue, Sending, queues};
use crate::Console;
use crate::args::Format;
use crate::error::CliError;
use crate::golden::packet::Aql;
use crate::profiles::{self, Loaded};
use raddle_report::json;

/// What was asked for.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Report {
    raddle: &'static str,
    assumed: Assumed,
    pub(super) profiles: Vec<Saved>,
}

/// What no profile says, and was taken to be so.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Assumed {
    /// Half-words up to which an entry of the same kernel is near.
    near: u16,
    entries: u16,
    scope: Shared,
    /// Whether every launch has one of its own.
    signals: bool,
    /// No launch has one, so none asks for a cleanup by it.
    release_scope: bool,
    /// `None` is without end.
    hold_us: Option<u64>,
    costs: CostArgs,
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
    pub(super) changes: Vec<Change>,
    pub(super) rows: Vec<Row>,
}

/// How often a field changes.
#[derive(Debug, Serialize)]
pub(super) struct Change {
    pub(super) field: &'static str,
    pub(super) launches: u64,
}

/// The verb `packet stats`.
pub(super) fn verb(
    args: &StatsArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let profiles = profiles::open(&args.profiles, &ImportOptions::default(), console.progress)?;
    let options = AqlOptions { entries: args.entries, ..AqlOptions::default() };
    let saved = |loaded: &Loaded| {
        AqlFormat::new(&options)
            .map(|layout| saved(loaded, args, &layout))
            .map_err(|error| CliError::Refused(format!("{}: {error}", loaded.given)))
    };
    let profiles = profiles.iter().map(saved).collect::<Result<_, _>>()?;
    let StatsArgs { near, entries, scope, signals, hold_us, costs, .. } = *args;
    let assumed = Assumed { near, entries, scope, signals, release_scope: false, hold_us, costs };
    let report = Report { raddle: env!("CARGO_PKG_VERSION"), assumed, profiles };
    let text = match format {
        Format::Json => json(&report),
        Format::Text => stats_text::document(&report, args).text(console.stdout_colour),
    };
    console.stdout.write_all(text.as_bytes()).map_err(CliError::printing)
}

fn saved(loaded: &Loaded, args: &StatsArgs, layout: &Aql) -> Saved {
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
    for arguments in [Arguments::Fixed, Arguments::New] {
        let queues = of(arguments);
        if arguments == Arguments::Fixed {
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
fn changed(layout: &Aql, queues: &[Queue]) -> (Vec<Change>, u64) {
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
    let told = |(field, launches): (&AqlField, u64)| Change { field: field.name, launches };
    (fields.map(told).filter(|change| change.launches > 0).collect(), repeated)
}
