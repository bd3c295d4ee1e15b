//! Which charts show a sweep: a figure along the load, and what one process pays for another's
//! gain?

use raddle_study::answer::{GoalLimit, GoalMetric};
use raddle_study::sweep::{GroupSummary, SweepSummary};
use raddle_study::units::duration;

use crate::document::{Chart, ChartAxis, ChartKind, ChartSeries, Scale, SeriesLook, ValueUnit};

/// Largest number of series in one chart; a sweep with more series gets one chart for each value of
/// a varied option.
const SERIES: usize = 8;
/// Largest number of charts of one kind on the HTML page.
pub(super) const CHARTS: usize = 24;

/// Part of a sweep that one chart shows: (its name for the title, the figures of each combination
/// of values in it).
type Facet<'s> = (String, Vec<&'s GroupSummary>);

/// Draws a chart for each process: its figure over the varied load, with one curve for each
/// combination of the other varied values.
pub(super) fn curves(summary: &SweepSummary) -> Vec<Chart> {
    let Some((along, numbers)) = &summary.along else { return Vec::new() };
    let facets = facets(summary, *along);
    let processes = 0..summary.judged.len();
    let charts = facets.iter().flat_map(|facet| {
        processes.clone().filter_map(|at| curve(summary, facet, at, (*along, numbers)))
    });
    charts.collect()
}

/// Divides the combinations of values into parts that get a chart each. There is a single part if
/// at most [`SERIES`] series are drawn, else one part for each value of a varied option. That
/// option is the first that is neither the horizontal axis (index `along`) nor the recipe (way of
/// sharing the device).
fn facets(summary: &SweepSummary, along: usize) -> Vec<Facet<'_>> {
    let groups = summary.groups.iter();
    let apart = (0..summary.axes.len()).find(|&at| at != along && summary.axes[at] != "recipe");
    let apart = apart.filter(|_| summary.reaches.len() > SERIES);
    let mut facets: Vec<Facet<'_>> = Vec::new();
    for group in groups {
        let name = apart.map_or_else(String::new, |at| format!(", {}", group.values[at]));
        match facets.iter_mut().find(|(other, _)| *other == name) {
            Some((_, own)) => own.push(group),
            None => facets.push((name, vec![group])),
        }
    }
    facets
}

fn curve(
    summary: &SweepSummary,
    (facet, groups): &Facet<'_>,
    process: usize,
    (along, numbers): (usize, &[(String, f64)]),
) -> Option<Chart> {
    let judged = &summary.judged[process];
    let mut series: Vec<ChartSeries> = Vec::new();
    for group in groups {
        let Some(figure) = group.figures[process].filter(|_| group.whole) else { continue };
        let at = numbers.iter().find(|(value, _)| *value == group.values[along])?.1;
        let name = name(summary, group, &[along]);
        let position = series.iter().position(|one| one.name == name).unwrap_or_else(|| {
            let look = summary.reaches.iter().position(|reach| {
                let others = group.values.iter().enumerate().filter(|(at, _)| *at != along);
                others.map(|(_, value)| value).eq(&reach.values)
            });
            let look = look.unwrap_or(series.len());
            series.push(ChartSeries::new(SeriesLook::Nth(look), name, String::new(), Vec::new()));
            series.len() - 1
        });
        series[position].points.push((at, figure.mean));
    }
    for one in &mut series {
        one.points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let told = one.points.iter().map(|(at, ns)| format!("{at}: {}", duration(*ns as u64)));
        one.words = format!("{}: {}", one.name, told.collect::<Vec<_>>().join(", "));
    }
    let goal = summary.goals.iter().find(|goal| {
        goal.process == judged.process
            && goal.metric.name() == judged.figure
            && goal.metric != GoalMetric::P50
    });
    let rule = goal.and_then(|goal| match goal.limit {
        GoalLimit::Ns(ns) => Some(ns as f64),
        GoalLimit::Longer(_) => None,
    });
    let points = || series.iter().flat_map(|one| &one.points);
    let ups = || points().map(|point| point.1).chain(rule).map(|up| up.max(1.0));
    let (least, most) = (ups().fold(f64::INFINITY, f64::min), ups().fold(1.0, f64::max));
    let far = points().map(|point| point.0).fold(0.0, f64::max);
    let words = series.iter().map(|one| &*one.words).collect::<Vec<_>>().join("; ");
    let key = &summary.axes[along];
    (!series.is_empty()).then(|| Chart {
        title: format!("{} {} by {key}{facet}", judged.process, judged.figure),
        note: rule.map_or_else(String::new, |ns| format!("goal: at most {}", duration(ns as u64))),
        words,
        kind: ChartKind::Lines,
        x: ChartAxis {
            title: if key.starts_with("load") { "requests in a second" } else { "value" },
            scale: Scale::Linear(far),
            unit: ValueUnit::Number,
        },
        y: ChartAxis {
            title: "lower is better",
            scale: Scale::Ratio(least / 1.2, most * 1.2),
            unit: ValueUnit::Ns,
        },
        rule,
        series,
    })
}

/// Names a combination of values, without the varied options with the indices `without`, and
/// without options that have only one value in the sweep.
pub(super) fn name(summary: &SweepSummary, group: &GroupSummary, without: &[usize]) -> String {
    let told = group.values.iter().enumerate().filter(|(at, value)| {
        let differs = || summary.groups.iter().any(|other| other.values[*at] != **value);
        !without.contains(at) && differs()
    });
    let told: Vec<&str> = told.map(|(_, value)| value.as_str()).collect();
    if told.is_empty() { "all".to_owned() } else { told.join(" ") }
}

/// Returns the indices of the two processes that a chart compares, (vertical axis, horizontal
/// axis). The vertical axis shows the figure of the first process that has requests (else of the
/// first process). The horizontal axis shows the time lost by the first process without requests
/// (else by the next one). `None` with fewer than two processes.
fn pair(summary: &SweepSummary) -> Option<(usize, usize)> {
    let requests = |at: &usize| summary.judged[*at].figure == "p99";
    let all = 0..summary.judged.len();
    let up = all.clone().find(requests).or(all.clone().next())?;
    let along = all.clone().find(|at| *at != up && !requests(at));
    Some((up, along.or(all.clone().find(|at| *at != up))?))
}

/// Draws charts of two processes, one chart for each load (or each value of another varied number).
/// The vertical axis is the figure of the first process, the horizontal axis by how much longer the
/// second takes. Points that no other point beats in both figures come first, and are joined by a
/// line.
pub(super) fn fronts(summary: &SweepSummary) -> Vec<Chart> {
    let Some((up, cost)) = pair(summary) else { return Vec::new() };
    let values: Vec<Option<&String>> = match &summary.along {
        Some((_, numbers)) => numbers.iter().map(|(value, _)| Some(value)).collect(),
        None => vec![None],
    };
    let charts = values.into_iter().filter_map(|value| front(summary, value, (up, cost)));
    charts.collect()
}

fn front(
    summary: &SweepSummary,
    value: Option<&String>,
    (up, cost): (usize, usize),
) -> Option<Chart> {
    let along = summary.along.as_ref().map(|(at, _)| *at);
    let here = |group: &&GroupSummary| along.is_none_or(|at| Some(&group.values[at]) == value);
    let without: Vec<usize> = along.into_iter().collect();
    let points = summary.groups.iter().filter(here).filter(|group| group.whole);
    let points = points.filter_map(|group| {
        let (gain, paid) = (group.figures[up]?.mean, group.figures[cost]?.mean);
        Some((name(summary, group, &without), gain, paid))
    });
    let points: Vec<(String, f64, f64)> = points.collect();
    let fastest = points.iter().map(|point| point.2).fold(f64::INFINITY, f64::min).max(1.0);
    let beaten = |one: &(String, f64, f64)| {
        let better = |other: &(String, f64, f64)| {
            other.1 <= one.1 && other.2 <= one.2 && (other.1 < one.1 || other.2 < one.2)
        };
        points.iter().any(better)
    };
    let mut series: Vec<(bool, ChartSeries)> = points
        .iter()
        .enumerate()
        .map(|(look, point)| {
            let (beaten, share) = (beaten(point), point.2 / fastest - 1.0);
            let name = point.0.clone();
            let words = format!("{name}: {}, {:+.1}%", duration(point.1 as u64), share * 100.0);
            let points = vec![(share, point.1)];
            (beaten, ChartSeries::new(SeriesLook::Nth(look), name, words, points))
        })
        .collect();
    series.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.points[0].0.total_cmp(&b.1.points[0].0)));
    let on = series.iter().filter(|(beaten, _)| !beaten).count();
    let series: Vec<ChartSeries> = series.into_iter().map(|(_, one)| one).collect();
    if series.len() < 2 {
        return None;
    }
    let [one, other] = [up, cost].map(|at| &summary.judged[at]);
    let ups = || series.iter().map(|series| series.points[0].1.max(1.0));
    let (least, most) = (ups().fold(f64::INFINITY, f64::min), ups().fold(1.0, f64::max));
    let dearest = series.iter().map(|series| series.points[0].0).fold(0.02, f64::max);
    let words: Vec<&str> = series.iter().map(|series| &*series.words).collect();
    let at = value.map_or_else(String::new, |value| format!(" at {value}"));
    let [x, y] = ChartAxis::gain_over_cost(dearest, (least, most));
    Some(Chart {
        title: format!("{} {} by what {} pays{at}", one.process, one.figure, other.process),
        note: unanswered(summary, summary.groups.iter().filter(here), &without),
        words: words.join("; "),
        kind: ChartKind::Front(on),
        x,
        y,
        rule: None,
        series,
    })
}

/// Names the combinations of values that no chart shows because some of their replays failed or did
/// not end; empty where there are none.
fn unanswered<'g>(
    summary: &SweepSummary,
    groups: impl Iterator<Item = &'g GroupSummary>,
    without: &[usize],
) -> String {
    let names = groups.filter(|group| !group.whole).map(|group| name(summary, group, without));
    let names: Vec<String> = names.collect();
    if names.is_empty() {
        return String::new();
    }
    format!("without an answer: {}", names.join(", "))
}
