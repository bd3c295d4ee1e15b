//! How far are replays on a device from the measured times of two programs side by side on it?

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

/// Name of the file in memory from which a replay reads its device; `ARRIVALS` is that of the file
/// with the arrival times of requests.
const DEVICE: &str = "raddle-fitted-device.json";
const ARRIVALS: &str = "raddle-measured-arrivals.json";
/// Urgency level of the program that repeats steps: less urgent than the program that serves
/// requests, whose level is 0.
const LEVEL: u32 = 5;
/// Largest number, in thousandths of the measured figure, that the error of one figure adds to a
/// sum of errors.
const MOST: u64 = 1000;

/// Measured and replayed times of two programs under one way of sharing the device and one load
/// (rate of requests). A list of three holds the median and the 99th percentile of the times of
/// requests, and the mean time of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct WayError {
    /// Name of the way of sharing, such as `time-slice`, as the file of measurements writes it.
    pub way: String,
    /// Name of the load (the rate of requests), as the file of measurements writes it.
    pub load: String,
    /// Number of times that the measurement was repeated.
    pub repetitions: usize,
    /// Measured figures in nanoseconds: [median request, 99th percentile of requests, mean step],
    /// each the median over the repetitions.
    pub measured_ns: [u64; 3],
    /// Least and largest value of each measured figure over the repetitions, in nanoseconds.
    pub between_ns: [[u64; 2]; 3],
    /// Replayed figures in nanoseconds: [median request, 99th percentile of requests, mean step],
    /// each the median over the repetitions; `None` where nothing ended in a replay.
    pub replayed_ns: [Option<u64>; 3],
    /// True if requests arrived faster than they were served. No figure of the device is fitted to
    /// such measurements.
    pub overloaded: bool,
}

impl WayError {
    /// Returns the error of each replayed figure in thousandths of the measured one, below 0 where
    /// the replayed figure is too short; `None` where nothing ended in a replay.
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

/// Measured and replayed time of one program alone on the device: its median request, or its mean
/// step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct AloneError {
    /// Name of the measured program that ran alone.
    pub program: String,
    /// Number of measurements of the program alone, over all loads (rates of requests) and all ways
    /// of sharing the device.
    pub repetitions: usize,
    /// Median of the measured times of the program alone, in nanoseconds.
    pub measured_ns: u64,
    /// Least and largest measured time of the program alone, in nanoseconds.
    pub between_ns: [u64; 2],
    /// Replayed time of the program's profile alone, in nanoseconds.
    pub replayed_ns: u64,
}

impl AloneError {
    /// Returns the error of the replayed time in thousandths of the measured time; below 0 where
    /// the replayed time is too short.
    #[must_use]
    pub fn permille(&self) -> i64 {
        permille(self.replayed_ns, self.measured_ns).unwrap_or(i64::MAX)
    }
}

/// Returns the error of a replayed time in thousandths of the measured time; `None` where it does
/// not fit into 64 bits.
fn permille(replayed_ns: u64, measured_ns: u64) -> Option<i64> {
    let measured = i128::from(measured_ns.max(1));
    i64::try_from((i128::from(replayed_ns) - measured) * 1000 / measured).ok()
}

/// Predictor of the times of two measured programs by replays of them side by side. It keeps each
/// result, so that no replay is made twice.
pub struct PairPredictor<'p> {
    profiles: [Loaded; 2],
    cases: Vec<PairCase>,
    /// Measured times of each program alone, ascending, in nanoseconds.
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

/// Key by which the result of a replay is stored: (recipe, percentages of the device of both
/// programs, arrival times in ns, fitted figures of the device that matter under the recipe).
type ReplayKey = (&'static str, Option<[u32; 2]>, Vec<u64>, Vec<u64>);
/// Results of the replays of two programs that were made so far, by their keys.
type Made = BTreeMap<ReplayKey, Replayed>;

/// Figures of one replay of two programs in nanoseconds; `None` where nothing ended.
#[derive(Clone, Copy, Debug, Default)]
struct Replayed {
    /// Median request and 99th percentile of requests of the first program, and mean step of the
    /// second, while both run side by side.
    beside: [Option<u64>; 3],
    /// Time of one request of the first program alone, and of one step of the second program alone.
    alone: [Option<u64>; 2],
}

/// Returns the key by which the replay of `way`, a way of sharing the device, is stored; `None`
/// where no recipe simulates that way.
fn key(way: &str, arrivals: &[u64], device: &Device) -> Option<ReplayKey> {
    let (recipe, percents) = recipe_of(way)?;
    let in_turns = recipe == "time-slice";
    let open = OPEN.iter().filter(|figure| figure.in_turns == in_turns);
    let figures = open.map(|figure| figure.of(device)).collect();
    Some((recipe, percents, arrivals.to_vec(), figures))
}

impl<'p> PairPredictor<'p> {
    /// Prepares replays for the measurements `truth`. `loads` names the measured loads to use, all
    /// where it is empty. `profiles` are that of the program with requests and that of the program
    /// with steps, in this order.
    ///
    /// # Errors
    /// When measurements contradict each other, there are none at these loads, or the programs have
    /// other names than the profiles.
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

    /// Returns the recipes (sets of policies) that simulate the measured ways of sharing the
    /// device, without duplicates.
    pub(super) fn recipes(&self) -> Vec<&'static str> {
        let of = self.cases.iter().filter_map(|case| Some(recipe_of(&case.way)?.0));
        let mut all: Vec<&str> = of.collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns for each device the errors of its replays, one entry for each measured way of
    /// sharing the device and each load (rate of requests), if the way's recipe is in `recipes`.
    /// Replays that were not made before are made.
    ///
    /// # Errors
    /// When a replay fails.
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

    /// Returns the measured and the replayed time of each program alone. A program has no entry
    /// where it was not measured alone, or where no replay on this device was made before.
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

    /// Replays both programs side by side on a device, with the recipe, the percentages of the
    /// device and the arrivals of a `ReplayKey`.
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

/// Source of files in memory (`own`) and of all other files (`base`); of two with equal names the
/// one in memory is used.
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
