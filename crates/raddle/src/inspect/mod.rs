//! What is in a profile, and how well does its replay agree with it?

mod claims;
mod concurrency;
mod fidelity_text;
mod kernels;
mod limits;
mod origins;
mod self_replay;
mod streams;
mod text;

use raddle_device::Device;
use raddle_sim::Fidelity;
use raddle_trace::{CommRule, ImportOptions, Op, OpKind, Profile};
use serde::Serialize;

use crate::Console;
use crate::args::{Format, InspectArgs};
use crate::devices::{self, Chosen, Told};
use crate::error::CliError;
use crate::profiles::{self, Loaded};
use crate::sources::QuirkMet;
use crate::table::json;
use claims::Claims;
use concurrency::Concurrency;
use kernels::{Kernel, Part};
use limits::Limits;
use origins::{Arrivals, FieldOrigins};
use streams::Stream;

/// Everything that was asked for.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report {
    /// The version of this tool.
    raddle: &'static str,
    profiles: Vec<Inspected>,
}

/// What is in one profile. Times are nanoseconds, shares are 0 to 1.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Inspected {
    name: String,
    format: &'static str,
    /// The device it was recorded on, and how that is known.
    device: Option<Told>,
    /// What the file calls it.
    called: Option<String>,
    /// Why the device is not known.
    #[serde(skip)]
    unknown: Option<String>,
    events: u64,
    kernels: u64,
    copies: u64,
    sets: u64,
    workgroups: u64,
    span_ns: u64,
    resolution_ns: u64,
    streams: Vec<Stream>,
    concurrency: Concurrency,
    /// Distinct ones of workgroups, work-items, registers and LDS.
    shapes: u64,
    /// By time, the longest first.
    by_kernel: Vec<Kernel>,
    /// What keeps workgroups off a compute unit; absent where the device is not known.
    limits: Option<Limits>,
    /// The occupancy that the file states, against ours; absent where it states none.
    claims: Option<Claims>,
    /// What is left of it by the rule.
    communication: Part,
    /// What became of communication kernels, and how long they last as recorded and now.
    comm: CommTold,
    arrivals: Arrivals,
    origins: Vec<FieldOrigins>,
    quirks: Vec<QuirkMet>,
    /// The replay against the recording, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    self_replay: Option<Fidelity>,
}

/// The rule for communication kernels and what it did.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct CommTold {
    rule: &'static str,
    /// Before the rule.
    launches: u64,
    recorded_ns: u64,
    /// After it.
    inspected_ns: u64,
}

impl CommTold {
    fn of(loaded: &Loaded, rule: CommRule) -> Self {
        let found = &loaded.communication;
        Self {
            rule: rule.name(),
            launches: found.launches,
            recorded_ns: found.recorded_ns,
            inspected_ns: found.replayed_ns,
        }
    }
}

/// The verb `inspect`.
pub(crate) fn verb(
    args: &InspectArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let options = ImportOptions { barriers: args.barriers.into(), ..ImportOptions::default() };
    let mut profiles = profiles::open(&args.profiles, &options, console.progress)?;
    profiles::communicate(&mut profiles, args.comm.into())?;
    let inspect = |loaded: &Loaded| inspected(loaded, args, console.progress);
    let profiles = profiles.iter().map(inspect).collect::<Result<_, _>>()?;
    let report = Report { raddle: env!("CARGO_PKG_VERSION"), profiles };
    let text = match format {
        Format::Json => json(&report),
        Format::Text => text::render(&report, console.stdout_colour),
    };
    console.stdout.write_all(text.as_bytes()).map_err(CliError::printing)
}

fn inspected(loaded: &Loaded, args: &InspectArgs, progress: bool) -> Result<Inspected, CliError> {
    let profile = &loaded.profile;
    let found = devices::target(args.device.as_deref(), std::slice::from_ref(loaded));
    let (device, unknown) = match found {
        Ok(found) => (Some(found), None),
        // Most of what there is to say needs no device.
        Err(error @ (CliError::NoDevice { .. } | CliError::StrangeDevice { .. }))
            if !args.self_replay =>
        {
            (None, Some(error.to_string()))
        }
        Err(error) => return Err(error),
    };
    let own = device.as_ref().map(|chosen| &chosen.device);
    let replayed = own.filter(|_| args.self_replay);
    let by_kernel = kernels::by_kernel(profile, own);
    let limits = own.map(|own| Limits::of(&by_kernel, own));
    Ok(Inspected {
        name: loaded.name.clone(),
        format: profile.format.name(),
        called: profile.device.as_ref().map(|device| device.name.clone()),
        unknown,
        events: profile.report.events,
        kernels: profile.report.kernels,
        copies: profile.report.copies,
        sets: profile.report.sets,
        workgroups: kernels(profile).fold(0, |sum, op| op.workgroups.saturating_add(sum)),
        span_ns: profile.span_ns,
        resolution_ns: profile.resolution_ns,
        streams: streams::streams(profile),
        concurrency: Concurrency::of(profile),
        shapes: kernels::shapes(&by_kernel),
        limits,
        claims: own.and_then(|own| claims(profile, own)),
        communication: kernels::communication(&by_kernel),
        comm: CommTold::of(loaded, args.comm.into()),
        arrivals: Arrivals::of(profile),
        origins: origins::origins(profile),
        quirks: quirks(profile),
        self_replay: replayed.map(|own| self_replay::run(loaded, own, progress)).transpose()?,
        device: device.as_ref().map(Chosen::told),
        by_kernel,
    })
}

/// The kernel launches of a profile.
fn kernels(profile: &Profile) -> impl Iterator<Item = &Op> {
    profile.ops.iter().filter(|op| op.kind == OpKind::Kernel)
}

/// The occupancies that the profile itself states, against ours.
fn claims(profile: &Profile, own: &Device) -> Option<Claims> {
    let percents = profile.ops.iter().enumerate();
    let percents = percents.filter_map(|(at, op)| Some((at, u64::from(op.claimed_percent?))));
    Claims::of(profile, own, percents)
}

fn quirks(profile: &Profile) -> Vec<QuirkMet> {
    let met = profile.report.quirks().map(|(quirk, count)| QuirkMet {
        name: quirk.name(),
        count,
        explanation: quirk.explanation(),
    });
    met.collect()
}
