//! How far was the prediction of a replay from what was measured afterwards?
//!
//! The recording of a tenant (a process of the prediction) must hold the launches of its profile a
//! whole number of times. Each time is measured as one request, one step or one run, like the
//! figure by which the prediction judges the tenant.

mod limit;
mod told;

use std::collections::BTreeSet;

use raddle_sim::percentile;
use raddle_trace::{Op, OpKind, Profile, StreamLabel};
use serde::{Deserialize, Serialize};

pub use limit::{ErrorLimit, NoErrorLimit};

use crate::answer::{FigureBounds, JudgedBy, PolicyFigures, PolicyRow};
use crate::compare::JudgedLimit;
use crate::inspect::is_issue_known;
use crate::pair::{PairCase, PairRun, PairTruth};
use crate::result::of_files;
use crate::units::{counted, plain};
use crate::written::json;

/// Version of the JSON format in which the result of a check is written.
const VERSION: u32 = 1;
/// Largest number of characters of a tenant's (process's) name in a sentence; longer ones are cut.
const TENANT: usize = 24;

/// Prediction to check against measurements: the needed part of the `summary.json` of a replay.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Prediction {
    answer: PolicyFigures,
    profiles: Vec<PredictedProfile>,
}

#[derive(Clone, Debug, Deserialize)]
struct PredictedProfile {
    name: String,
    kernels: u64,
    copies: u64,
    sets: u64,
    #[serde(rename = "span-ns", default)]
    span_ns: Option<u64>,
    #[serde(default)]
    requests: Option<PredictedLoad>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct PredictedLoad {
    per_s: Option<f64>,
}

/// Comparison of the prediction of a replay with measurements, for each tenant (process).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Check {
    /// Version of the JSON format in which this result of `raddle check` is written.
    pub raddle_check: u32,
    /// Name of the recipe whose prediction is checked.
    pub recipe: String,
    /// Name of the second recipe, where the prediction advises either of two and the user did not
    /// say which of them was set up; `recipe` is then the first. Else `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub or: Option<String>,
    /// Tenants (processes of the prediction) that were measured, each with its prediction and its
    /// measurement.
    pub tenants: Vec<CheckedTenant>,
    /// Names of the tenants (processes of the prediction) that were not measured.
    pub unmeasured: Vec<String>,
    /// Facts about the recordings that may make the result of the check wrong, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overturning: Vec<String>,
    /// Judgements by the limits that the user set to errors (`--fail-if`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<JudgedLimit>,
}

/// Fraction by which both ends of a predicted interval are moved outwards before a measurement is
/// judged to lie within it.
const EXACT: f64 = 0.01;

/// Prediction and measurement of one tenant (a process of the prediction).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CheckedTenant {
    /// Name of the tenant (a process of the prediction).
    pub name: String,
    /// Kind of figure by which the tenant is judged: of requests, of steps, or its end.
    pub judged: JudgedBy,
    /// Number of repetitions (requests, steps or runs) of the tenant's profile that were measured.
    pub repetitions: u64,
    /// Predicted figure by which the tenant is judged, in nanoseconds; `None` where nothing of the
    /// tenant ended in the replay.
    pub predicted_ns: Option<u64>,
    /// Least and largest predicted value of the tenant's figure, in nanoseconds; `None` where it is
    /// exact, or where the recipe was too far behind the best one for its bounds to be simulated.
    pub between_ns: Option<[u64; 2]>,
    /// True if the predicted interval has no upper bound, so that every longer time is within it.
    pub open: bool,
    /// Measured value of the figure by which the tenant is judged, in nanoseconds.
    pub measured_ns: u64,
    /// True if the times of requests are measured from the issue of their first launch, as a
    /// recording does not tell when they arrived. The predicted times count from that issue too,
    /// unless `with_queue` is true.
    pub from_issue: bool,
    /// True if predicted times of requests count from their arrival, and measured ones from their
    /// issue or begin, so that the wait in a queue before that is in the prediction alone.
    pub with_queue: bool,
    /// Error of the prediction as a fraction: predicted / measured - 1; `None` without a
    /// prediction.
    pub error: Option<f64>,
    /// True if the measurement is within the predicted interval; `None` where there is no interval.
    pub within: Option<bool>,
}

impl CheckedTenant {
    /// Returns the predicted bounds of the tenant's figure; `None` where there is no interval.
    #[must_use]
    pub fn interval(&self) -> Option<FigureBounds> {
        let of =
            |[least_ns, most_ns]: [u64; 2]| FigureBounds { least_ns, most_ns, open: self.open };
        self.between_ns.map(of)
    }
}

/// Recording of one tenant (a process of the prediction) while the checked recipe was in force.
#[derive(Clone, Debug)]
pub struct TenantRecording<'p> {
    /// Name of the recorded tenant (process), as the prediction names it.
    pub tenant: String,
    /// Recording of the tenant, read as a profile.
    pub profile: &'p Profile,
    /// Number of the tenant's process in the recording, counted from 1; `None` takes the whole
    /// recording, which must then hold at most one process.
    pub process: Option<u32>,
}

impl TenantRecording<'_> {
    /// Returns the launches, copies and fills of the tenant in its recording. The error says that
    /// the recording lacks the process, or that one of its processes must be named.
    fn ops(&self) -> Result<Vec<&Op>, String> {
        let Self { tenant, profile, process } = self;
        let of = |op: &Op| profile.streams.get(op.stream as usize).and_then(StreamLabel::process);
        let known: BTreeSet<u32> = profile.ops.iter().filter_map(of).collect();
        let told = || known.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        match process {
            None if known.len() > 1 => Err(format!(
                "the recording of {tenant} holds processes {}: say which is its own, {tenant}=FILE@N",
                told()
            )),
            Some(wanted) if !known.contains(wanted) => Err(match known.is_empty() {
                true => {
                    format!("the recording of {tenant} tells of no processes: leave out @{wanted}")
                }
                false => {
                    format!("the recording of {tenant} has no process {wanted}; it has {}", told())
                }
            }),
            _ => Ok(profile
                .ops
                .iter()
                .filter(|op| process.is_none() || of(op) == *process)
                .collect()),
        }
    }
}

impl Prediction {
    /// Reads the prediction from a `summary.json`.
    ///
    /// # Errors
    /// The reason why the bytes are no valid `summary.json`.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        json(bytes)
    }

    /// Returns the names of the tenants (processes that share the device) of the prediction.
    pub fn tenants(&self) -> impl Iterator<Item = &str> {
        self.profiles.iter().map(|profile| &*profile.name)
    }

    /// Checks that the prediction has figures for a recipe with this name.
    ///
    /// # Errors
    /// A message that names the recipes of the prediction, where this one is missing.
    pub fn check_recipe(&self, name: &str) -> Result<(), String> {
        let names: Vec<&str> = self.answer.rows.iter().map(|row| &*row.recipe).collect();
        let near = raddle_read::nearest(name, names.iter().copied());
        names.contains(&name).then_some(()).ok_or_else(|| {
            let (name, meant) = (plain(name, 60), crate::error::meant(near));
            format!("there is no recipe `{name}` in it; it has {}.{meant}", names.join(", "))
        })
    }

    /// Compares the prediction with recordings that were made under `recipe`; `None` stands for the
    /// recipe that the prediction recommends, or its baseline where it recommends none.
    ///
    /// # Errors
    /// A message that says which recipe or tenant is missing in the prediction, or which recording
    /// is not a whole number of repetitions of its profile.
    pub fn check(
        &self,
        recipe: Option<&str>,
        recordings: &[TenantRecording<'_>],
    ) -> Result<Check, String> {
        let row = self.row(recipe)?;
        let mut tenants = Vec::new();
        for recording in recordings {
            let name = &recording.tenant;
            let at = self.position(name)?;
            let of = self.answer.processes.get(at).ok_or_else(|| none(name))?;
            let measured = self.profiles[at].measured(of.judged, recording.ops()?)?;
            tenants.push(self.tenant(row, at, &measured)?);
        }
        let files = recordings.iter().map(|of| (&*of.tenant, of.profile));
        let mut overturning = of_files(files);
        overturning.extend(recordings.iter().filter_map(|of| self.is_its_own(of)));
        Ok(self.checked(row, recipe, tenants, overturning))
    }

    /// Returns a warning that a recording is the very profile from which the prediction was made,
    /// as both have the same number of kernels and the same length to the nanosecond; `None` where
    /// they differ.
    fn is_its_own(&self, recording: &TenantRecording<'_>) -> Option<String> {
        let (name, found) = (&recording.tenant, recording.profile);
        let own = self.profiles.iter().find(|of| of.name == *name)?;
        let kernels = found.ops.iter().filter(|op| op.kind == OpKind::Kernel).count() as u64;
        let is_own = own.kernels == kernels && own.span_ns == Some(found.span_ns);
        (is_own && self.profiles.len() > 1).then(|| {
            let name = plain(name, TENANT);
            format!("{name}: this is the profile of the prediction; record it beside the others")
        })
    }

    /// Compares the prediction with a pair of programs that were measured side by side. `load`
    /// chooses among several measured loads (request rates); `recipe` is as for [`Self::check`].
    ///
    /// # Errors
    /// A message that says which recipe, load or program the prediction or the measurement lacks.
    pub fn check_pair(
        &self,
        recipe: Option<&str>,
        truth: &PairTruth,
        load: Option<&str>,
    ) -> Result<Check, String> {
        let row = self.row(recipe)?;
        let case = truth.case(&row.recipe, load)?;
        self.check_load(truth, &case)?;
        let mut tenants = Vec::new();
        let runs = |of: fn(&PairRun) -> usize| case.runs.iter().map(of).sum::<usize>() as u64;
        // Positions among the figures of a run: p99 of requests, mean step.
        let judged = [
            (JudgedBy::Requests, 1, runs(|run| run.requests.len())),
            (JudgedBy::Steps, 2, runs(|run| run.steps.len())),
        ];
        for (name, (by, figure, repetitions)) in truth.programs.iter().zip(judged) {
            let at = self.position(name)?;
            let of = self.answer.processes.get(at).ok_or_else(|| none(name))?;
            if of.judged != by {
                let (was, is) = (of.judged.word(), by.word());
                return Err(format!("{name} was predicted by its {was}, and {is} was measured"));
            }
            let mut all: Vec<u64> = case.runs.iter().map(|run| run.figures()[figure]).collect();
            all.sort_unstable();
            let ns = all[all.len() / 2].max(1);
            let measured = MeasuredTimes { ns, repetitions, from_issue: false, from_begin: false };
            tenants.push(self.tenant(row, at, &measured)?);
        }
        Ok(self.checked(row, recipe, tenants, Vec::new()))
    }

    /// Checks that the predicted and the measured requests per second agree within 25 %, and within
    /// more where there are few requests, as random requests never match exactly.
    fn check_load(&self, truth: &PairTruth, case: &PairCase) -> Result<(), String> {
        let profile = &self.profiles[self.position(&truth.programs[0])?];
        let predicted = profile.requests.and_then(|load| load.per_s);
        let (Some(predicted), Some(run)) = (predicted, case.runs.first()) else { return Ok(()) };
        let count = run.arrivals.len() as f64;
        let measured = count / truth.seconds;
        let times = (predicted / measured).max(measured / predicted);
        if times <= 1.25 + 3.0 / count.max(1.0).sqrt() {
            return Ok(());
        }
        Err(format!(
            "{} is predicted at {predicted:.1} requests/s and was measured at {measured:.1}, which tells nothing of the prediction: predict that load, or choose another with --load",
            profile.name
        ))
    }

    /// Returns the predicted figures under the recipe with this name; `None` stands for the recipe
    /// that the prediction recommends, or its baseline where it recommends none. The error says
    /// that the prediction has no such recipe.
    fn row(&self, recipe: Option<&str>) -> Result<&PolicyRow, String> {
        let answer = &self.answer;
        match recipe.or(answer.verdict.recipe.as_deref()) {
            Some(name) => {
                self.check_recipe(name)?;
                let row = answer.rows.iter().find(|row| row.recipe == name);
                row.ok_or_else(|| "it has no recipe".to_owned())
            }
            None => answer.rows.get(answer.baseline).ok_or_else(|| "it has no recipe".to_owned()),
        }
    }

    /// Returns the index of the tenant (process) with this name in the prediction; the error lists
    /// all tenants of the prediction.
    fn position(&self, name: &str) -> Result<usize, String> {
        self.profiles.iter().position(|of| of.name == *name).ok_or_else(|| {
            let names: Vec<&str> = self.tenants().collect();
            format!(
                "none of its tenants is called {name}; they are {}: give TENANT=FILE",
                names.join(", ")
            )
        })
    }

    /// Compares the predicted figures of the tenant with the index `at`, under the recipe of `row`,
    /// with its measured times. The error says that the prediction has no figures of this tenant.
    fn tenant(
        &self,
        row: &PolicyRow,
        at: usize,
        measured: &MeasuredTimes,
    ) -> Result<CheckedTenant, String> {
        let name = &self.profiles[at].name;
        let (Some(judged), Some(figures)) = (self.answer.processes.get(at), row.processes.get(at))
        else {
            return Err(none(name));
        };
        let issued = figures.counted_from_issue().filter(|_| measured.from_issue);
        let with_queue = measured.from_begin || measured.from_issue && issued.is_none();
        let predicted_ns = issued.map_or(figures.decisive_ns, |issued| issued.decisive_ns);
        let error = predicted_ns.map(|ns| ns as f64 / measured.ns as f64 - 1.0);
        let bounds = match issued {
            Some(issued) if !row.out_of_reach => issued.bounds_by(judged.device_factors),
            Some(_) => None,
            None => self.answer.bounds_in(row, at),
        };
        Ok(CheckedTenant {
            name: name.clone(),
            judged: judged.judged,
            repetitions: measured.repetitions,
            predicted_ns,
            between_ns: bounds.map(|it| [it.least_ns, it.most_ns]),
            open: bounds.is_some_and(|it| it.open),
            measured_ns: measured.ns,
            from_issue: measured.from_issue,
            with_queue,
            error: error.map(|error| (error * 10_000.0).round() / 10_000.0),
            // The interval is one of the model, which is exact to no more than a hundredth.
            within: bounds.map(|it| it.scaled([1.0 - EXACT, 1.0 + EXACT]).hold(measured.ns)),
        })
    }

    fn checked(
        &self,
        row: &PolicyRow,
        named: Option<&str>,
        tenants: Vec<CheckedTenant>,
        overturning: Vec<String>,
    ) -> Check {
        let measured = |name: &&str| tenants.iter().any(|of| of.name == **name);
        let unmeasured = self.tenants().filter(|name| !measured(name)).map(str::to_owned);
        let unmeasured = unmeasured.collect();
        let recipe = row.recipe.clone();
        let or = self.answer.verdict.or.clone().filter(|_| named.is_none());
        let limits = Vec::new();
        Check { raddle_check: VERSION, recipe, or, tenants, unmeasured, overturning, limits }
    }
}

/// Returns the message that the prediction has no figures of the tenant with this name.
fn none(name: &str) -> String {
    format!("it has no figures of {name}")
}

/// Measured figure by which a tenant is judged, in nanoseconds, and the number of repetitions of
/// its profile from which the figure was taken.
struct MeasuredTimes {
    ns: u64,
    repetitions: u64,
    /// True if the times of requests count from their issue and not from their arrival.
    from_issue: bool,
    /// True if the times of requests count from the begin of their first launch, copy or fill, as
    /// the recording does not tell when it was issued.
    from_begin: bool,
}

impl PredictedProfile {
    fn measured(&self, judged: JudgedBy, mut ops: Vec<&Op>) -> Result<MeasuredTimes, String> {
        let each = self.kernels.saturating_add(self.copies).saturating_add(self.sets).max(1);
        let all = ops.len() as u64;
        let odd = all % each;
        if all == 0 || odd != 0 {
            return Err(format!(
                "the recording of {} holds {}, and its profile has {each}: {odd} are no whole repetition. Record whole requests or steps, and as many streams",
                self.name,
                counted(all, "launch, copy or fill", "launches, copies and fills"),
            ));
        }
        // The ops are in the order in which the host issued them.
        ops.sort_by_key(|op| (op.arrival_ns, op.start_ns));
        let each = usize::try_from(each).unwrap_or(usize::MAX);
        let spans: Vec<(u64, u64)> = ops
            .chunks(each)
            .map(|ops| {
                let begun = ops.iter().map(|op| op.arrival_ns).min().unwrap_or(0);
                let ended = ops.iter().map(|op| op.end_ns()).max().unwrap_or(begun);
                (begun, ended)
            })
            .collect();
        let (first, last) = (spans[0], spans[spans.len() - 1]);
        let lasted = |&(begun, ended): &(u64, u64)| ended.saturating_sub(begun);
        let ns = match judged {
            JudgedBy::Requests => {
                let mut latencies: Vec<u64> = spans.iter().map(lasted).collect();
                latencies.sort_unstable();
                percentile(&latencies, 99)
            }
            // The first step is left out of the mean, as the end of the step before it is unknown.
            JudgedBy::Steps => match spans.len() as u64 - 1 {
                0 => lasted(&first),
                steps => last.1.saturating_sub(first.1) / steps,
            },
            JudgedBy::End => last.1.saturating_sub(first.0),
        };
        // Without launch times a request is measured from the begin of its first op.
        let from_issue = judged == JudgedBy::Requests && ops.iter().all(|op| is_issue_known(op));
        let from_begin = judged == JudgedBy::Requests && !from_issue;
        let repetitions = spans.len() as u64;
        Ok(MeasuredTimes { ns: ns.max(1), repetitions, from_issue, from_begin })
    }
}
