//! What do the rows of a sweep say, as means over the random seeds of each case?

use std::collections::BTreeMap;

use super::answer::answer;
use super::reach::{along, reaches};
use super::row::ReadRow;
use super::summary::{
    FailedCase, GroupSummary, JudgedFigure, NeverRan, SweepSummary, SweptAxis, Within,
};
use crate::answer::{FigureBounds, Goal, GoalLimit, GoalMetric, GoalsJudged, JudgedBy};

/// Keys of the figures of a process in a row (the result of one case). The first three (p99, step,
/// end) are the figures by which a process may be judged, in the order of [`JudgedBy`]. The others
/// include the figure of the process alone and the bounds of the judged figure.
const OF_PROCESS: [&str; 13] = [
    "p99-ns",
    "step-ns",
    "end-ns",
    "p50-ns",
    "max-ns",
    "p90-ns",
    "p95-ns",
    "mean-ns",
    "alone-ns",
    "least-ns",
    "most-ns",
    "open",
    "other-vendor",
];
/// Index of the median request time in [`OF_PROCESS`]. The constants below are further indices: of
/// the figure alone, of the lower and upper bound, of the mark that there is no upper bound, and of
/// the mark of a recording on another vendor's device.
const MEDIAN: usize = 3;
const ALONE: usize = 8;
const LEAST: usize = 9;
const MOST: usize = 10;
const OPEN: usize = 11;
const OTHER_VENDOR: usize = 12;

/// Rows (results of cases) of one sweep, added in any order, from which the summary with means over
/// the random seeds is made.
#[derive(Clone, Debug)]
pub struct Swept {
    axes: Vec<SweptAxis>,
    /// Index of the random seed among the axes (varied options); `None` where seeds were not
    /// varied.
    seed: Option<usize>,
    goals: Vec<Goal>,
    processes: Vec<String>,
    /// Rows of the sweep; rows that differ only in the random seed are together. The key is the
    /// combination of values of the other axes, as indices.
    groups: BTreeMap<Vec<usize>, SweptGroup>,
    /// Facts about the profiles that can make the study's answer wrong, one line each.
    overturning: Vec<String>,
    /// Sentences on the memory that the processes need together, and on how much the device has.
    memory: Vec<String>,
    /// Processes of which some launches can never run, by name.
    never_ran: BTreeMap<String, NeverRan>,
    /// Number of cases that the summary is about, if these are only a part of the sweep; else
    /// `None`.
    part: Option<u64>,
}

#[derive(Clone, Debug, Default)]
struct SweptGroup {
    /// Figures of the rows, by the index of the random seed. A row has for each process the figures
    /// with the keys [`OF_PROCESS`], then the makespan; `None` where it lacks the figure.
    seeds: BTreeMap<usize, Vec<Option<f64>>>,
    /// Failed cases of this combination of values, by the index of the random seed.
    failed: BTreeMap<usize, FailedCase>,
    stuck: bool,
}

impl Swept {
    /// Returns an empty collection of rows for a sweep with these axes (varied options), goals and
    /// processes.
    #[must_use]
    pub fn new(axes: Vec<SweptAxis>, goals: Vec<Goal>, processes: Vec<String>) -> Self {
        let seed = axes.iter().position(|axis| axis.key == "seed");
        Self {
            axes,
            seed,
            goals,
            processes,
            groups: BTreeMap::new(),
            overturning: Vec::new(),
            memory: Vec::new(),
            never_ran: BTreeMap::new(),
            part: None,
        }
    }

    /// Sets the number of cases that the summary is about, if these are only a part of the sweep;
    /// `None` means all cases.
    pub const fn only(&mut self, cases: Option<u64>) {
        self.part = cases;
    }

    /// Sets the lines on facts about the profiles that can make the study's answer wrong.
    pub fn warn(&mut self, lines: Vec<String>) {
        self.overturning = lines;
    }

    /// Sets the sentences on how much memory the processes need together.
    pub fn hold(&mut self, memory: Vec<String>) {
        self.memory = memory;
    }

    /// Adds the row (result) of a case; `places` has, for each axis (varied option), the index of
    /// the case's value.
    pub fn add(&mut self, places: &[usize], row: &ReadRow) {
        let all = places.iter().copied().enumerate();
        let group = all.filter(|(axis, _)| Some(*axis) != self.seed).map(|(_, place)| place);
        let group = self.groups.entry(group.collect()).or_default();
        let seed = self.seed.and_then(|axis| places.get(axis)).copied().unwrap_or(0);
        match &row.result {
            Ok(figures) => {
                let of = |process: &String, key: &str| figures.get(&format!("{process}.{key}"));
                let own = |process| OF_PROCESS.map(|key| of(process, key).copied());
                let mut kept: Vec<Option<f64>> = self.processes.iter().flat_map(own).collect();
                kept.push(figures.get("makespan-ns").copied());
                for process in &self.processes {
                    NeverRan::add(&mut self.never_ran, process, |key| of(process, key).copied());
                }
                group.stuck |= figures.get("stuck").is_some_and(|&stuck| stuck > 0.0);
                group.seeds.insert(seed, kept);
            }
            Err(error) => {
                let (case, error) = (row.case.clone(), error.clone());
                group.failed.insert(seed, FailedCase { case, error });
            }
        }
    }

    /// Returns the summary of the rows: the figures as means over the random seeds, and which goals
    /// these meet.
    #[must_use]
    pub fn summary(&self) -> SweepSummary {
        let axes: Vec<&SweptAxis> = self.group_axes().map(|(_, axis)| axis).collect();
        let judged = self.judged();
        let groups = self.groups.iter().map(|(places, group)| {
            let values = axes.iter().zip(places).map(|(axis, &at)| axis.values[at].clone());
            let goals = self.judged_goals(places, group, &judged);
            GroupSummary {
                values: values.collect(),
                seeds: group.seeds.len() as u64,
                failed: group.failed.len() as u64,
                complete: !group.stuck && !group.seeds.is_empty(),
                whole: self.is_whole(group),
                figures: judged.iter().map(|one| group.figure(one.at)).collect(),
                medians: self.of_each(group, MEDIAN),
                alone: self.of_each(group, ALONE),
                makespan: group.figure(self.processes.len() * OF_PROCESS.len()),
                bounds: (0..self.processes.len()).map(|at| group.bounds(at)).collect(),
                other_vendor: self.is_other_vendor(group),
                goals_met: goals.map(GoalsJudged::is_met),
                goals_sure: goals.map(GoalsJudged::is_sure),
            }
        });
        let groups = groups.collect();
        let failures = || self.groups.values().flat_map(|group| group.failed.values().cloned());
        let rows = self.groups.values().map(|group| group.seeds.len() as u64).sum();
        let never_ran = self.never_ran.values().map(|lost| lost.line(rows));
        let mut summary = SweepSummary {
            overturning: self.overturning.iter().cloned().chain(never_ran).collect(),
            memory: self.memory.clone(),
            never_ran: self.never_ran.values().cloned().collect(),
            axes: axes.iter().map(|axis| axis.key.clone()).collect(),
            cases: self
                .part
                .unwrap_or_else(|| self.axes.iter().map(|axis| axis.values.len() as u64).product()),
            rows: self.groups.values().map(|it| (it.seeds.len() + it.failed.len()) as u64).sum(),
            failed: failures().count() as u64,
            failures: failures().collect(),
            goals: self.goals.clone(),
            along: along(&axes),
            judged,
            groups,
            reaches: Vec::new(),
            answer: None,
        };
        summary.reaches = reaches(&summary);
        summary.answer = answer(&summary);
        summary
    }

    /// Returns, for each process, the mean over the random seeds of the figure with the index `at`
    /// in [`OF_PROCESS`]; `None` where a seed lacks it.
    fn of_each(&self, group: &SweptGroup, at: usize) -> Vec<Option<Within>> {
        let processes = 0..self.processes.len();
        processes.map(|process| group.figure(process * OF_PROCESS.len() + at)).collect()
    }

    fn group_axes(&self) -> impl Iterator<Item = (usize, &SweptAxis)> {
        self.axes.iter().enumerate().filter(|(axis, _)| Some(*axis) != self.seed)
    }

    /// Finds the figure by which each process is judged: p99, step or end, whichever a row of the
    /// sweep has first in this order.
    fn judged(&self) -> Vec<JudgedFigure> {
        let has = |at: usize| {
            let mut rows = self.groups.values().flat_map(|group| group.seeds.values());
            rows.any(|row| row[at].is_some())
        };
        let figures = [JudgedBy::Requests, JudgedBy::Steps, JudgedBy::End];
        let one = |(position, process): (usize, &String)| {
            let first = position * OF_PROCESS.len();
            let at = (0..figures.len()).find(|at| has(first + at)).unwrap_or(figures.len() - 1);
            JudgedFigure { process: process.clone(), figure: figures[at].word(), at: first + at }
        };
        self.processes.iter().enumerate().map(one).collect()
    }

    /// Returns whether all random seeds of a combination of values have figures, and all their
    /// launches ended.
    fn is_whole(&self, group: &SweptGroup) -> bool {
        let seeds = self.seed.map_or(1, |axis| self.axes[axis].values.len());
        group.seeds.len() == seeds && !group.stuck
    }

    /// Returns whether a process was recorded on a device of another vendor, on which programs use
    /// other kernels.
    fn is_other_vendor(&self, group: &SweptGroup) -> bool {
        let of = |at: usize| at * OF_PROCESS.len() + OTHER_VENDOR;
        (0..self.processes.len()).any(|at| group.seeds.values().any(|row| row[of(at)].is_some()))
    }

    /// Judges the goals for a combination of values; `judged` has the figure (p99, step or end) by
    /// which each process is judged. `None` where there are no goals, or they cannot be judged.
    fn judged_goals(
        &self,
        places: &[usize],
        group: &SweptGroup,
        judged: &[JudgedFigure],
    ) -> Option<GoalsJudged> {
        if !self.is_whole(group) || self.is_other_vendor(group) {
            return None;
        }
        let met = self.goals.iter().map(|goal| {
            let process = self.processes.iter().position(|name| *name == goal.process)?;
            let key = match goal.metric {
                GoalMetric::P99 => 0,
                GoalMetric::Step => 1,
                GoalMetric::End => 2,
                GoalMetric::P50 => 3,
                GoalMetric::Max => 4,
                GoalMetric::P90 => 5,
                GoalMetric::P95 => 6,
                GoalMetric::Mean => 7,
            };
            let at = process * OF_PROCESS.len() + key;
            let limit = match goal.limit {
                GoalLimit::Ns(ns) => ns as f64,
                GoalLimit::Longer(by) => {
                    let base = self.base(places).filter(|base| self.is_whole(base))?;
                    base.figure(at)?.mean * (1.0 + f64::from(by) / 10_000.0)
                }
            };
            let found = group.figure(at)?.mean;
            let own = judged[process].at;
            let bounds = group.bounds(process).map(|bounds| match group.figure(own) {
                // Times of runs are far below 2^53 ns.
                Some(decisive) if own != at => bounds.of_other(decisive.mean as u64, found as u64),
                _ => bounds,
            });
            // The way of today is never longer than itself.
            let is_base = matches!(goal.limit, GoalLimit::Longer(_))
                && self.base(places).is_some_and(|base| std::ptr::eq(base, group));
            let sure = is_base || bounds.is_none_or(|bounds| bounds.is_sure(limit as u64));
            Some((found <= limit, sure))
        });
        let met: Option<Vec<(bool, bool)>> = met.collect();
        let met = met.filter(|met| !met.is_empty())?;
        Some(GoalsJudged::of(met.into_iter()))
    }

    /// Returns the rows under the device's default recipe that agree with the combination `places`
    /// in the values of all other options; `None` where there are none.
    fn base(&self, places: &[usize]) -> Option<&SweptGroup> {
        let mut axes = self.group_axes().enumerate();
        let (at, (_, axis)) = axes.find(|(_, (_, axis))| axis.key == "recipe")?;
        let base = axis.values.iter().position(|value| value == crate::answer::TODAY)?;
        let mut places = places.to_vec();
        places[at] = base;
        self.groups.get(&places)
    }
}

impl SweptGroup {
    /// Returns the bounds of the figure by which the process with the index `process` is judged.
    /// The bounds are means over the random seeds, widened by the error of these means. `None`
    /// where the figure has no bounds; rows of older versions of raddle have none at all.
    fn bounds(&self, process: usize) -> Option<FigureBounds> {
        let first = process * OF_PROCESS.len();
        let of = |at: usize| self.figure(first + at);
        let is_open =
            self.seeds.values().any(|row| row[first + OPEN].is_some_and(|open| open > 0.0));
        let (least, most) = (of(LEAST)?, of(MOST)?);
        let within = |it: Within| it.within.unwrap_or(0.0);
        Some(FigureBounds {
            least_ns: (least.mean - within(least)).max(0.0) as u64,
            most_ns: (most.mean + within(most)) as u64,
            open: is_open,
        })
    }

    /// Returns the mean over the random seeds of the figure with the index `at` among those of a
    /// row, rounded to whole numbers; `None` where a seed lacks the figure.
    fn figure(&self, at: usize) -> Option<Within> {
        let all: Option<Vec<f64>> = self.seeds.values().map(|row| row[at]).collect();
        let Within { mean, within } = Within::of(&all?)?;
        Some(Within { mean: mean.round(), within: within.map(f64::round) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(key: &str, values: &[&str]) -> SweptAxis {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        SweptAxis { key: key.to_owned(), values }
    }

    fn row(figures: &[(&str, f64)]) -> ReadRow {
        let figures = figures.iter().map(|&(key, value)| (key.to_owned(), value));
        ReadRow { case: String::new(), of: String::new(), result: Ok(figures.collect()) }
    }

    fn swept(goals: &[&str]) -> Swept {
        let axes = vec![
            axis("load", &["10/s", "20/s", "40/s"]),
            axis("recipe", &["today", "weighted-slices"]),
            axis("seed", &["0", "1"]),
        ];
        let goals = goals.iter().map(|goal| goal.parse().unwrap()).collect();
        let names = vec!["serve".to_owned(), "train".to_owned()];
        let mut swept = Swept::new(axes, goals, names);
        for (load, factor) in [(0, 1.0), (1, 1.5), (2, 9.0)] {
            for (recipe, base) in [(0, 100.0), (1, 200.0)] {
                for seed in [1, 0] {
                    let p99 = base * factor + 10.0 * seed as f64;
                    let step = 1000.0 + base;
                    swept.add(
                        &[load, recipe, seed],
                        &row(&[
                            ("serve.p99-ns", p99),
                            ("train.step-ns", step),
                            ("train.end-ns", 1.0),
                            ("makespan-ns", 5.0),
                        ]),
                    );
                }
            }
        }
        swept
    }

    #[test]
    fn seeds_are_one_mean_with_its_interval() {
        let summary = swept(&[]).summary();
        assert_eq!((summary.cases, summary.rows, summary.groups.len()), (12, 12, 6));
        let words: Vec<&str> = summary.judged.iter().map(|one| one.figure).collect();
        assert_eq!(words, ["p99", "step"]);
        let first = &summary.groups[0];
        assert_eq!(first.values, ["10/s", "today"]);
        // Two values 10 apart: 12.706 * 7.07 / sqrt(2) = 63.5.
        assert_eq!(first.figures[0], Some(Within { mean: 105.0, within: Some(64.0) }));
        assert_eq!(first.goals_met, None);
    }

    #[test]
    fn a_series_reaches_as_far_as_its_goals_or_twice_its_lowest() {
        let reach = |goals: &[&str]| -> Vec<Option<String>> {
            swept(goals).summary().reaches.into_iter().map(|reach| reach.up_to).collect()
        };
        let some = |load: &str| Some(load.to_owned());
        assert_eq!(reach(&[]), [some("20/s"), some("20/s")]);
        assert_eq!(reach(&["serve p99 250ns"]), [some("20/s"), some("10/s")]);
        assert_eq!(reach(&["train step +5%"]), [some("40/s"), None]);
        assert_eq!(reach(&["serve p50 1s"]), [None, None], "what nobody knows is not said");
    }

    #[test]
    fn a_goal_is_surely_missed_only_where_there_is_one() {
        let from = |goals: &[&str]| -> Vec<Option<String>> {
            swept(goals).summary().reaches.into_iter().map(|reach| reach.surely_not_from).collect()
        };
        assert_eq!(from(&[]), [None, None]);
        let some = |load: &str| Some(load.to_owned());
        assert_eq!(from(&["serve p99 250ns"]), [some("40/s"), some("20/s")]);
    }

    #[test]
    fn the_way_that_goes_furthest_is_named() {
        let told = |goal: &str| swept(&[goal]).summary().answer.expect("a load is varied");
        assert_eq!(swept(&[]).summary().answer, None, "without goals nothing is limited");
        let one = "today goes furthest: all goals hold at load surely up to 20/s.";
        assert_eq!(told("serve p99 250ns"), one);
        let both = "today and weighted-slices go furthest: all goals hold at load surely up to \
                    40/s, the highest tried.";
        assert_eq!(told("serve p99 1s"), both);
        let none = "No way meets all goals even at load 10/s, the lowest.";
        assert_eq!(told("serve p99 1ns"), none);
    }

    #[test]
    fn failed_cases_are_told_and_nothing_is_concluded_of_them() {
        let failed = |load: usize, recipe: usize, error: &str| {
            let mut swept = swept(&["serve p99 250ns"]);
            let case = format!("{load} {recipe}");
            let row = ReadRow { case, of: String::new(), result: Err(error.to_owned()) };
            // The figures of the other seed are removed, and make no difference.
            swept.groups.get_mut(&vec![load, recipe]).unwrap().seeds.remove(&1);
            swept.add(&[load, recipe, 1], &row);
            swept.summary()
        };
        let told = |summary: &SweepSummary| {
            let of =
                |reach: &crate::sweep::Reach| (reach.up_to.clone(), reach.without_answer.clone());
            of(&summary.reaches[0])
        };
        let some = |text: &str| Some(text.to_owned());
        let lowest = failed(0, 0, "no device x");
        assert_eq!(told(&lowest), (None, some("10/s failed")));
        assert_eq!((lowest.failed, lowest.groups[0].failed), (1, 1));
        assert_eq!(lowest.groups[0].goals_met, None);
        assert_eq!(lowest.without_answer().unwrap(), "1 of 12 cases failed: 0 0: no device x");
        assert_eq!(
            lowest.goals_told().unwrap(),
            "met by 2 of 5 combinations; 1 of 6 without an answer"
        );
        assert_eq!(told(&failed(1, 0, "x")), (some("10/s"), some("20/s failed")));
        // Values behind a missed goal do not matter.
        let highest = failed(2, 1, "x");
        assert_eq!(told(&highest), (some("20/s"), None));
        assert_eq!(highest.reaches[1].up_to, some("10/s"));
        let mut without = swept(&["serve p99 250ns"]);
        without.groups.remove(&vec![0, 0]);
        assert_eq!(told(&without.summary()), (None, some("10/s has no row")));
        let mut stuck = swept(&[]);
        stuck.groups.get_mut(&vec![1, 0]).unwrap().stuck = true;
        let stuck = stuck.summary();
        assert_eq!(told(&stuck), (some("10/s"), some("20/s never ended")));
        assert_eq!(stuck.without_answer().unwrap(), "launches never ended in 20/s today");
    }

    #[test]
    fn goals_that_no_set_of_values_meets_are_said_to_be_missed() {
        let missed = |goal: &str| swept(&[goal]).summary().missed_goals();
        assert_eq!(
            missed("serve p99 1ns").unwrap(),
            "No combination of values meets all goals: `serve p99 1ns`"
        );
        assert_eq!(missed("serve p99 150ns"), None);
        assert_eq!(missed("serve p50 1s"), None, "nobody knows");
        assert_eq!(swept(&[]).summary().missed_goals(), None);
    }
}
