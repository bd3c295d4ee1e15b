//! Which times were measured of two programs that ran side by side on one device?

use std::collections::BTreeMap;

use raddle_sim::percentile;
use serde::{Deserialize, Serialize};

use crate::units::plain;
use crate::written::json;

/// Version of the format of a file of measurements that this raddle reads.
const VERSION: u32 = 1;
/// Beginning of the name of a case of the file of measurements in which both programs ran side by
/// side; the name of the load (rate of requests) follows.
const BESIDE: &str = "beside ";
/// Smallest number of requests without an end at the last arrival with which a measurement can
/// count as overloaded.
const BACKLOG: usize = 5;
/// Key of the arrival times of requests within a case of the file of measurements.
const ARRIVALS: &str = "arrivals";

/// Measured times of two programs that ran side by side under several ways of sharing, as a file
/// holds them in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairTruth {
    /// Version of the format of the file of measurements: 1.
    #[serde(rename = "raddle-pair")]
    pub version: u32,
    /// Product name of the device on which the two programs were measured.
    pub device: String,
    /// Text with the versions of the driver and of other software of the measured machine; `None`
    /// where the file does not state them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// Version of PyTorch that the measured programs used; `None` where the file does not state it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torch: Option<String>,
    /// Unit of all times of the file except `seconds`; only `ms` (milliseconds) can be read.
    pub unit: String,
    /// Time for which both programs ran in each case, in seconds.
    pub seconds: f64,
    /// Names of the two programs: first the one that answers requests, then the one that repeats
    /// steps.
    pub programs: [String; 2],
    /// Arrival times of the requests in ms, by the name of the load (rate of requests). They are
    /// used for every case of that load that has no arrival times of its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arrivals: BTreeMap<String, PairTimes>,
    /// Measured times in ms, by the name of the way of sharing, then by case (`A alone LOAD`, `B
    /// alone`, `beside LOAD`), then by program.
    pub ways: BTreeMap<String, BTreeMap<String, BTreeMap<String, PairTimes>>>,
}

/// Times that were measured for one program in one case, in ms: once, or in several repetitions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PairTimes {
    /// Times in ms of a measurement that was made once.
    One(Vec<f64>),
    /// Times in ms of a measurement that was repeated: one list for each repetition.
    Several(Vec<Vec<f64>>),
}

/// Reason why a file of measurements of two programs cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what each field is")]
pub enum TruthError {
    /// The file cannot be read as measurements of two programs; the text says why.
    #[error("it is no measured pair ({0})")]
    Form(String),
    /// The file has a version or a unit that this version of raddle does not read.
    #[error("its version is {version} and its unit `{unit}`, this raddle reads 1 and `ms`")]
    Version { version: u32, unit: String },
    /// Lists of one measured case are missing, hold an impossible time, or have different numbers
    /// of repetitions; `why` says which.
    #[error("{way}, {case}: {why}")]
    Case { way: String, case: String, why: &'static str },
    /// The file has no case in which both programs, `one` and `other`, ran under a way of sharing
    /// that replays can simulate.
    #[error("it has no case `beside LOAD` of {one} and {other} under a way that replays know")]
    Nothing { one: String, other: String },
}

/// One repetition of both programs beside each other: arrival times of requests, times of requests
/// from arrival to end, and times of steps, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PairRun {
    pub(crate) arrivals: Vec<u64>,
    pub(crate) requests: Vec<u64>,
    pub(crate) steps: Vec<u64>,
}

/// All repetitions of both programs under one way of sharing the device and one load (rate of
/// requests).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PairCase {
    pub(super) way: String,
    pub(super) load: String,
    pub(crate) runs: Vec<PairRun>,
}

impl PairTimes {
    /// Returns the times of each repetition of the measurement, in milliseconds; a measurement made
    /// once counts as one repetition.
    #[must_use]
    pub fn repetitions(&self) -> Vec<&[f64]> {
        match self {
            Self::One(times) => vec![times],
            Self::Several(all) => all.iter().map(Vec::as_slice).collect(),
        }
    }
}

/// Returns the recipe that simulates a measured way of sharing, such as `partition` for
/// `mps-30-70`, and the percentage of the device that each of the two programs gets. The
/// percentages are `None` for every recipe but `partition`; the result is `None` where no recipe
/// simulates the way.
#[must_use]
pub fn recipe_of(way: &str) -> Option<(&'static str, Option<[u32; 2]>)> {
    let recipe = match way {
        "time-slice" => "time-slice",
        "mps" | "streams" => "mps",
        "mps-priority" | "stream-priorities" => "mps-priority",
        _ => {
            let (one, other) = way.strip_prefix("mps-")?.split_once('-')?;
            let percents = [one.parse().ok()?, other.parse().ok()?];
            let lawful =
                percents.iter().all(|it| (1..100).contains(it)) && percents[0] + percents[1] <= 100;
            return lawful.then_some(("partition", Some(percents)));
        }
    };
    Some((recipe, None))
}

/// Returns the way of sharing that `raddle calibrate pair` has to measure for comparison with a
/// recipe, such as `mps-30-70` for `partition-30-70`. `None` where the command cannot measure it:
/// streams, for instance, belong to one program, and the command runs two.
pub(crate) fn way_of(recipe: &str) -> Option<String> {
    let way = match recipe.strip_prefix("partition-") {
        Some(percents) => format!("mps-{percents}"),
        None => recipe.to_owned(),
    };
    (recipe_of(&way).is_some() && !way.contains("stream")).then_some(way)
}

/// Converts milliseconds to whole nanoseconds; `None` where the time is below 0 or too long.
fn ns(ms: f64) -> Option<u64> {
    let ns = (ms * 1e6).round();
    (0.0..1e18).contains(&ns).then_some(ns as u64)
}

impl PairTruth {
    /// Reads a file of measurements of two programs.
    ///
    /// # Errors
    /// When the file is no such file, has another version or unit, or has no usable case, or lists
    /// of a case are missing or do not fit together.
    pub fn parse(bytes: &[u8]) -> Result<Self, TruthError> {
        let read: Self = json(bytes).map_err(TruthError::Form)?;
        if read.version != VERSION || read.unit != "ms" {
            let (version, unit) = (read.version, plain(&read.unit, 20));
            return Err(TruthError::Version { version, unit });
        }
        if !(read.seconds > 0.0 && read.seconds < 1e6) {
            return Err(TruthError::Form("its seconds are no length of a run".to_owned()));
        }
        read.cases()?;
        Ok(read)
    }

    /// Returns the cases in which both programs ran beside each other under a way of sharing the
    /// device that raddle can simulate, sorted by the name of the way, then by the load (rate of
    /// requests).
    pub(super) fn cases(&self) -> Result<Vec<PairCase>, TruthError> {
        let mut all = Vec::new();
        for (way, cases) in self.ways.iter().filter(|(way, _)| recipe_of(way).is_some()) {
            let loads = cases.keys().filter_map(|case| Some((case, case.strip_prefix(BESIDE)?)));
            for (case, load) in loads {
                let told = |why| {
                    let [way, case] = [way, case].map(|text| plain(text, 60));
                    TruthError::Case { way, case, why }
                };
                let runs = self.runs(&cases[case], load).map_err(told)?;
                all.push(PairCase { way: way.clone(), load: load.to_owned(), runs });
            }
        }
        let [one, other] = self.programs.each_ref().map(|name| plain(name, 40));
        if all.is_empty() { Err(TruthError::Nothing { one, other }) } else { Ok(all) }
    }

    /// Returns the times of each program alone in nanoseconds, one for each measurement, ascending:
    /// the median request of the first program, and the mean step of the second.
    pub(super) fn alone(&self) -> Result<[Vec<u64>; 2], TruthError> {
        let cases = self.ways.iter().flat_map(|(way, cases)| cases.iter().map(move |it| (way, it)));
        let mut found = [Vec::new(), Vec::new()];
        for (way, (case, programs)) in cases {
            let own = |name: &String| case.strip_prefix(name)?.trim_start().strip_prefix("alone");
            let Some(at) = self.programs.iter().position(|name| own(name).is_some()) else {
                continue;
            };
            let told = |why| TruthError::Case { way: plain(way, 60), case: plain(case, 60), why };
            let times = programs.get(&self.programs[at]);
            for one in times.map(PairTimes::repetitions).unwrap_or_default() {
                let times: Option<Vec<u64>> = one.iter().map(|&ms| ns(ms)).collect();
                let times = times.ok_or_else(|| told("a time is no time"))?;
                let run = PairRun { arrivals: Vec::new(), requests: times.clone(), steps: times };
                let [median, _, mean] = run.figures();
                found[at].extend((!one.is_empty()).then_some(if at == 0 { median } else { mean }));
            }
        }
        found.iter_mut().for_each(|times| times.sort_unstable());
        Ok(found)
    }

    fn runs(
        &self,
        case: &BTreeMap<String, PairTimes>,
        load: &str,
    ) -> Result<Vec<PairRun>, &'static str> {
        let of = |times: &PairTimes| -> Option<Vec<Vec<u64>>> {
            let all = times.repetitions().into_iter();
            all.map(|one| one.iter().map(|&ms| ns(ms)).collect()).collect()
        };
        let wrong = "a time is no time";
        let [requests, steps] = self.programs.each_ref().map(|name| case.get(name));
        let requests = requests.ok_or("the times of the requests are missing")?;
        let steps = steps.ok_or("the times of the steps are missing")?;
        let arrivals = case.get(ARRIVALS).or_else(|| self.arrivals.get(load));
        let arrivals = arrivals.ok_or("it has no arrivals, nor has the file for its load")?;
        let (arrivals, requests) = (of(arrivals).ok_or(wrong)?, of(requests).ok_or(wrong)?);
        let steps = of(steps).ok_or(wrong)?;
        // One list of arrivals may serve all repetitions, and some may not have been run yet.
        let shared = arrivals.len() == 1;
        if requests.len() != steps.len() || !(shared || arrivals.len() >= requests.len()) {
            return Err("its lists have different numbers of repetitions");
        }
        let runs = requests.into_iter().zip(steps).enumerate().map(|(at, (requests, steps))| {
            let arrivals = arrivals[if shared { 0 } else { at }].clone();
            PairRun { arrivals, requests, steps }
        });
        let runs: Vec<PairRun> = runs.collect();
        match runs.iter().all(|run| !run.requests.is_empty() && !run.steps.is_empty()) {
            true if !runs.is_empty() => Ok(runs),
            _ => Err("a repetition has no request or no step"),
        }
    }

    /// Returns the measured case in which both programs ran under a recipe, given by its name in
    /// results, at the load (rate of requests) `load`. `None` means the only load that was measured
    /// under the recipe.
    ///
    /// # Errors
    /// Returns a message where no case, or more than one, fits the recipe and the load.
    pub(crate) fn case(&self, recipe: &str, load: Option<&str>) -> Result<PairCase, String> {
        let cases = self.cases().map_err(|error| error.to_string())?;
        let is_way = |case: &&PairCase| match recipe_of(&case.way) {
            Some((of, Some([one, other]))) => {
                recipe == of || recipe == format!("{of}-{one}-{other}")
            }
            Some((of, None)) => recipe == of,
            None => false,
        };
        let mut found: Vec<&PairCase> = cases.iter().filter(is_way).collect();
        found.retain(|case| load.is_none_or(|load| load == case.load));
        // Streams of one process stand for `mps` only where that was not measured itself.
        if found.iter().any(|case| case.way == recipe) {
            found.retain(|case| case.way == recipe);
        }
        let all = |of: &[&PairCase]| {
            let told = of.iter().map(|case| format!("{} at {}", case.way, case.load));
            told.collect::<Vec<_>>().join(", ")
        };
        match found[..] {
            [case] => Ok(case.clone()),
            [] => {
                let all = all(&cases.iter().collect::<Vec<_>>());
                let hint = way_of(recipe).map_or_else(String::new, |way| {
                    format!(": measure it with `raddle calibrate pair --way={way}`, or choose with --recipe")
                });
                Err(format!("both were not measured under {recipe} at that load, but {all}{hint}"))
            }
            _ => Err(format!("several of its cases are of {recipe}: {} (--load)", all(&found))),
        }
    }

    /// Returns the time for which both programs ran in each case, in nanoseconds.
    pub(super) fn length_ns(&self) -> u64 {
        ns(self.seconds * 1000.0).unwrap_or(1)
    }
}

impl PairRun {
    /// Returns (median request, 99th percentile of requests, mean step) in nanoseconds; percentiles
    /// are by nearest rank.
    pub(crate) fn figures(&self) -> [u64; 3] {
        let mut sorted = self.requests.clone();
        sorted.sort_unstable();
        let steps = self.steps.iter().map(|&ns| u128::from(ns)).sum::<u128>();
        let mean = steps / (self.steps.len().max(1) as u128);
        let mean = u64::try_from(mean).unwrap_or(u64::MAX);
        [percentile(&sorted, 50), percentile(&sorted, 99), mean]
    }

    /// Returns whether requests arrived faster than they were served: at the last arrival more than
    /// a tenth of all requests, and at least [`BACKLOG`], had not ended. Then the figures depend on
    /// when the measurement was stopped.
    pub(super) fn is_overloaded(&self) -> bool {
        let last = self.arrivals.last().copied().unwrap_or_default();
        let ends =
            self.arrivals.iter().zip(&self.requests).map(|(at, took)| at.saturating_add(*took));
        let answered = ends.filter(|end| *end <= last).count();
        let waiting = self.arrivals.len().saturating_sub(answered);
        waiting >= BACKLOG && waiting * 10 > self.arrivals.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(ways: &str) -> String {
        format!(
            r#"{{"raddle-pair":1,"device":"d","unit":"ms","seconds":1.0,"programs":["a","b"],"arrivals":{{"5":[0,100]}},"ways":{ways}}}"#
        )
    }

    #[test]
    fn repetitions_stay_apart_and_share_arrivals() {
        let ways = r#"{"mps":{"beside 5":{"a":[[1,2],[3,4.5]],"b":[[10],[11]]},"a alone 5":{"a":[1]}},"odd":{"beside 5":{}}}"#;
        let truth = PairTruth::parse(text(ways).as_bytes()).expect("it is lawful");
        let cases = truth.cases().expect("they hold together");
        assert_eq!((cases.len(), cases[0].runs.len()), (1, 2));
        assert_eq!(cases[0].runs[1].requests, [3_000_000, 4_500_000]);
        assert_eq!(cases[0].runs[1].arrivals, [0, 100_000_000]);
        assert_eq!(cases[0].runs[1].figures(), [3_000_000, 4_500_000, 11_000_000]);
    }

    #[test]
    fn what_does_not_hold_together_is_refused_with_its_case() {
        let told = |ways: &str| PairTruth::parse(text(ways).as_bytes()).unwrap_err().to_string();
        for (ways, why) in [
            ("{}", "it has no case `beside LOAD` of a and b"),
            (r#"{"odd":{"beside 5":{"a":[1],"b":[1]}}}"#, "it has no case"),
            (r#"{"mps":{"beside 5":{"a":[1]}}}"#, "mps, beside 5: the times of the steps"),
            (r#"{"mps":{"beside 7":{"a":[1],"b":[1]}}}"#, "no arrivals"),
            (r#"{"mps":{"beside 5":{"a":[[1],[2]],"b":[1]}}}"#, "numbers of repetitions"),
            (r#"{"mps":{"beside 5":{"a":[],"b":[1]}}}"#, "no request or no step"),
            (r#"{"mps":{"beside 5":{"a":[-1],"b":[1]}}}"#, "no time"),
            ("3", "it is no measured pair (line 1"),
        ] {
            assert!(told(ways).contains(why), "{ways}: {}", told(ways));
        }
        let other = text("{}").replace("\"ms\"", "\"s\"");
        let other = PairTruth::parse(other.as_bytes()).unwrap_err().to_string();
        assert!(other.contains("its unit `s`"), "{other}");
    }

    #[test]
    fn a_recipe_and_a_load_are_one_case() {
        let ways = r#"{"mps":{"beside 5":{"a":[1],"b":[1]}},"streams":{"beside 5":{"a":[2],"b":[1]}},
            "mps-30-70":{"beside 5":{"a":[3],"b":[1]}},"mps-50-50":{"beside 5":{"a":[4],"b":[1]}}}"#;
        let truth = PairTruth::parse(text(ways).as_bytes()).expect("it is lawful");
        let of = |recipe, load| truth.case(recipe, load).map(|case| case.runs[0].requests[0]);
        assert_eq!(of("mps", None), Ok(1_000_000));
        assert_eq!(of("partition-50-50", Some("5")), Ok(4_000_000));
        assert!(of("partition", None).unwrap_err().contains("several of its cases"));
        assert!(of("mps", Some("7")).unwrap_err().contains("but mps at 5"));
    }

    #[test]
    fn a_backlog_at_the_end_is_an_overload() {
        let run = |took: u64| PairRun {
            arrivals: (0..40).map(|at| at * 10).collect(),
            requests: vec![took; 40],
            steps: vec![1],
        };
        assert!(!run(35).is_overloaded(), "four wait");
        assert!(run(45).is_overloaded(), "five of 40 wait");
    }

    #[test]
    fn ways_have_recipes() {
        assert_eq!(recipe_of("streams"), Some(("mps", None)));
        assert_eq!(recipe_of("mps-30-70"), Some(("partition", Some([30, 70]))));
        assert_eq!(
            (recipe_of("mps-70-70"), recipe_of("mig"), recipe_of("mps-0-70")),
            (None, None, None)
        );
    }
}
