//! How many launches waited or ran at each time?
//!
//! One picture a recipe, all with the same axes: launches that were ready and had not ended, by
//! process.

use raddle_sim::Series;

use super::Source;
use super::chart::{Frame, Key, Mark, Scale, Svg, legend, steps};
use super::grouping::{Group, groups};
use super::html::{self, name, shown};
use super::occupancy::edges;
use super::time;

const SIZE: (u16, u16) = (440, 174);
/// Depths are counted in hundredths of a launch.
const FINE: u128 = 100;

pub(crate) fn section(source: &Source<'_>) -> String {
    let groups = groups(source);
    let series: Vec<&Series> = source.runs.iter().map(|runs| &runs.together.series).collect();
    let until = series.iter().map(|series| series.until_ns).max().unwrap_or(0);
    if until == 0 {
        return String::new();
    }
    let depths: Vec<Vec<Vec<u128>>> = series.iter().map(|series| depths(series, &groups)).collect();
    let deepest = depths.iter().flatten().flatten().copied().max().unwrap_or(0).max(FINE);
    let axes = Axes { until, deepest };
    let mut body = "<p>Kernel launches that were ready and had not ended, running ones included: means of the same steps as above.</p>\n".to_owned();
    body += &legend(Key::Line, groups.iter().map(|group| (group.style, group.name.as_str())));
    body += "<div class=\"figures\">\n";
    for ((result, series), depths) in source.report.recipes.iter().zip(series).zip(&depths) {
        let title = format!("Queue depth under {}", shown(&result.name));
        body += &format!(
            "<figure>\n<figcaption>{}</figcaption>\n{}\n</figure>\n",
            name(&result.name),
            draw(&title, series, &groups, depths, &axes)
        );
    }
    html::section("queue", "Queue depth over time", &(body + "</div>\n"))
}

/// What all pictures have in common.
#[derive(Clone, Copy, Debug)]
struct Axes {
    /// The end of the longest run, in ns.
    until: u64,
    /// In hundredths of a launch.
    deepest: u128,
}

/// The mean depth in each bucket, a row a group.
fn depths(series: &Series, groups: &[Group]) -> Vec<Vec<u128>> {
    let mean = |(bucket, launch_ns): (usize, u128)| {
        launch_ns.saturating_mul(FINE) / u128::from(series.lasts(bucket).max(1))
    };
    let row = |group: &Group| {
        let sum = group.sum(|process| &series.processes[process].launch_ns);
        sum.into_iter().enumerate().map(mean).collect()
    };
    groups.iter().map(row).collect()
}

fn draw(
    title: &str,
    series: &Series,
    groups: &[Group],
    depths: &[Vec<u128>],
    axes: &Axes,
) -> String {
    let deepest = |row: &[u128]| row.iter().copied().max().unwrap_or(0);
    let told: Vec<String> = groups
        .iter()
        .zip(depths)
        .map(|(group, row)| format!("{} at most {}", shown(&group.name), launches(deepest(row))))
        .collect();
    let mut svg = Svg::new(SIZE.0, SIZE.1, title, &format!("{} in a step.", told.join(", ")));
    let frame = Frame::within(&svg, [46, 24, 16, 24]);
    let along = Scale::linear(axes.until.into(), frame.left, frame.right);
    let up = Scale::linear(axes.deepest, frame.bottom, frame.top);
    frame.rows(&mut svg, &Mark::of(&up, 6, launches));
    frame.columns(&mut svg, &Mark::of(&along, 8, |ns| time::label(ns, axes.until)));
    frame.titles(&mut svg, "launches", "");
    let edges = edges(series, &along);
    for ((group, row), told) in groups.iter().zip(depths).zip(&told) {
        let heights: Vec<i64> = row.iter().map(|&depth| up.at(depth)).collect();
        // Each step goes up or down first and then along.
        let down = frame.bottom;
        let ups = heights.iter().copied().chain([down]);
        let places: Vec<(i64, i64)> = edges.iter().copied().zip(ups).collect();
        let begin = (edges.first().copied().unwrap_or(frame.left), down);
        steps(&mut svg, group.style, begin, places, told);
    }
    svg.finish()
}

/// Hundredths of a launch as a number.
fn launches(depth: u128) -> String {
    let (whole, rest) = (depth / FINE, depth % FINE);
    if rest == 0 {
        return crate::units::count(u64::try_from(whole).unwrap_or(u64::MAX));
    }
    format!("{whole}.{rest:02}").trim_end_matches('0').to_owned()
}
