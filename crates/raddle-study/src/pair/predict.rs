//! How far are replays on a device from two programs that were measured on it together?

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, PoisonError};

use raddle_device::Device;
use raddle_trace::arrivals::{ArrivalConfig, ArrivalFile};
use raddle_trace::{GraphCaptures, ImportConfig, Profile, TraceError};
use serde::Serialize;

use super::figures::OPEN;
use super::truth::{PairCase, PairRun, PairTruth, TruthError, recipe_of};
use crate::error::StudyError;
use crate::files::{Files, MemoryFiles};
use crate::parallel;
use crate::profiles::Loaded;
use crate::replay::Surroundings;
use crate::rules::{Named, Rule};
use crate::study::Study;

/// Name of the file in memory in which a replay finds its device; `ARRIVALS` is that of the
/// arrivals of requests.
const DEVICE: &str = "raddle-fitted-device.json";
const ARRIVALS: &str = "raddle-measured-arrivals.json";
/// Urgency level of the program with steps: less urgent than the program with requests, which has
/// level 0.
const LEVEL: u32 = 5;
/// Largest error of one figure, in thousandths of the measured figure, that counts in a sum of
/// errors; a larger one counts as this.
const MOST: u64 = 1000;

/// Measured and replayed figures under one way of sharing and one load. Every list has three
/// figures: median and 99th percentile of the times of requests, and mean time of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct WayError {
    /// Name of the way of sharing, as the file of measurements has it, such as `time-slice`.
    pub way: String,
    /// Name of the load, as the file of measurements has it.
    pub load: String,
    /// Number of repetitions of the measurement.
    pub repetitions: usize,
    /// Measured figures in nanoseconds: (median request, 99th percentile of requests, mean step),
    /// each the median over the repetitions.
    pub measured_ns: [u64; 3],
    /// Least and greatest value over the repetitions of each measured figure, in nanoseconds.
    pub between_ns: [[u64; 2]; 3],
    /// Replayed figures in nanoseconds, in the order of the measured ones, each the median over the
    /// repetitions; `None` where nothing ended.
    pub replayed_ns: [Option<u64>; 3],
    /// True if more requests arrived than the programs served, so that no figure is fitted to these
    /// measurements.
    pub overloaded: bool,
}

impl WayError {
    /// Returns the error of each replayed figure, in thousandths of the measured one; below 0 where
    /// it is too short, `None` where nothing ended.
    #[must_use]
    pub fn permille(&self) -> [Option<i64>; 3] {
        [0, 1, 2].map(|at| permille(self.replayed_ns[at]?, self.measured_ns[at]))
    }

    /// Returns the sum of the absolute errors of the three figures in thousandths, each at most
    /// 1000.
    pub(super) fn cost(&self) -> u64 {
        self.permille().iter().map(|off| off.map_or(MOST, |off| off.unsigned_abs().min(MOST))).sum()
    }
}

/// Measured and replayed time of one program alone: its median request, or its mean step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct AloneError {
    /// Name of the program.
    pub program: String,
    /// Number of measurements of the program alone, over all loads and ways of sharing.
    pub repetitions: usize,
    /// Measured time in nanoseconds, the median over the measurements.
    pub measured_ns: u64,
    /// Least and greatest measured time, in nanoseconds.
    pub between_ns: [u64; 2],
    /// Time that the replay of the program's profile alone takes, in nanoseconds.
    pub replayed_ns: u64,
}

impl AloneError {
    /// Returns the error of the replay, in thousandths of the measured time; below 0 where the
    /// replay is too short.
    #[must_use]
    pub fn permille(&self) -> i64 {
        permille(self.replayed_ns, self.measured_ns).unwrap_or(i64::MAX)
    }
}

/// Returns by how many thousandths of the measured time a replay is too long; `None` where that is
/// no 64-bit number.
fn permille(replayed_ns: u64, measured_ns: u64) -> Option<i64> {
    let measured = i128::from(measured_ns.max(1));
    i64::try_from((i128::from(replayed_ns) - measured) * 1000 / measured).ok()
}

/// Maker of replays of two measured programs side by side; it keeps each result, so that no replay
/// is made twice.
pub struct PairPredictor<'p> {
    profiles: [Loaded; 2],
    cases: Vec<PairCase>,
    /// Measured times of each program alone, one for each measurement, in order.
    alone: [Vec<u64>; 2],
    length_ns: u64,
    around: Surroundings<'p>,
    made: Mutex<Made>,
}

impl std::fmt::Debug for PairPredictor<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PairPredictor").field("cases", &self.cases.len()).finish_non_exhaustive()
    }
}

/// Identity of a replay, so that equal replays are made once: (recipe, percentages of both
/// programs, arrival times in ns, figures of the device that matter under the recipe).
type ReplayKey = (&'static str, Option<[u32; 2]>, Vec<u64>, Vec<u64>);
/// Results of the replays that were made.
type Made = BTreeMap<ReplayKey, Replayed>;

/// Figures of one replay in nanoseconds; `None` where nothing ended.
#[derive(Clone, Copy, Debug, Default)]
struct Replayed {
    /// Median request, 99th percentile of requests, and mean step, of both programs together.
    beside: [Option<u64>; 3],
    /// One request and one step of each program alone.
    alone: [Option<u64>; 2],
}

/// Returns the identity of the replay of a way of sharing; `None` where no recipe stands for that
/// way.
fn key(way: &str, arrivals: &[u64], device: &Device) -> Option<ReplayKey> {
    let (recipe, percents) = recipe_of(way)?;
    let in_turns = recipe == "time-slice";
    let open = OPEN.iter().filter(|figure| figure.in_turns == in_turns);
    let figures = open.map(|figure| figure.of(device)).collect();
    Some((recipe, percents, arrivals.to_vec(), figures))
}

impl<'p> PairPredictor<'p> {
    /// Makes the replays for a file of measurements. `loads` names the loads that are used; if it
    /// is empty, all are. `profiles` are those of the program with requests and of the program with
    /// steps, in this order.
    ///
    /// # Errors
    /// When the measurements contradict each other, have none of the loads, or are of programs with
    /// other names.
    pub fn new(
        truth: &PairTruth,
        loads: &[String],
        profiles: [Loaded; 2],
        around: Surroundings<'p>,
    ) -> Result<Self, StudyError> {
        let refused = |error: TruthError| StudyError::Refused(error.to_string());
        let mut cases = truth.cases().map_err(refused)?;
        cases.retain(|case| loads.is_empty() || loads.contains(&case.load));
        if cases.is_empty() {
            let text = format!("both were not measured at a load of {}", loads.join(" or "));
            return Err(StudyError::Refused(text));
        }
        if profiles.each_ref().map(|of| &of.name) != truth.programs.each_ref() {
            let [a, b] = &truth.programs;
            return Err(StudyError::Usage(format!(
                "the measured programs are {a} (requests) and {b} (steps): give their profiles in this order, with these names"
            )));
        }
        let alone = truth.alone().map_err(refused)?;
        let made = Mutex::default();
        Ok(Self { profiles, cases, alone, length_ns: truth.length_ns(), around, made })
    }

    /// Returns the recipes that stand for the measured ways of sharing, each once.
    pub(super) fn recipes(&self) -> Vec<&'static str> {
        let of = self.cases.iter().filter_map(|case| Some(recipe_of(&case.way)?.0));
        let mut all: Vec<&str> = of.collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the errors on each device, one entry for each way of sharing and load whose recipe
    /// is in `recipes`.
    ///
    /// # Errors
    /// When a replay cannot be made.
    pub(super) fn errors(
        &self,
        devices: &[Device],
        recipes: &[&str],
    ) -> Result<Vec<Vec<WayError>>, StudyError> {
        let asked = |case: &&PairCase| {
            recipe_of(&case.way).is_some_and(|(recipe, _)| recipes.contains(&recipe))
        };
        let cases: Vec<&PairCase> = self.cases.iter().filter(asked).collect();
        // Replays that several cases need are made once, and all replays at the same time.
        let mut wanted = BTreeMap::new();
        for (device, case) in devices.iter().flat_map(|of| cases.iter().map(move |case| (of, case)))
        {
            for run in &case.runs {
                wanted.extend(key(&case.way, &run.arrivals, device).map(|key| (key, device)));
            }
        }
        let known = self.made.lock().unwrap_or_else(PoisonError::into_inner).clone();
        wanted.retain(|key, _| !known.contains_key(key));
        let wanted: Vec<(ReplayKey, &Device)> = wanted.into_iter().collect();
        let found = parallel::map(&wanted, |(key, device)| self.replay(key, device))?;
        let found = wanted.into_iter().map(|(key, _)| key).zip(found);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.extend(found);
        let of = |device| cases.iter().map(|case| self.error(case, device, &made)).collect();
        Ok(devices.iter().map(of).collect())
    }

    fn error(&self, case: &PairCase, device: &Device, made: &Made) -> WayError {
        let measured: Vec<[u64; 3]> = case.runs.iter().map(PairRun::figures).collect();
        let replayed = case.runs.iter().map(|run| {
            let key = key(&case.way, &run.arrivals, device);
            key.and_then(|key| made.get(&key).copied()).unwrap_or_default().beside
        });
        let replayed: Vec<[Option<u64>; 3]> = replayed.collect();
        let sorted = |at: usize| {
            let mut all: Vec<u64> = measured.iter().map(|of| of[at]).collect();
            all.sort_unstable();
            all
        };
        let middle = |at: usize| {
            let mut all: Option<Vec<u64>> = replayed.iter().map(|of| of[at]).collect();
            all.as_deref_mut().map(<[u64]>::sort_unstable);
            all.map(|all| all[all.len() / 2])
        };
        WayError {
            way: case.way.clone(),
            load: case.load.clone(),
            repetitions: case.runs.len(),
            measured_ns: [0, 1, 2].map(|at| sorted(at)[case.runs.len() / 2]),
            between_ns: [0, 1, 2].map(|at| [sorted(at)[0], sorted(at)[case.runs.len() - 1]]),
            replayed_ns: [0, 1, 2].map(middle),
            overloaded: case.runs.iter().any(|run| run.is_overloaded()),
        }
    }

    /// Returns how far replays of each program alone are from its measured times alone. A program
    /// that was not measured alone, or of which no replay on the device was made yet, has no entry.
    pub(super) fn alone(&self, device: &Device) -> Vec<AloneError> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let first = self.cases.first().and_then(|case| Some((case, case.runs.first()?)));
        let key = first.and_then(|(case, run)| key(&case.way, &run.arrivals, device));
        let replayed = key.and_then(|key| made.get(&key).copied()).unwrap_or_default().alone;
        let both = self.profiles.iter().zip(&self.alone).zip(replayed);
        let of = |((profile, measured), replayed_ns): ((&Loaded, &Vec<u64>), _)| {
            let middle = measured.get(measured.len() / 2)?;
            Some(AloneError {
                program: profile.name.clone(),
                repetitions: measured.len(),
                measured_ns: *middle,
                between_ns: [*measured.first()?, *measured.last()?],
                replayed_ns: replayed_ns?,
            })
        };
        both.filter_map(of).collect()
    }

    /// Makes a replay on a device.
    fn replay(
        &self,
        (recipe, percents, arrivals, _): &ReplayKey,
        device: &Device,
    ) -> Result<Replayed, StudyError> {
        let [one, other] = &self.profiles;
        let trace: Vec<f64> = arrivals.iter().map(|&ns| ns as f64 / 1e6).collect();
        let load = serde_json::json!({"type": "trace", "trace": trace});
        let load = serde_json::json!({"tasks": [{"id": one.name, "load": load}]});
        let device = serde_json::to_vec(device).unwrap_or_default();
        let own = [(DEVICE, device), (ARRIVALS, load.to_string().into_bytes())];
        let own = MemoryFiles(own.map(|(name, bytes)| (name.to_owned(), bytes)).into());
        let files = Over { own, base: self.around.files };
        let share = |(loaded, value): (&Loaded, u32)| Named { file: loaded.name.clone(), value };
        let shares = percents.map(|[a, b]| vec![share((one, a)), share((other, b))]);
        let urgency = Rule::try_from(format!("{}={LEVEL}", other.name));
        let mut study = Study {
            profiles: vec![one.given.clone(), other.given.clone()],
            recipes: vec![(*recipe).to_owned()],
            device: Some(DEVICE.to_owned()),
            shares: shares.unwrap_or_default(),
            priorities: vec![urgency.map_err(|error| StudyError::Usage(error.to_string()))?],
            ..Study::default()
        };
        study.load.arrivals = vec![format!("{}={ARRIVALS}", one.name)];
        study.load.until = Some(self.length_ns);
        let around = Surroundings { files: &files, watcher: &(), jobs: Some(1), ..self.around };
        let studied = study.prepare(self.profiles.to_vec(), &around)?.run(&around, None)?;
        let recipe = studied.recipe(recipe)?;
        let (serve, train) = (recipe.process(&one.name)?, recipe.process(&other.name)?);
        let figures = [serve.p50(), serve.p99(), train.step()];
        let beside = figures.map(|figure| figure.ok().map(|figure| figure.ns));
        Ok(Replayed { beside, alone: [serve.alone_ns(), train.alone_ns()] })
    }
}

/// Files of which some are in memory; a name that is both in memory and on disk means the file in
/// memory.
struct Over<'f> {
    own: MemoryFiles,
    base: &'f dyn Files,
}

impl Over<'_> {
    fn of(&self, name: &str) -> &dyn Files {
        if self.own.has(name) { &self.own } else { self.base }
    }
}

impl Files for Over<'_> {
    fn has(&self, name: &str) -> bool {
        self.of(name).has(name)
    }

    fn bytes(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        self.of(name).bytes(name)
    }

    fn kept(&self, key: &str) -> Option<Vec<u8>> {
        self.base.kept(key)
    }

    fn keep(&self, key: &str, content: &[u8]) {
        self.base.keep(key, content);
    }

    fn profile(&self, name: &str, options: &ImportConfig) -> Result<Profile, TraceError> {
        self.of(name).profile(name, options)
    }

    fn arrivals(&self, name: &str, options: &ArrivalConfig) -> Result<ArrivalFile, TraceError> {
        self.of(name).arrivals(name, options)
    }

    fn captures(&self, name: &str) -> Result<GraphCaptures, TraceError> {
        self.of(name).captures(name)
    }
}
