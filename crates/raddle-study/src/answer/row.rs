//! What happened to each process under one recipe, by which figure, within which bounds?
//!
//! Times are nanoseconds. A process with requests is judged by their 99th percentile, one that
//! repeats by the time of a step, any other by its end.

use raddle_sim::{Interval, Outcome, ProcessSummary, Summary, Workload};
use serde::{Deserialize, Serialize};

use crate::fidelity::ModelError;

/// The figure by which a process is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgedBy {
    /// The 99th percentile of the time from arrival to end.
    Requests,
    /// The mean time of a whole repetition.
    Steps,
    /// The time at which the last launch of the process ends.
    End,
}

impl JudgedBy {
    /// Finds the figure that decides about the process at a position.
    #[must_use]
    pub fn of(workload: &Workload, process: usize) -> Self {
        if workload.processes[process].has_requests() {
            Self::Requests
        } else if workload.repeats(process) {
            Self::Steps
        } else {
            Self::End
        }
    }

    /// The word for the figure that decides.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Requests => "p99",
            Self::Steps => "step",
            Self::End => "end",
        }
    }
}

/// A process, as all recipes see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct JudgedProcess {
    /// The name of the process.
    pub name: String,
    /// The figure by which the process is judged.
    pub judged: JudgedBy,
    /// The time of one request, of one step, or of the whole process, alone on the device under
    /// `leftover`.
    pub alone_ns: Option<u64>,
    /// The device that the process was recorded on, where that is not the one replayed on.
    pub recorded_on: Option<String>,
    /// The means by which times of the process are scaled to the device replayed on, and how much;
    /// `None`: they are not scaled.
    #[serde(default)]
    pub scaled: Option<String>,
    /// The factors between which its true times lie, over those of a replay, where it was recorded
    /// on another device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_factors: Option<[f64; 2]>,
    /// True if it was recorded on a device of another vendor, which runs other kernels.
    #[serde(default)]
    pub other_vendor: bool,
    /// The error of the replay of this process alone on its own device, against its recording.
    pub self_replay: Option<ModelError>,
    /// The error of the end of that replay, where the host of the process waits for the device:
    /// else the end follows the recording.
    pub end_error: Option<f64>,
    /// True if the file of the process does not say when most of its launches were issued, so that
    /// idle time is assumed.
    #[serde(default)]
    pub issue_unknown: bool,
    /// True if times in the file of the process lie far from all others, so that its span and idle
    /// time may be those of a wrong clock.
    #[serde(skip)]
    pub times_apart: bool,
    /// True if for most of the time without a kernel in the recording of the process, work had been
    /// issued and had not begun.
    #[serde(skip)]
    pub idle_issued: bool,
}

/// The figures of all processes under one recipe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PolicyRow {
    /// The name of the recipe.
    pub recipe: String,
    /// True if a driver offers this way of sharing, or a recipe was asked for and not a way.
    pub offered: bool,
    /// True if all launches ended.
    pub complete: bool,
    /// The figures of each process, in the order of the processes.
    pub processes: Vec<ProcessFigures>,
    /// The decisive figure of each process under each seed, in nanoseconds, where there were
    /// several seeds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_seed_ns: Vec<Vec<u64>>,
    /// The times of the requests of each process in the order of arrival, in nanoseconds; kept in
    /// memory alone.
    #[serde(skip)]
    pub in_order_ns: Vec<Vec<u64>>,
    /// The goals in order: true if the goal is met.
    pub goals_met: Vec<bool>,
    /// The goals in order: the share of the requests that take at most the limit, 0 to 1; null where
    /// the goal is of no request, or figures are means over seeds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals_share: Vec<Option<f64>>,
    /// The share of the time in which nothing was on the device, 0 to 1.
    pub idle: f64,
    /// The share of the time in which nothing was on the device and no host had issued anything.
    pub idle_host: f64,
    /// The share of the time in which nothing was on the device and work waited for a copy.
    #[serde(default)]
    pub idle_copies: f64,
}

/// The figures of one process under one recipe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProcessFigures {
    /// The figure by which the process is judged; `None` where nothing has ended.
    pub decisive_ns: Option<u64>,
    /// The median request.
    pub p50_ns: Option<u64>,
    /// The 90th percentile of requests.
    #[serde(default)]
    pub p90_ns: Option<u64>,
    /// The 95th percentile of requests.
    #[serde(default)]
    pub p95_ns: Option<u64>,
    /// The mean time of requests.
    #[serde(default)]
    pub mean_ns: Option<u64>,
    /// The slowest request.
    pub max_ns: Option<u64>,
    /// Requests that ended.
    pub requests: Option<u64>,
    /// The number of whole repetitions in a second.
    pub(crate) steps_per_s: Option<f64>,
    /// The longest time with work, but without waves on the device.
    pub longest_wait_ns: u64,
    /// The waits of the most urgent launches, where the launches have several levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub urgent: Option<UrgentWaits>,
    /// The bounds between which the decisive figure lies with 95 % confidence, as the run is one
    /// sample; absent for fewer than ten requests or steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Interval>,
    /// The bounds of the decisive figure, where contention is charged: under the least and the most
    /// contention.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between_ns: Option<[u64; 2]>,
    /// The accuracy of the figures where requests were drawn by several seeds: figures are then
    /// means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn: Option<SeveralSeeds>,
}

/// The accuracy of the means of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SeveralSeeds {
    /// The number of seeds.
    pub(crate) seeds: u32,
    /// Half of the 95 % confidence interval of the mean of the decisive figure, in nanoseconds:
    /// with 95 % confidence the true mean is at most this far from the mean found.
    pub decisive_within_ns: u64,
    /// Half of the 95 % confidence interval of the mean of the median request, in nanoseconds.
    pub p50_within_ns: Option<u64>,
}

/// The waits of the most urgent launches of a process whose launches have several levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct UrgentWaits {
    /// The level of the launches.
    pub level: u8,
    /// The 99th percentile of the time from ready to the first wave, in nanoseconds.
    pub p99_ns: u64,
}

impl UrgentWaits {
    /// Returns the waits of the most urgent level; `None` where all launches have one level.
    pub(super) fn of(process: &ProcessSummary) -> Option<Self> {
        let own = process.levels.iter().min_by_key(|own| own.level)?;
        let several = process.levels.len() > 1;
        several.then_some(Self { level: own.level, p99_ns: own.latency_p99_ns })
    }
}

impl JudgedProcess {
    /// Describes a process of a workload, by its run alone under `leftover`; how far that run may
    /// be believed is filled in by the caller.
    #[must_use]
    pub fn new(workload: &Workload, process: usize, alone: &Outcome) -> Self {
        let judged = JudgedBy::of(workload, process);
        let end = || alone.records.iter().filter_map(|record| record.ended).max();
        Self {
            name: workload.processes[process].name.clone(),
            judged,
            alone_ns: match judged {
                JudgedBy::End => end().map(|end| end.0),
                _ => alone.first_latency_ns(),
            },
            recorded_on: None,
            scaled: None,
            device_factors: None,
            other_vendor: false,
            self_replay: None,
            end_error: None,
            issue_unknown: false,
            times_apart: false,
            idle_issued: false,
        }
    }
}

impl PolicyRow {
    /// Returns the figures of a recipe; its goals are not judged yet.
    #[must_use]
    pub fn new(recipe: &str, processes: &[JudgedProcess], summary: &Summary) -> Self {
        let figures = processes.iter().zip(&summary.processes);
        let figures: Vec<_> =
            figures.map(|(it, own)| ProcessFigures::new(it.judged, own)).collect();
        Self {
            recipe: recipe.to_owned(),
            offered: true,
            complete: summary.stuck == 0 && figures.iter().all(|it| it.decisive_ns.is_some()),
            processes: figures,
            by_seed_ns: Vec::new(),
            in_order_ns: summary.processes.iter().map(in_order).collect(),
            goals_met: Vec::new(),
            goals_share: Vec::new(),
            idle: summary.device_time.idle(),
            idle_host: summary.device_time.idle_host(),
            idle_copies: summary.device_time.idle_copies(),
        }
    }

    /// Adds the intervals of the figures to the row, by rows with the least and the most
    /// contention. An interval of few seeds may be wider than its mean; a process takes no less
    /// than alone.
    #[must_use]
    pub fn between(mut self, bounds: &[Self], processes: &[JudgedProcess]) -> Self {
        if bounds.is_empty() {
            return self;
        }
        for (at, own) in self.processes.iter_mut().enumerate() {
            let within = own.drawn.map_or(0, |drawn| drawn.decisive_within_ns);
            let rows = bounds.iter().map(|row| row.processes.get(at)?.decisive_ns);
            let all: Option<Vec<u64>> = rows.chain([own.decisive_ns]).collect();
            own.between_ns = all.and_then(|all| {
                let least = *all.iter().min()?;
                let alone = processes.get(at).and_then(|it| it.alone_ns).unwrap_or(0);
                let least = least.saturating_sub(within).max(alone.min(least));
                Some([least, all.iter().max()?.saturating_add(within)])
            });
        }
        self
    }
}

impl ProcessFigures {
    /// Returns the bounds of the decisive figure, by the sample and by what is known of contention
    /// and of prices; `None` where the sample is too short for an upper bound, which nothing else
    /// gives then.
    pub(super) fn bounds(&self) -> Option<[u64; 2]> {
        let sampled = match self.sampled {
            Some(it) => Some([it.least_ns, it.most_ns?]),
            None => None,
        };
        let both = match (sampled, self.between_ns) {
            (Some(one), Some(other)) => Some([one[0].min(other[0]), one[1].max(other[1])]),
            (one, other) => one.or(other),
        };
        both.filter(|[least, most]| least < most)
    }

    /// Returns the upper bound of the decisive figure.
    pub(super) fn most_ns(&self) -> Option<u64> {
        self.between_ns.map(|[_, most]| most).or(self.decisive_ns)
    }

    fn new(judged: JudgedBy, summary: &ProcessSummary) -> Self {
        let requests = summary.requests.as_ref().filter(|it| it.ended > 0);
        let steps = summary.steps.filter(|steps| steps.ended > 0);
        Self {
            decisive_ns: match judged {
                JudgedBy::Requests => requests.map(|it| it.latency_p99_ns),
                JudgedBy::Steps => steps.map(|it| it.step_ns),
                JudgedBy::End => Some(summary.last_end_ns).filter(|&end| end > 0),
            },
            p50_ns: requests.map(|it| it.latency_p50_ns),
            p90_ns: requests.map(|it| it.latency_p90_ns),
            p95_ns: requests.map(|it| it.latency_p95_ns),
            mean_ns: requests.map(|it| it.latency_mean_ns),
            max_ns: requests.map(|it| it.latency_max_ns),
            requests: requests.map(|it| it.ended),
            steps_per_s: steps.map(|it| it.per_second),
            longest_wait_ns: summary.longest_wait_ns,
            urgent: UrgentWaits::of(summary),
            sampled: match judged {
                JudgedBy::Requests => requests.and_then(|it| it.p99_interval),
                JudgedBy::Steps => steps.and_then(|it| it.interval),
                JudgedBy::End => None,
            },
            between_ns: None,
            drawn: None,
        }
    }
}

fn in_order(process: &ProcessSummary) -> Vec<u64> {
    process.requests.as_ref().map_or_else(Vec::new, |it| it.in_order_ns.clone())
}
