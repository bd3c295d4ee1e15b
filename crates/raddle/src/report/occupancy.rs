//! How full was the device over time, and by whom?
//!
//! One picture a recipe, all with the same axes: the share of wave slots in use, by process.

use raddle_sim::{Outcome, Series};

use super::Source;
use super::chart::{Frame, Key, Mark, Scale, Style, Svg, legend, round_up, stacked};
use super::grouping::{Group, groups};
use super::html::{self, figure, micro, name, shown};
use super::time;
use crate::units::{count, duration, percent};

const SIZE: (u16, u16) = (440, 194);

pub(crate) fn section(source: &Source<'_>) -> String {
    let groups = groups(source);
    let outcomes: Vec<&Outcome> = source.runs.iter().map(|runs| &runs.together).collect();
    let until = outcomes.iter().map(|outcome| outcome.series.until_ns).max().unwrap_or(0);
    if until == 0 {
        let none = "<p>Nothing ran, so there is nothing to show over time.</p>\n";
        return html::section("occupancy", "Occupancy over time", none);
    }
    let peak = outcomes.iter().map(|outcome| peak(outcome)).max().unwrap_or(0);
    let axes = Axes { until, percent: round_up(peak).min(100) };
    let slots = outcomes.first().map_or(0, |outcome| outcome.wave_slots);
    let mut body = format!(
        "<p>Wave slots in use, of {}, stacked in the order of the list, the first at the bottom; each step is a mean. All pictures have the same axes.</p>\n",
        count(slots)
    );
    body += &legend(Key::Area, groups.iter().map(|group| (group.style, group.name.as_str())));
    body += "<div class=\"figures\">\n";
    for (result, outcome) in source.report.recipes.iter().zip(outcomes) {
        body += &format!(
            "<figure>\n<figcaption>{} <span class=\"note\">{} used, steps of {}</span></figcaption>\n{}\n</figure>\n",
            name(&result.name),
            percent(result.summary.utilisation),
            figure(&duration(outcome.series.bucket_ns)),
            draw(&format!("Occupancy under {}", shown(&result.name)), outcome, &groups, &axes)
        );
    }
    html::section("occupancy", "Occupancy over time", &(body + "</div>\n"))
}

/// What all pictures have in common.
#[derive(Clone, Copy, Debug)]
struct Axes {
    /// The end of the longest run, in ns.
    until: u64,
    /// Of the wave slots.
    percent: u128,
}

/// Wave-ns of all processes in a bucket.
fn used(series: &Series, bucket: usize) -> u128 {
    series.processes.iter().filter_map(|row| row.wave_ns.get(bucket)).sum()
}

/// Wave-ns that there are in a bucket.
fn there(outcome: &Outcome, bucket: usize) -> u128 {
    u128::from(outcome.wave_slots) * u128::from(outcome.series.lasts(bucket))
}

fn buckets(series: &Series) -> usize {
    series.processes.iter().map(|row| row.wave_ns.len()).max().unwrap_or(0)
}

/// The fullest bucket, in percent of the wave slots, rounded up.
fn peak(outcome: &Outcome) -> u128 {
    let of = |bucket: usize| {
        (used(&outcome.series, bucket) * 100).div_ceil(there(outcome, bucket).max(1))
    };
    (0..buckets(&outcome.series)).map(of).max().unwrap_or(0)
}

/// The places of the edges between buckets.
pub(super) fn edges(series: &Series, along: &Scale) -> Vec<i64> {
    let edge = |bucket: u64| bucket.saturating_mul(series.bucket_ns).min(series.until_ns);
    (0..=buckets(series) as u64).map(|bucket| along.at(edge(bucket).into())).collect()
}

fn draw(title: &str, outcome: &Outcome, groups: &[Group], axes: &Axes) -> String {
    let series = &outcome.series;
    let all: u128 = outcome.wave_ns.iter().sum();
    let told: Vec<String> = groups
        .iter()
        .map(|group| {
            let own = group.total(|process| outcome.wave_ns[process]);
            format!("{} {}", shown(&group.name), percent(crate::units::share(own, all)))
        })
        .collect();
    let description = format!(
        "Of the wave-slot time used: {}. The run ends at {}.",
        told.join(", "),
        micro(&duration(series.until_ns))
    );
    let mut svg = Svg::new(SIZE.0, SIZE.1, title, &description);
    let frame = Frame::within(&svg, [46, 24, 16, 24]);
    let along = Scale::linear(axes.until.into(), frame.left, frame.right);
    let up = Scale::linear(axes.percent, frame.bottom, frame.top);
    frame.rows(&mut svg, &Mark::of(&up, 6, |percent| format!("{percent}%")));
    frame.columns(&mut svg, &Mark::of(&along, 8, |ns| time::label(ns, axes.until)));
    frame.titles(&mut svg, "wave slots in use", "");
    // Amounts and the whole as hundredths, so that the axis may end below 100%.
    let whole: Vec<u128> =
        (0..buckets(series)).map(|bucket| there(outcome, bucket) * axes.percent).collect();
    let rows: Vec<Vec<u128>> = groups
        .iter()
        .map(|group| {
            let mut row = group.sum(|process| &series.processes[process].wave_ns);
            row.iter_mut().for_each(|amount| *amount *= 100);
            row
        })
        .collect();
    let heights: Vec<(Style, &[u128], String)> = groups
        .iter()
        .zip(&rows)
        .zip(told)
        .map(|((group, row), told)| (group.style, row.as_slice(), told))
        .collect();
    stacked(&mut svg, &up, &edges(series, &along), &heights, &whole);
    svg.finish()
}

#[cfg(test)]
mod tests {
    use raddle_policy::Tick;
    use raddle_sim::{Counters, ProcessSeries};

    use super::*;

    /// 10 wave slots, two buckets of 8 ns and one of 4; all used in the first, half of the last.
    fn outcome() -> Outcome {
        let row =
            |waves: [u128; 3]| ProcessSeries { wave_ns: waves.to_vec(), launch_ns: vec![16, 4, 4] };
        Outcome {
            records: Vec::new(),
            refused: Vec::new(),
            refused_again: 0,
            stuck: Vec::new(),
            first: Tick(0),
            last: Tick(20),
            wave_slots: 10,
            wave_ns: vec![50, 50],
            shared_wave_ns: vec![0, 0],
            series: Series {
                bucket_ns: 8,
                until_ns: 20,
                processes: vec![row([40, 0, 10]), row([40, 0, 10])],
            },
            iterations: vec![1, 1],
            repeat_capped: false,
            times: raddle_sim::Times::default(),
            turns: raddle_dispatch::TurnTally::default(),
            counters: Counters::default(),
            energy: raddle_sim::Energy::default(),
        }
    }

    #[test]
    fn the_last_bucket_is_as_wide_as_it_lasted() {
        let outcome = outcome();
        assert_eq!(peak(&outcome), 100);
        let along = Scale::linear(40, 0, 40_000);
        assert_eq!(edges(&outcome.series, &along), [0, 8000, 16_000, 20_000]);
    }

    #[test]
    fn a_picture_of_two_processes() {
        let groups = Group::each(&["one", "two"]);
        let axes = Axes { until: 40, percent: 100 };
        insta::assert_snapshot!(draw("Occupancy", &outcome(), &groups, &axes));
    }
}
