//! What is asked of a process, and is it met? `serve p99 20ms`, `train step +5%`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::words::time;
use super::{FigureBounds, JudgedBy, PolicyFigures, ProcessFigures};
use crate::amount::{AmountError, decimal, span};

/// Upper limit that the user sets for one figure of one process, such as `serve p99 20ms`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Goal {
    /// Name of the process whose figure is limited.
    pub process: String,
    /// Figure of the process that has a limit, such as its 99th percentile.
    pub metric: GoalMetric,
    /// Largest value that the figure may have, as a time or as an increase.
    pub limit: GoalLimit,
}

/// Figure of a process that a goal can limit, such as the 99th percentile of its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalMetric {
    /// Median of the times of requests, from arrival to end.
    P50,
    /// 90th percentile of the times of requests, from arrival to end.
    P90,
    /// 95th percentile of the times of requests, from arrival to end.
    P95,
    /// 99th percentile of the times of requests, from arrival to end.
    P99,
    /// Mean of the times of requests, from arrival to end.
    Mean,
    /// Time of the slowest request, from arrival to end.
    Max,
    /// Mean time of one step of a process that repeats.
    Step,
    /// Time from the start of the simulation to the end of the last launch of the process.
    End,
}

/// Largest value that the figure of a goal may have: a time, or an increase over today.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalLimit {
    /// Longest time that meets the goal, in nanoseconds.
    Ns(u64),
    /// Largest increase that meets the goal, over the same figure under the recipe of today (the
    /// device's default), in hundredths of a percent: 500 for `+5%`.
    Longer(u32),
}

/// Error of a text that is no valid goal, such as one without a limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GoalError {
    /// The text of a goal does not consist of three words (a process, a figure and a limit). Holds
    /// the text.
    #[error(
        "`{0}` is no goal: write NAME p50|p90|p95|p99|mean|max|step|end LIMIT, such as `serve p99 20ms`"
    )]
    Words(String),
    /// The second word of a goal's text names no known figure. Holds that word.
    #[error("`{0}` is no figure of a goal: p50, p90, p95, p99, mean, max, step or end")]
    Metric(String),
    /// The limit in a goal's text is a percentage without its plus sign, or lacks its percent sign.
    /// Holds the limit as written, and the number in it.
    #[error("`{0}` is no limit: did you mean `+{1}%`?")]
    Change(String, String),
    /// The limit in a goal's text is neither a time nor a percentage. Holds the limit as written,
    /// and why it is no time.
    #[error("`{0}` is no limit: a time such as 20ms or 1.5s, or a change such as +5%. {1}")]
    Limit(String, AmountError),
}

impl GoalMetric {
    const NAMES: [(&'static str, Self); 8] = [
        ("p50", Self::P50),
        ("p90", Self::P90),
        ("p95", Self::P95),
        ("p99", Self::P99),
        ("mean", Self::Mean),
        ("max", Self::Max),
        ("step", Self::Step),
        ("end", Self::End),
    ];

    /// Returns whether a goal can limit this figure for a process that is judged by `judged`:
    /// percentiles need requests, `step` needs steps, and `end` is for a process with neither.
    #[must_use]
    pub const fn is_of(self, judged: JudgedBy) -> bool {
        match self {
            Self::P50 | Self::P90 | Self::P95 | Self::P99 | Self::Mean | Self::Max => {
                matches!(judged, JudgedBy::Requests)
            }
            Self::Step => matches!(judged, JudgedBy::Steps),
            Self::End => matches!(judged, JudgedBy::End),
        }
    }

    /// Returns whether this figure is the one by which a process of the kind `judged` is judged:
    /// `p99` for requests, `step` for steps, `end` for others.
    pub(crate) const fn is_decisive_of(self, judged: JudgedBy) -> bool {
        self.is_of(judged) && matches!(self, Self::P99 | Self::Step | Self::End)
    }

    /// Returns the word by which a goal names this figure, such as `p99`.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, it)| *it == self).map_or("", |(name, _)| name)
    }
}

impl ProcessFigures {
    /// Returns the figure `metric` of the process in nanoseconds; `None` where the process has no
    /// such figure.
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
}

impl Goal {
    /// Returns whether the limit is an increase over the recipe of today (the device's default), so
    /// that this recipe must be replayed too.
    #[must_use]
    pub(crate) const fn is_over_today(&self) -> bool {
        matches!(self.limit, GoalLimit::Longer(_))
    }

    /// Returns whether the recipe with the index `row` among those compared meets the goal; `None`
    /// where the process has no such figure.
    pub(super) fn is_met(&self, figures: &PolicyFigures, row: usize) -> Option<bool> {
        let found = self.figure(figures, row)?;
        Some(found <= self.limit_ns(figures)?)
    }

    /// Returns whether it is certain that the recipe with the index `row` among those compared
    /// meets or misses the goal: all values within the error bounds of the figure lie on the same
    /// side of the limit. True where the figure has no bounds or is missing; false where no bounds
    /// were simulated, as the recipe is far behind the best one, and where an instance of MIG seems
    /// to meet the goal, as its bounds do not cover its part of the memory's bandwidth.
    pub(super) fn is_sure(&self, figures: &PolicyFigures, row: usize) -> bool {
        // The way of today is never longer than itself.
        if self.is_over_today() && row == figures.baseline {
            return true;
        }
        let seems_met = || self.is_met(figures, row) == Some(true);
        if figures.rows[row].out_of_reach || figures.is_instance(row) && seems_met() {
            return false;
        }
        let of = || {
            let (bounds, limit) = (self.bounds(figures, row)?, self.limit_ns(figures)?);
            Some(bounds.is_sure(limit))
        };
        of().unwrap_or(true)
    }

    /// Returns the error bounds of the figure that the goal limits, under the recipe with the index
    /// `row` among those compared; `None` where the figure has no bounds. A figure of requests other
    /// than the one by which the process is judged has the bounds of that one in proportion.
    pub(super) fn bounds(&self, figures: &PolicyFigures, row: usize) -> Option<FigureBounds> {
        let process = figures.processes.iter().position(|it| it.name == self.process)?;
        let bounds = figures.bounds(row, process)?;
        if self.metric.is_decisive_of(figures.processes[process].judged) {
            return Some(bounds);
        }
        let own = figures.rows[row].processes[process].decisive_ns?;
        let found = self.figure(figures, row)?;
        Some(bounds.of_other(own, found))
    }

    /// Returns the figure that the goal limits, under the recipe with the index `row` among those
    /// compared, in nanoseconds; `None` where the process has no such figure.
    #[must_use]
    pub(crate) fn figure(&self, figures: &PolicyFigures, row: usize) -> Option<u64> {
        let process = figures.processes.iter().position(|it| it.name == self.process)?;
        let has = self.metric.is_of(figures.processes[process].judged);
        figures.rows[row].processes[process].figure(self.metric).filter(|_| has)
    }

    /// Returns the time that the goal's process takes alone on the device, in nanoseconds, where
    /// even that is above the limit; else `None`.
    pub(super) fn alone_above_limit(&self, figures: &PolicyFigures) -> Option<u64> {
        let GoalLimit::Ns(limit) = self.limit else { return None };
        let own = figures.processes.iter().find(|it| it.name == self.process)?;
        own.alone_ns.filter(|&alone| alone > limit)
    }

    /// Returns the fraction of the process's requests, 0 to 1, that take at most the limit of the
    /// goal, under the recipe with the index `row` among those compared; `None` where the goal is
    /// not about requests.
    #[must_use]
    pub fn share_within(&self, figures: &PolicyFigures, row: usize) -> Option<f64> {
        let process = figures.processes.iter().position(|it| it.name == self.process)?;
        let own = figures.rows[row].in_order_ns.get(process).filter(|own| !own.is_empty())?;
        let limit = self.limit_ns(figures).filter(|_| self.metric.is_of(JudgedBy::Requests))?;
        Some(own.iter().filter(|&&ns| ns <= limit).count() as f64 / own.len() as f64)
    }

    /// Writes the goal with its limit in milliseconds or the like, also where the user gave it as an
    /// increase: "train step +10% (54.6 ms)".
    #[must_use]
    pub fn told(&self, figures: &PolicyFigures) -> String {
        match self.resolved(figures) {
            Some(limit) => format!("{self} ({limit})"),
            None => self.to_string(),
        }
    }

    /// Returns the limit of a goal that is an increase over today, as a time: "54.6 ms". `None` for a
    /// goal that is a time, and where the figure of today is missing.
    pub(super) fn resolved(&self, figures: &PolicyFigures) -> Option<String> {
        self.limit_ns(figures).filter(|_| self.is_over_today()).map(time)
    }

    /// Returns the limit of the goal in nanoseconds. `None` for an increase over a figure that is
    /// missing under the baseline recipe.
    #[must_use]
    pub fn limit_ns(&self, figures: &PolicyFigures) -> Option<u64> {
        match self.limit {
            GoalLimit::Ns(ns) => Some(ns),
            GoalLimit::Longer(by) => {
                let base = u128::from(self.figure(figures, figures.baseline)?);
                let limit = base * (10_000 + u128::from(by)) / 10_000;
                Some(u64::try_from(limit).unwrap_or(u64::MAX))
            }
        }
    }
}

/// Units that may follow the number of a goal's limit.
const UNITS: [&str; 5] = ["ns", "us", "ms", "s", "%"];

/// Returns the text of a goal without a `<`, `<=` or similar sign before its limit: a goal is an
/// upper limit with or without that sign.
fn without_sign(text: &str) -> Cow<'_, str> {
    let Some(at) = text.rfind(['<', '≤']) else { return text.into() };
    let (head, sign) = text.split_at(at);
    let limit = sign.trim_start_matches(['<', '≤']).trim_start_matches('=').trim_start();
    let is_limit = limit.starts_with(|c: char| "+-.".contains(c) || c.is_ascii_digit());
    match head.ends_with(char::is_whitespace) && is_limit {
        true => format!("{head}{limit}").into(),
        false => text.into(),
    }
}

impl FromStr for Goal {
    type Err = GoalError;

    fn from_str(text: &str) -> Result<Self, GoalError> {
        let words = || GoalError::Words(text.to_owned());
        let plain = without_sign(text.trim());
        let (rest, last) = plain.rsplit_once(char::is_whitespace).ok_or_else(words)?;
        // A space may stand before the unit, as in every other amount.
        let number = rest.trim_end().rsplit_once(char::is_whitespace);
        let is_number =
            |text: &str| text.starts_with(|c: char| "+-.".contains(c) || c.is_ascii_digit());
        let number = number.filter(|(_, number)| UNITS.contains(&last) && is_number(number));
        let (rest, limit) = match number {
            Some((rest, number)) => (rest, &*format!("{number}{last}")),
            None => (rest, last),
        };
        let rest = rest.trim_end();
        let (process, metric) = rest.rsplit_once(char::is_whitespace).ok_or_else(words)?;
        let known = GoalMetric::NAMES.iter().find(|(name, _)| *name == metric);
        let metric = known.ok_or_else(|| GoalError::Metric(metric.to_owned()))?.1;
        let by = limit.strip_prefix('+').and_then(|text| text.strip_suffix('%'));
        let by = by.and_then(|by| u32::try_from(decimal(by, 2)?).ok());
        let ns = || {
            let percent = limit.trim_start_matches('+').trim_end_matches('%');
            span(limit).map_err(|why| match decimal(percent, 2) {
                // A number without a unit is a time whose unit is missing; a percent sign or a plus
                // sign makes it a change.
                Some(_) if limit != percent => {
                    GoalError::Change(limit.to_owned(), percent.to_owned())
                }
                _ => GoalError::Limit(limit.to_owned(), why),
            })
        };
        let limit = by.map_or_else(|| ns().map(GoalLimit::Ns), |by| Ok(GoalLimit::Longer(by)))?;
        Ok(Self { process: process.trim().to_owned(), metric, limit })
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.process, self.metric.name())?;
        let shown = |value: u64, digits: usize| {
            let text = format!("{value:0>width$}", width = digits + 1);
            let (whole, fraction) = text.split_at(text.len() - digits);
            let text = format!("{whole}.{fraction}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        match self.limit {
            GoalLimit::Longer(by) => write!(f, "+{}%", shown(u64::from(by), 2)),
            GoalLimit::Ns(ns) if ns >= 1_000_000_000 => write!(f, "{}s", shown(ns, 9)),
            GoalLimit::Ns(ns) if ns >= 1_000_000 => write!(f, "{}ms", shown(ns, 6)),
            GoalLimit::Ns(ns) if ns >= 1_000 => write!(f, "{}us", shown(ns, 3)),
            GoalLimit::Ns(ns) => write!(f, "{ns}ns"),
        }
    }
}

impl From<Goal> for String {
    fn from(goal: Goal) -> Self {
        goal.to_string()
    }
}

impl TryFrom<String> for Goal {
    type Error = GoalError;

    fn try_from(text: String) -> Result<Self, GoalError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{REVIEW, of, serve_and_train};
    use super::*;

    #[test]
    fn a_goal_below_the_time_alone_says_so() {
        let mut processes = serve_and_train();
        processes[0].alone_ns = Some(16_500_000);
        let figures = of(processes.clone(), &REVIEW, &["decode p99 10ms"]);
        let told = "`decode p99 10ms` is 16.9 ms, alone already 16.5 ms.";
        assert!(figures.verdict.text.ends_with(told), "{}", figures.verdict.text);
        processes[0].alone_ns = Some(10_000_000);
        let figures = of(processes, &REVIEW, &["decode p99 10ms"]);
        assert!(figures.verdict.text.ends_with("is 16.9 ms."), "{}", figures.verdict.text);
    }

    /// Checks that a goal over today is told in milliseconds wherever it is told.
    #[test]
    fn a_goal_over_today_is_resolved() {
        let judged = |goal: &str| of(serve_and_train(), &REVIEW, &[goal]);
        let found = judged("decode p99 +10%");
        let base = found.rows[found.baseline].processes[0].decisive_ns.expect("it has one");
        let limit = time(base / 100 * 110);
        assert_eq!(found.goals[0].told(&found), format!("decode p99 +10% ({limit})"));
        let met = format!("the goal (limit of `decode p99 +10%` {limit})");
        assert!(found.verdict.text.contains(&met), "{}", found.verdict.text);
        let absolute = judged("decode p99 20ms");
        assert_eq!(absolute.goals[0].told(&absolute), "decode p99 20ms");
    }

    #[test]
    fn goals_read_back_as_they_are_written() {
        for (text, shown) in [
            ("serve p99 20ms", "serve p99 20ms"),
            (" my model  p50 1.5s ", "my model p50 1.5s"),
            ("train step +5%", "train step +5%"),
            ("train step +0.25%", "train step +0.25%"),
            ("x end 2500us", "x end 2.5ms"),
            ("x max 7ns", "x max 7ns"),
            ("x p99 20 ms", "x p99 20ms"),
            ("my model p99  1.5\ts", "my model p99 1.5s"),
            ("train step +5 %", "train step +5%"),
        ] {
            let goal: Goal = text.parse().unwrap();
            assert_eq!(goal.to_string(), shown);
            assert_eq!(goal.to_string().parse(), Ok(goal));
        }
    }

    #[test]
    fn a_change_without_its_sign_or_unit_names_what_was_meant() {
        for limit in ["+5", "5%", "5 %"] {
            let told = format!("train step {limit}").parse::<Goal>().unwrap_err().to_string();
            assert!(told.contains("is no limit: did you mean `+5%`?"), "{told}");
        }
    }

    #[test]
    fn what_is_no_goal_says_what_is_wrong() {
        let wrong = |text: &str| text.parse::<Goal>().unwrap_err().to_string();
        assert!(wrong("p99 20ms").contains("NAME"));
        let signed =
            ["serve p99 < 20ms", "serve p99 <= 20 ms", "serve p99 ≤20ms", "serve p99 <20 ms"];
        assert!(signed.iter().all(|it| it.parse::<Goal>() == "serve p99 20ms".parse()));
        assert!(
            "serve p99 = 20ms".parse::<Goal>().is_err() && "a<2 p99 1ms".parse::<Goal>().is_ok()
        );
        assert!(wrong("serve p98 20ms").contains("`p98` is no figure"));
        assert!(wrong("serve p98 20 ms").contains("`p98` is no figure"));
        assert!(wrong("serve p99 -20 ms").contains("`-20ms` is no limit"));
        assert!(wrong("20 ms").contains("NAME"));
        for limit in ["20", "ms", "-5%", "5%", "+5", "0ms", "1.0000001ms", "+0.001%"] {
            assert!(wrong(&format!("serve p99 {limit}")).contains("is no limit"), "{limit}");
        }
    }
}
