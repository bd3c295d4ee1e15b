//! How long did each process take under one recipe, and within which bounds?
//!
//! Times are nanoseconds. A process with requests is judged by their 99th percentile, one that
//! repeats by the time of a step, any other by its end.

use raddle_sim::{Interval, Outcome, ProcessSummary, Summary, TimeFromIssue, Workload};
use serde::{Deserialize, Serialize};

use super::goals_judged::GoalsJudged;
use super::offered::Offered;
use crate::evidence::NARROW;
use crate::fidelity::ModelError;

/// Figure by which a process is judged when recipes are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgedBy {
    /// 99th percentile of the times of requests, from arrival to end.
    Requests,
    /// Mean time of a step, which is one whole repetition of the process.
    Steps,
    /// End of the last launch of the process, as a time since the start of the simulation.
    End,
}

impl JudgedBy {
    /// Returns the figure by which the process with the index `process` is judged: its requests
    /// where it has any, else its steps where it repeats, else its end.
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

    /// Returns the word for the figure in results: `p99`, `step` or `end`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Requests => "p99",
            Self::Steps => "step",
            Self::End => "end",
        }
    }
}

/// A process of the workload, with the facts about it that are the same under all recipes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct JudgedProcess {
    /// Name of the process, as printed results show it.
    pub name: String,
    /// Kind of figure by which the process is judged: of requests, of steps, or its end.
    pub judged: JudgedBy,
    /// Figure by which the process is judged, in nanoseconds, where the process runs alone on the
    /// device under the recipe `leftover`; `None` where nothing of the process ended.
    pub alone_ns: Option<u64>,
    /// Words for the device that the process was recorded on; `None` where that is the device of
    /// the replay.
    pub recorded_on: Option<String>,
    /// Words for how recorded times of the process are scaled to the device of the replay, and by
    /// how much; `None` where they are not scaled.
    #[serde(default)]
    pub scaled: Option<String>,
    /// Least and largest factor by which true times on this device may differ from those of the
    /// replay; `None` where the process was recorded on the device of the replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_factors: Option<[f64; 2]>,
    /// True if the process was recorded on a device of another vendor than that of the replay,
    /// which runs other kernels.
    #[serde(default)]
    pub other_vendor: bool,
    /// Errors of a replay of this process alone on the device of its recording, compared with that
    /// recording; `None` where there was no such replay.
    pub self_replay: Option<ModelError>,
    /// Error of the end of the process in a replay of it alone, as a fraction of the recorded span.
    /// `None` where its host issues work at the recorded times, whatever the device does: the end
    /// then follows the recording.
    pub end_error: Option<f64>,
    /// True if the file of the process does not say when most of its launches were issued, so that
    /// idle time is assumed.
    #[serde(default)]
    pub issue_unknown: bool,
    /// True if the user set no end to the requests of the process. Each replay then draws as many
    /// requests as its figures need.
    #[serde(skip)]
    pub is_open: bool,
    /// True if some times in the file of the process lie far from all others, as after a wrong
    /// clock, so that its span and its idle time may be wrong.
    #[serde(skip)]
    pub times_apart: bool,
    /// True if the user asked to leave out those recorded idle gaps of which no file tells the
    /// cause.
    #[serde(skip)]
    pub gaps_closed: bool,
    /// Fraction of the recorded idle time (in which no kernel ran), 0 to 1, during which work had
    /// been issued but had not begun.
    #[serde(skip)]
    pub idle_issued: f64,
}

/// Figures of all processes under one recipe (way of sharing the device): a row of the comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PolicyRow {
    /// Name of the recipe, as printed results show it.
    pub recipe: String,
    /// True if the driver of the device offers the way of sharing that the recipe stands for.
    pub offered: bool,
    /// True if a driver offers it for devices of another vendor alone.
    #[serde(skip)]
    pub elsewhere: bool,
    /// True if recipes are compared, so that this one is ranked whether a driver offers it or not;
    /// false if the ways of sharing are compared that drivers offer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked: bool,
    /// True if the recipe is so far behind the best one, or so far beyond a goal, that no simulations
    /// were made for the bounds of its figures. Then its figures have no interval, though they are
    /// not exact.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub out_of_reach: bool,
    /// True if all launches ended under the recipe and every process has the figure by which it is
    /// judged.
    pub complete: bool,
    /// Figures of each process under the recipe, in the order of `PolicyFigures::processes`.
    pub processes: Vec<ProcessFigures>,
    /// Figures by which processes are judged, in nanoseconds: for each process, one figure for each
    /// random seed of the arrivals; empty where there was only one seed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_seed_ns: Vec<Vec<u64>>,
    /// Times of requests from arrival to end, in nanoseconds: one list for each process, in the
    /// order of arrival. Kept in memory only, not written to files.
    #[serde(skip)]
    pub in_order_ns: Vec<Vec<u64>>,
    /// One value for each goal, in the order of the goals: true if the recipe meets the goal.
    pub goals_met: Vec<bool>,
    /// One value for each goal, in the order of the goals: true if all values within the error
    /// bounds of the limited figure lie on the same side of the limit, so that the judgement is
    /// certain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals_sure: Vec<bool>,
    /// One value for each goal, in the order of the goals: the fraction of the requests that take
    /// at most the limit, 0 to 1. `None` (null in JSON) where the goal is not about requests, or
    /// where figures are means over several seeds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals_share: Vec<Option<f64>>,
    /// Fraction of the simulated time, 0 to 1, in which nothing was on the device.
    pub idle: f64,
    /// Fraction of the simulated time, 0 to 1, in which nothing was on the device and no host had
    /// issued any work.
    pub idle_host: f64,
    /// Fraction of the simulated time, 0 to 1, in which nothing was on the device and work waited
    /// for a copy.
    #[serde(default)]
    pub idle_copies: f64,
}

/// Figures of one process under one recipe (way of sharing the device).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProcessFigures {
    /// Figure by which the process is judged, in nanoseconds; `None` where nothing of the process
    /// ended.
    pub decisive_ns: Option<u64>,
    /// Median of the times of requests, in nanoseconds; `None` where no request ended.
    pub p50_ns: Option<u64>,
    /// 90th percentile of the times of requests, in nanoseconds; `None` where no request ended.
    #[serde(default)]
    pub p90_ns: Option<u64>,
    /// 95th percentile of the times of requests, in nanoseconds; `None` where no request ended.
    #[serde(default)]
    pub p95_ns: Option<u64>,
    /// Mean of the times of requests, in nanoseconds; `None` where no request ended.
    #[serde(default)]
    pub mean_ns: Option<u64>,
    /// Time of the slowest request, in nanoseconds; `None` where no request ended.
    pub max_ns: Option<u64>,
    /// Number of requests that ended; `None` where no request ended.
    pub requests: Option<u64>,
    /// Number of steps (whole repetitions of the process) per second; `None` where the process does
    /// not repeat.
    pub(crate) steps_per_s: Option<f64>,
    /// Longest time for which the process had work but no waves on the device, in nanoseconds.
    pub longest_wait_ns: u64,
    /// Waits of the most urgent launches of the process; `None` where all its launches have the
    /// same urgency level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub urgent: Option<UrgentWaits>,
    /// Confidence interval (95 %) of the figure by which the process is judged, as its requests or
    /// steps are only a sample; `None` for fewer than ten of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Interval>,
    /// Least and largest value of the figure by which the process is judged, in nanoseconds, from
    /// replays with the least and the most contention; `None` where replays charge no contention.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between_ns: Option<[u64; 2]>,
    /// 99th percentile of the times of requests from the issue of their first launch, as a recording
    /// tells them; `None` for other processes, and for means over several seeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_issue: Option<FromIssue>,
    /// Figure by which the process is judged, in nanoseconds, in a simulation without the recorded
    /// idle gaps: hosts issue work early where no file says when it was issued. `None` where no
    /// such simulation was made.
    #[serde(skip)]
    pub(crate) queued_ns: Option<u64>,
    /// True if the figure by which the process is judged rests on too few requests: its confidence
    /// interval is wider than a tenth of it, and the limit on launches of a replay allowed no more
    /// requests.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub cut_short: bool,
    /// Accuracy of the figures of the process where they are means over several random seeds of the
    /// arrivals; `None` for one seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn: Option<SeveralSeeds>,
}

/// 99th percentile of the times of requests from the issue of their first launch to their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FromIssue {
    /// The percentile, in nanoseconds, with its confidence interval (95 %).
    #[serde(flatten)]
    pub(crate) time: TimeFromIssue,
    /// Least and largest value of the percentile, in nanoseconds, from replays with the least and the
    /// most contention; `None` where replays charge no contention.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) between_ns: Option<[u64; 2]>,
}

/// Accuracy of the mean figures of one process whose requests were drawn with several random seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SeveralSeeds {
    /// Number of random seeds over which the figures of the process are means.
    pub(crate) seeds: u32,
    /// Half width of the 95 % confidence interval of the figure by which the process is judged, in
    /// nanoseconds: with 95 % confidence the true mean is at most this far from the mean over the
    /// seeds.
    pub decisive_within_ns: u64,
    /// Half width of the 95 % confidence interval of the median time of requests, averaged over the
    /// seeds, in nanoseconds; `None` without requests.
    pub p50_within_ns: Option<u64>,
}

/// Waits of the most urgent launches of a process whose launches have several urgency levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct UrgentWaits {
    /// Urgency level of the process's most urgent launches; 0 is the most urgent level there is.
    pub level: u8,
    /// 99th percentile of how long the most urgent launches wait from ready to their first wave, in
    /// nanoseconds.
    pub p99_ns: u64,
}

impl UrgentWaits {
    /// Returns the waits of the most urgent launches of a process; `None` where all its launches
    /// have the same urgency level.
    pub(super) fn of(process: &ProcessSummary) -> Option<Self> {
        let own = process.levels.iter().min_by_key(|own| own.level)?;
        let several = process.levels.len() > 1;
        several.then_some(Self { level: own.level, p99_ns: own.latency_p99_ns })
    }
}

impl JudgedProcess {
    /// Describes a process of a workload. Its figure alone comes from `alone`, a simulation of this
    /// process alone under the recipe `leftover`; the caller adds how far that simulation may be
    /// believed.
    #[must_use]
    pub fn new(workload: &Workload, process: usize, alone: &Outcome) -> Self {
        let judged = JudgedBy::of(workload, process);
        let end = || alone.records.iter().filter_map(|record| record.ended).max();
        let alone_ns = match judged {
            JudgedBy::End => end().map(|end| end.0),
            _ => alone.first_latency_ns(),
        };
        Self::plain(&workload.processes[process].name, judged, alone_ns)
    }

    /// Describes a process that was recorded on the device of the replay, and whose recording gives
    /// no reason to doubt its figures. `alone_ns` is the figure by which it is judged, alone on the
    /// device, in nanoseconds; `None` where nothing of it ended.
    pub(crate) fn plain(name: &str, judged: JudgedBy, alone_ns: Option<u64>) -> Self {
        Self {
            name: name.to_owned(),
            judged,
            alone_ns,
            recorded_on: None,
            scaled: None,
            device_factors: None,
            other_vendor: false,
            self_replay: None,
            end_error: None,
            issue_unknown: false,
            is_open: false,
            times_apart: false,
            gaps_closed: false,
            idle_issued: 0.0,
        }
    }
}

impl PolicyRow {
    /// Begins a verdict that the recipe is better than the baseline: "Use mps", or that no driver offers
    /// it.
    pub(super) fn begin(&self) -> String {
        match self.offered {
            true => format!("Use {}", self.recipe),
            false if self.elsewhere => {
                format!("{} is best, but this device's driver does not offer it", self.recipe)
            }
            false => format!("{} is best, but no driver offers it", self.recipe),
        }
    }

    /// Returns the row with the fact who offers its way of sharing the device.
    pub(crate) fn offered_by(self, offered: Offered) -> Self {
        let (here, elsewhere) = (offered == Offered::Here, offered == Offered::Elsewhere);
        Self { offered: here, elsewhere, ..self }
    }

    /// Returns whether the recipe is ranked by its figures and may be the best: a driver offers it,
    /// or recipes are compared. Of the ways of sharing those that no driver offers come last.
    pub(crate) const fn is_ranked(&self) -> bool {
        self.offered || self.asked
    }

    /// Judges all goals of the recipe together: met, missed, or left open by the error bounds of
    /// the figures.
    #[must_use]
    pub fn goals_judged(&self) -> GoalsJudged {
        GoalsJudged::of(self.goals_met.iter().copied().zip(self.goals_sure.iter().copied()))
    }

    /// Returns the row of a recipe, with the figures of each process taken from the summary of the
    /// recipe's replay. The goals are not judged yet.
    #[must_use]
    pub fn new(recipe: &str, processes: &[JudgedProcess], summary: &Summary) -> Self {
        let figures = processes.iter().zip(&summary.processes);
        let figures: Vec<_> =
            figures.map(|(it, own)| ProcessFigures::new(it.judged, own)).collect();
        Self {
            recipe: recipe.to_owned(),
            offered: true,
            elsewhere: false,
            asked: false,
            out_of_reach: false,
            complete: summary.stuck == 0 && figures.iter().all(|it| it.decisive_ns.is_some()),
            processes: figures,
            by_seed_ns: Vec::new(),
            in_order_ns: summary.processes.iter().map(in_order).collect(),
            goals_met: Vec::new(),
            goals_sure: Vec::new(),
            goals_share: Vec::new(),
            idle: summary.device_time.idle(),
            idle_host: summary.device_time.idle_host(),
            idle_copies: summary.device_time.idle_copies(),
        }
    }

    /// Sets, for each process, the interval of the figure by which it is judged. `bounds` are rows
    /// of the same recipe replayed with the least and the most contention. Where figures are means
    /// over several seeds, their error widens the interval, but not to below the time of the
    /// process alone.
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
            let issued = |row: &Self| Some(row.processes.get(at)?.from_issue?.time.p99_ns);
            let all: Option<Vec<u64>> = bounds.iter().map(issued).collect();
            if let (Some(own), Some(mut all)) = (&mut own.from_issue, all) {
                all.push(own.time.p99_ns);
                own.between_ns =
                    all.iter().min().copied().zip(all.iter().max().copied()).map(Into::into);
            }
        }
        self
    }
}

impl PolicyRow {
    /// Copies the figures by which processes are judged from `other` into `queued_ns` of this row;
    /// `None` clears `queued_ns`. `other` is the row of the same recipe in a simulation without the
    /// recorded idle gaps: hosts issue work early where no file says when it was issued.
    pub(crate) fn queued(mut self, other: Option<&Self>) -> Self {
        for (at, own) in self.processes.iter_mut().enumerate() {
            own.queued_ns = other.and_then(|row| row.processes.get(at)?.decisive_ns);
        }
        self
    }
}

impl ProcessFigures {
    /// Returns the upper bound, in nanoseconds, of the figure by which the process is judged, or
    /// the figure itself where contention gives no bound. `None` where nothing of the process
    /// ended.
    pub(super) fn most_ns(&self) -> Option<u64> {
        self.between_ns.map(|[_, most]| most).or(self.decisive_ns)
    }

    /// Returns whether the figure by which the process is judged is inexact: its 95 % interval is
    /// wider than a tenth of it, or unknown. False for means over several seeds, and where nothing
    /// ended.
    pub(super) fn is_wide(&self) -> bool {
        let (Some(figure), None) = (self.decisive_ns, self.drawn) else { return false };
        let width = self.sampled.and_then(|interval| interval.width(figure));
        width.is_none_or(|width| width > NARROW)
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
            from_issue: requests
                .and_then(|it| it.from_issue)
                .map(|time| FromIssue { time, between_ns: None }),
            queued_ns: None,
            cut_short: false,
            drawn: None,
        }
    }
}

fn in_order(process: &ProcessSummary) -> Vec<u64> {
    process.requests.as_ref().map_or_else(Vec::new, |it| it.in_order_ns.clone())
}
