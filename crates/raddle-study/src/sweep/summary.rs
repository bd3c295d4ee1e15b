//! What does a sweep say as a whole? `raddle sweep --format json`.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::answer::{Goal, mean_within};
use crate::units::{count, counted, percent};

/// The rows of a sweep, seeds taken together.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SweepSummary {
    /// The axes, without the seed.
    pub axes: Vec<String>,
    /// The number of all cases.
    pub cases: u64,
    /// The number of cases that have a row.
    pub rows: u64,
    /// The number of cases that have an error instead of figures.
    pub failed: u64,
    /// The failed cases, and why they failed: no conclusion is drawn from them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailedCase>,
    /// The facts that can overturn the answer, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overturning: Vec<String>,
    /// The memory that the processes hold together, of how much, in words: of the first case, and
    /// of the last where it differs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<String>,
    /// The processes of which some launches can never run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub never_ran: Vec<NeverRan>,
    /// The goals that the user set for the processes.
    pub goals: Vec<Goal>,
    /// The position of the axis along which curves go, and its values as numbers.
    pub along: Option<(usize, Vec<(String, f64)>)>,
    /// The figure by which each process is judged.
    pub judged: Vec<JudgedFigure>,
    /// The groups, one for each set of values.
    pub groups: Vec<GroupSummary>,
    /// The reach of each set of values of the other axes: how far along it is good.
    pub reaches: Vec<Reach>,
}

/// The figure by which a process is judged.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct JudgedFigure {
    /// The name of the process.
    pub process: String,
    /// The word for the figure: `p99`, `step` or `end`.
    pub figure: &'static str,
    #[serde(skip)]
    pub(super) at: usize,
}

/// The figures of one set of values.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct GroupSummary {
    /// The values, one an axis.
    pub values: Vec<String>,
    /// Cases with figures.
    pub seeds: u64,
    /// Cases with an error.
    pub failed: u64,
    /// True if all launches ended in all cases.
    pub complete: bool,
    /// True if every seed has figures, of launches that all ended: else no conclusion is drawn.
    #[serde(skip)]
    pub whole: bool,
    /// The decisive figure of each process, in nanoseconds.
    pub figures: Vec<Option<Within>>,
    /// The median request of each process, in nanoseconds; `None` for a process without requests.
    pub medians: Vec<Option<Within>>,
    /// The time of one request, of a step, or until the end, of each process alone on the device, in
    /// nanoseconds; `None` where nothing ended.
    pub alone: Vec<Option<Within>>,
    /// The makespan in nanoseconds.
    pub makespan: Option<Within>,
    /// True if the means meet all goals; absent where there are none, or a case has no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goals_met: Option<bool>,
}

/// A mean, and half of its 95 % confidence interval where there were several seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Within {
    /// The mean.
    pub mean: f64,
    /// Half of the 95 % confidence interval; `None` with one seed.
    pub within: Option<f64>,
}

impl Within {
    /// Sums up values that are one a seed; `None` without any.
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

/// The reach of one set of values of the other axes: up to which value along it is good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Reach {
    /// The values, one for each of the other axes.
    pub values: Vec<String>,
    /// The highest value up to which every one is good; `None`: the lowest is not good, or that is
    /// unknown.
    pub up_to: Option<String>,
    /// True if `up_to` is the highest value of all.
    pub all: bool,
    /// The next value, where it is unknown whether it is good too, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_answer: Option<String>,
}

/// A case without figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FailedCase {
    /// The id of the case.
    pub case: String,
    /// The reason why the case failed.
    pub error: String,
}

/// Reasons that are listed at most.
const REASONS: usize = 10;

impl FailedCase {
    /// Writes cases and the reasons why they failed, a line for each reason.
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
    /// Says how many sets of values meet all goals, and how many there are; `None` without goals.
    #[must_use]
    pub fn goals_told(&self) -> Option<String> {
        if self.goals.is_empty() {
            return None;
        }
        let of = |wanted| self.groups.iter().filter(|group| group.goals_met == wanted).count();
        let sets = |n: usize| counted(n as u64, "set of values", "sets of values");
        let (met, all, unknown) = (of(Some(true)), self.groups.len(), of(None));
        // Sets of values without an answer neither meet nor miss the goals.
        let judged = all - unknown;
        let told = match met {
            _ if judged == 0 => return Some(format!("none of {} has an answer", sets(all))),
            0 => format!("met by none of {}", sets(judged)),
            _ if met == judged && met > 1 => format!("met by all {}", sets(judged)),
            _ => format!("met by {met} of {}", sets(judged)),
        };
        Some(match unknown {
            0 => told,
            _ => format!("{told}; {unknown} of {all} without an answer"),
        })
    }

    /// Says that no case meets all goals; `None` where one does, or might, or there are no goals.
    #[must_use]
    pub fn missed_goals(&self) -> Option<String> {
        let missed = |group: &GroupSummary| group.goals_met == Some(false);
        let all = !self.groups.is_empty() && self.groups.iter().all(missed);
        let goals: Vec<String> = self.goals.iter().map(|goal| format!("`{goal}`")).collect();
        (all && self.rows == self.cases)
            .then(|| format!("No set of values meets all goals: {}", goals.join(", ")))
    }

    /// Names the cases that have no answer: those that failed, and those whose launches never
    /// ended; `None` where all cases have an answer.
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
    /// The name of the process.
    pub process: String,
    /// The number of cases in which that is so.
    pub cases: u64,
    /// The launches of one repetition that never ran, in the case with the most.
    pub launches: u64,
    /// The share of the kernel time of these launches, 0 to 1.
    pub share: f64,
}

impl NeverRan {
    /// Adds a case of a process, by its figures.
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

    /// Says how much of the process never ran, and in how many of all cases.
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

    /// Names the launches.
    #[must_use]
    pub fn told(&self) -> String {
        let (launches, part) = (counted(self.launches, "launch", "launches"), percent(self.share));
        format!("{launches} of {} ({part} of its kernel time)", self.process)
    }
}

/// Says how many cases failed, with the reasons; `None` where none did.
#[must_use]
pub fn failed(failures: &[FailedCase], of: u64) -> Option<String> {
    let failed = count(failures.len() as u64);
    let of = counted(of, "case", "cases");
    let why = FailedCase::told(failures).join("; ");
    (!failures.is_empty()).then(|| format!("{failed} of {of} failed: {why}"))
}
