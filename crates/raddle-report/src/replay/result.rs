//! What came out of a replay, as one document: `summary.json`, and what the texts are made from.
//!
//! No paths and nothing from the metadata of a profile: equal input gives equal bytes anywhere.

use raddle_dispatch::Recipe;
use raddle_sim::{Outcome, SlowRequest, Summary};
use serde::Serialize;

use super::NAME;
use super::assumptions::{cost_model, elsewhere};
use super::device::DeviceFacts;
use super::facts::ProfileFacts;
use super::got::{self, TenantGot};
use super::load_limit::{LoadLimit, LoadLimitLeftOut};
use super::lost::{NeverEnded, RefusedLaunches, StuckLaunches, never_ran, refusals, stuck};
use super::overturning::{Overturning, of_profiles, refused_resets};
use super::runs::{DrawnTimeline, LOG, RecipeRun, Replay, SLOWEST, SetUpFile};
use crate::answer::{BASELINE, JudgedProcess, PolicyFigures, PolicyRow};
use crate::units::{counted, plain};

/// The version of the document; a key that goes or changes its meaning makes a new one.
const SCHEMA: u32 = 1;

/// The whole result of a replay.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ReplayResult {
    /// The version of this document: docs/summary.md.
    pub(crate) schema: u32,
    /// The command that made it, its files by their names.
    pub(crate) command: Vec<String>,
    /// The version of this tool.
    pub(crate) raddle: &'static str,
    /// What was replayed on.
    pub(crate) device: DeviceFacts,
    /// What was replayed.
    pub(crate) profiles: Vec<ProfileFacts>,
    /// Under which rules: what every figure rests on.
    pub(crate) assumptions: Vec<String>,
    /// What a reader should think about.
    pub(crate) warnings: Vec<String>,
    /// What can overturn the answer, in brief: a line of the first screen each.
    pub(crate) overturning: Vec<String>,
    /// How many warnings these lines stand for.
    #[serde(skip)]
    pub(crate) in_brief: usize,
    /// Whether energy is told to whoever reads the text.
    #[serde(skip)]
    pub(crate) energy_shown: bool,
    /// The recipes under which launches never ended: their figures are of the rest.
    pub(crate) stuck: Vec<String>,
    /// What the recipes do to the processes, and which to use.
    pub(crate) answer: PolicyFigures,
    /// Up to which load all goals are met; `None` where that was not looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) load_limit: Option<LoadLimit>,
    /// Why that was not looked for, although it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) load_limit_left_out: Option<LoadLimitLeftOut>,
    /// What to run to have the recommended way of sharing, a line each, where ways are compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) setup: Vec<String>,
    /// The files that this takes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) setup_files: Vec<SetUpFile>,
    /// One entry a recipe.
    pub(crate) recipes: Vec<RecipeResult>,
}

/// The result of one recipe.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RecipeResult {
    pub(crate) name: String,
    /// Launch path, turn, allocate, preempt and their parameters.
    pub(crate) recipe: Recipe,
    /// Its decision log, within the folder of results.
    pub(crate) log: Option<String>,
    /// How large that is.
    pub(crate) log_bytes: Option<u64>,
    /// Its timeline, if one was drawn.
    pub(crate) timeline: Option<DrawnTimeline>,
    /// That of its slowest request on every compute unit, if one was drawn.
    pub(crate) slowest_timeline: Option<DrawnTimeline>,
    pub(crate) summary: Summary,
    /// What each process got; empty with one process.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) got: Vec<TenantGot>,
    /// Launches of first repetitions that can never run.
    pub(crate) refusals: Vec<RefusedLaunches>,
    /// Such launches in later repetitions.
    pub(crate) refused_again: u64,
    /// Launches that never ended although nothing more could happen.
    pub(crate) stuck: Vec<StuckLaunches>,
    /// Why, where there are some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) never_ended: Option<NeverEnded>,
}

impl RecipeResult {
    fn new(replay: &Replay<'_>, run: &RecipeRun, alone: &[&Outcome]) -> Self {
        let together = &run.together;
        let summary = Summary::new(replay.workload, together, alone);
        let shares: Vec<u32> = replay.workload.processes.iter().map(|plan| plan.share).collect();
        Self {
            got: got::got(&summary, &shares, run),
            name: run.name.clone(),
            recipe: run.recipe.clone(),
            log: run.log_bytes.map(|_| format!("{}/{LOG}", run.name)),
            log_bytes: run.log_bytes,
            timeline: run.timeline.clone(),
            slowest_timeline: None,
            summary,
            refusals: refusals(replay, run),
            refused_again: together.refused_again,
            stuck: stuck(together, replay.profiles),
            never_ended: NeverEnded::new(&run.recipe, together),
        }
    }

    /// The slowest of the requests of all processes.
    pub(super) fn slowest(&self) -> Option<&SlowRequest> {
        let requests = self.summary.processes.iter().filter_map(|of| of.requests.as_ref());
        requests.filter_map(|of| of.slowest.first()).max_by_key(|slow| slow.latency_ns)
    }

    /// How many launches of a process never ended.
    pub(super) fn stuck_of(&self, process: &str) -> u64 {
        let own = self.stuck.iter().filter(|stuck| stuck.profile == process);
        own.map(|stuck| stuck.launches).sum()
    }
}

impl ReplayResult {
    /// The result of a replay from its runs.
    #[must_use]
    pub fn new(replay: &Replay<'_>, profiles: Vec<ProfileFacts>, runs: &[RecipeRun]) -> Self {
        // The only process runs alone anyway, the same under the first recipe as under any.
        let base = runs.iter().find(|run| run.name == BASELINE).or(runs.first());
        let alone: Vec<&Outcome> = match replay.alone {
            [] => base.map(|run| &run.together).into_iter().collect(),
            alone => alone.iter().collect(),
        };
        let recipes: Vec<RecipeResult> =
            runs.iter().map(|run| RecipeResult::new(replay, run, &alone)).collect();
        let answer = answer(replay, &profiles, runs, &recipes, &alone);
        let mut found = of_profiles(&profiles, &replay.device, replay.rules.communication);
        let lost = never_ran(replay.profiles, runs);
        found.extend(lost.overturning);
        found.extend(replay.rules.overturning.iter().cloned());
        found.extend(recipes.iter().filter_map(|recipe| {
            refused_resets(&recipe.name, recipe.summary.preemption.as_ref()?)
        }));
        let (lines, brief): (Vec<String>, Vec<Vec<String>>) =
            found.into_iter().map(|Overturning { line, warnings }| (line, warnings)).unzip();
        let overturning = unknown_kernels(&profiles).chain(lines).collect();
        let mut warnings = brief.concat();
        let in_brief = warnings.len();
        warnings.extend(lost.warnings);
        warnings.extend(elsewhere(&profiles, &replay.device, replay.rules.scaling));
        warnings.extend(answer.doubts());
        warnings.extend(stuck_under(&recipes));
        warnings.extend(replay.rules.warnings.iter().cloned());
        let stuck = recipes.iter().filter(|result| result.summary.stuck > 0);
        Self {
            schema: SCHEMA,
            command: replay.command.to_vec(),
            raddle: env!("CARGO_PKG_VERSION"),
            device: replay.device.clone(),
            assumptions: cost_model(&profiles, replay.rules, replay.workload.repeat),
            warnings,
            overturning,
            in_brief,
            energy_shown: replay.rules.energy,
            stuck: stuck.map(|result| result.name.clone()).collect(),
            answer,
            load_limit: None,
            load_limit_left_out: None,
            setup: Vec::new(),
            setup_files: Vec::new(),
            recipes,
            profiles,
        }
    }

    /// Says up to which load all goals are met.
    pub fn limit_load(&mut self, limit: LoadLimit) {
        self.load_limit = Some(limit);
    }

    /// Says why that was not looked for.
    pub fn leave_out_load_limit(&mut self, why: LoadLimitLeftOut) {
        self.load_limit_left_out = Some(why);
    }

    /// The warnings that can overturn the answer, in brief.
    #[must_use]
    pub fn overturning(&self) -> &[String] {
        &self.overturning
    }

    /// Says what to run to have the recommended way of sharing, and which files that takes.
    pub fn set_up(&mut self, (lines, files): (Vec<String>, Vec<SetUpFile>)) {
        self.setup = lines;
        self.setup_files = files;
    }

    /// The files that set it up.
    #[must_use]
    pub fn setup_files(&self) -> &[SetUpFile] {
        &self.setup_files
    }

    /// What the recipes do to the processes, and which to use.
    #[must_use]
    pub const fn answer(&self) -> &PolicyFigures {
        &self.answer
    }

    /// Positions of the recipes that are compared in detail: the baseline, and the recommended one
    /// where that is another.
    #[must_use]
    pub fn compared(&self) -> Vec<usize> {
        let answer = &self.answer;
        let best = answer.verdict.recipe.as_ref();
        let best = best.and_then(|name| self.recipes.iter().position(|of| of.name == *name));
        let best = best.or_else(|| answer.ranking.first().copied());
        let mut compared = vec![answer.baseline];
        compared.extend(best.filter(|best| *best != answer.baseline));
        compared
    }

    /// Whether there is a timeline of a recipe.
    #[must_use]
    pub fn is_drawn(&self, recipe: usize) -> bool {
        self.recipes.get(recipe).is_some_and(|of| of.timeline.is_some())
    }

    /// From when to when the slowest request was served, under a recipe with requests.
    #[must_use]
    pub fn slowest_request(&self, recipe: usize) -> Option<(u64, u64)> {
        let slow = self.recipes.get(recipe)?.slowest()?;
        Some((slow.arrival_ns, slow.end_ns))
    }

    /// Takes in a timeline of a recipe.
    pub fn draw(&mut self, recipe: &str, drawn: DrawnTimeline) {
        if let Some(of) = self.recipes.iter_mut().find(|of| of.name == recipe) {
            let slowest = drawn.file.ends_with(SLOWEST);
            let place = if slowest { &mut of.slowest_timeline } else { &mut of.timeline };
            *place = Some(drawn);
        }
    }

    /// Why no recipe meets all goals; `None` where one does, or there are none.
    #[must_use]
    pub fn missed_goals(&self) -> Option<String> {
        self.answer.missed_goals().map(str::to_owned)
    }

    /// Under which recipes how many launches never ended, and why; `None` where all launches did.
    #[must_use]
    pub fn stuck_launches(&self) -> Option<String> {
        stuck_under(&self.recipes)
    }

    /// Whether some of them never ended by a fault of raddle.
    #[must_use]
    pub fn has_fault(&self) -> bool {
        let mut why = self.recipes.iter().filter_map(|recipe| recipe.never_ended.as_ref());
        why.any(|it| it.fault)
    }
}

/// What the recipes do to the processes.
fn answer(
    replay: &Replay<'_>,
    profiles: &[ProfileFacts],
    runs: &[RecipeRun],
    recipes: &[RecipeResult],
    alone: &[&Outcome],
) -> PolicyFigures {
    let judged = profiles.iter().zip(alone).enumerate();
    let judged = judged
        .map(|(at, (facts, alone))| facts.judge(JudgedProcess::new(replay.workload, at, alone)));
    let judged: Vec<JudgedProcess> = judged.collect();
    let row = |(it, run): (&RecipeResult, &RecipeRun)| {
        let seeds = std::iter::once(&it.summary).chain(&run.seeds);
        let row = |of: &Summary| PolicyRow::new(&it.name, &judged, of);
        let bounds: Vec<PolicyRow> = run.bounds.iter().map(row).collect();
        Some(PolicyRow::over_seeds(seeds.map(row).collect())?.between(&bounds))
    };
    let rows = recipes.iter().zip(runs).filter_map(row).collect();
    let mut answer = PolicyFigures::new(judged, rows, replay.goals.to_vec());
    answer.verdict.trust.extend(replay.rules.contention.iter().cloned());
    answer
}

/// Where kernels of a profile have no shape, in brief.
fn unknown_kernels(profiles: &[ProfileFacts]) -> impl Iterator<Item = String> {
    profiles.iter().filter_map(|profile| {
        let told = profile.unknown_kernels.as_ref()?.told();
        Some(format!("{}: {told}", plain(&profile.name, NAME)))
    })
}

/// Under which recipes how many launches never ended, and why; `None` where all launches did.
fn stuck_under(recipes: &[RecipeResult]) -> Option<String> {
    let stuck = recipes.iter().filter(|result| result.summary.stuck > 0);
    let told: Vec<String> = stuck
        .map(|result| {
            let launches = counted(result.summary.stuck, "launch", "launches");
            let why = result.never_ended.as_ref().map(|it| format!(": {}", it.why));
            format!("{launches} under {} never ended{}", result.name, why.unwrap_or_default())
        })
        .collect();
    (!told.is_empty()).then(|| told.join("; "))
}
