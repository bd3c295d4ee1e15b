//! Which facts about one profile does an inspection gather?

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

/// Facts about all profiles that were inspected together.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Inspection {
    /// Version of raddle that made the inspection.
    raddle: &'static str,
    /// Facts about each profile, in the order in which the user gave the profiles.
    pub profiles: Vec<InspectedProfile>,
}

impl Inspection {
    /// Joins the facts about several profiles to an inspection.
    #[must_use]
    pub const fn new(profiles: Vec<InspectedProfile>) -> Self {
        Self { raddle: env!("CARGO_PKG_VERSION"), profiles }
    }
}

/// Assumptions and results from which the inspection of a profile starts.
#[expect(missing_debug_implementations, reason = "it holds a function")]
pub struct InspectedAs<'p> {
    /// Name of the profile in results.
    pub name: &'p str,
    /// (device that the profile was recorded on, how it was found); the error says why it is not
    /// known.
    pub device: Result<(Device, DeviceFound), String>,
    /// Rule for communication kernels (which move data between devices): whether they are kept,
    /// shortened or left out.
    pub rule: CommRule,
    /// Number of launches of communication kernels (which move data between devices), and their
    /// time before and after the rule for them is applied.
    pub communication: &'p Communication,
    /// Result of replaying the profile alone against its recording; `None` where the user did not
    /// ask for it.
    pub self_replay: Option<SelfReplayed>,
    /// Function that returns the resource that a kernel of a given name needs most, as the user
    /// claims; `None` where the user claims nothing about it.
    pub said: &'p dyn Fn(&str) -> Option<KernelNeed>,
    /// Verdicts on the kernels of the profile (may a launch be killed and run again), which source
    /// files give.
    pub verdicts: Vec<SourceVerdict>,
    /// Numbers of neighbouring granules (the units in which a resource is given out) that the
    /// workgroups need; `None` where the user did not ask for them.
    pub amounts: Option<WantedAmounts>,
}

/// Result of replaying a profile against its recording, and the figures that the model learned from
/// the recording for it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SelfReplayed {
    /// Errors of a replay before the model learned anything: workgroups run in full rounds over the
    /// whole device, no waits between streams, no launch latency.
    pub before: ModelError,
    /// Comparison of recording and replay with the learned figures.
    #[serde(flatten)]
    pub after: Fidelity,
    /// Launch latency that was fitted: the least time from issue to start, and from the end of an
    /// op to the start of one that waits for it.
    #[serde(flatten)]
    pub latency: FittedLatency,
    /// [number of waits between streams whose source the file names, number of those whose source
    /// was inferred].
    pub stream_waits: [u64; 2],
    /// Launch latency fitted to the first half of the profile and judged on the second half; `None`
    /// where too few launches were recorded.
    pub halves: Option<HalvesFit>,
    /// Fraction of waits within the goal with the latency fitted to the profile itself, for
    /// comparison; `None` unless the replay takes its latency from another file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_sample: Option<f64>,
}

/// Least times, in ns, that a launch needs before it can start.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FittedLatency {
    /// Least time from issue to start, in ns.
    pub launch_ns: u64,
    /// Least time from the end of an op to the start of one that waits for it, in ns.
    pub handover_ns: u64,
}

impl From<LaunchLatency> for FittedLatency {
    fn from(latency: LaunchLatency) -> Self {
        Self { launch_ns: latency.launch.0, handover_ns: latency.handover.0 }
    }
}

/// Facts about one profile. Times are nanoseconds, fractions are from 0 to 1.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct InspectedProfile {
    /// Name of the inspected profile, as results show it.
    pub name: String,
    /// Name of the file format of the profile.
    pub format: &'static str,
    /// Device that the profile was recorded on, and how that is known; `None` where it is not
    /// known.
    pub device: Option<DeviceFacts>,
    /// Name of the device as the file has it; `None` where the file names none.
    pub called: Option<String>,
    /// Reason why the device is not known; `None` where it is.
    #[serde(skip)]
    pub unknown: Option<String>,
    /// Number of events that were read from the file, of all kinds.
    pub events: u64,
    /// Number of kernel launches in the profile.
    pub kernels: u64,
    /// Number of memory copies in the profile.
    pub copies: u64,
    /// Numbers of copies whose direction is not between host and device, by direction.
    #[serde(skip_serializing_if = "CopiesElsewhere::is_empty")]
    pub copies_elsewhere: CopiesElsewhere,
    /// Number of fills of memory in the profile.
    pub sets: u64,
    /// Fractions of the kernel time without a shape (grid and needed resources), and with a shape
    /// from the capture of a graph; `None` where every kernel came with its shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_kernels: Option<UnknownKernels>,
    /// Number of workgroups of all launches together.
    pub workgroups: u64,
    /// Time from the first begin to the last end, in ns.
    pub span_ns: u64,
    /// Step of the clock with which the profile was recorded, in ns.
    pub resolution_ns: u64,
    /// Largest amount of device memory that the program was recorded to hold, in bytes; `None`
    /// where the file does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Time of the recording in which no kernel ran, and why.
    pub idle: RecordedIdle,
    /// Streams of the profile, in the order in which they were first used.
    pub streams: Vec<InspectedStream>,
    /// Time for which none, one, two, and three or more kernels ran side by side.
    pub concurrency: Concurrency,
    /// Number of different combinations of workgroups, work-items, registers and LDS.
    pub shapes: u64,
    /// Kernels of the profile with their launches, by total time, the longest first.
    pub by_kernel: Vec<NamedKernel>,
    /// Resources that keep workgroups off a compute unit; `None` where the device is not known.
    pub limits: Option<LaunchLimits>,
    /// Resources that the kernels need most, with their launches and time; `None` where the device
    /// is not known.
    pub needs: Option<KernelNeeds>,
    /// Comparison of the occupancies that the file states with the computed ones; `None` where it
    /// states none.
    pub claims: Option<StatedOccupancy>,
    /// Launches of communication kernels (which move data between devices) that are left after the
    /// rule for such kernels was applied.
    pub communication: LaunchPart,
    /// Rule for communication kernels (which move data between devices), with their time before and
    /// after it is applied.
    pub comm: CommunicationRule,
    /// Recorded waits from launch to start, over the kernels whose launch is recorded.
    pub arrivals: LaunchWaits,
    /// Origins of each field of the launches, such as measured or assumed.
    pub origins: Vec<FieldOrigins>,
    /// Faults and gaps that were met in the file, each with a count.
    pub quirks: Vec<QuirkMet>,
    /// Warnings and errors of the profiler about its own recording.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<String>,
    /// Result of replaying the profile against its recording; `None` where the user did not ask for
    /// it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_replay: Option<SelfReplayed>,
    /// Verdicts of source files on kernels: which of them may be stopped and run again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<SourceVerdict>,
    /// Numbers of neighbouring granules (the units in which a resource is given out) that the
    /// workgroups need; `None` where the user did not ask for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amounts: Option<WantedAmounts>,
}

/// Rule for communication kernels (which move data between devices), and its effect on their time.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CommunicationRule {
    /// Name of the rule, as the option `--comm` takes it.
    pub rule: &'static str,
    /// Number of launches of communication kernels (which move data between devices), before the
    /// rule is applied.
    pub launches: u64,
    /// Sum of the durations of communication kernels as recorded, in ns.
    pub recorded_ns: u64,
    /// Sum of the durations of communication kernels under the rule, in ns.
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
    /// Gathers the facts about a profile that an inspection shows.
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
