//! What should a reader of results know of each profile that was replayed?
//!
//! Shares are of 0 to 1; times are nanoseconds. Nothing here comes from a file's metadata: names of
//! profiles are file names, and the rest are figures.

use raddle_policy::Barrier;
use raddle_sim::{LaunchLatency, Scaling, TimeScale, WaitRule};
use raddle_trace::{CopiesElsewhere, CopyDirection, Field, Op, OpKind, Origin, Profile, QuirkMet};
use serde::Serialize;

use super::device::{DeviceFacts, DeviceFound};
use crate::answer::{JudgedBy, JudgedProcess, RecordedOn};
use crate::assumed::why_assumed;
use crate::fidelity::ModelError;
use crate::inspect::{RecordedCause, RecordedIdle};
use crate::launches::{ConcurrentTime, OriginShares, UnknownKernels, kernels};
use crate::units::{self, share};

/// A profile as it is replayed.
#[derive(Clone, Copy, Debug)]
pub struct ReplayedProfile<'p> {
    /// The name of the profile in results.
    pub name: &'p str,
    /// The profile that was read.
    pub profile: &'p Profile,
    /// The time at which the process begins, in nanoseconds.
    pub start_ns: u64,
    /// The share of the process, for policies that divide by shares.
    pub share: u32,
    /// The treatment of the communication kernels.
    pub communication: raddle_trace::Communication,
    /// The requests that run the profile.
    pub requests: Option<&'p RequestFacts>,
    /// True if the host waits where the recording waited (closed loop).
    pub closed: bool,
    /// The error of a replay of the profile alone on its own device, against its recording.
    pub self_replay: Option<ModelError>,
    /// The time until a launch can start.
    pub latency: LaunchLatency,
    /// The rule that chooses the waits between streams that hold.
    pub waits: WaitRule,
    /// The property by which times are scaled to the device replayed on, and the factor.
    pub scaled: Option<(Scaling, TimeScale)>,
}

impl ReplayedProfile<'_> {
    /// Returns the kernel time of the profile, in nanoseconds.
    pub(super) fn kernel_ns(&self) -> u128 {
        let kernels = self.profile.ops.iter().filter(|op| op.kind == OpKind::Kernel);
        kernels.map(|op| u128::from(op.duration_ns)).sum()
    }

    /// Returns the name of the kernel of a task.
    pub(super) fn kernel(&self, task: u32) -> String {
        let kernel = self.profile.ops[task as usize].kernel;
        self.profile.kernels.get(kernel as usize).cloned().unwrap_or_default()
    }
}

fn at_home<S: serde::Serializer>(place: &RecordedOn, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_bool(*place == RecordedOn::ThisDevice)
}

/// The share of launches without a recorded launch time from which on that lack can overturn the
/// answer.
const MOST_LAUNCHES: f64 = 0.5;

/// The facts about one profile in results.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProfileFacts {
    /// The name of the profile.
    pub name: String,
    /// The kind of file.
    pub format: &'static str,
    /// The device whose figures turn launch durations into workgroup durations.
    pub device: DeviceFacts,
    /// The place where the profile was recorded; in JSON, whether it is the device replayed on.
    #[serde(rename = "at-home", serialize_with = "at_home")]
    pub(crate) recorded_on: RecordedOn,
    /// The property by which times are scaled to the device replayed on, where they are scaled.
    pub(crate) scaled: Option<String>,
    pub(crate) events: u64,
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
    pub(crate) unknown_kernels: Option<UnknownKernels>,
    /// The workgroups of all launches.
    pub workgroups: u64,
    /// The number of streams.
    pub streams: usize,
    /// The sum of the times of all kernel launches.
    pub(crate) kernel_ns: u64,
    /// The share of the time of all work that copies of unknown direction take.
    pub(crate) copied: f64,
    /// The time from the first begin to the last end.
    pub span_ns: u64,
    pub(crate) resolution_ns: u64,
    /// The time at which the process begins.
    pub start_ns: u64,
    /// The share of the process, for policies that divide by shares.
    pub share: u32,
    /// The origins of the arrival times of kernels: shares of the launches.
    pub(crate) arrivals: OriginShares,
    /// The share of kernel time that lies in launches whose barriers are assumed.
    pub(crate) barrier_assumed: f64,
    /// The share of kernel time that lies in launches whose activity is assumed by their names.
    pub(crate) activity_assumed: f64,
    /// The share of kernel time during which another kernel ran: there, workgroup times are upper
    /// bounds.
    pub(crate) overlapped: f64,
    /// The communication kernels; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) communication: Option<CommunicationShares>,
    /// The requests that run the profile, if any do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<RequestFacts>,
    /// True if the host waits where the recording waited.
    pub closed: bool,
    /// The share of the host's waiting time whose reason is known; absent where the host never
    /// waited, or the file has no host waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) known_waits: Option<f64>,
    /// The error of a replay of the profile alone on its own device, against its recording.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_replay: Option<ModelError>,
    /// The waits between streams, and the rule that chooses those that hold.
    pub(crate) stream_waits: StreamWaitFacts,
    /// The least time from issue to start, in ns; `handover_ns` is that from the end of an op to
    /// the start of one that waits for it.
    pub(crate) launch_ns: u64,
    pub(crate) handover_ns: u64,
    /// The unusual things that were met in the file.
    pub quirks: Vec<QuirkMet>,
    /// The warnings and errors of the profiler about its own recording of the GPU.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) diagnostics: Vec<String>,
    /// True if for most of the time without a kernel, work had been issued and had not begun.
    #[serde(skip)]
    idle_issued: bool,
    /// The reason for the device, where it is assumed.
    #[serde(skip)]
    pub(crate) assumed: Option<String>,
}

/// The communication kernels of a profile: how many, and their share of kernel time.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct CommunicationShares {
    pub(crate) launches: u64,
    /// The share of kernel time as recorded.
    pub(crate) recorded: f64,
    /// The time of these kernels as replayed, as a share of the kernel time as recorded.
    pub(crate) replayed: f64,
}

impl CommunicationShares {
    fn of(found: raddle_trace::Communication) -> Option<Self> {
        let of = |part: u64| share(u128::from(part), u128::from(found.kernel_ns));
        (found.launches > 0).then(|| Self {
            launches: found.launches,
            recorded: of(found.recorded_ns),
            replayed: of(found.replayed_ns),
        })
    }
}

/// The waits of a profile between its streams.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct StreamWaitFacts {
    /// The number of waits whose source the file names.
    pub(crate) recorded: u64,
    /// The number of waits of which the file has only the place.
    pub(crate) inferred: u64,
    /// The name of the rule that chooses the waits that hold.
    pub(crate) rule: &'static str,
}

impl StreamWaitFacts {
    fn of(profile: &Profile, rule: WaitRule) -> Self {
        let all = profile.stream_waits.len() as u64;
        let inferred = profile.stream_waits.iter().filter(|wait| wait.inferred).count() as u64;
        Self { recorded: all - inferred, inferred, rule: rule.name() }
    }

    /// Counts all waits between streams.
    pub(crate) const fn all(&self) -> u64 {
        self.recorded + self.inferred
    }
}

/// Writes a line about something met in a file.
#[must_use]
pub fn met(quirk: &QuirkMet) -> String {
    format!("{} {}: {}", quirk.name, units::count(quirk.count), quirk.explanation)
}

impl ProfileFacts {
    /// Gathers the facts about a profile recorded on `device`.
    #[must_use]
    pub fn new(
        replayed: &ReplayedProfile<'_>,
        device: DeviceFacts,
        recorded_on: RecordedOn,
    ) -> Self {
        let profile = replayed.profile;
        let report = &profile.report;
        let kernels: Vec<&Op> = kernels(profile).collect();
        let assumed = |op: &&&Op| op.footprint.barrier == Barrier::Assumed;
        let named = |op: &&&Op| op.provenance.of(Field::Activity) == Origin::Assumed;
        let kernel_ns = time(kernels.iter().copied());
        let one = ConcurrentTime::of(kernels.iter().map(|op| (op.start_ns, op.end_ns()))).one;
        Self {
            name: replayed.name.to_owned(),
            format: profile.format.name(),
            assumed: (device.found == DeviceFound::Assumed)
                .then(|| why_assumed(&device.id, profile.device.as_ref()))
                .flatten(),
            device,
            recorded_on,
            scaled: replayed.scaled.map(|(scaling, by)| format!("{}, times {by}", scaling.name())),
            events: report.events,
            kernels: report.kernels,
            copies: report.copies,
            copies_elsewhere: CopiesElsewhere::of(profile),
            sets: report.sets,
            unknown_kernels: UnknownKernels::of(profile),
            workgroups: kernels.iter().fold(0, |sum, op| op.workgroups.saturating_add(sum)),
            streams: profile.streams.len(),
            kernel_ns: u64::try_from(kernel_ns).unwrap_or(u64::MAX),
            copied: copied(profile),
            span_ns: profile.span_ns,
            resolution_ns: profile.resolution_ns,
            start_ns: replayed.start_ns,
            share: replayed.share,
            arrivals: OriginShares::of(&kernels, Field::Arrival),
            barrier_assumed: share(time(kernels.iter().filter(assumed).copied()), kernel_ns),
            activity_assumed: share(time(kernels.iter().filter(named).copied()), kernel_ns),
            overlapped: share(kernel_ns.saturating_sub(one.into()), kernel_ns),
            communication: CommunicationShares::of(replayed.communication),
            requests: replayed.requests.cloned(),
            closed: replayed.closed,
            known_waits: profile.known_waits().map(|share| (share * 10_000.0).round() / 10_000.0),
            self_replay: replayed.self_replay,
            stream_waits: StreamWaitFacts::of(profile, replayed.waits),
            launch_ns: replayed.latency.launch.0,
            handover_ns: replayed.latency.handover.0,
            quirks: profile.report.quirks().collect(),
            diagnostics: profile.diagnostics.clone(),
            idle_issued: RecordedIdle::of(profile).is_mostly(RecordedCause::Issued),
        }
    }
}

impl ProfileFacts {
    /// Adds to a process that runs this profile how far its figures may be believed.
    #[must_use]
    pub fn judge(&self, process: JudgedProcess) -> JudgedProcess {
        JudgedProcess {
            recorded_on: (self.recorded_on != RecordedOn::ThisDevice)
                .then(|| self.device.to_string()),
            scaled: self.scaled.clone(),
            device_factors: self.recorded_on.factors(),
            other_vendor: self.recorded_on == RecordedOn::OtherVendor,
            self_replay: self.self_replay,
            end_error: self.end_error(&process),
            issue_unknown: self.issue_unknown(),
            times_apart: self.quirks.iter().any(|quirk| quirk.name == "time-outlier"),
            idle_issued: self.idle_issued,
            ..process
        }
    }

    /// Returns whether the file does not say when most of its launches were issued.
    pub(super) fn issue_unknown(&self) -> bool {
        self.arrivals.assumed >= MOST_LAUNCHES
    }

    /// Returns how much later the profile ends than it did when recorded, as a share, where it runs
    /// alone on its own device with a host that waits.
    fn end_error(&self, process: &JudgedProcess) -> Option<f64> {
        // A request or a step begins when the process joins; the end of a process counts from the
        // start of the run.
        let start = if process.judged == JudgedBy::End { self.start_ns } else { 0 };
        let here = self.recorded_on == RecordedOn::ThisDevice;
        let at_home = self.closed && here && self.span_ns > 0;
        let alone = process.alone_ns.filter(|_| at_home)?;
        let error = (alone.saturating_sub(start)) as f64 / self.span_ns as f64 - 1.0;
        Some((error * 10_000.0).round() / 10_000.0)
    }
}

/// Returns the share of the time of all work that copies of unknown direction take.
fn copied(profile: &Profile) -> f64 {
    let all = time(profile.ops.iter());
    let ops = profile.ops.iter().zip(CopyDirection::of_all(profile));
    let unknown = ops.filter(|(op, direction)| op.kind == OpKind::Copy && direction.is_none());
    share(time(unknown.map(|(op, _)| op)), all)
}

fn time<'o>(ops: impl Iterator<Item = &'o Op>) -> u128 {
    ops.map(|op| u128::from(op.duration_ns)).sum()
}

/// The requests of one profile.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RequestFacts {
    /// The kind of file.
    pub format: &'static str,
    /// The task of the file.
    pub task: String,
    /// The kind of arrivals of requests: periodic, poisson, trace, continuous or dependent.
    pub process: &'static str,
    /// The number of requests replayed, where their times are known before.
    pub replayed: Option<u64>,
    /// The number of all requests, where their times are known before.
    pub of: Option<u64>,
    /// The time at which requests end; absent where only the file or the company of other processes
    /// ends them.
    pub until_ns: Option<u64>,
    /// The seed of the random numbers, where there were any.
    pub seed: Option<u64>,
    /// The number of seeds, from that one on, where there were several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeds: Option<u16>,
    /// True if each run draws as many requests as it needs for its percentiles.
    #[serde(rename = "as-many-as-needed")]
    pub is_open: bool,
    /// The largest time by which requests were moved.
    pub jitter_ns: Option<u64>,
    /// The unit in which `time` was read, and why, where it mattered.
    pub time_unit: Option<String>,
    /// The number of steps back in time in the file, which were sorted.
    pub unsorted: u64,
}

/// Describes the scaling of times to another device.
pub(super) const fn scaled(scaling: Scaling) -> &'static str {
    match scaling {
        Scaling::Clock => "scaled by the clock",
        Scaling::Bandwidth => "scaled by the bandwidth that a compute unit has",
        _ => "unscaled",
    }
}
