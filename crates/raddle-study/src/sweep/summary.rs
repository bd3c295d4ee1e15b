//! What are the results of a whole sweep, as `raddle sweep --format json` prints them?

use std::collections::BTreeMap;

use serde::Serialize;

use crate::answer::{FigureBounds, Goal, mean_within};
use crate::units::{count, counted, percent};

/// Option that a sweep varies, with its values: an axis of the sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweptAxis {
    /// Name of the varied option, such as `load`.
    pub key: String,
    /// Values of the option, in the order in which they are varied.
    pub values: Vec<String>,
}

/// Summary of a sweep, with means over the random seeds of each case.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SweepSummary {
    /// Keys of the varied options other than the random seed.
    pub axes: Vec<String>,
    /// Number of all cases of the sweep.
    pub cases: u64,
    /// Number of cases that have a row (a result or an error).
    pub rows: u64,
    /// Number of cases that have an error in place of figures.
    pub failed: u64,
    /// Failed cases, and why they failed; they count in no figure and no conclusion.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailedCase>,
    /// Facts that can make the study's answer wrong, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overturning: Vec<String>,
    /// Sentences on how much memory the processes need together and how much the device has: one
    /// for the first case, and one for the last case where it differs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<String>,
    /// Processes of which some launches can never run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub never_ran: Vec<NeverRan>,
    /// Goals that the user set for the processes.
    pub goals: Vec<Goal>,
    /// Axis (varied option) along which curves are drawn: (index of the axis, its values as text
    /// and number). `None` where no option has enough numbers as values.
    pub along: Option<(usize, Vec<(String, f64)>)>,
    /// Kind of figure (p99, step or end) by which each process is judged.
    pub judged: Vec<JudgedFigure>,
    /// Figures of each combination of values of the varied options, as means over the random seeds.
    pub groups: Vec<GroupSummary>,
    /// Highest value of the option `along` up to which the results are good, for each combination
    /// of values of the other varied options.
    pub reaches: Vec<Reach>,
    /// Sentence that says which combination of the other varied values holds all goals up to the
    /// highest value of the option `along`; `None` where there are no goals or no such option.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

/// A process, and the kind of figure (p99, step or end) by which it is judged.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct JudgedFigure {
    /// Name of the process that is judged.
    pub process: String,
    /// Kind of figure: `p99`, `step` or `end`.
    pub figure: &'static str,
    #[serde(skip)]
    pub(super) at: usize,
}

/// Figures of one combination of values of the varied options, as means over all its random seeds.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct GroupSummary {
    /// Values of the varied options other than the random seed, in the order of their keys.
    pub values: Vec<String>,
    /// Number of cases with figures, one for each random seed.
    pub seeds: u64,
    /// Number of random seeds with which the case failed, so that it has no figures.
    pub failed: u64,
    /// True if at least one case with these values has figures, and all launches ended in each case
    /// that has figures.
    pub complete: bool,
    /// True if the cases of all random seeds have figures and all their launches ended; if false,
    /// no conclusion is drawn from this combination of values.
    #[serde(skip)]
    pub whole: bool,
    /// Figure by which each process is judged (p99, step or end), as a mean over the random seeds
    /// in nanoseconds, in the order of `judged`; `None` where a case lacks it.
    pub figures: Vec<Option<Within>>,
    /// Median request time of each process in nanoseconds, as a mean over the random seeds, in the
    /// order of the processes; `None` for a process without requests.
    pub medians: Vec<Option<Within>>,
    /// Figure by which each process is judged (p99, step or end) when it runs alone on the device,
    /// in nanoseconds, in the order of the processes; `None` where nothing ended.
    pub alone: Vec<Option<Within>>,
    /// Makespan in nanoseconds, as a mean over the random seeds; `None` where a case lacks it.
    pub makespan: Option<Within>,
    /// Bounds of the figure by which each process is judged (p99, step or end), in nanoseconds;
    /// `None` where the figure is exact.
    pub bounds: Vec<Option<FigureBounds>>,
    /// True if a process was recorded on a device of another vendor. Programs use other kernels
    /// there, so no goal is judged.
    pub other_vendor: bool,
    /// True if the means meet all goals; `None` where there are no goals, or the goals cannot be
    /// judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goals_met: Option<bool>,
    /// True if `goals_met` is certain: it stays the same even if each figure is wrong by the full
    /// error that its bounds allow. `None` where `goals_met` is `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goals_sure: Option<bool>,
}

/// Mean of a figure over the random seeds, and half of the 95 % confidence interval of the mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Within {
    /// Mean of the figure over the random seeds, in the unit of the figure.
    pub mean: f64,
    /// Half of the 95 % confidence interval of the mean, in the unit of the figure; `None` with one
    /// random seed.
    pub within: Option<f64>,
}

impl Within {
    /// Returns the mean of `values`, one for each random seed, and half of its 95 % confidence
    /// interval; `None` without any value.
    pub(super) fn of(values: &[f64]) -> Option<Self> {
        match values {
            [] => None,
            [one] => Some(Self { mean: *one, within: None }),
            several => {
                let (mean, within) = mean_within(several);
                Some(Self { mean, within: Some(within) })
            }
        }
    }
}

/// Highest value of one varied option up to which the results are good, for one combination of
/// values of the other options. A result is good if all goals are met; where there are no goals, if
/// the time by which the first process is judged (such as its latency) is at most twice as long as
/// at the lowest value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Reach {
    /// Values of all varied options but the one whose highest good value is sought, in the order of
    /// the keys.
    pub values: Vec<String>,
    /// Highest value of the option up to which all results are good; `None` where the result at the
    /// lowest value is not good, or is unknown.
    pub up_to: Option<String>,
    /// True if `up_to` is the highest value of the option that was tried.
    pub all: bool,
    /// Highest value of the option up to which all goals are surely met: even if each figure is
    /// worse by the full error that its bounds allow. `None` where that does not hold at the lowest
    /// value.
    pub surely_up_to: Option<String>,
    /// Highest value of the option up to which all goals may be met: if each figure is better by
    /// the full error that its bounds allow. `None` where a goal is surely missed at the lowest
    /// value.
    pub perhaps_up_to: Option<String>,
    /// Lowest value of the option at which a goal is surely missed: even if each figure is better by
    /// the full error that its bounds allow. `None` where that holds at no value or is unknown, and
    /// where there are no goals.
    pub surely_not_from: Option<String>,
    /// First value of the option at which it is unknown whether the results are good, with the
    /// reason; `None` where it is known for all values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_answer: Option<String>,
}

/// A case of a sweep or search, or a recipe (set of policies) of a replay, that failed, so that it
/// has no figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FailedCase {
    /// Id of the case; in a replay the name of the recipe (set of policies).
    pub case: String,
    /// Reason why the case failed.
    pub error: String,
}

/// Largest number of different reasons of failures that are listed; further reasons are only
/// counted.
const REASONS: usize = 10;

impl FailedCase {
    /// Writes failed cases and the reasons why they failed, one line for each reason, for a person.
    #[must_use]
    pub fn told(failures: &[Self]) -> Vec<String> {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for Self { case, error } in failures {
            match reasons.iter_mut().find(|(other, _)| other == error) {
                Some((_, cases)) => cases.push(case),
                None => reasons.push((error, vec![case])),
            }
        }
        let left = reasons.len().saturating_sub(REASONS);
        let lines = reasons.iter().take(REASONS).map(|(error, cases)| match cases.as_slice() {
            [first, more @ ..] if !more.is_empty() => {
                let more = counted(more.len() as u64, "more case", "more cases");
                format!("{first} and {more}: {error}")
            }
            cases => format!("{}: {error}", cases.concat()),
        });
        let mut lines: Vec<String> = lines.collect();
        if left > 0 {
            lines.push(format!("and {left} more reasons"));
        }
        lines
    }
}

impl SweepSummary {
    /// Says how many of all combinations of values meet all goals; `None` where there are no goals.
    #[must_use]
    pub fn goals_told(&self) -> Option<String> {
        if self.goals.is_empty() {
            return None;
        }
        let of = |wanted| self.groups.iter().filter(|group| group.goals_met == wanted).count();
        let sets = |n: usize| counted(n as u64, "combination", "combinations");
        let (met, all, unknown) = (of(Some(true)), self.groups.len(), of(None));
        // Combinations of values without an answer neither meet nor miss the goals.
        let judged = all - unknown;
        let told = match met {
            _ if judged == 0 => return Some(format!("none of {} has an answer", sets(all))),
            0 => format!("met by none of {}", sets(judged)),
            _ if met == judged && met > 1 => format!("met by all {}", sets(judged)),
            _ => format!("met by {met} of {}", sets(judged)),
        };
        let unsure = |wanted| {
            let of = |group: &&GroupSummary| {
                group.goals_met == Some(wanted) && group.goals_sure == Some(false)
            };
            self.groups.iter().filter(of).count()
        };
        let told = match (unsure(true), unsure(false)) {
            (0, 0) => told,
            (0, more) => format!("{told}, and {more} more may meet all"),
            (some, 0) => format!("{told}, of which {some} may miss one"),
            (some, more) => {
                format!("{told}, of which {some} may miss one, and {more} more may meet all")
            }
        };
        Some(match unknown {
            0 => told,
            _ => format!("{told}; {unknown} of {all} without an answer"),
        })
    }

    /// Says that no combination of values meets all goals; `None` where one does or might, or where
    /// there are no goals.
    #[must_use]
    pub fn missed_goals(&self) -> Option<String> {
        let missed = |group: &GroupSummary| group.goals_met == Some(false);
        let all = !self.groups.is_empty() && self.groups.iter().all(missed);
        let goals: Vec<String> = self.goals.iter().map(|goal| format!("`{goal}`")).collect();
        (all && self.rows == self.cases)
            .then(|| format!("No combination of values meets all goals: {}", goals.join(", ")))
    }

    /// Names the cases that cannot be judged: cases that failed, and cases in which launches never
    /// ended. `None` where all cases can be judged.
    #[must_use]
    pub fn without_answer(&self) -> Option<String> {
        let stuck = self.groups.iter().filter(|group| group.seeds > 0 && !group.complete);
        let stuck: Vec<String> = stuck.map(|group| group.values.join(" ")).collect();
        let stuck =
            (!stuck.is_empty()).then(|| format!("launches never ended in {}", stuck.join(", ")));
        let said: Vec<String> =
            failed(&self.failures, self.cases).into_iter().chain(stuck).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }
}

/// A process of which some launches can never run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NeverRan {
    /// Name of the process of which some launches can never run.
    pub process: String,
    /// Number of cases of the sweep in which some launches of the process can never run.
    pub cases: u64,
    /// Number of launches that can never run in one repetition of the process; the largest such
    /// number of all cases.
    pub launches: u64,
    /// Fraction of the kernel time of the process that never ran, 0 to 1; the largest such fraction
    /// of all cases.
    pub share: f64,
}

impl NeverRan {
    /// Counts one more case for the process named `process` if some of its launches never ran in
    /// that case. `of` returns a figure of the process in the case, by the key of the figure.
    pub(super) fn add(
        all: &mut BTreeMap<String, Self>,
        process: &str,
        of: impl Fn(&str) -> Option<f64>,
    ) {
        let Some(launches) = of("refused").filter(|&launches| launches > 0.0) else { return };
        let process = process.to_owned();
        let none = || Self { process: process.clone(), cases: 0, launches: 0, share: 0.0 };
        let own = all.entry(process.clone()).or_insert_with(none);
        own.cases += 1;
        own.launches = own.launches.max(launches as u64);
        own.share = own.share.max(of("refused-share").unwrap_or(0.0));
    }

    /// Writes which part of the process never ran, and in how many of the `all` cases of the sweep.
    pub(super) fn line(&self, all: u64) -> String {
        let cases = match self.cases == all {
            true => String::new(),
            false => format!(" in {} of {}", count(self.cases), counted(all, "case", "cases")),
        };
        let (launches, part) = (counted(self.launches, "launch", "launches"), percent(self.share));
        format!(
            "{}: {launches}, {part} of kernel time, never ran{cases}, figures lack it",
            self.process
        )
    }

    /// Writes how many launches of the process never ran, and their part of its kernel time.
    #[must_use]
    pub fn told(&self) -> String {
        let (launches, part) = (counted(self.launches, "launch", "launches"), percent(self.share));
        format!("{launches} of {} ({part} of its kernel time)", self.process)
    }
}

/// Says how many of the `of` cases of a sweep failed, with the reasons; `None` where none did.
#[must_use]
pub fn failed(failures: &[FailedCase], of: u64) -> Option<String> {
    let failed = count(failures.len() as u64);
    let of = counted(of, "case", "cases");
    let why = FailedCase::told(failures).join("; ");
    (!failures.is_empty()).then(|| format!("{failed} of {of} failed: {why}"))
}
