//! Which recipe is best for whom, and what does it cost the others?
//!
//! A process with requests is judged by their 99th percentile, one that repeats by the time of a
//! step, any other by its end, in ns. In every row, its time is compared with that of the process
//! alone on the device under `leftover`. Changes are against the baseline: the way of today, else
//! the first recipe.

mod bounds;
mod changes;
mod either;
mod elsewhere;
mod evidence;
mod goal;
mod goals_judged;
mod measured;
mod meets;
mod misses;
mod no_driver;
mod no_effect;
mod offered;
mod reach;
mod resampled;
mod row;
mod seeds;
mod set_up;
mod settings;
mod steered;
mod streams;
#[cfg(test)]
mod tests;
mod today;
mod trust;
mod unoffered_goals;
mod unsure;
mod verdict;
mod words;

pub use bounds::{DecidingFigure, FigureBounds};
pub use elsewhere::RecordedOn;
pub use goal::{Goal, GoalError, GoalLimit, GoalMetric};
pub use goals_judged::GoalsJudged;
pub use measured::{ErrorsMeasured, MeasuredError, measured_error};
pub use offered::Offered;
pub use row::{
    FromIssue, JudgedBy, JudgedProcess, PolicyRow, ProcessFigures, SeveralSeeds, UrgentWaits,
};
pub use seeds::mean_within;
pub use set_up::WayToSetUp;
pub(crate) use today::TIME_SLICE;
pub use today::{TODAY, today};
pub use verdict::{PolicyVerdict, VerdictKind};
pub(crate) use words::from_to;

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use either::SMALL;

/// Result of a comparison of recipes (ways in which processes share a device): the figures of all
/// processes under each recipe, the rank of each recipe, and the recommendation that follows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PolicyFigures {
    /// Name of the recipe that stands for today: how the device shares itself between processes
    /// where nobody sets anything up.
    pub today: String,
    /// Index, among the compared recipes (`rows`), of the baseline: the recipe with which the
    /// others are compared. It is the recipe of today (how the device shares itself where nobody
    /// sets anything up), else the first.
    pub baseline: usize,
    /// Processes of the workload; the figures of processes in each row are in this order.
    pub processes: Vec<JudgedProcess>,
    /// Goals that the user set, such as `serve p99 20ms`.
    pub goals: Vec<Goal>,
    /// Rows of figures, one for each recipe that was compared, in the order of the replays.
    pub rows: Vec<PolicyRow>,
    /// Indices of the compared recipes (in `rows`), sorted from the best to the worst.
    pub ranking: Vec<usize>,
    /// (index of a process, one of its figures) by which rows are ranked, the smallest figure
    /// first. With `None`, rows are ranked by the product of the slowdowns of all processes.
    #[serde(skip)]
    minimised: Option<(usize, GoalMetric)>,
    /// True if the rows are candidates (combinations of settings) of one search for the best
    /// settings, beside the row of the baseline recipe.
    #[serde(skip)]
    searched: bool,
    /// Measurement from which the verdict takes the errors of replays: the programs and the device
    /// that were measured. `None` where one process runs alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors_measured: Option<ErrorsMeasured>,
    /// Recommendation: which recipe to use, why, and how far to believe it.
    pub verdict: PolicyVerdict,
}

/// Name of the recipe under which each process is replayed alone on the device. The time of that
/// replay is what its times beside other processes are compared with.
pub const ORDINARY: &str = "leftover";

impl PolicyFigures {
    /// Returns the recommendation as text, in a sentence or a few.
    #[must_use]
    pub fn sentence(&self) -> &str {
        &self.verdict.text
    }

    /// Returns the names of the processes whose files do not say when most of their work was
    /// issued, so that their idle time is assumed; `None` where all files say it.
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

    /// Returns a clause on the recorded idle gaps of the processes that [`Self::issue_unknown`]
    /// names: whether replays count them as waits for the host, or leave them out. The clause
    /// begins without an article. `None` where all files say when work was issued.
    fn gaps_told(&self) -> Option<String> {
        let [file, its] = self.unknown_words()?;
        let so = match self.processes.iter().any(|it| it.gaps_closed) {
            true => format!("and {its} gaps are left out, as asked"),
            false => format!("so {its} gaps are taken for waits for the host"),
        };
        Some(format!("{file} when work was issued, {so}"))
    }

    /// Returns two pieces of text on the processes that [`Self::issue_unknown`] names: the
    /// beginning of a sentence, such as "file of train does not say", and the word "its", or
    /// "their" for several files. `None` where all files say when work was issued.
    fn unknown_words(&self) -> Option<[String; 2]> {
        let names = self.issue_unknown()?;
        let several = self.processes.iter().filter(|it| it.issue_unknown).count() > 1;
        let (files, say, its) = match several {
            true => ("files", "do not say", "their"),
            false => ("file", "does not say", "its"),
        };
        Some([format!("{files} of {names} {say}"), its.to_owned()])
    }

    /// Appends a sentence to the text of the verdict, such as one on goals or on candidates left
    /// out.
    pub(crate) fn add(&mut self, sentence: &str) {
        self.verdict.text = format!("{} {sentence}", self.verdict.text);
    }

    /// Returns the name of the recipe that the verdict recommends or is about; `None` where it
    /// names none.
    #[must_use]
    pub fn recommended(&self) -> Option<&str> {
        self.verdict.recipe.as_deref()
    }

    /// Names the figures of processes whose change against the baseline recipe is smaller than the
    /// error of the simulation, so that the change may not be real. Returns one sentence, or an
    /// empty list where there is no such change.
    pub(crate) fn doubts(&self) -> Vec<String> {
        verdict::doubts(self)
    }

    /// Rewrites the verdict to begin with "Of those that ran", for an answer in which some recipes
    /// failed and have no row.
    pub fn of_those_that_ran(&mut self) {
        self.begin_with("Of those that ran");
    }

    /// Rewrites the verdict to be about the part of the work that ran, where most of the work of a
    /// process can never run here. Nothing is then set up by it.
    pub(crate) fn of_the_part_that_ran(&mut self) {
        self.restrict("No advice, as most of the work cannot run here; by the rest");
    }

    /// Rewrites the verdict to say that no compared recipe that a driver offers serves the requests
    /// as fast as they arrive. Nothing is then set up by it.
    pub(crate) fn of_too_many_requests(&mut self) {
        // A goal that is met all the same says enough of the load.
        if self.goals.is_empty() || !self.surely_meets_all(self.baseline) {
            self.restrict("More requests arrive than these policies serve; of these");
        }
    }

    /// Puts words before the text of a verdict that orders recipes, and lets nothing be set up by
    /// it. A recipe that the user asked for alone is set up all the same.
    fn restrict(&mut self, words: &str) {
        if self.verdict.kind.orders() {
            self.begin_with(words);
        }
        self.verdict.says_little = self.verdict.kind != VerdictKind::OneRecipe;
    }

    /// Puts words and a comma before the text of the verdict.
    fn begin_with(&mut self, words: &str) {
        let text = &self.verdict.text;
        let first = text.split([' ', ':']).next().unwrap_or_default();
        let is_name = self.rows.iter().any(|row| row.recipe == first);
        let text = match text.chars().next().filter(|_| !is_name) {
            Some(first) => format!("{}{}", first.to_lowercase(), &text[first.len_utf8()..]),
            None => text.clone(),
        };
        self.verdict.text = format!("{words}, {text}");
    }

    /// Returns the sentences, without full stops, that say how far the verdict may be believed, in
    /// fewer words than the list `trust` of the verdict. Of each kind of error the largest over all
    /// processes is named, and a fact that is true of several processes only once.
    #[must_use]
    pub fn trust_in_brief(&self) -> Vec<String> {
        trust::trust_in_brief(self)
    }

    /// Returns the text that says why no recipe meets all goals; `None` where one does, or where
    /// there are no goals.
    #[must_use]
    pub fn missed_goals(&self) -> Option<&str> {
        (self.verdict.kind == VerdictKind::NoGoalMet).then_some(&self.verdict.text)
    }

    /// Ranks the rows, judges the goals and draws the conclusion. `today` names the recipe that
    /// stands for how the device shares itself where nobody sets anything up.
    ///
    /// Rows are ranked by the product of the slowdowns of all processes, the least first. A
    /// slowdown is the figure by which a process is judged, over that figure of the process alone.
    /// So halving the time of one process weighs as much as doubling that of another.
    ///
    /// Some rules go before the product. Ways of sharing that no driver offers come last (recipes are
    /// ranked whoever offers them), and before them those in which something never ended. Rows that
    /// meet more goals come first; of rows that meet equally many, the one that exceeds a limit by the smaller factor at worst. Where every
    /// process takes the same time to within 1 % under all rows, the waits of the most urgent
    /// streams decide.
    ///
    /// Of rows that meet all goals, those come first that meet them also by the bounds of their
    /// figures, then those that do as far as these bounds are known. Where a recipe that a driver offers meets all goals, only processes without a goal
    /// enter the product. Rows within 1 % of each other are then ordered by the product over all
    /// processes. Of equal rows the earlier comes first.
    #[must_use]
    pub fn new(
        today: &str,
        processes: Vec<JudgedProcess>,
        rows: Vec<PolicyRow>,
        goals: Vec<Goal>,
    ) -> Self {
        Self::judged(None, false, (today, processes), rows, goals)
    }

    /// Ranks the candidates (combinations of settings) of a search as [`Self::new`] ranks recipes;
    /// where `minimised` names a process and one of its figures, ranks them by that figure alone,
    /// the lowest first; `None` ranks by slowdowns.
    #[must_use]
    pub(crate) fn of_search(
        minimised: Option<(usize, GoalMetric)>,
        today: &str,
        processes: Vec<JudgedProcess>,
        rows: Vec<PolicyRow>,
        goals: Vec<Goal>,
    ) -> Self {
        Self::judged(minimised, true, (today, processes), rows, goals)
    }

    fn judged(
        minimised: Option<(usize, GoalMetric)>,
        searched: bool,
        (today, processes): (&str, Vec<JudgedProcess>),
        rows: Vec<PolicyRow>,
        goals: Vec<Goal>,
    ) -> Self {
        let baseline = rows.iter().position(|row| row.recipe == today).unwrap_or(0);
        let today = today.to_owned();
        let (ranking, verdict) = (Vec::new(), PolicyVerdict::default());
        let errors_measured = None;
        let mut all = Self {
            today,
            baseline,
            processes,
            goals,
            rows,
            ranking,
            minimised,
            searched,
            errors_measured,
            verdict,
        };
        for row in &mut all.rows {
            let open = all.processes.iter().map(|it| it.is_open);
            row.processes
                .iter_mut()
                .zip(open)
                .for_each(|(own, open)| own.cut_short = open && own.is_wide());
        }
        for at in 0..all.rows.len() {
            all.rows[at].goals_met =
                all.goals.iter().map(|goal| goal.is_met(&all, at) == Some(true)).collect();
            all.rows[at].goals_sure = all.goals.iter().map(|goal| goal.is_sure(&all, at)).collect();
            let share = |goal: &Goal| goal.share_within(&all, at).map(round);
            all.rows[at].goals_share = all.goals.iter().map(share).collect();
        }
        let mut ranking: Vec<usize> = (0..all.rows.len()).collect();
        let alike = all.minimised.is_none() && verdict::are_alike(&all);
        ranking.sort_by(|&a, &b| {
            let key =
                |at: usize| (!all.rows[at].is_ranked(), !all.rows[at].complete, all.missed(at));
            let near = all.beyond(a).total_cmp(&all.beyond(b));
            // A search knows few bounds of its candidates, and by few requests those of chance are wide.
            let risk = |at: usize| (!all.searched && all.missed(at) == 0).then(|| all.risk(at));
            let near = near.then(risk(a).cmp(&risk(b)));
            // Where all processes take the same time, the waits of urgent streams decide.
            let urgent = |at: usize| if alike { all.urgent_rank(at) } else { 1.0 };
            let by = |of: &dyn Fn(usize) -> f64| of(a).total_cmp(&of(b));
            // Steps of 1 %, as an order by "more than 1 % apart" would be none.
            let step = |at: usize| (all.rank(at).ln() / SMALL).floor();
            let cost = if all.weighs_all() { Ordering::Equal } else { by(&step) };
            let every = by(&|at| all.minimised.map_or(all.rank_of_all(at), |_| all.rank(at)));
            key(a).cmp(&key(b)).then(near).then(by(&urgent)).then(cost).then(every)
        });
        all.ranking = ranking;
        all.verdict = verdict::verdict(&all);
        all
    }

    /// Returns the index of the best recipe that no driver offers, if everything ended under it;
    /// `None` where there is none, and where no driver offers the best of all.
    pub(crate) fn best_unoffered(&self) -> Option<usize> {
        let &best = self.ranking.first()?;
        let &own = self.ranking.iter().find(|&&row| !self.rows[row].is_ranked())?;
        (own != best && self.rows[own].complete).then_some(own)
    }

    /// Returns the index of the best recipe that no driver offers; `None` where it is no better
    /// than the best of all others.
    pub(crate) fn better_unoffered(&self) -> Option<usize> {
        let (&best, own) = (self.ranking.first()?, self.best_unoffered()?);
        let is_behind = self.missed(own) > self.missed(best) || self.behind(own, best) >= 0.0;
        (!is_behind).then_some(own)
    }

    /// Returns a sentence on the gain that the best recipe which no driver offers would give;
    /// `None` where no such recipe is better than the best of all others.
    #[must_use]
    pub fn not_offered(&self) -> Option<String> {
        let (&best, own) = (self.ranking.first()?, self.better_unoffered()?);
        let row = &self.rows[own];
        let figures = self.processes.iter().enumerate().filter_map(|(at, process)| {
            let time = crate::units::duration(row.processes[at].decisive_ns?);
            let within = self.bounds(own, at);
            let within = within.map_or(String::new(), |bounds| format!(" ({})", bounds.text()));
            Some(format!("{} {} {time}{within}", process.name, process.judged.word()))
        });
        let figures: Vec<String> = figures.collect();
        let is_sure = self.is_surely_less(own, best);
        let gives = if is_sure { "would" } else { "might" };
        Some(format!("{} {gives} give {}; no driver offers it", row.recipe, figures.join(", ")))
    }

    /// Returns the bounds of the figure by which a process is judged, under the recipe with the
    /// index `row` among those compared. The bounds cover the sampling error of requests or steps,
    /// what is unknown of contention and of the cost of time slices, and a recording on another
    /// device. `None` where the figure is exact, or the recipe so far behind the best one that no
    /// bounds were simulated.
    #[must_use]
    pub fn bounds(&self, row: usize, process: usize) -> Option<FigureBounds> {
        self.bounds_in(&self.rows[row], process)
    }

    /// Returns the bounds of the figure by which the process with the index `process` is judged,
    /// under the recipe of `row`; `None` where the figure is exact, or no bounds were simulated.
    pub(crate) fn bounds_in(&self, row: &PolicyRow, process: usize) -> Option<FigureBounds> {
        if row.out_of_reach {
            return None;
        }
        row.processes[process].bounds_by(self.processes[process].device_factors)
    }

    /// Returns whether the recipe with the index `row` among those compared meets all goals.
    #[must_use]
    pub(crate) fn meets_all(&self, row: usize) -> bool {
        self.rows[row].goals_met.iter().all(|&met| met)
    }

    /// Counts the goals of the user that the recipe with the index `row` among those compared
    /// misses.
    fn missed(&self, row: usize) -> usize {
        self.rows[row].goals_met.iter().filter(|met| !**met).count()
    }

    /// Returns by what factor the recipe with the index `row` among those compared exceeds the
    /// limit of the goal that it misses most; 1 where it misses no goal.
    fn beyond(&self, row: usize) -> f64 {
        self.tightest(row).max(1.0)
    }

    /// Returns the largest ratio of a limited figure to its limit, over all goals, under the recipe
    /// with the index `row` among those compared. It is above 1 where a goal is missed, infinite
    /// where a figure is missing, and 0 without goals.
    pub(crate) fn tightest(&self, row: usize) -> f64 {
        let parts = self.goals.iter().map(|goal| {
            let found = goal.figure(self, row)?;
            over(found, goal.limit_ns(self)?)
        });
        parts.map(|part| part.unwrap_or(f64::INFINITY)).fold(0.0, f64::max)
    }

    /// Returns the slowdown of a process under the recipe with the index `row` among those
    /// compared: the figure by which it is judged, over the same figure of the process alone.
    /// `None` where one of the two is missing.
    #[must_use]
    pub fn slowdown(&self, row: usize, process: usize) -> Option<f64> {
        let alone = self.processes[process].alone_ns?;
        over(self.rows[row].processes[process].decisive_ns?, alone).map(round)
    }

    /// Returns the change, against the baseline recipe, of the figure by which a process is judged,
    /// under the recipe with the index `row`. The change is a fraction: 0.1 means 10 % longer,
    /// below 0 is shorter. `None` where a figure is missing.
    #[must_use]
    pub fn change(&self, row: usize, process: usize) -> Option<f64> {
        let of = |row: usize| self.rows[row].processes[process].decisive_ns;
        over(of(row)?, of(self.baseline)?).map(|ratio| round(ratio - 1.0))
    }

    /// Returns the value by which the recipe with the index `row` among those compared is ranked,
    /// the lowest first: a figure in nanoseconds where the user asked to minimise one, else the
    /// product of the slowdowns of the processes that count (all, or those without a goal).
    fn rank(&self, row: usize) -> f64 {
        match self.minimised {
            Some((process, metric)) => {
                let found = self.rows[row].processes[process].figure(metric);
                found.map_or(f64::INFINITY, |ns| ns as f64)
            }
            None => self.rank_by(row, |own| own.decisive_ns),
        }
    }

    /// Returns the largest gain of any process from the recipe with the index `from` to the one
    /// with the index `to`: how much longer it takes under `from`, as a fraction. `figure` picks
    /// the time to compare, in nanoseconds; 0 where no process gains.
    fn most_gain(
        &self,
        (from, to): (usize, usize),
        figure: impl Fn(&ProcessFigures) -> Option<u64>,
    ) -> f64 {
        let gain = |process: usize| {
            let of = |row: usize| figure(&self.rows[row].processes[process]);
            Some(over(of(from)?, of(to)?)? - 1.0)
        };
        (0..self.processes.len()).filter_map(gain).fold(0.0, f64::max)
    }

    /// Multiplies the slowdowns, under the recipe with the index `row` among those compared, of the
    /// processes that count (all, or those without a goal). `figure` picks the time of a process in
    /// nanoseconds; a process that has none is left out.
    fn rank_by(&self, row: usize, figure: impl Fn(&ProcessFigures) -> Option<u64>) -> f64 {
        let processes = (0..self.processes.len()).filter(|&process| self.weighs(process));
        let slowdown = |process: usize| {
            let figure = figure(&self.rows[row].processes[process])?;
            let base = self.rows[self.baseline].processes[process].decisive_ns;
            over(figure, self.processes[process].alone_ns.or(base)?)
        };
        processes.filter_map(slowdown).product()
    }

    /// Returns whether the recipe with the index `own` is surely better than `other`: the product
    /// of its slowdowns is less even if each figure is as unfavourable as its bounds allow. Only
    /// the processes that count enter the product: all, or those without a goal.
    fn is_surely_less(&self, own: usize, other: usize) -> bool {
        if self.rows[own].out_of_reach {
            return false;
        }
        let ratio = |process: usize| {
            let figure = |row: usize| self.rows[row].processes[process].decisive_ns;
            let most = match self.bounds(own, process) {
                Some(bounds) => (!bounds.open).then_some(bounds.most_ns),
                None => figure(own),
            };
            let least = self.bounds(other, process).map(|bounds| bounds.least_ns);
            over(most?, least.or(figure(other))?)
        };
        let processes = (0..self.processes.len()).filter(|&process| self.weighs(process));
        let ratios: Option<Vec<f64>> = processes.map(ratio).collect();
        ratios.is_some_and(|all| all.into_iter().product::<f64>() < 1.0)
    }
}

/// Rounds a figure of the comparison to four decimals, as no printed figure has more.
fn round(x: f64) -> f64 {
    (x * 10_000.0).round() / 10_000.0
}

fn over(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
