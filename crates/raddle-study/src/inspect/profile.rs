//! What is known of one profile?

use raddle_device::Device;
use raddle_sim::{HalvesFit, LaunchLatency, op_needs};
use raddle_trace::{CommRule, Communication, CopiesElsewhere, KernelNeed, Profile, QuirkMet};
use serde::Serialize;

use super::amounts::WantedAmounts;
use super::claims::StatedOccupancy;
use super::concurrency::Concurrency;
use super::idle::RecordedIdle;
use super::kernels::{self, LaunchPart, NamedKernel};
use super::limits::LaunchLimits;
use super::needs::KernelNeeds;
use super::origins::{FieldOrigins, LaunchWaits, origins};
use super::streams::{InspectedStream, streams};
use super::verdicts::SourceVerdict;
use crate::fidelity::{Fidelity, ModelError};
use crate::launches::{UnknownKernels, kernels};
use crate::result::{DeviceFacts, DeviceFound};

/// All profiles that were inspected.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Inspection {
    /// The version of this tool.
    raddle: &'static str,
    /// The profiles, in the order in which they were given.
    pub profiles: Vec<InspectedProfile>,
}

impl Inspection {
    /// Joins the facts about these profiles.
    #[must_use]
    pub const fn new(profiles: Vec<InspectedProfile>) -> Self {
        Self { raddle: env!("CARGO_PKG_VERSION"), profiles }
    }
}

/// The assumptions and results that an inspection of a profile starts from.
#[expect(missing_debug_implementations, reason = "it holds a function")]
pub struct InspectedAs<'p> {
    /// The name of the profile in results.
    pub name: &'p str,
    /// The device that the profile was recorded on and how that was found, or why it is not known.
    pub device: Result<(Device, DeviceFound), String>,
    /// The rule for communication kernels.
    pub rule: CommRule,
    /// The effect of that rule.
    pub communication: &'p Communication,
    /// The replay against the recording.
    pub self_replay: Option<SelfReplayed>,
    /// Returns the resource that a kernel of a name needs most by the user's claims, if one fits.
    pub said: &'p dyn Fn(&str) -> Option<KernelNeed>,
    /// The verdicts of sources on the kernels of the profile.
    pub verdicts: Vec<SourceVerdict>,
    /// The runs that the workgroups want, where the user asked for them.
    pub amounts: Option<WantedAmounts>,
}

/// A replay against the recording, and the figures that the model learned from the recording for
/// it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SelfReplayed {
    /// The error without these figures: rounds over the whole device, no waits between streams, no
    /// launch latency.
    pub before: ModelError,
    /// The comparison with these figures.
    #[serde(flatten)]
    pub after: Fidelity,
    /// The least time from issue to start, and from the end of an op to the start of one that waits
    /// for it.
    #[serde(flatten)]
    pub latency: FittedLatency,
    /// The number of waits between streams whose source the file names, and of those where it names
    /// only the place.
    pub stream_waits: [u64; 2],
    /// The fit to the first half of the profile, judged on the second; absent where fewer than two
    /// launches were recorded.
    pub halves: Option<HalvesFit>,
    /// The share of waits within the goal by the fit to the profile itself, where the latency is
    /// that of another file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_sample: Option<f64>,
}

/// A launch latency, in ns.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FittedLatency {
    /// The least time from issue to start.
    pub launch_ns: u64,
    /// The least time from the end of an op to the start of one that waits for it.
    pub handover_ns: u64,
}

impl From<LaunchLatency> for FittedLatency {
    fn from(latency: LaunchLatency) -> Self {
        Self { launch_ns: latency.launch.0, handover_ns: latency.handover.0 }
    }
}

/// The facts about one profile. Times are nanoseconds, shares are 0 to 1.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct InspectedProfile {
    /// The name of the profile.
    pub name: String,
    /// The kind of file.
    pub format: &'static str,
    /// The device that the profile was recorded on, and how that is known.
    pub device: Option<DeviceFacts>,
    /// The name of the device in the file.
    pub called: Option<String>,
    /// The reason why the device is not known.
    #[serde(skip)]
    pub unknown: Option<String>,
    /// The number of events in the file.
    pub events: u64,
    /// The number of kernel launches.
    pub kernels: u64,
    /// The number of copies.
    pub copies: u64,
    /// The copies whose direction is not between host and device.
    #[serde(skip_serializing_if = "CopiesElsewhere::is_empty")]
    pub copies_elsewhere: CopiesElsewhere,
    /// The number of fills.
    pub sets: u64,
    /// The part of the kernel time that has no shape; absent where all of it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_kernels: Option<UnknownKernels>,
    /// The workgroups of all launches.
    pub workgroups: u64,
    /// The time from the first begin to the last end.
    pub span_ns: u64,
    /// The step of the recording clock.
    pub resolution_ns: u64,
    /// The most device memory that the program was recorded to hold, in bytes; absent where the
    /// file does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// The time in which no kernel ran, and why.
    pub idle: RecordedIdle,
    /// The streams, in order of first use.
    pub streams: Vec<InspectedStream>,
    /// The time for which several kernels ran.
    pub concurrency: Concurrency,
    /// The number of different combinations of workgroups, work-items, registers and LDS.
    pub shapes: u64,
    /// The kernels by time, the longest first.
    pub by_kernel: Vec<NamedKernel>,
    /// The resources that keep workgroups off a compute unit; absent where the device is not known.
    pub limits: Option<LaunchLimits>,
    /// The resources that the kernels need most; absent where the device is not known.
    pub needs: Option<KernelNeeds>,
    /// The occupancy that the file states, against the computed one; absent where the file states
    /// none.
    pub claims: Option<StatedOccupancy>,
    /// The communication kernels that are left after the rule.
    pub communication: LaunchPart,
    /// The rule for communication kernels, and their time as recorded and now.
    pub comm: CommunicationRule,
    /// The waits from launch to start.
    pub arrivals: LaunchWaits,
    /// The origins of each field.
    pub origins: Vec<FieldOrigins>,
    /// The unusual things that were met in the file.
    pub quirks: Vec<QuirkMet>,
    /// The warnings and errors of the profiler about its own recording.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<String>,
    /// The replay against the recording, where the user asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_replay: Option<SelfReplayed>,
    /// The verdicts on kernels that have a source: which may be stopped and run again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<SourceVerdict>,
    /// The runs that the workgroups want, where the user asked for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amounts: Option<WantedAmounts>,
}

/// The rule for communication kernels and what it did.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CommunicationRule {
    /// The name of the rule.
    pub rule: &'static str,
    /// Launches of communication kernels before the rule.
    pub launches: u64,
    /// The time of these launches as recorded.
    pub recorded_ns: u64,
    /// The time of communication kernels after the rule.
    pub inspected_ns: u64,
}

impl CommunicationRule {
    fn new(rule: CommRule, found: &Communication) -> Self {
        Self {
            rule: rule.name(),
            launches: found.launches,
            recorded_ns: found.recorded_ns,
            inspected_ns: found.replayed_ns,
        }
    }
}

impl InspectedProfile {
    /// Gathers the facts about a profile.
    #[must_use]
    pub fn new(profile: &Profile, with: InspectedAs<'_>) -> Self {
        let (device, unknown) = match with.device {
            Ok(device) => (Some(device), None),
            Err(why) => (None, Some(why)),
        };
        let own = device.as_ref().map(|(device, _)| device);
        let by_kernel = kernels::by_kernel(profile, own);
        Self {
            name: with.name.to_owned(),
            format: profile.format.name(),
            device: device.as_ref().map(|(device, found)| DeviceFacts::new(device, *found)),
            called: profile.device.as_ref().map(|device| device.name.clone()),
            unknown,
            events: profile.report.events,
            kernels: profile.report.kernels,
            copies: profile.report.copies,
            copies_elsewhere: CopiesElsewhere::of(profile),
            sets: profile.report.sets,
            unknown_kernels: UnknownKernels::of(profile),
            workgroups: kernels(profile).fold(0, |sum, op| op.workgroups.saturating_add(sum)),
            span_ns: profile.span_ns,
            resolution_ns: profile.resolution_ns,
            memory_bytes: profile.memory_bytes,
            idle: RecordedIdle::of(profile),
            streams: streams(profile),
            concurrency: Concurrency::of(profile),
            shapes: kernels::shapes(&by_kernel),
            limits: own.map(|own| LaunchLimits::of(&by_kernel, own)),
            needs: own.map(|own| {
                let needs = op_needs(profile, own, |kernel| (with.said)(kernel));
                KernelNeeds::of(profile, own, &needs)
            }),
            claims: own.and_then(|own| StatedOccupancy::of(profile, own)),
            communication: kernels::communication(&by_kernel),
            comm: CommunicationRule::new(with.rule, with.communication),
            arrivals: LaunchWaits::of(profile),
            origins: origins(profile),
            quirks: profile.report.quirks().collect(),
            diagnostics: profile.diagnostics.clone(),
            amounts: with.amounts,
            self_replay: with.self_replay,
            verdicts: with.verdicts,
            by_kernel,
        }
    }
}
