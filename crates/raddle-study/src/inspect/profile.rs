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

/// Facts about several profiles that `raddle inspect` shows together.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Inspection {
    /// Version of raddle that inspected the profiles.
    raddle: &'static str,
    /// Facts about each profile, in the order in which the user gave the profiles.
    pub profiles: Vec<InspectedProfile>,
}

impl Inspection {
    /// Combines the facts about several profiles into one inspection.
    #[must_use]
    pub const fn new(profiles: Vec<InspectedProfile>) -> Self {
        Self { raddle: env!("CARGO_PKG_VERSION"), profiles }
    }
}

/// Inputs of the inspection of one profile: assumptions, and results that were computed before.
#[expect(missing_debug_implementations, reason = "it holds a function")]
pub struct InspectedAs<'p> {
    /// Name of the profile, as results show it.
    pub name: &'p str,
    /// Device that the profile was recorded on, and how it was found. The error says why the device
    /// is unknown.
    pub device: Result<(Device, DeviceFound), String>,
    /// Rule for whether communication kernels (which move data between devices) are kept, shortened
    /// or left out.
    pub rule: CommRule,
    /// Number of launches of communication kernels (which move data between devices), and their
    /// time before and after `rule` was applied.
    pub communication: &'p Communication,
    /// Result of a replay of the profile alone, compared with its recording; `None` where the user
    /// did not ask for it.
    pub self_replay: Option<SelfReplayed>,
    /// Function that returns which resource a kernel needs most according to the user, by the name
    /// of the kernel; `None` where the user said nothing about the kernel.
    pub said: &'p dyn Fn(&str) -> Option<KernelNeed>,
    /// Verdicts, found in source files, on whether a launch of a kernel of the profile may be
    /// killed and run again.
    pub verdicts: Vec<SourceVerdict>,
    /// Numbers of adjacent granules (the units in which a resource is given out) that the
    /// workgroups need; `None` where the user did not ask for them.
    pub amounts: Option<WantedAmounts>,
}

/// Comparison of a recording with a replay of it alone, and the times that were fitted to the
/// recording for that replay.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SelfReplayed {
    /// Errors of a replay before anything was fitted: workgroups run in rounds that fill the
    /// device, streams do not wait for each other, and launches start at once.
    pub before: ModelError,
    /// Comparison of the recording with the replay after the fit.
    #[serde(flatten)]
    pub after: Fidelity,
    /// Launch latency that was fitted to the recording, or taken from another file.
    #[serde(flatten)]
    pub latency: FittedLatency,
    /// Number of waits of one stream for another: [those stated in the file, those inferred from
    /// times].
    pub stream_waits: [u64; 2],
    /// Launch latency fitted to the first half of the profile, with its accuracy on the second
    /// half; `None` where too few launches were recorded.
    pub halves: Option<HalvesFit>,
    /// Fraction of the kernels whose replayed wait is as recorded (within 2 us + 5 %) if the
    /// latency is fitted to this profile. `None` unless the replay takes its latency from another
    /// file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_sample: Option<f64>,
}

/// Launch latency, in ns: the least times that a launch needs before it can start.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FittedLatency {
    /// Least time from the issue of a launch to its start, in ns.
    pub launch_ns: u64,
    /// Least time from the end of an op (launch, copy or fill) to the start of a launch that waits
    /// for it, in ns.
    pub handover_ns: u64,
}

impl From<LaunchLatency> for FittedLatency {
    fn from(latency: LaunchLatency) -> Self {
        Self { launch_ns: latency.launch.0, handover_ns: latency.handover.0 }
    }
}

/// Facts about one profile that an inspection shows; times in ns, fractions from 0 to 1.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct InspectedProfile {
    /// Name of the inspected profile, as results show it.
    pub name: String,
    /// Name of the profile's file format.
    pub format: &'static str,
    /// Device that the profile was recorded on, and how it was found; `None` where it is unknown.
    pub device: Option<DeviceFacts>,
    /// Name of the device as the profile's file writes it; `None` where it describes none.
    pub called: Option<String>,
    /// Reason why the device of the recording is unknown; `None` where it is known.
    #[serde(skip)]
    pub unknown: Option<String>,
    /// Number of events of all kinds that were read from the profile's file.
    pub events: u64,
    /// Number of kernel launches in the profile.
    pub kernels: u64,
    /// Number of memory copies in the profile.
    pub copies: u64,
    /// Numbers of copies that are not between host and device, by direction, such as device to
    /// device.
    #[serde(skip_serializing_if = "CopiesElsewhere::is_empty")]
    pub copies_elsewhere: CopiesElsewhere,
    /// Number of memory fills in the profile.
    pub sets: u64,
    /// Fractions of the kernel time whose shape (grid and needed resources) is unknown, or comes
    /// from the capture of a graph. `None` where every launch has its own shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_kernels: Option<UnknownKernels>,
    /// Number of workgroups of all launches together.
    pub workgroups: u64,
    /// Length of the recording, from its first begin to its last end, in ns.
    pub span_ns: u64,
    /// Step of the clock with which the profile was recorded, in ns.
    pub resolution_ns: u64,
    /// Largest amount of device memory that the program held during the recording, in bytes; `None`
    /// where the file does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Time of the recording in which no kernel ran, and why.
    pub idle: RecordedIdle,
    /// Streams of the profile, in the order in which they were first used.
    pub streams: Vec<InspectedStream>,
    /// Times for which 0, 1, 2, and 3 or more kernels ran side by side.
    pub concurrency: Concurrency,
    /// Number of different launch shapes: combinations of workgroups, work-items, registers, LDS.
    pub shapes: u64,
    /// Kernels of the profile with their launches, by total time, the longest first.
    pub by_kernel: Vec<NamedKernel>,
    /// Resources that limit how many workgroups fit a compute unit, with the launches that they
    /// limit; `None` where the device is unknown.
    pub limits: Option<LaunchLimits>,
    /// Resources that kernels need most, with the number and time of their launches; `None` where
    /// the device is unknown.
    pub needs: Option<KernelNeeds>,
    /// Comparison of the occupancies that the file states with the computed ones; `None` where the
    /// file states none.
    pub claims: Option<StatedOccupancy>,
    /// Number and time of the launches of communication kernels (which move data between devices),
    /// after the rule in `comm` was applied.
    pub communication: LaunchPart,
    /// Rule for communication kernels (which move data between devices), with their time before and
    /// after it was applied.
    pub comm: CommunicationRule,
    /// Waits of kernels from launch to start, over those whose launch time was recorded.
    pub arrivals: LaunchWaits,
    /// Origins of the fields of launches, such as measured or assumed.
    pub origins: Vec<FieldOrigins>,
    /// Faults and gaps that were found in the file, each with a count.
    pub quirks: Vec<QuirkMet>,
    /// Warnings and errors of the profiler about its own recording.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<String>,
    /// Result of a replay of the profile alone, compared with its recording; `None` where the user
    /// did not ask for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_replay: Option<SelfReplayed>,
    /// Verdicts, found in source files, on whether a launch of a kernel of the profile may be
    /// killed and run again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<SourceVerdict>,
    /// Numbers of adjacent granules (the units in which a resource is given out) that the
    /// workgroups need; `None` where the user did not ask for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amounts: Option<WantedAmounts>,
}

/// Rule that decides whether communication kernels (which move data between devices) are kept,
/// shortened or left out, and its effect on their time.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CommunicationRule {
    /// Name of the rule, as the option `--comm` takes it: whether communication kernels are kept,
    /// shortened or left out.
    pub rule: &'static str,
    /// Number of launches of communication kernels in the recording, before the rule is applied.
    pub launches: u64,
    /// Sum of the recorded durations of communication kernels, in ns.
    pub recorded_ns: u64,
    /// Sum of the durations of communication kernels after the rule was applied, in ns.
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
    /// Gathers the facts about a profile that an inspection shows; `with` holds assumptions and
    /// results from before.
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
