//! How are launch latencies spread, under each recipe?
//!
//! One picture a process and level, one line a recipe: the share of launches that waited no longer.

use std::collections::BTreeMap;

use raddle_sim::{Outcome, Work, Workload, percentile};

use super::runs::RecipeRun;
use crate::document::{
    Axis, Block, Chart, ChartKind, ChartSeries, Document, Legend, Scale, ValueUnit,
};
use crate::units::{counted, duration};

/// The most pictures; the table has the figures of the others.
const MOST: usize = 24;

const WORDS: &str = "The share of launches (up) whose first wave started within a time after they were ready (along); further left is better. What started at once stands at 0. The scale is stretched towards the slowest launches, and the shape on each line is at its p99.";

/// A process, by position, and a level.
type LatencyLane = (u16, u8);

pub(super) fn fill(document: &mut Document, workload: &Workload, runs: &[RecipeRun]) {
    document.section("latency", "Launch latency");
    let recipes: Vec<BTreeMap<LatencyLane, Vec<u64>>> =
        runs.iter().map(|run| latencies(workload, &run.together)).collect();
    let mut lanes: Vec<LatencyLane> = recipes.iter().flat_map(BTreeMap::keys).copied().collect();
    lanes.sort_unstable();
    lanes.dedup();
    if lanes.is_empty() {
        let none = "No launch started, so there is no latency to show.";
        return document.page(Block::Note(none.to_owned()));
    }
    document.page(Block::Note(WORDS.to_owned()));
    let names: Vec<String> = runs.iter().map(|run| run.name.clone()).collect();
    let chart = |&lane: &LatencyLane| {
        let process = &workload.processes[usize::from(lane.0)].name;
        let lines = recipes.iter().zip(&names).enumerate();
        let lines = lines.filter_map(|(look, (lanes, name))| Some((look, name, lanes.get(&lane)?)));
        let title = format!("Launch latency of {process}, level {}", lane.1);
        distribution(&title, ("latency", "launches"), &lines.map(Spread::of).collect::<Vec<_>>())
    };
    let charts = lanes.iter().take(MOST).map(chart).collect();
    document.page(Block::Charts(Legend { kind: ChartKind::Distribution, names }, charts));
    if let Some(more @ 1..) = lanes.len().checked_sub(MOST) {
        let more = counted(more as u64, "process and level", "processes and levels");
        document.page(Block::Note(format!("The table has the figures of {more} more.")));
    }
}

/// The latencies of the kernel launches that started, in ns, rising.
fn latencies(workload: &Workload, outcome: &Outcome) -> BTreeMap<LatencyLane, Vec<u64>> {
    let mut found: BTreeMap<LatencyLane, Vec<u64>> = BTreeMap::new();
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

/// Times under one recipe.
pub(super) struct Spread<'s> {
    /// The position of the recipe.
    pub(super) look: usize,
    pub(super) name: &'s str,
    /// Rising times, and the share that does not exceed each.
    pub(super) points: Vec<(f64, f64)>,
    /// Median, 99th percentile and the longest.
    pub(super) marks: [u64; 3],
    /// How many they are.
    pub(super) count: u64,
}

impl<'s> Spread<'s> {
    fn of((look, name, rising): (usize, &'s String, &Vec<u64>)) -> Self {
        let marks = [50, 99, 100].map(|p| percentile(rising, p));
        Self { look, name, points: cumulative(rising), marks, count: rising.len() as u64 }
    }
}

/// How times are spread under each recipe.
pub(super) fn distribution(
    title: &str,
    (along, up): (&'static str, &'static str),
    lines: &[Spread<'_>],
) -> Chart {
    let all = || lines.iter().flat_map(|line| line.points.iter().map(|point| point.0));
    let least = all().filter(|&ns| ns > 0.0).fold(f64::INFINITY, f64::min);
    let largest = lines.iter().map(|line| line.count).max().unwrap_or(0);
    let line = |line: &Spread<'_>| {
        let [p50, p99, longest] = line.marks.map(duration);
        ChartSeries {
            look: line.look,
            name: line.name.to_owned(),
            words: format!("{}: p50 {p50}, p99 {p99}, longest {longest}", line.name),
            points: line.points.clone(),
            mark: Some((line.marks[1] as f64, 0.99)),
        }
    };
    let series: Vec<ChartSeries> = lines.iter().map(line).collect();
    let words: Vec<&str> = series.iter().map(|series| &*series.words).collect();
    let scale = Scale::Log(if least.is_finite() { least } else { 1.0 }, all().fold(0.0, f64::max));
    Chart {
        title: title.to_owned(),
        note: String::new(),
        words: words.join("; "),
        kind: ChartKind::Distribution,
        x: Axis { title: along, scale, unit: ValueUnit::Ns },
        y: Axis { title: up, scale: Scale::Nines(largest as f64), unit: ValueUnit::Share },
        rule: Some(0.99),
        series,
    }
}

/// Each distinct value of a rising list and the share of the values that do not exceed it.
fn cumulative(rising: &[u64]) -> Vec<(f64, f64)> {
    let mut seen = 0;
    let point = |equal: &[u64]| {
        seen += equal.len();
        (equal[0] as f64, seen as f64 / rising.len() as f64)
    };
    rising.chunk_by(|a, b| a == b).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_one_step() {
        assert_eq!(cumulative(&[0, 0, 5, 7]), [(0.0, 0.5), (5.0, 0.75), (7.0, 1.0)]);
        assert_eq!(cumulative(&[]), []);
    }
}
