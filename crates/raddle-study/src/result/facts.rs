//! Which facts about each replayed profile do results have?
//!
//! Fractions are from 0 to 1; times are nanoseconds. Names of profiles are file names, and all else
//! is figures: no fact comes from the metadata of a file.

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

/// Names of the faults by which some times in a file lie far from all others. The time span of such
/// a file says little.
const TIMES_APART: [&str; 2] = ["time-outlier", "apart-before-zero"];

/// A profile as it is replayed, from which the facts in results are made.
#[derive(Clone, Copy, Debug)]
pub struct ReplayedProfile<'p> {
    /// Name of the process in results.
    pub name: &'p str,
    /// Content of the profile: its launches, copies and fills.
    pub profile: &'p Profile,
    /// Time in the replay at which the process begins, in nanoseconds.
    pub start_ns: u64,
    /// Share of the process: its weight for policies that divide turns or the device by shares; 1
    /// by default.
    pub share: u32,
    /// Number of launches of communication kernels (which move data between devices), and their
    /// time before and after the rule for them is applied.
    pub communication: raddle_trace::Communication,
    /// Requests that run the profile; `None` where none do.
    pub requests: Option<&'p RequestFacts>,
    /// True if the host waits where the recording waited (closed loop); false if it issues at the
    /// recorded times.
    pub closed: bool,
    /// Errors of a replay of the profile alone on its own device; `None` where there was no such
    /// replay.
    pub self_replay: Option<ModelError>,
    /// Least times that a launch needs before it can start.
    pub latency: LaunchLatency,
    /// Rule that selects the recorded waits of one stream for another that the replay keeps.
    pub waits: WaitRule,
    /// Scaling of times to the device replayed on: (property of devices by which times are scaled,
    /// factor). `None` where times are not scaled.
    pub scaled: Option<(Scaling, TimeScale)>,
}

impl ReplayedProfile<'_> {
    /// Returns the sum of the durations of all kernels, in nanoseconds.
    pub(super) fn kernel_ns(&self) -> u128 {
        let kernels = self.profile.ops.iter().filter(|op| op.kind == OpKind::Kernel);
        kernels.map(|op| u128::from(op.duration_ns)).sum()
    }

    /// Returns the name of the kernel of the op (launch, copy or fill) with the index `task`; empty
    /// where it has none.
    pub(super) fn kernel(&self, task: u32) -> String {
        let kernel = self.profile.ops[task as usize].kernel;
        self.profile.kernels.get(kernel as usize).cloned().unwrap_or_default()
    }
}

fn at_home<S: serde::Serializer>(place: &RecordedOn, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_bool(*place == RecordedOn::ThisDevice)
}

/// Smallest fraction of launches without a recorded time of issue that can make the study's answer
/// wrong.
const MANY_LAUNCHES: f64 = 0.1;

/// Returns whether a profile does not say when a tenth or more of its launches were issued.
pub(crate) fn is_issue_unknown(profile: &Profile) -> bool {
    let kernels: Vec<&Op> = kernels(profile).collect();
    OriginShares::of(&kernels, Field::Arrival).assumed >= MANY_LAUNCHES
}

/// Facts about one profile, as results report them.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProfileFacts {
    /// Name of the profile, as results show it.
    pub name: String,
    /// Name of the file format of the profile.
    pub format: &'static str,
    /// Device of the recording, by whose properties launch durations are turned into workgroup
    /// durations.
    pub device: DeviceFacts,
    /// Relation of the device of the recording to the device replayed on; written to JSON as true
    /// if they are the same.
    #[serde(rename = "at-home", serialize_with = "at_home")]
    pub(crate) recorded_on: RecordedOn,
    /// Property by which times are scaled to the device replayed on, and the factor, in words;
    /// `None` where times are not scaled.
    pub(crate) scaled: Option<String>,
    pub(crate) events: u64,
    /// Number of kernel launches in the profile.
    pub kernels: u64,
    /// Number of memory copies in the profile.
    pub copies: u64,
    /// Number of copies that are not between host and device, such as copies within the device, for
    /// each direction.
    #[serde(skip_serializing_if = "CopiesElsewhere::is_empty")]
    pub copies_elsewhere: CopiesElsewhere,
    /// Number of fills of memory in the profile.
    pub sets: u64,
    /// Fractions of the kernel time in launches whose shape (grid and needed resources) is unknown,
    /// or comes from a graph capture. `None` where the file has the shape of every kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unknown_kernels: Option<UnknownKernels>,
    /// Number of workgroups of all launches of the profile together.
    pub workgroups: u64,
    /// Number of streams of the profile.
    pub streams: usize,
    /// Sum of the durations of all kernel launches, in ns.
    pub(crate) kernel_ns: u64,
    /// Fraction of the time of all launches, copies and fills that is in copies of unknown
    /// direction.
    pub(crate) copied: f64,
    /// Time from the start of the first op to the end of the last op of the profile, in ns.
    pub span_ns: u64,
    pub(crate) resolution_ns: u64,
    /// Time in the replay at which the process begins, in ns.
    pub start_ns: u64,
    /// Share of the process: its weight for policies that divide turns or the device by shares; 1
    /// by default.
    pub share: u32,
    /// Fractions of the kernel launches whose arrival time is measured, joined from another record,
    /// assumed, or unknown.
    pub(crate) arrivals: OriginShares,
    /// Fraction of the kernel time in launches whose use of barriers is assumed, not known.
    pub(crate) barrier_assumed: f64,
    /// Fraction of the kernel time in launches whose mix of instructions is assumed from the name
    /// of the kernel.
    pub(crate) activity_assumed: f64,
    /// Fraction of the kernel time during which another kernel ran too. Times of workgroups are
    /// then upper bounds, as the kernels may have slowed each other.
    pub(crate) overlapped: f64,
    /// Launches and kernel time of the communication kernels (which move data between devices);
    /// `None` where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) communication: Option<CommunicationShares>,
    /// Requests that run the profile; `None` where none do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<RequestFacts>,
    /// True if the host waits where the recording waited (closed loop); false if it issues at the
    /// recorded times.
    pub closed: bool,
    /// Fraction of the host's waiting time whose reason is known; `None` where the host never
    /// waited, or the file has no host waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) known_waits: Option<f64>,
    /// Errors of a replay of the profile alone on its own device; `None` where there was no such
    /// replay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_replay: Option<ModelError>,
    /// Numbers of recorded waits of one stream for another, and the rule that selects those that
    /// the replay keeps.
    pub(crate) stream_waits: StreamWaitFacts,
    /// Least time from the issue of a launch to its start, in ns. The field `handover_ns` is the
    /// least time from the end of an op to the start of an op that waited for it.
    pub(crate) launch_ns: u64,
    pub(crate) handover_ns: u64,
    /// Faults and missing data that were found in the file, each with a count.
    pub quirks: Vec<QuirkMet>,
    /// Warnings and errors of the profiler about its own recording of the GPU.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) diagnostics: Vec<String>,
    /// Fraction (0 to 1) of the time without a running kernel in which work had been issued but had
    /// not started.
    #[serde(skip)]
    idle_issued: f64,
    /// Reason for which the device of the recording was assumed, in words; `None` where it was not
    /// assumed.
    #[serde(skip)]
    pub(crate) assumed: Option<String>,
}

/// Communication kernels of a profile, which move data between devices: the number of launches, and
/// their part of kernel time.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct CommunicationShares {
    pub(crate) launches: u64,
    /// Recorded time of the communication kernels as a fraction of the recorded kernel time.
    pub(crate) recorded: f64,
    /// Replayed time of the communication kernels as a fraction of the recorded kernel time.
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

/// Numbers of the recorded waits of one stream of a profile for another. The file names the op
/// (launch, copy or fill) that is waited for, or that op is inferred.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct StreamWaitFacts {
    /// Number of waits of one stream for another for which the file names the op (launch, copy or
    /// fill) that is waited for.
    pub(crate) recorded: u64,
    /// Number of waits of which the file says only that a stream waited, so that the op waited for
    /// is inferred.
    pub(crate) inferred: u64,
    /// Name of the rule that selects the recorded waits of one stream for another that the replay
    /// keeps.
    pub(crate) rule: &'static str,
}

impl StreamWaitFacts {
    fn of(profile: &Profile, rule: WaitRule) -> Self {
        let all = profile.stream_waits.len() as u64;
        let inferred = profile.stream_waits.iter().filter(|wait| wait.inferred).count() as u64;
        Self { recorded: all - inferred, inferred, rule: rule.name() }
    }

    /// Returns the number of all waits between streams, recorded and inferred.
    pub(crate) const fn all(&self) -> u64 {
        self.recorded + self.inferred
    }
}

/// Writes a line about a fault or missing data found in a file: its name, how often, and what it
/// means.
#[must_use]
pub fn met(quirk: &QuirkMet) -> String {
    format!("{} {}: {}", quirk.name, units::count(quirk.count), quirk.explanation)
}

impl ProfileFacts {
    /// Gathers the facts about a profile that was recorded on `device`.
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
        let idle = RecordedIdle::of(profile);
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
            idle_issued: idle.share_of(RecordedCause::Launching)
                + idle.share_of(RecordedCause::Queued),
        }
    }
}

impl ProfileFacts {
    /// Returns the description of a process that runs this profile, with the facts added that say
    /// how reliable its figures are.
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
            times_apart: self.quirks.iter().any(|quirk| TIMES_APART.contains(&quirk.name)),
            idle_issued: self.idle_issued,
            is_open: self.requests.as_ref().is_some_and(|requests| requests.is_open),
            ..process
        }
    }

    /// Returns whether the file does not say when a tenth or more of its launches were issued.
    pub(crate) fn issue_unknown(&self) -> bool {
        self.arrivals.assumed >= MANY_LAUNCHES
    }

    /// Returns the relative error of the replayed end: how much later the profile ends in a replay
    /// alone than in its recording, as a fraction of the recorded span; below 0 if it ends earlier.
    /// `None` where the host does not wait for the device, or the profile was recorded on another
    /// device than that of the replay.
    fn end_error(&self, process: &JudgedProcess) -> Option<f64> {
        // The time alone of a request or a step counts from its own begin; the end of a process
        // counts from the start of the run.
        let start = if process.judged == JudgedBy::End { self.start_ns } else { 0 };
        let here = self.recorded_on == RecordedOn::ThisDevice;
        let at_home = self.closed && here && self.span_ns > 0;
        let alone = process.alone_ns.filter(|_| at_home)?;
        let error = (alone.saturating_sub(start)) as f64 / self.span_ns as f64 - 1.0;
        Some((error * 10_000.0).round() / 10_000.0)
    }
}

/// Returns the fraction, 0 to 1, of the time of all launches, copies and fills that is in copies of
/// unknown direction.
fn copied(profile: &Profile) -> f64 {
    let all = time(profile.ops.iter());
    let ops = profile.ops.iter().zip(CopyDirection::of_all(profile));
    let unknown = ops.filter(|(op, direction)| op.kind == OpKind::Copy && direction.is_none());
    share(time(unknown.map(|(op, _)| op)), all)
}

fn time<'o>(ops: impl Iterator<Item = &'o Op>) -> u128 {
    ops.map(|op| u128::from(op.duration_ns)).sum()
}

/// Requests that run one profile, as results describe them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RequestFacts {
    /// Name of the format of the file of arrivals; `words` for requests that were given in words.
    pub format: &'static str,
    /// Name of the task (entry) in the file of arrivals that lists these requests.
    pub task: String,
    /// Name of the kind of arrivals: periodic, poisson, trace, continuous or dependent.
    pub process: &'static str,
    /// Mean number of requests per second; for recorded arrivals rounded to a tenth. `None` where
    /// each request waits for the end of another, so that there is no fixed rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_s: Option<f64>,
    /// Number of requests that were replayed; `None` where only the replay decides how many there
    /// are.
    pub replayed: Option<u64>,
    /// Number of all requests that the arrival file or the user asks for; `None` where only the
    /// replay decides how many there are.
    pub of: Option<u64>,
    /// Time in the replay from which on no request arrives, in nanoseconds; `None` where no such
    /// time is fixed before the replay.
    pub until_ns: Option<u64>,
    /// First seed of the random numbers by which requests are drawn; `None` where nothing is
    /// random.
    pub seed: Option<u64>,
    /// Number of random seeds, counted up from `seed`; `None` where one seed is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeds: Option<u16>,
    /// True if the user did not limit the number of requests, so that each replay draws as many as
    /// its percentiles need.
    #[serde(rename = "as-many-as-needed")]
    pub is_open: bool,
    /// Upper bound, not reached, of the random delay that is added to arrival times, in
    /// nanoseconds; `None` where no request is delayed.
    pub jitter_ns: Option<u64>,
    /// Unit in which the arrival times of the file were read, and the reason, in words; `None`
    /// where no arrival time was read.
    pub time_unit: Option<String>,
    /// Number of arrival times in the file that are earlier than the one just before them; the
    /// times were sorted after reading.
    pub unsorted: u64,
}

/// Returns the words by which sentences say how times are scaled to another device.
pub(super) const fn scaled(scaling: Scaling) -> &'static str {
    match scaling {
        Scaling::Clock => "scaled by the clock",
        Scaling::Bandwidth => "scaled by the bandwidth that a compute unit has",
        _ => "unscaled",
    }
}
