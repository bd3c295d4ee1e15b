//! What is known of one profile?

use raddle_device::Device;
use raddle_sim::{LaunchLatency, op_needs};
use raddle_trace::{CommRule, Communication, KernelNeed, Profile, QuirkMet};
use serde::Serialize;

use super::amounts::WantedAmounts;
use super::claims::StatedOccupancy;
use super::concurrency::Concurrency;
use super::kernels::{self, LaunchPart, NamedKernel};
use super::limits::LaunchLimits;
use super::needs::KernelNeeds;
use super::origins::{FieldOrigins, LaunchWaits, origins};
use super::streams::{InspectedStream, streams};
use super::verdicts::SourceVerdict;
use crate::fidelity::{Fidelity, ModelError};
use crate::launches::{UnknownKernels, kernels};
use crate::replay::{DeviceFacts, DeviceFound};

/// All profiles that were inspected.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Inspection {
    /// The version of this tool.
    raddle: &'static str,
    pub(super) profiles: Vec<InspectedProfile>,
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
}

/// A launch latency, in ns.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FittedLatency {
    pub(super) launch_ns: u64,
    pub(super) handover_ns: u64,
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
    pub(super) name: String,
    pub(super) format: &'static str,
    /// The device that the profile was recorded on, and how that is known.
    pub(super) device: Option<DeviceFacts>,
    /// The name of the device in the file.
    pub(super) called: Option<String>,
    /// The reason why the device is not known.
    #[serde(skip)]
    pub(super) unknown: Option<String>,
    pub(super) events: u64,
    pub(super) kernels: u64,
    pub(super) copies: u64,
    pub(super) sets: u64,
    /// The part of the kernel time that has no shape; absent where all of it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unknown_kernels: Option<UnknownKernels>,
    pub(super) workgroups: u64,
    pub(super) span_ns: u64,
    pub(super) resolution_ns: u64,
    /// The most device memory that the program was recorded to hold, in bytes; absent where the
    /// file does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) memory_bytes: Option<u64>,
    pub(super) streams: Vec<InspectedStream>,
    pub(super) concurrency: Concurrency,
    /// The number of different combinations of workgroups, work-items, registers and LDS.
    pub(super) shapes: u64,
    /// The kernels by time, the longest first.
    pub(super) by_kernel: Vec<NamedKernel>,
    /// The resources that keep workgroups off a compute unit; absent where the device is not known.
    pub(super) limits: Option<LaunchLimits>,
    /// The resources that the kernels need most; absent where the device is not known.
    pub(super) needs: Option<KernelNeeds>,
    /// The occupancy that the file states, against the computed one; absent where the file states
    /// none.
    pub(super) claims: Option<StatedOccupancy>,
    /// The communication kernels that are left after the rule.
    pub(super) communication: LaunchPart,
    /// The rule for communication kernels, and their time as recorded and now.
    pub(super) comm: CommunicationRule,
    pub(super) arrivals: LaunchWaits,
    pub(super) origins: Vec<FieldOrigins>,
    pub(super) quirks: Vec<QuirkMet>,
    /// The warnings and errors of the profiler about its own recording of the GPU.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) diagnostics: Vec<String>,
    /// The replay against the recording, where the user asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) self_replay: Option<SelfReplayed>,
    /// The verdicts on kernels that have a source: which may be stopped and run again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) verdicts: Vec<SourceVerdict>,
    /// The runs that the workgroups want, where the user asked for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) amounts: Option<WantedAmounts>,
}

/// The rule for communication kernels and what it did.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct CommunicationRule {
    pub(super) rule: &'static str,
    /// Launches of communication kernels before the rule.
    pub(super) launches: u64,
    pub(super) recorded_ns: u64,
    /// The time of communication kernels after the rule.
    pub(super) inspected_ns: u64,
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
            sets: profile.report.sets,
            unknown_kernels: UnknownKernels::of(profile),
            workgroups: kernels(profile).fold(0, |sum, op| op.workgroups.saturating_add(sum)),
            span_ns: profile.span_ns,
            resolution_ns: profile.resolution_ns,
            memory_bytes: profile.memory_bytes,
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
