//! How does a chart show what one process loses under each policy, and another gains?

use raddle_study::answer::{GoalMetric, JudgedBy, PolicyFigures};
use raddle_study::units::duration;

use super::looks::look;
use crate::document::{Chart, ChartAxis, ChartKind, ChartSeries, SeriesLook};

/// Returns the indices of the two processes that a chart compares, (vertical axis, horizontal
/// axis). The vertical axis shows the figure of the first process that has requests (else of the
/// first process). The horizontal axis shows the time lost by the first process without requests
/// (else by the next one). `None` with fewer than two processes.
fn axes(answer: &PolicyFigures) -> Option<(usize, usize)> {
    let requests = |at: &usize| answer.processes[*at].judged == JudgedBy::Requests;
    let all = 0..answer.processes.len();
    let up = all.clone().find(requests).or(all.clone().next())?;
    let along = all.clone().find(|at| *at != up && !requests(at));
    Some((up, along.or(all.clone().find(|at| *at != up))?))
}

/// Draws a chart of two processes with one point for each recipe (way of sharing the device). The
/// vertical axis is the figure by which the first process is judged, the horizontal axis by how
/// much longer the second process takes. `None` with fewer than two points.
pub(super) fn pareto(answer: &PolicyFigures) -> Option<Chart> {
    let (up, along) = axes(answer)?;
    let figure = |row: usize, at: usize| answer.rows[row].processes[at].decisive_ns;
    let complete = answer.ranking.iter().copied();
    let complete: Vec<usize> = complete.filter(|&row| answer.rows[row].complete).collect();
    let fastest = complete.iter().filter_map(|&row| figure(row, along)).min()?.max(1) as f64;
    let series = complete.iter().filter_map(|&row| {
        let (gain, cost) = (figure(row, up)?, figure(row, along)? as f64 / fastest - 1.0);
        let name = answer.rows[row].recipe.clone();
        let words = format!("{name}: {}, {:+.1}%", duration(gain), cost * 100.0);
        let look = look(answer, row);
        let bounds = |at: usize| {
            answer.bounds(row, at).map(|of| [of.least_ns, of.most_ns].map(|ns| ns as f64))
        };
        let paid = bounds(along).map(|of| of.map(|ns| ns / fastest - 1.0));
        let point = vec![(cost, gain as f64)];
        let series = ChartSeries::new(look, name, words, point);
        Some(ChartSeries { within: [paid, bounds(up)], ..series })
    });
    let mut series: Vec<ChartSeries> = series.collect();
    // The recommended recipe is drawn first.
    series.sort_by_key(|series| series.look != SeriesLook::Chosen);
    if series.len() < 2 {
        return None;
    }
    let [one, other] = [up, along].map(|at| &answer.processes[at]);
    let goal = answer.goals.iter().find(|goal| {
        goal.process == one.name
            && (goal.metric == GoalMetric::P99 || one.judged != JudgedBy::Requests)
    });
    let rule = goal.and_then(|goal| goal.limit_ns(answer)).map(|ns| ns as f64);
    let ends = |series: &ChartSeries, axis: usize| series.within[axis].into_iter().flatten();
    let ups = |series: &ChartSeries| ends(series, 1).chain([series.points[0].1]);
    let ups: Vec<f64> = series.iter().flat_map(ups).chain(rule).collect();
    let (least, most) = (
        ups.iter().copied().fold(f64::INFINITY, f64::min),
        ups.iter().copied().fold(1.0, f64::max),
    );
    let costs = series.iter().flat_map(|series| ends(series, 0).chain([series.points[0].0]));
    let dearest = costs.fold(0.02, f64::max);
    let words: Vec<&str> = series.iter().map(|series| &*series.words).collect();
    let [x, y] = ChartAxis::gain_over_cost(dearest, (least, most));
    Some(Chart {
        title: format!("{} {} by what {} pays", one.name, one.judged.word(), other.name),
        note: rule.map_or_else(String::new, |ns| format!("goal: at most {}", duration(ns as u64))),
        words: words.join("; "),
        kind: ChartKind::Points,
        x,
        y,
        rule,
        series,
    })
}
