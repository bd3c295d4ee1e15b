//! How full was the device over time, and whose waves filled it?
//!
//! One picture a recipe, all with the same axes.

use raddle_sim::{Outcome, Series};

use super::grouping::{ProcessGroup, legend};
use super::result::{RecipeResult, ReplayResult};
use super::runs::RecipeRun;
use crate::document::{
    Axis, Block, Chart, ChartKind, ChartSeries, Document, Scale, ValueUnit, round_up,
};
use crate::units::{count, duration, percent, share};

pub(super) fn fill(
    document: &mut Document,
    result: &ReplayResult,
    runs: &[RecipeRun],
    groups: &[ProcessGroup],
) {
    document.section("occupancy", "Occupancy over time");
    // What repeats goes on after the makespan, which is the window of all figures.
    let end = |(recipe, run): (&RecipeResult, &RecipeRun)| {
        let end = run.together.first.0.saturating_add(recipe.summary.makespan_ns);
        end.min(run.together.series.until_ns)
    };
    let until = result.recipes.iter().zip(runs).map(end).max().unwrap_or(0);
    if until == 0 {
        let none = "Nothing ran, so there is nothing to show over time.";
        return document.page(Block::Note(none.to_owned()));
    }
    let x = Axis { title: "", scale: Scale::Linear(until as f64), unit: ValueUnit::Ns };
    let slots = count(runs.first().map_or(0, |run| run.together.wave_slots));
    document.page(Block::Note(format!("Wave slots in use, of {slots}, stacked in the order of the list, the first at the bottom; each step is a mean. All pictures have the same axes.")));
    let mut occupancy: Vec<Chart> = Vec::new();
    for (recipe, run) in result.recipes.iter().zip(runs) {
        let outcome = &run.together;
        let note = format!(
            "{} used, steps of {}",
            percent(recipe.summary.utilisation),
            duration(outcome.series.bucket_ns)
        );
        occupancy.push(Chart { note, ..stack(&run.name, outcome, groups, (x, until)) });
    }
    let fullest = occupancy.iter().map(stacked).fold(0.0, f64::max);
    let fullest = round_up(fullest, ValueUnit::Share).min(1.0);
    occupancy.iter_mut().for_each(|chart| chart.y.scale = Scale::Linear(fullest));
    document.page(Block::Charts(legend(groups, ChartKind::Stack), occupancy));
}

/// The highest sum of all series of a picture at one place.
fn stacked(chart: &Chart) -> f64 {
    let sum =
        |at: usize| chart.series.iter().filter_map(move |series| Some(series.points.get(at)?.1));
    let longest = chart.series.iter().map(|series| series.points.len()).max().unwrap_or(0);
    (0..longest).map(|at| sum(at).sum::<f64>()).fold(0.0, f64::max)
}

/// The value of each bucket from its begin on, and 0 where the run or the window ends.
fn points(buckets: &Series, values: impl IntoIterator<Item = f64>, until: u64) -> Vec<(f64, f64)> {
    let end = buckets.until_ns.min(until);
    let at = |bucket: u64| bucket.saturating_mul(buckets.bucket_ns).min(end) as f64;
    let inside = |bucket: &u64| bucket.saturating_mul(buckets.bucket_ns) < end;
    let mut points: Vec<(f64, f64)> =
        (0..).take_while(inside).zip(values).map(|(bucket, value)| (at(bucket), value)).collect();
    let end = at(points.len() as u64);
    points.push((end, 0.0));
    points
}

fn stack(
    recipe: &str,
    outcome: &Outcome,
    groups: &[ProcessGroup],
    (x, until): (Axis, u64),
) -> Chart {
    let buckets = &outcome.series;
    let all: u128 = outcome.wave_ns.iter().sum();
    let there =
        |bucket| (u128::from(outcome.wave_slots) * u128::from(buckets.lasts(bucket))).max(1);
    let series: Vec<ChartSeries> = groups
        .iter()
        .enumerate()
        .map(|(look, group)| {
            let used = group.sum(|process| &buckets.processes[process].wave_ns);
            let shares =
                used.iter().enumerate().map(|(bucket, ns)| *ns as f64 / there(bucket) as f64);
            let own = group.total(|process| outcome.wave_ns[process]);
            ChartSeries {
                look,
                name: group.name.clone(),
                words: format!("{} {}", group.name, percent(share(own, all))),
                points: points(buckets, shares, until),
                mark: None,
            }
        })
        .collect();
    let told: Vec<&str> = series.iter().map(|series| &*series.words).collect();
    Chart {
        title: recipe.to_owned(),
        note: String::new(),
        words: format!(
            "Occupancy. Of the wave-slot time used: {}. The run ends at {}.",
            told.join(", "),
            duration(buckets.until_ns)
        ),
        kind: ChartKind::Stack,
        x,
        y: Axis { title: "wave slots in use", scale: Scale::Linear(1.0), unit: ValueUnit::Share },
        rule: None,
        series,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bucket_is_as_wide_as_it_lasted() {
        let buckets = Series { bucket_ns: 8, until_ns: 20, processes: Vec::new() };
        let cut = |until| points(&buckets, [0.5, 0.0, 0.25], until);
        assert_eq!(cut(99), [(0.0, 0.5), (8.0, 0.0), (16.0, 0.25), (20.0, 0.0)]);
        assert_eq!(cut(10), [(0.0, 0.5), (8.0, 0.0), (10.0, 0.0)]);
    }
}
