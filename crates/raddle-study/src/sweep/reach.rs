//! Up to which value of one varied option of a sweep, such as the load, are the results good?

use std::collections::BTreeMap;

use super::summary::{GroupSummary, Reach, SweepSummary, SweptAxis};

/// Largest factor by which the judged figure (p99, step or end) of the first process may exceed its
/// value at the lowest load. A load with a larger figure counts as too high where there are no
/// goals.
const KNEE: f64 = 2.0;

/// Returns the number at the beginning of a value such as `40/s`, without the unit; `None` where
/// the value does not begin with a number.
fn number(value: &str) -> Option<f64> {
    let end = value.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(value.len());
    value[..end].parse().ok()
}

/// Finds the axis (varied option) along which curves are drawn: the rate of requests, else the
/// first option with at least three values that are all numbers. Returns (index of the axis, its
/// values as text and number); `None` where there is no such axis.
pub(super) fn along(axes: &[&SweptAxis]) -> Option<(usize, Vec<(String, f64)>)> {
    let numbers = |axis: &SweptAxis| -> Option<Vec<(String, f64)>> {
        let all = axis.values.iter().map(|value| Some((value.clone(), number(value)?)));
        all.collect::<Option<Vec<_>>>().filter(|all| all.len() > 1)
    };
    let load = axes.iter().position(|axis| axis.key == "load" || axis.key.starts_with("load."));
    let enough = |axis: &&SweptAxis| numbers(axis).is_some_and(|all| all.len() > 2);
    let at = load.or_else(|| axes.iter().position(enough))?;
    Some((at, numbers(axes[at])?))
}

/// Finds the highest value of one varied option (`along` in the summary) up to which the results
/// are good, for each combination of values of the other options.
pub(super) fn reaches(summary: &SweepSummary) -> Vec<Reach> {
    let Some((along, numbers)) = &summary.along else { return Vec::new() };
    let mut series: BTreeMap<Vec<&String>, BTreeMap<&String, &GroupSummary>> = BTreeMap::new();
    for group in &summary.groups {
        let others = group.values.iter().enumerate().filter(|(at, _)| at != along);
        let others: Vec<&String> = others.map(|(_, value)| value).collect();
        series.entry(others).or_default().insert(&group.values[*along], group);
    }
    let mut numbers: Vec<&(String, f64)> = numbers.iter().collect();
    numbers.sort_by(|a, b| a.1.total_cmp(&b.1));
    let reach = |(values, groups): (Vec<&String>, BTreeMap<&String, &GroupSummary>)| {
        let judge =
            ReachJudge::new(summary, numbers.first().and_then(|first| groups.get(&first.0)));
        let mut reach = Reach {
            values: values.into_iter().cloned().collect(),
            up_to: None,
            all: false,
            surely_up_to: None,
            perhaps_up_to: None,
            surely_not_from: None,
            without_answer: None,
        };
        // State of the values so far: all are good; all are so wherever in its bounds each lies.
        let (mut is_good, mut is_sure) = (true, true);
        for (value, _) in &numbers {
            let group = groups.get(value).copied();
            let good = match judge.is_good(group) {
                Ok(good) => good,
                Err(why) if is_good => {
                    reach.without_answer = Some(format!("{value} {why}"));
                    return reach;
                }
                Err(_) => return reach,
            };
            let may_differ = group.is_some_and(|group| group.goals_sure == Some(false));
            is_good &= good;
            is_sure &= good && !may_differ;
            if !good && !may_differ {
                // Without goals the knee decides, which no bounds are compared with.
                reach.surely_not_from = judge.has_goals.then(|| value.clone());
                return reach;
            }
            reach.perhaps_up_to = Some(value.clone());
            if is_good {
                reach.up_to = Some(value.clone());
            }
            if is_sure {
                reach.surely_up_to = Some(value.clone());
            }
        }
        reach.all = is_good;
        reach
    };
    series.into_iter().map(reach).collect()
}

/// Rule that decides whether the results at a value of a varied option still count as good.
struct ReachJudge {
    has_goals: bool,
    /// Largest judged figure (p99, step or end) of the first process that counts as good where
    /// there are no goals; `None` where that figure is unknown at the lowest value of the option.
    knee: Option<f64>,
}

impl ReachJudge {
    fn new(summary: &SweepSummary, lowest: Option<&&GroupSummary>) -> Self {
        let lowest = lowest.filter(|group| group.whole);
        let lowest = lowest.and_then(|group| group.figures.first()?.map(|it| it.mean));
        Self { has_goals: !summary.goals.is_empty(), knee: lowest.map(|low| KNEE * low) }
    }

    /// Returns whether the results of a combination of values, given as `group`, are good; the
    /// error says why this is unknown.
    fn is_good(&self, group: Option<&GroupSummary>) -> Result<bool, &'static str> {
        let group = group.ok_or("has no row")?;
        let figure = || group.figures.first().copied().flatten();
        let found = match (self.has_goals, group.whole) {
            (_, false) => None,
            (true, true) => group.goals_met,
            (false, true) => figure().zip(self.knee).map(|(own, knee)| own.mean <= knee),
        };
        found.ok_or(match group {
            GroupSummary { failed: 1.., .. } => "failed",
            GroupSummary { other_vendor: true, .. } => {
                "is of another vendor, whose kernels are others"
            }
            GroupSummary { complete: false, .. } => "never ended",
            GroupSummary { whole: false, .. } => "lacks rows",
            _ => "lacks a figure",
        })
    }
}
