//! How does a table on a terminal show one figure by the load (or another varied value) and the way
//! of sharing?

use raddle_study::answer::{FigureBounds, Goal, GoalMetric};
use raddle_study::sweep::{GroupSummary, SweepSummary, Within};
use raddle_study::units::counted;

use super::cell::{VALUE, figure};
use super::curves::name;
use crate::document::{Cell, Column, Table};

/// Largest width, in characters, of a table on a terminal; `ROWS` is its largest number of rows.
const WIDTH: usize = 80;
const ROWS: usize = 8;
/// Largest number of tables on a terminal, one a judged process; the report shows further ones.
const TABLES: usize = 3;

/// Table of one figure, with a heading: a row for each value of one varied option, and a column for
/// each combination of the other options' values.
pub(super) struct Grid {
    pub(super) title: String,
    pub(super) table: Table,
    /// Sentence on the rows and columns that the table leaves out; `None` where it has all.
    pub(super) left_out: Option<String>,
}

/// Makes a table for each process that is judged by a figure. The first table is of the process of
/// the first goal, else of the first process with a p99. Empty where no number is varied, or no
/// case has a row (result).
pub(super) fn grids(summary: &SweepSummary) -> Vec<Grid> {
    let Some((along, numbers)) = &summary.along else { return Vec::new() };
    let ways = ways(summary, *along);
    if ways.is_empty() {
        return Vec::new();
    }
    let axis = (*along, numbers.as_slice());
    ShownFigure::all(summary).iter().map(|shown| grid(summary, axis, &ways, shown)).collect()
}

/// Column of a table: (name of its combination of varied values, results for that combination).
type Way<'s> = (String, Vec<&'s GroupSummary>);

/// Makes the table of one figure; `along` is the index of the option whose values are the rows, and
/// `numbers` are these values, each as (text, number).
fn grid(
    summary: &SweepSummary,
    (along, numbers): (usize, &[(String, f64)]),
    ways: &[Way<'_>],
    shown: &ShownFigure,
) -> Grid {
    let mut rows: Vec<&(String, f64)> = numbers.iter().collect();
    rows.sort_by(|a, b| a.1.total_cmp(&b.1));
    let all_rows = rows.len();
    if all_rows > ROWS {
        // The lowest and the highest are among them.
        rows = (0..ROWS).map(|at| rows[at * (all_rows - 1) / (ROWS - 1)]).collect();
    }
    let line = |(value, _): &&(String, f64)| {
        let of = |groups: &[&'_ GroupSummary]| {
            groups.iter().position(|group| group.values[along] == *value)
        };
        let groups = ways.iter().map(|(_, groups)| of(groups).map(|at| groups[at]));
        let groups: Vec<Option<&GroupSummary>> = groups.collect();
        let least = least(&groups, shown);
        (groups, least)
    };
    let lines: Vec<(Vec<Option<&GroupSummary>>, Option<f64>)> = rows.iter().map(line).collect();
    let of = |columns: usize, below: bool| {
        let mut titles = vec![Column::name(&summary.axes[along], VALUE)];
        titles.extend(ways.iter().take(columns).map(|(title, _)| Column::figure(title.clone())));
        let mut table = Table::new("", titles);
        if below {
            table = table.with_notes_below();
        }
        for ((value, _), (groups, least)) in rows.iter().zip(&lines) {
            let groups = groups.iter().take(columns);
            let cells = groups.map(|group| cell(*group, shown, *least));
            table.row(std::iter::once(Cell::from(value.as_str())).chain(cells));
        }
        table
    };
    let shapes = (1..=ways.len()).rev().flat_map(|columns| [(columns, false), (columns, true)]);
    let (columns, table) = shapes
        .map(|(columns, below)| (columns, of(columns, below)))
        .find(|(_, table)| table.width() <= WIDTH)
        .unwrap_or_else(|| (1, of(1, true)));
    let left = [(all_rows - rows.len(), "value"), (ways.len() - columns, "column")];
    let left: Vec<String> = left
        .into_iter()
        .filter(|(more, _)| *more > 0)
        .map(|(more, what)| counted(more as u64, what, &format!("{what}s")))
        .collect();
    let left_out = (!left.is_empty()).then(|| format!("{} more in the report", left.join(" and ")));
    let mut title = shown.title(summary);
    // The least of a line may stand in a column that is left out.
    let is_shown = |(groups, least): &(Vec<Option<&GroupSummary>>, Option<f64>)| {
        let mut shown_ones = groups.iter().take(columns).flatten();
        least.is_some_and(|least| {
            shown_ones.any(|group| shown.found(group).0.is_some_and(|own| own.mean <= least))
        })
    };
    if lines.iter().any(is_shown) {
        title += ", * the least of a line";
    }
    Grid { title, table, left_out }
}

/// Returns the least figure in one row of the table; `None` where all figures are equal.
fn least(groups: &[Option<&GroupSummary>], shown: &ShownFigure) -> Option<f64> {
    let whole = groups.iter().flatten().filter(|group| group.whole && !group.other_vendor);
    let all: Vec<f64> = whole.filter_map(|group| Some(shown.found(group).0?.mean)).collect();
    let least = all.iter().copied().min_by(f64::total_cmp)?;
    all.iter().any(|own| *own > least).then_some(least)
}

/// Figure of a process that a table shows: p50 where the first goal limits it, else the figure by
/// which the process is judged.
struct ShownFigure {
    /// Index of the process whose figure the table of a sweep shows.
    process: usize,
    is_median: bool,
    /// Name of the figure that the first goal limits, if the sweep does not hold this figure, so
    /// that another one is shown; else `None`.
    limited: Option<&'static str>,
}

impl ShownFigure {
    /// Chooses the figures to show: that of the first goal, then that of each other judged process.
    fn all(summary: &SweepSummary) -> Vec<Self> {
        let Some(first) = Self::of(summary) else { return Vec::new() };
        let others = (0..summary.judged.len()).filter(|process| *process != first.process);
        let others = others.map(|process| Self { process, is_median: false, limited: None });
        let others: Vec<Self> = others.take(TABLES - 1).collect();
        std::iter::once(first).chain(others).collect()
    }

    /// Chooses the figure of the first goal, else of the first process with a p99; `None` where no
    /// process is judged by a figure.
    fn of(summary: &SweepSummary) -> Option<Self> {
        let judged = || summary.judged.iter();
        let of = |goal: &Goal| {
            let process = judged().position(|judged| judged.process == goal.process)?;
            let is_median = goal.metric == GoalMetric::P50;
            let name = goal.metric.name();
            let is_shown = is_median || name == summary.judged[process].figure;
            Some(Self { process, is_median, limited: (!is_shown).then_some(name) })
        };
        let without_goal = || {
            let requests = judged().position(|judged| judged.figure == "p99");
            let process = requests.or((!summary.judged.is_empty()).then_some(0))?;
            Some(Self { process, is_median: false, limited: None })
        };
        summary.goals.iter().find_map(of).or_else(without_goal)
    }

    /// Returns the figure for a combination of values, and its bounds; a median's bounds are
    /// `None`.
    fn found(&self, group: &GroupSummary) -> (Option<Within>, Option<FigureBounds>) {
        match self.is_median {
            true => (group.medians[self.process], None),
            false => (group.figures[self.process], group.bounds[self.process]),
        }
    }

    /// Returns the heading of the table: the figure's name, and what stands beside it in the cells.
    fn title(&self, summary: &SweepSummary) -> String {
        let judged = &summary.judged[self.process];
        let name = if self.is_median { GoalMetric::P50.name() } else { judged.figure };
        let mut title = format!("{} {name}", judged.process);
        if let Some(limited) = self.limited {
            title += &format!(" (the goal limits {limited})");
        }
        let found = || summary.groups.iter().map(|group| self.found(group));
        if found().any(|(figure, _)| figure.is_some_and(|it| it.within.is_some())) {
            title += ", ± over seeds";
        }
        let in_brackets = |(figure, bounds): (Option<Within>, Option<FigureBounds>)| {
            bounds.is_some() && figure.is_some_and(|it| it.within.is_none())
        };
        if found().any(in_brackets) {
            title += ", intervals in brackets";
        }
        title
    }
}

/// Returns the columns of the table: one for each combination of values of the varied options other
/// than that with the index `along`, in the order of the sweep.
fn ways(summary: &SweepSummary, along: usize) -> Vec<Way<'_>> {
    let mut ways: Vec<Way<'_>> = Vec::new();
    for group in &summary.groups {
        let own = name(summary, group, &[along]);
        match ways.iter_mut().find(|(other, _)| *other == own) {
            Some((_, groups)) => groups.push(group),
            None => ways.push((own, vec![group])),
        }
    }
    if let [(only, _)] = ways.as_mut_slice() {
        // A single way has no name of its own.
        *only = summary.groups.first().map_or_else(String::new, |group| {
            let others = group.values.iter().enumerate().filter(|(at, _)| *at != along);
            others.map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(" ")
        });
    }
    ways
}

fn cell(group: Option<&GroupSummary>, shown: &ShownFigure, least: Option<f64>) -> Cell {
    match group {
        None => "no row".into(),
        Some(group) if group.seeds == 0 && group.failed > 0 => "failed".into(),
        Some(group) if !group.complete => "never ended".into(),
        Some(group) => {
            let (found, bounds) = shown.found(group);
            let cell = figure(found, bounds);
            let is_judged = group.whole && !group.other_vendor;
            let is_least = found.zip(least).is_some_and(|(own, least)| own.mean <= least);
            if is_least && is_judged { cell.starred() } else { cell }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use raddle_study::sweep::{ReadRow, Swept, SweptAxis};

    use super::*;
    use crate::document::Document;

    /// Sums up a sweep over numbers of loads and recipes; each p99 is 10 ms, between 9 and 12 ms.
    fn swept(key: &str, loads: usize, recipes: usize) -> SweepSummary {
        seeded(key, [loads, recipes, 1], "serve p99 20ms")
    }

    /// Sums up a sweep over numbers of loads, recipes and seeds, with a goal; it has no row
    /// (result) where one of the numbers is 0.
    fn seeded(key: &str, [loads, recipes, seeds]: [usize; 3], goal: &str) -> SweepSummary {
        let axis = |key: &str, values: Vec<String>| SweptAxis { key: key.to_owned(), values };
        let mut axes = vec![
            axis(key, (1..=loads).map(|load| format!("{load}0/s")).collect()),
            axis("recipe", (0..recipes).map(|recipe| format!("recipe-number-{recipe}")).collect()),
        ];
        if seeds > 1 {
            axes.push(axis("seed", (0..seeds).map(|seed| seed.to_string()).collect()));
        }
        let goals = vec![goal.parse().expect("it is a goal")];
        let mut swept = Swept::new(axes, goals, vec!["serve".to_owned()]);
        let figures = [("p99-ns", 10e6), ("p50-ns", 5e6), ("least-ns", 9e6), ("most-ns", 12e6)];
        let figures = figures.map(|(key, ns)| (format!("serve.{key}"), ns));
        let mut figures: BTreeMap<String, f64> = figures.into();
        figures.insert("makespan-ns".to_owned(), 1e9);
        for load in 0..loads {
            for recipe in 0..recipes {
                for seed in 0..seeds {
                    let result = Ok(figures.clone());
                    let (case, of) = (String::new(), String::new());
                    let places = [load, recipe, seed];
                    let places = if seeds > 1 { &places[..] } else { &places[..2] };
                    swept.add(places, &ReadRow { case, of, result });
                }
            }
        }
        swept.summary()
    }

    fn text(summary: &SweepSummary) -> String {
        let grids = grids(summary);
        let Grid { title, table, left_out } = grids.into_iter().next().expect("a number is varied");
        let mut document = Document::default();
        document.paragraph("", title);
        document.table(table);
        left_out.into_iter().for_each(|text| document.paragraph("", text));
        document.text(false)
    }

    /// Checks that loads are rows and ways of sharing are columns, with intervals, also where the
    /// varied number is not the load.
    #[test]
    fn loads_are_rows_and_ways_are_columns() {
        for key in ["load", "share.train"] {
            let told = text(&swept(key, 3, 2));
            let lines: Vec<&str> = told.lines().collect();
            assert_eq!(lines[0], "serve p99, intervals in brackets");
            assert!(lines[2].starts_with(key), "{told}");
            let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(words(lines[2]), format!("{key} recipe-number-0 recipe-number-1"));
            assert_eq!(words(lines[4]), "10/s 10.0 ms (9.0-12.0) 10.0 ms (9.0-12.0)");
            assert_eq!(lines.len(), 7, "{told}");
        }
    }

    /// Checks that no table is made of a part of a sweep that has no cases.
    #[test]
    fn a_part_without_cases_has_no_table() {
        let summary = seeded("load", [2, 1, 0], "serve p99 20ms");
        assert!(summary.along.is_some() && summary.groups.is_empty());
        assert!(grids(&summary).is_empty());
    }

    /// Checks that the table shows the figure that the goal limits if the sweep holds it, and that
    /// the heading says what stands in the cells.
    #[test]
    fn the_heading_names_what_stands_in_the_cells() {
        let of = |seeds: usize, goal: &str| {
            let told = text(&seeded("load", [3, 2, seeds], goal));
            let lines: Vec<&str> = told.lines().collect();
            let cell = lines[4].split_whitespace().skip(1).take(2).collect::<Vec<_>>().join(" ");
            (lines[0].to_owned(), cell, told)
        };
        let (title, cell, told) = of(1, "serve p50 20ms");
        assert_eq!((&*title, &*cell), ("serve p50", "5.00 ms"), "{told}");
        let (title, _, told) = of(1, "serve p90 20ms");
        assert_eq!(title, "serve p99 (the goal limits p90), intervals in brackets", "{told}");
        let (title, _, told) = of(3, "serve p99 20ms");
        assert_eq!(title, "serve p99, ± over seeds", "{told}");
        assert!(told.contains('±') && !told.contains("(9.0-12.0)"), "{told}");
    }

    #[test]
    fn a_large_sweep_keeps_to_a_screen() {
        let told = text(&swept("load", 30, 9));
        assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
        assert!(told.lines().count() <= 22, "{told}");
        assert!(told.contains("\n10/s") && told.contains("\n300/s"), "{told}");
        assert!(told.contains("22 values and 5 columns more in the report"), "{told}");
    }
}
