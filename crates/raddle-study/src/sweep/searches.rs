//! What do the rows of a study of search methods say, as means over the random seeds of each case?

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::row::ReadRow;
use super::summary::SweptAxis;
use super::summary::{FailedCase, NeverRan, Within};

/// Key of recipes that every study of search methods varies: the method by which free room is
/// searched. `FULL` is the method with which the others are compared.
const SEARCH: &str = "allocate.search";
const FULL: &str = "full";

/// Rows (results of cases) of a study of search methods (ways to find free room on a compute unit).
/// Rows are added in any order, and the summary is made from them.
#[derive(Clone, Debug)]
pub struct SearchRows {
    axes: Vec<SweptAxis>,
    /// Sentences on the memory that the processes need together, and on how much the device has.
    memory: Vec<String>,
    /// Figures of the cases without an error. The outer key is the combination of values of the
    /// varied options other than the random seed, as indices; the inner key is the index of the
    /// seed.
    groups: BTreeMap<Vec<usize>, BTreeMap<usize, Figures>>,
    /// Failed cases; the key is (combination of values of the varied options other than the random
    /// seed, as indices; index of the seed).
    failed: BTreeMap<(Vec<usize>, usize), FailedCase>,
    /// Facts about the profiles that can make the study's answer wrong, one line each.
    overturning: Vec<String>,
}

/// Figures of a row (the result of one case), by name.
type Figures = BTreeMap<String, f64>;

/// Result of a study of search methods (ways to find free room on a compute unit), as `raddle
/// search-study --format json` prints it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SearchSummary {
    /// Keys of the varied options other than the random seed.
    pub axes: Vec<String>,
    /// List of the times whose 99th percentile is shown: first the request time of each process,
    /// then, for each urgency level of a process, the wait of launches for their first wave.
    pub waits: Vec<SearchWait>,
    /// Figures of each search method (way to find free room on a compute unit), one entry for each
    /// combination of a method with values of the other varied options.
    pub searches: Vec<SearchGroup>,
    /// Sentences on how much memory the processes need together and how much the device has: one
    /// for the first case, and one for the last case where it differs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<String>,
    /// Number of cases that have an error instead of figures.
    pub failed: u64,
    /// Failed cases, and why they failed; they count in no figure and no conclusion.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailedCase>,
    /// Facts that can make the study's answer wrong, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overturning: Vec<String>,
    /// Processes of which some launches can never run under at least one search method (way to find
    /// free room on a compute unit).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub never_ran: Vec<NeverRan>,
}

/// Describes a time whose 99th percentile is shown: the process, and whether it is a request time
/// or a wait of launches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SearchWait {
    /// Name of the process whose time the percentile is of.
    pub process: String,
    /// Urgency level of the launches, if the time is their wait from ready to the start of the
    /// first wave; `None` if it is the time of requests from arrival to end.
    pub level: Option<u8>,
}

/// Figures of one search method (way to find free room on a compute unit) with one combination of
/// values of the other varied options, as means over the random seeds.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SearchGroup {
    /// Values of the varied options other than the random seed, in the order of their keys.
    pub values: Vec<String>,
    /// Number of cases with figures, one for each random seed.
    pub seeds: u64,
    /// Number of gates with two inputs in the search circuits of one compute unit.
    pub gates: u64,
    /// Number of bits that the search circuits of one compute unit keep in registers from one clock
    /// cycle to the next.
    pub register_bits: u64,
    /// Number of clock cycles that one decision of the search circuit takes.
    pub clocks: u64,
    /// Makespan in nanoseconds, as a mean over the random seeds; `None` where a case lacks it.
    pub makespan: Option<Within>,
    /// Relative change of the makespan against a search that overlooks no free room (0.1 is 10 %
    /// longer), as a mean over the random seeds in which both have figures; `None` where there is
    /// no such seed.
    pub longer: Option<Within>,
    /// Number of times that the allocate policy let a workgroup wait because less was free than it
    /// needs, as a mean over the random seeds; `None` where a case lacks the number.
    pub not_enough: Option<Within>,
    /// Number of times that the allocate policy let a workgroup wait because the free granules
    /// (smallest amounts of a resource) were not neighbours, though enough in sum. It is a mean
    /// over the random seeds; `None` where a case lacks the number.
    pub in_pieces: Option<Within>,
    /// Number of times that the allocate policy let a workgroup wait because its inexact search
    /// overlooked the free room. It is a mean over the random seeds; `None` where a case lacks the
    /// number.
    pub not_seen: Option<Within>,
    /// Number of launches that can never run, counted in one repetition of each process, as a mean
    /// over the random seeds; `None` where no case has figures.
    pub refused: Option<Within>,
    /// 99th percentiles in nanoseconds, as means over the random seeds, in the order of
    /// [`SearchSummary::waits`]; `None` where a case lacks the percentile.
    pub waits: Vec<Option<Within>>,
    /// True if the search method is Pareto-optimal: no other method, with equal values of the other
    /// varied options, is better in gates or makespan without being worse in the other of the two.
    /// `None` where a case with these values failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_front: Option<bool>,
}

impl SearchRows {
    /// Makes an empty set of rows for a sweep of the varied options `axes`.
    #[must_use]
    pub const fn new(axes: Vec<SweptAxis>) -> Self {
        Self {
            axes,
            memory: Vec::new(),
            groups: BTreeMap::new(),
            failed: BTreeMap::new(),
            overturning: Vec::new(),
        }
    }

    /// Sets the sentences on how much memory the processes need together.
    pub fn hold(&mut self, memory: Vec<String>) {
        self.memory = memory;
    }

    /// Sets the lines on facts about the profiles that can make the study's answer wrong.
    pub fn warn(&mut self, lines: Vec<String>) {
        self.overturning = lines;
    }

    /// Returns the processes of which some launches can never run.
    fn never_ran(&self) -> Vec<NeverRan> {
        let mut all = BTreeMap::new();
        for figures in self.groups.values().flat_map(BTreeMap::values) {
            for process in figures.keys().filter_map(|key| key.strip_suffix(".refused")) {
                let of = |key: &str| figures.get(&format!("{process}.{key}")).copied();
                NeverRan::add(&mut all, process, of);
            }
        }
        all.into_values().collect()
    }

    /// Adds the row (result) of a case; `places` has, for each varied option, the index of the
    /// case's value.
    pub fn add(&mut self, places: &[usize], row: &ReadRow) {
        let seed = self.axes.iter().position(|axis| axis.key == "seed");
        let all = places.iter().copied().enumerate();
        let group: Vec<usize> =
            all.filter(|(axis, _)| Some(*axis) != seed).map(|(_, place)| place).collect();
        let seed = seed.and_then(|axis| places.get(axis)).copied().unwrap_or(0);
        match &row.result {
            Ok(figures) => {
                self.groups.entry(group).or_default().insert(seed, figures.clone());
            }
            Err(error) => {
                let (case, error) = (row.case.clone(), error.clone());
                self.failed.insert((group, seed), FailedCase { case, error });
            }
        }
    }

    /// Returns the summary of the rows: the figures as means over the random seeds, with the
    /// Pareto-optimal search methods marked.
    #[must_use]
    pub fn summary(&self) -> SearchSummary {
        let axes: Vec<&SweptAxis> = self.axes.iter().filter(|axis| axis.key != "seed").collect();
        let waits = self.waits();
        let groups = self.groups.iter().map(|(places, rows)| {
            let values = axes.iter().zip(places).map(|(axis, &at)| axis.values[at].clone());
            self.group(values.collect(), (places, rows), &waits)
        });
        let mut searches: Vec<SearchGroup> = groups.collect();
        let at = axes.iter().position(|axis| axis.key == SEARCH);
        let failed = self.failed.keys().map(|(places, _)| {
            let values = axes.iter().zip(places).map(|(axis, &at)| axis.values[at].clone());
            others(&values.collect::<Vec<_>>(), at)
        });
        mark_front(&mut searches, at, &failed.collect());
        let never_ran = self.never_ran();
        let rows = self.groups.values().map(|rows| rows.len() as u64).sum();
        let lines: Vec<String> = never_ran.iter().map(|lost| lost.line(rows)).collect();
        SearchSummary {
            axes: axes.iter().map(|axis| axis.key.clone()).collect(),
            waits: waits.into_iter().map(|(_, wait)| wait).collect(),
            searches,
            memory: self.memory.clone(),
            failed: self.failed.len() as u64,
            failures: self.failed.values().cloned().collect(),
            overturning: self.overturning.iter().cloned().chain(lines).collect(),
            never_ran,
        }
    }

    /// Finds the 99th percentiles in the rows, each as (key of the figure in a row, its process and
    /// level). Percentiles of request times come first.
    fn waits(&self) -> Vec<(String, SearchWait)> {
        let rows = self.groups.values().flat_map(BTreeMap::values);
        let keys: BTreeSet<&String> = rows.flat_map(BTreeMap::keys).collect();
        let requests = keys.iter().filter_map(|key| {
            let process = key.strip_suffix(".p99-ns")?.to_owned();
            Some(((*key).clone(), SearchWait { process, level: None }))
        });
        let levels = keys.iter().filter_map(|key| {
            let (process, level) = key.strip_suffix(".wait-p99-ns")?.rsplit_once(".level-")?;
            let level = level.parse().ok()?;
            Some(((*key).clone(), SearchWait { process: process.to_owned(), level: Some(level) }))
        });
        requests.chain(levels).collect()
    }

    fn group(
        &self,
        values: Vec<String>,
        (places, rows): (&Vec<usize>, &BTreeMap<usize, Figures>),
        waits: &[(String, SearchWait)],
    ) -> SearchGroup {
        let of = |key: &str| -> Option<Within> {
            let all: Option<Vec<f64>> = rows.values().map(|row| row.get(key).copied()).collect();
            Within::of(&all?)
        };
        let first = |key: &str| {
            let first = rows.values().next().and_then(|row| row.get(key));
            first.map_or(0, |&value| value as u64)
        };
        let refused = rows.values().map(|row| {
            let own = row.iter().filter(|(key, _)| key.ends_with(".refused"));
            own.map(|(_, count)| count).sum()
        });
        SearchGroup {
            values,
            seeds: rows.len() as u64,
            gates: first("search-gates"),
            register_bits: first("search-register-bits"),
            clocks: first("search-clocks"),
            makespan: of("makespan-ns"),
            longer: self.longer(places, rows),
            not_enough: of("refusals-not-enough"),
            in_pieces: of("refusals-in-pieces"),
            not_seen: of("refusals-not-seen"),
            refused: Within::of(&refused.collect::<Vec<f64>>()),
            waits: waits.iter().map(|(key, _)| of(key)).collect(),
            on_front: None,
        }
    }

    /// Returns the relative change of the makespan against a search that overlooks no free room
    /// (0.1 is 10 % longer). It is a mean over the random seeds in which both have figures; `None`
    /// where there is no such seed. `places` is the combination of values, as indices, and `rows`
    /// has its figures by seed.
    fn longer(&self, places: &[usize], rows: &BTreeMap<usize, Figures>) -> Option<Within> {
        let axes = self.axes.iter().filter(|axis| axis.key != "seed");
        let (at, axis) = axes.enumerate().find(|(_, axis)| axis.key == SEARCH)?;
        let mut full = places.to_vec();
        *full.get_mut(at)? = axis.values.iter().position(|value| value == FULL)?;
        let full = self.groups.get(&full)?;
        let pairs = rows.iter().filter_map(|(seed, row)| {
            let (own, full) = (row.get("makespan-ns")?, full.get(seed)?.get("makespan-ns")?);
            (*full > 0.0).then(|| own / full - 1.0)
        });
        Within::of(&pairs.collect::<Vec<f64>>())
    }
}

/// Marks the Pareto-optimal search methods in gates and makespan, among those with equal values of
/// the other varied options. A method is never marked if more launches can never run under it than
/// under another one: its makespan is short only for lack of work. Where a case with these values
/// failed, no method is marked.
fn mark_front(searches: &mut [SearchGroup], search: Option<usize>, failed: &BTreeSet<Vec<String>>) {
    let points: Vec<SearchPoint> = searches
        .iter()
        .map(|group| SearchPoint {
            others: others(&group.values, search),
            refused: group.refused.map_or(0.0, |it| it.mean),
            gates: group.gates,
            makespan: group.makespan.map(|it| it.mean),
        })
        .collect();
    for (group, own) in searches.iter_mut().zip(&points) {
        let mut beside = points.iter().filter(|point| point.others == own.others);
        let on = own.makespan.is_some() && !beside.any(|it| it.beats(own));
        group.on_front = (!failed.contains(&own.others)).then_some(on);
    }
}

fn others(values: &[String], search: Option<usize>) -> Vec<String> {
    let others = values.iter().enumerate().filter(|(at, _)| Some(*at) != search);
    others.map(|(_, value)| value.clone()).collect()
}

/// Figures by which search methods are compared: gates, makespan, and the number of launches that
/// can never run.
struct SearchPoint {
    others: Vec<String>,
    refused: f64,
    gates: u64,
    makespan: Option<f64>,
}

impl SearchPoint {
    fn beats(&self, other: &Self) -> bool {
        let (Some(own), Some(others)) = (self.makespan, other.makespan) else { return false };
        let no_worse = self.gates <= other.gates && own <= others;
        self.refused < other.refused
            || self.refused == other.refused
                && no_worse
                && (self.gates < other.gates || own < others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(key: &str, values: &[&str]) -> SweptAxis {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        SweptAxis { key: key.to_owned(), values }
    }

    fn row(figures: &[(&str, f64)]) -> ReadRow {
        let figures = figures.iter().map(|&(key, value)| (key.to_owned(), value));
        ReadRow { case: String::new(), of: String::new(), result: Ok(figures.collect()) }
    }

    /// Makes rows of four search methods over two random seeds. The second method has fewer gates
    /// than the first and takes 10 % and 20 % longer; the third has as many gates and takes longer;
    /// the fourth is fast, but refuses a launch.
    fn rows() -> SearchRows {
        let axes = vec![
            axis("allocate.search", &["full", "few", "poor", "none"]),
            axis("seed", &["0", "1"]),
        ];
        let mut rows = SearchRows::new(axes);
        let all = [
            (0, 0, 100.0),
            (0, 1, 200.0),
            (1, 0, 110.0),
            (1, 1, 240.0),
            (2, 0, 150.0),
            (2, 1, 250.0),
            (3, 0, 50.0),
            (3, 1, 50.0),
        ];
        for (search, seed, makespan) in all {
            let gates = if search == 1 { 10.0 } else { 50.0 };
            rows.add(
                &[search, seed],
                &row(&[
                    ("makespan-ns", makespan),
                    ("search-gates", gates),
                    ("refusals-not-seen", 3.0 * search as f64),
                    ("a.refused", 1.0),
                    ("b.refused", if search == 3 { 3.0 } else { 2.0 }),
                    ("b.level-5.wait-p99-ns", 7.0),
                    ("a.p99-ns", 9.0),
                ]),
            );
        }
        rows
    }

    #[test]
    fn searches_are_measured_by_the_full_one_seed_by_seed() {
        let summary = rows().summary();
        let wait = |process: &str, level| SearchWait { process: process.to_owned(), level };
        assert_eq!(summary.waits, [wait("a", None), wait("b", Some(5))]);
        let [full, few, poor, none] = &summary.searches[..] else { panic!("there are four") };
        assert_eq!((full.gates, few.gates), (50, 10));
        // 10 % and 20 %: mean 15 %, and 12.706 * 0.0707 / sqrt(2) = 63.5 %.
        let longer = few.longer.expect("both have both seeds");
        assert!((longer.mean - 0.15).abs() < 1e-9, "{longer:?}");
        assert!((longer.within.expect("two seeds") - 0.6353).abs() < 1e-4, "{longer:?}");
        assert_eq!(few.not_seen, Some(Within { mean: 3.0, within: Some(0.0) }));
        assert_eq!(few.refused.map(|it| it.mean), Some(3.0));
        assert_eq!(few.waits[1].map(|it| it.mean), Some(7.0));
        let front = [full, few, poor, none].map(|group| group.on_front);
        assert_eq!(front, [true, true, false, false].map(Some));
    }

    #[test]
    fn what_failed_is_told_once_and_nothing_is_concluded_beside_it() {
        let mut rows = rows();
        for seed in 0..2 {
            let case = format!("few {seed}");
            let error = ReadRow { case, result: Err("no groups".into()), ..row(&[]) };
            rows.add(&[1, seed], &error);
        }
        let summary = rows.summary();
        assert_eq!(summary.failed, 2);
        let told = FailedCase::told(&summary.failures);
        assert_eq!(told, ["few 0 and 1 more case: no groups"]);
        let front: Vec<Option<bool>> = summary.searches.iter().map(|it| it.on_front).collect();
        assert_eq!(front, [None; 4], "the one that failed might beat any");
    }
}
