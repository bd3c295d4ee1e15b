//! Which recipe is best for whom, and what does it cost the others?
//!
//! A process with requests is judged by their 99th percentile, one that repeats by the time of a
//! step, any other by its end; nanoseconds. All rows have one measure: the process alone on the
//! device under `leftover`. Changes are against the row of the baseline, today's hardware.

mod goal;
mod misses;
mod resampled;
mod seeds;
#[cfg(test)]
mod tests;
mod today;
mod verdict;
mod words;

pub use goal::{Goal, GoalError, GoalLimit, GoalMetric};
use seeds::SeveralSeeds;
pub use seeds::mean_within;
pub use today::{TODAY, today};
use verdict::PolicyVerdict;
pub(crate) use verdict::VerdictKind;

use raddle_sim::{Interval, Outcome, ProcessSummary, Summary, Workload};
use serde::{Deserialize, Serialize};

use crate::document::Block;
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
    /// The error of the replay of this process alone on its own device, against its recording.
    pub self_replay: Option<ModelError>,
    /// The error of the end of that replay, where the host of the process waits for the device:
    /// else the end follows the recording.
    pub end_error: Option<f64>,
    /// True if the file of the process does not say when most of its launches were issued, so that
    /// idle time is assumed.
    #[serde(default)]
    pub issue_unknown: bool,
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
    /// The bounds between which the decisive figure lies with 95 % confidence, as the run is one
    /// sample; absent for fewer than ten requests or steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Interval>,
    /// The bounds of the decisive figure, where contention is charged: under the least and the most
    /// contention.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) between_ns: Option<[u64; 2]>,
    /// The accuracy of the figures where requests were drawn by several seeds: figures are then
    /// means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) drawn: Option<SeveralSeeds>,
}

/// The figures of all processes under all recipes, and the conclusion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PolicyFigures {
    /// The recipe by which the device shares itself today.
    pub today: String,
    /// The row that others are compared with: that of today, else the first.
    pub baseline: usize,
    /// The processes, in the order of the workload.
    pub processes: Vec<JudgedProcess>,
    /// The goals that the user set.
    pub goals: Vec<Goal>,
    /// The rows, one a recipe, in the order replayed.
    pub rows: Vec<PolicyRow>,
    /// Positions of rows, the best first.
    pub ranking: Vec<usize>,
    /// The figure by which rows are ranked; `None`: the product of all slowdowns.
    #[serde(skip)]
    minimised: Option<(usize, GoalMetric)>,
    /// The recommendation.
    pub(crate) verdict: PolicyVerdict,
}

/// The recipe under which a process alone is the measure of all others.
pub const ORDINARY: &str = "leftover";

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
            self_replay: None,
            end_error: None,
            issue_unknown: false,
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
}

fn in_order(process: &ProcessSummary) -> Vec<u64> {
    process.requests.as_ref().map_or_else(Vec::new, |it| it.in_order_ns.clone())
}

impl PolicyRow {
    /// Adds the intervals of the figures to the row, by rows with the least and the most
    /// contention.
    #[must_use]
    pub fn between(mut self, bounds: &[Self]) -> Self {
        if bounds.is_empty() {
            return self;
        }
        for (at, own) in self.processes.iter_mut().enumerate() {
            let within = own.drawn.map_or(0, |drawn| drawn.decisive_within_ns);
            let rows = bounds.iter().map(|row| row.processes.get(at)?.decisive_ns);
            let all: Option<Vec<u64>> = rows.chain([own.decisive_ns]).collect();
            own.between_ns = all.and_then(|all| {
                let least = all.iter().min()?.saturating_sub(within);
                Some([least, all.iter().max()?.saturating_add(within)])
            });
        }
        self
    }
}

impl ProcessFigures {
    /// Returns a figure of the process in nanoseconds, if the process has such a figure.
    #[must_use]
    pub const fn figure(&self, metric: GoalMetric) -> Option<u64> {
        match metric {
            GoalMetric::P50 => self.p50_ns,
            GoalMetric::P90 => self.p90_ns,
            GoalMetric::P95 => self.p95_ns,
            GoalMetric::Mean => self.mean_ns,
            GoalMetric::Max => self.max_ns,
            GoalMetric::P99 | GoalMetric::Step | GoalMetric::End => self.decisive_ns,
        }
    }

    /// Returns the bounds of the decisive figure, by the sample, where that is long enough to give
    /// both, and by what is known of contention.
    #[must_use]
    pub(crate) fn bounds(&self) -> Option<[u64; 2]> {
        let sampled = self.sampled.and_then(|it| Some([it.least_ns, it.most_ns?]));
        let both = match (sampled, self.between_ns) {
            (Some(one), Some(other)) => Some([one[0].min(other[0]), one[1].max(other[1])]),
            (one, other) => one.or(other),
        };
        both.filter(|[least, most]| least < most)
    }

    /// Returns the upper bound of the decisive figure.
    fn most_ns(&self) -> Option<u64> {
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

impl PolicyFigures {
    /// Returns the recommendation, in one sentence.
    #[must_use]
    pub fn sentence(&self) -> &str {
        &self.verdict.text
    }

    /// Names the processes whose files do not say when most of their work was issued, so that idle
    /// time is assumed; `None` where all files say it.
    pub(crate) fn issue_unknown(&self) -> Option<String> {
        let of = self.processes.iter().filter(|it| it.issue_unknown);
        let names: Vec<&str> = of.map(|it| &*it.name).collect();
        match names.as_slice() {
            [] => None,
            [only] => Some((*only).to_owned()),
            [first, other] => Some(format!("{first} and {other}")),
            [first, more @ ..] => Some(format!("{first} and {} more", more.len())),
        }
    }

    /// Adds a sentence to the verdict.
    pub(crate) fn add(&mut self, sentence: &str) {
        self.verdict.text = format!("{} {sentence}", self.verdict.text);
    }

    /// Returns the recipe that the verdict names; `None` where it names none.
    #[must_use]
    pub fn recommended(&self) -> Option<&str> {
        self.verdict.recipe.as_deref()
    }

    /// Names the changes against the baseline that are smaller than the error of the model, in one
    /// sentence; empty where there is no such change.
    pub(crate) fn doubts(&self) -> Vec<String> {
        verdict::doubts(self)
    }

    /// Says in the verdict that it is of those recipes alone that ran, as others failed.
    pub fn of_those_that_ran(&mut self) {
        let text = &self.verdict.text;
        let first = text.split([' ', ':']).next().unwrap_or_default();
        let is_name = self.rows.iter().any(|row| row.recipe == first);
        let text = match text.chars().next().filter(|_| !is_name) {
            Some(first) => format!("{}{}", first.to_lowercase(), &text[first.len_utf8()..]),
            None => text.clone(),
        };
        self.verdict.text = format!("Of those that ran, {text}");
    }

    /// Says how far the verdict may be believed, in fewer words than the reasons beside it: of each
    /// kind of error the largest over all processes, and a fact that holds for several processes
    /// only once.
    #[must_use]
    pub fn trust_in_brief(&self) -> Vec<String> {
        verdict::trust_in_brief(self)
    }

    /// Says why no recipe meets all goals; `None` where one does, or there are none.
    #[must_use]
    pub fn missed_goals(&self) -> Option<&str> {
        (self.verdict.kind == VerdictKind::NoGoalMet).then_some(&self.verdict.text)
    }

    /// Shows the verdict to people.
    #[must_use]
    pub fn block(&self) -> Block {
        let PolicyVerdict { kind, recipe, text, why, .. } = &self.verdict;
        let good = matches!(kind, VerdictKind::Use | VerdictKind::Stay);
        let name = recipe.clone().unwrap_or_default();
        Block::Verdict { good, name, text: text.clone(), why: why.clone() }
    }

    /// Ranks the rows, judges the goals and draws the conclusion.
    ///
    /// The rank of a row is the product, over its processes, of the decisive figure over the same
    /// figure alone: half the time of one process is worth twice the time of another. Rows that
    /// meet more goals come first; of rows that meet as many, the one that is nearer to the goal it
    /// misses most. Rows in which something never ended come last, behind them those that no driver
    /// offers, and of equal rows the earlier comes first.
    #[must_use]
    pub fn new(
        today: &str,
        processes: Vec<JudgedProcess>,
        rows: Vec<PolicyRow>,
        goals: Vec<Goal>,
    ) -> Self {
        Self::ranked_by(None, today, processes, rows, goals)
    }

    /// Ranks the rows by one figure of the process at a position instead of the product; see
    /// [`Self::new`].
    #[must_use]
    pub fn ranked_by(
        minimised: Option<(usize, GoalMetric)>,
        today: &str,
        processes: Vec<JudgedProcess>,
        rows: Vec<PolicyRow>,
        goals: Vec<Goal>,
    ) -> Self {
        let baseline = rows.iter().position(|row| row.recipe == today).unwrap_or(0);
        let today = today.to_owned();
        let (ranking, verdict) = (Vec::new(), PolicyVerdict::default());
        let mut all = Self { today, baseline, processes, goals, rows, ranking, minimised, verdict };
        for at in 0..all.rows.len() {
            all.rows[at].goals_met =
                all.goals.iter().map(|goal| goal.is_met(&all, at) == Some(true)).collect();
            let share = |goal: &Goal| goal.share_within(&all, at).map(round);
            all.rows[at].goals_share = all.goals.iter().map(share).collect();
        }
        let mut ranking: Vec<usize> = (0..all.rows.len()).collect();
        ranking.sort_by(|&a, &b| {
            let key = |at: usize| (!all.rows[at].offered, !all.rows[at].complete, all.missed(at));
            let near = all.beyond(a).total_cmp(&all.beyond(b));
            key(a).cmp(&key(b)).then(near).then(all.rank(a).total_cmp(&all.rank(b)))
        });
        all.ranking = ranking;
        all.verdict = verdict::verdict(&all);
        all
    }

    /// Says what the best way that no driver offers would give, where that is more than the best
    /// way that one offers.
    #[must_use]
    pub fn not_offered(&self) -> Option<String> {
        let &best = self.ranking.first()?;
        let &own = self.ranking.iter().find(|&&row| !self.rows[row].offered)?;
        let row = &self.rows[own];
        if best == own || !row.complete || self.rank(own) >= self.rank(best) {
            return None;
        }
        let figures = self.processes.iter().zip(&row.processes).filter_map(|(process, own)| {
            let time = crate::units::duration(own.decisive_ns?);
            Some(format!("{} {} {time}", process.name, process.judged.word()))
        });
        let figures: Vec<String> = figures.collect();
        Some(format!("{} would give {}; no driver offers it", row.recipe, figures.join(", ")))
    }

    /// Returns whether a row meets all goals.
    #[must_use]
    pub(crate) fn meets_all(&self, row: usize) -> bool {
        self.rows[row].goals_met.iter().all(|&met| met)
    }

    /// Counts the goals that a row misses.
    fn missed(&self, row: usize) -> usize {
        self.rows[row].goals_met.iter().filter(|met| !**met).count()
    }

    /// Divides the figure of a row by the limit of the goal that it misses most; 1 where it misses
    /// none.
    fn beyond(&self, row: usize) -> f64 {
        let beyond = self.goals.iter().map(|goal| {
            let found = goal.figure(self, row)?;
            over(found, goal.limit_ns(self)?)
        });
        beyond.map(|beyond| beyond.unwrap_or(f64::INFINITY)).fold(1.0, f64::max)
    }

    /// Divides the decisive figure of a process by the same figure of the process alone.
    pub(crate) fn slowdown(&self, row: usize, process: usize) -> Option<f64> {
        let alone = self.processes[process].alone_ns?;
        over(self.rows[row].processes[process].decisive_ns?, alone).map(round)
    }

    /// Returns how much longer a process takes than under the baseline, as a share; below 0 it is
    /// shorter.
    pub(crate) fn change(&self, row: usize, process: usize) -> Option<f64> {
        let of = |row: usize| self.rows[row].processes[process].decisive_ns;
        over(of(row)?, of(self.baseline)?).map(|ratio| round(ratio - 1.0))
    }

    /// Returns the value by which rows are ranked; the lower the better.
    fn rank(&self, row: usize) -> f64 {
        match self.minimised {
            Some((process, metric)) => {
                let found = self.rows[row].processes[process].figure(metric);
                found.map_or(f64::INFINITY, |ns| ns as f64)
            }
            None => self.rank_by(row, |own| own.decisive_ns),
        }
    }

    /// Multiplies the slowdowns of all processes, each by one figure of the process.
    fn rank_by(&self, row: usize, figure: impl Fn(&ProcessFigures) -> Option<u64>) -> f64 {
        let processes = 0..self.processes.len();
        let slowdown = |process: usize| {
            let figure = figure(&self.rows[row].processes[process])?;
            let base = self.rows[self.baseline].processes[process].decisive_ns;
            over(figure, self.processes[process].alone_ns.or(base)?)
        };
        processes.filter_map(slowdown).product()
    }
}

/// Rounds to four decimals, as no printed figure has more.
fn round(x: f64) -> f64 {
    (x * 10_000.0).round() / 10_000.0
}

fn over(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
