//! Which recipe is best for whom, and what does it cost the others?
//!
//! A process with requests is judged by their 99th percentile, one that repeats by the time of a
//! step, any other by its end; nanoseconds. All rows have one measure: the process alone on the
//! device under `leftover`. Changes are against the row of the baseline: the way
//! of today, else the first.

mod either;
mod elsewhere;
mod goal;
mod measured;
mod misses;
mod no_effect;
mod resampled;
mod row;
mod seeds;
mod streams;
#[cfg(test)]
mod tests;
mod today;
mod verdict;
mod words;

pub use elsewhere::RecordedOn;
pub use goal::{Goal, GoalError, GoalLimit, GoalMetric};
pub use measured::{MeasuredError, measured_error};
pub use row::{JudgedBy, JudgedProcess, PolicyRow, ProcessFigures, SeveralSeeds, UrgentWaits};
pub use seeds::mean_within;
pub(crate) use today::TIME_SLICE;
pub use today::{TODAY, today};
pub use verdict::{PolicyVerdict, VerdictKind};

use serde::{Deserialize, Serialize};

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
    pub verdict: PolicyVerdict,
}

/// The recipe under which a process alone is the measure of all others.
pub const ORDINARY: &str = "leftover";

impl PolicyFigures {
    /// Returns the recommendation, in one sentence.
    #[must_use]
    pub fn sentence(&self) -> &str {
        &self.verdict.text
    }

    /// Names the processes whose files do not say when most of their work was issued, so that idle
    /// time is assumed; `None` where all files say it.
    #[must_use]
    pub fn issue_unknown(&self) -> Option<String> {
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

    /// Ranks the rows, judges the goals and draws the conclusion.
    ///
    /// The rank of a row is the product, over its processes, of the decisive figure over the same
    /// figure alone: half the time of one process is worth twice the time of another. Rows that
    /// meet more goals come first; of rows that meet as many, the one that is nearer to the goal it
    /// misses most. Rows in which something never ended come last, behind them those that no driver
    /// offers, and of equal rows the earlier comes first. Where every process takes the same time to
    /// within 1 % under all rows, the waits of the most urgent streams decide.
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
        let alike = all.minimised.is_none() && verdict::are_alike(&all);
        ranking.sort_by(|&a, &b| {
            let key = |at: usize| (!all.rows[at].offered, !all.rows[at].complete, all.missed(at));
            let near = all.beyond(a).total_cmp(&all.beyond(b));
            // Where all processes take the same time, the waits of urgent streams decide.
            let urgent = |at: usize| if alike { all.urgent_rank(at) } else { 1.0 };
            let by = |of: &dyn Fn(usize) -> f64| of(a).total_cmp(&of(b));
            key(a).cmp(&key(b)).then(near).then(by(&urgent)).then(by(&|at| all.rank(at)))
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

    /// Returns the bounds of the decisive figure of a process under a recipe: by the sample, by what
    /// is known of contention and of prices, and by the device of the recording; `None` where the
    /// sample is too short for an upper bound.
    #[must_use]
    pub fn bounds(&self, row: usize, process: usize) -> Option<[u64; 2]> {
        let own = &self.rows[row].processes[process];
        let Some(factors) = self.processes[process].device_factors else { return own.bounds() };
        // A sample without an upper bound stays without one on any device.
        let plain = own.decisive_ns.filter(|_| own.sampled.is_none_or(|it| it.most_ns.is_some()));
        let bounds = own.bounds().or(plain.map(|own| [own, own]))?;
        // Times of runs are far below 2^53 ns.
        Some([0, 1].map(|at| (bounds[at] as f64 * factors[at]).round() as u64))
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
        self.tightest(row).max(1.0)
    }

    /// Divides the figure of a row by the limit of the goal that it comes nearest to, or misses
    /// most; 0 without goals.
    pub(crate) fn tightest(&self, row: usize) -> f64 {
        let parts = self.goals.iter().map(|goal| {
            let found = goal.figure(self, row)?;
            over(found, goal.limit_ns(self)?)
        });
        parts.map(|part| part.unwrap_or(f64::INFINITY)).fold(0.0, f64::max)
    }

    /// Divides the decisive figure of a process by the same figure of the process alone.
    #[must_use]
    pub fn slowdown(&self, row: usize, process: usize) -> Option<f64> {
        let alone = self.processes[process].alone_ns?;
        over(self.rows[row].processes[process].decisive_ns?, alone).map(round)
    }

    /// Returns how much longer a process takes than under the baseline, as a share; below 0 it is
    /// shorter.
    #[must_use]
    pub fn change(&self, row: usize, process: usize) -> Option<f64> {
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
