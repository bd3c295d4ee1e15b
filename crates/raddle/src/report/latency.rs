//! How are latencies spread, under each recipe?
//!
//! One picture a process and level, one line a recipe: the share of launches that waited no longer.

use std::collections::BTreeMap;

use raddle_sim::{Outcome, Work, Workload, percentile};

use super::Source;
use super::chart::{
    Frame, Key, Mark, Scale, Style, Svg, cumulative, legend, marker, steps, thinned,
};
use super::html::{self, micro, name, shown};
use super::time;
use crate::units::{counted, duration};

/// The most pictures; the table has the figures of the others.
const MOST: usize = 24;
const SIZE: (u16, u16) = (440, 254);

/// A process, by position, and a level.
type Lane = (u16, u8);

pub(crate) fn section(source: &Source<'_>) -> String {
    let recipes: Vec<BTreeMap<Lane, Vec<u64>>> =
        source.runs.iter().map(|runs| latencies(source.workload, &runs.together)).collect();
    let mut lanes: Vec<Lane> = recipes.iter().flat_map(BTreeMap::keys).copied().collect();
    lanes.sort_unstable();
    lanes.dedup();
    if lanes.is_empty() {
        let none = "<p>No launch started, so there is no latency to show.</p>\n";
        return html::section("latency", "Launch latency", none);
    }
    let names = source.report.recipes.iter().map(|result| result.name.as_str());
    let mut body = "<p>The share of launches (up) whose first wave started within a time after they were ready (along); further left is better. What started at once stands at 0. The scale is stretched towards the slowest launches, and the shape on each line is at its p99.</p>\n".to_owned();
    body += &legend(Key::Marked, names.enumerate().map(|(n, name)| (Style(n), name)));
    body += "<div class=\"figures\">\n";
    for &lane in lanes.iter().take(MOST) {
        body += &figure(source, &recipes, lane);
    }
    body += "</div>\n";
    if lanes.len() > MOST {
        body += &format!(
            "<p>The table has the figures of {} more.</p>\n",
            counted((lanes.len() - MOST) as u64, "process and level", "processes and levels")
        );
    }
    html::section("latency", "Launch latency", &body)
}

/// The latencies of the kernel launches that started, in ns, rising.
fn latencies(workload: &Workload, outcome: &Outcome) -> BTreeMap<Lane, Vec<u64>> {
    let mut found: BTreeMap<Lane, Vec<u64>> = BTreeMap::new();
    for record in &outcome.records {
        let task = &workload.processes[usize::from(record.process)].tasks[record.task as usize];
        let (Some(ready), Some(started)) = (record.ready, record.started) else {
            continue;
        };
        if !matches!(task.work, Work::Copy(_)) {
            found.entry((record.process, task.level.0)).or_default().push(started.since(ready).0);
        }
    }
    found.values_mut().for_each(|latencies| latencies.sort_unstable());
    found
}

fn figure(source: &Source<'_>, recipes: &[BTreeMap<Lane, Vec<u64>>], lane: Lane) -> String {
    let process = &source.workload.processes[usize::from(lane.0)].name;
    let lines: Vec<Line<'_>> = recipes
        .iter()
        .zip(&source.report.recipes)
        .enumerate()
        .filter_map(|(n, (lanes, result))| {
            let latencies = lanes.get(&lane)?;
            Some(Line { style: Style(n), name: &result.name, latencies })
        })
        .collect();
    let title = format!("Launch latency of {}, level {}", shown(process), lane.1);
    format!(
        "<figure>\n<figcaption>{}, level {}</figcaption>\n{}\n</figure>\n",
        name(process),
        lane.1,
        draw(&title, &lines)
    )
}

/// One recipe's latencies.
#[derive(Debug)]
struct Line<'l> {
    style: Style,
    name: &'l str,
    latencies: &'l [u64],
}

impl Line<'_> {
    fn told(&self) -> String {
        let percent = |p| micro(&duration(percentile(self.latencies, p)));
        format!(
            "{}: p50 {}, p99 {}, longest {}",
            shown(self.name),
            percent(50),
            percent(99),
            percent(100)
        )
    }
}

fn draw(title: &str, lines: &[Line<'_>]) -> String {
    let told: Vec<String> = lines.iter().map(Line::told).collect();
    let mut svg = Svg::new(SIZE.0, SIZE.1, title, &told.join("; "));
    let frame = Frame::within(&svg, [46, 24, 16, 38]);
    let all = || lines.iter().flat_map(|line| line.latencies);
    let least = all().copied().filter(|&ns| ns > 0).min().unwrap_or(1);
    let most = all().copied().max().unwrap_or(0);
    let along = Scale::log(least, most, frame.left, frame.right);
    let largest = lines.iter().map(|line| line.latencies.len() as u64).max().unwrap_or(0);
    let up = Scale::nines(largest, frame.bottom, frame.top);
    frame.rows(&mut svg, &shares(&up));
    frame.columns(&mut svg, &Mark::of(&along, 0, time::decade));
    frame.titles(&mut svg, "launches", "latency");
    let tail = up.share(99, 100);
    if tail != frame.top {
        frame.rule(&mut svg, tail);
    }
    for line in lines {
        let whole = line.latencies.len() as u128;
        let place = |(at, seen): (i64, usize)| (at, up.share(seen as u128, whole));
        let places: Vec<(i64, i64)> =
            thinned(&along, cumulative(line.latencies)).into_iter().map(place).collect();
        let begin = (places.first().map_or(frame.left, |(at, _)| *at), frame.bottom);
        steps(&mut svg, line.style, begin, places, &line.told());
    }
    for line in lines {
        let p99 = percentile(line.latencies, 99);
        marker(&mut svg, line.style, (along.at(p99.into()), tail), &line.told());
    }
    svg.finish()
}

/// None, half, 90%, 99% and so on, all.
fn shares(up: &Scale) -> Vec<Mark> {
    let mark = |part: u128, whole: u128, label: &str| Mark {
        at: up.share(part, whole),
        label: label.to_owned(),
    };
    let nines = up.ticks(0).into_iter().map(|power| {
        let digits = "9".repeat(power.max(100).ilog10() as usize - 2);
        let label = match power {
            10 => "90%".to_owned(),
            100 => "99%".to_owned(),
            _ => format!("99.{digits}%"),
        };
        mark(power - 1, power, &label)
    });
    [mark(0, 1, "0%"), mark(1, 2, "50%")]
        .into_iter()
        .chain(nines)
        .chain([mark(1, 1, "100%")])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_of_two_recipes() {
        let fast = [0, 0, 0, 1500];
        let slow = [0, 320, 40_000, 250_000];
        let lines = [
            Line { style: Style(0), name: "fast", latencies: &fast },
            Line { style: Style(1), name: "slow", latencies: &slow },
        ];
        insta::assert_snapshot!(draw("Latency", &lines));
    }

    #[test]
    fn launches_that_all_start_at_once_are_a_picture_too() {
        let line = Line { style: Style(0), name: "x", latencies: &[0, 0] };
        let svg = draw("Latency", &[line]);
        assert!(svg.contains("M46 216v-192"), "{svg}");
    }
}
