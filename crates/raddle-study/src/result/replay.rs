//! Which results does a replay give, as one document?
//!
//! The document is `summary.json`, and the source of all texts. It has no paths and nothing from
//! the metadata of a profile: equal input gives equal bytes anywhere.

use raddle_dispatch::Recipe;
use raddle_sim::{Outcome, SlowRequest, Summary, Workload};
use serde::Serialize;

use super::NAME;
use super::assumptions::{cost_model, named_for};
use super::device::DeviceFacts;
use super::facts::ProfileFacts;
use super::got::{self, TenantGot};
use super::load_limit::{LoadLimit, LoadLimitLeftOut};
use super::lost::{
    NeverEnded, RefusedLaunches, StuckLaunches, lost_in, never_ran, refusals, stuck,
};
use super::offered::NotOffered;
use super::overload::{overloaded, serves_too_few};
use super::overturning::{Overturning, of_profiles, refused_resets};
use super::runs::{DrawnTimeline, LOG, RecipeRun, Replay, SLOWEST, SetUp, SetUpFile};
use crate::answer::{JudgedProcess, PolicyFigures, PolicyRow, WayToSetUp, today};
use crate::sweep::FailedCase;
use crate::units::{counted, plain, them};

/// Version of the JSON format of the result; it is raised when a key is removed or changes its
/// meaning.
const SCHEMA: u32 = 1;

/// Result of a replay as a whole: what was replayed, the figures, and the recommendation.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ReplayResult {
    /// Version of the JSON format of this result, which docs/summary.md describes.
    pub(crate) schema: u32,
    /// Command that made the result, as a list of words, with files named without folders.
    pub(crate) command: Vec<String>,
    /// Version of raddle that made the result.
    pub(crate) raddle: &'static str,
    /// Device that was replayed on.
    pub device: DeviceFacts,
    /// Facts about the profiles that were replayed, in the order of the processes.
    pub profiles: Vec<ProfileFacts>,
    /// Assumptions on which every figure depends, each a clause (part of a sentence).
    pub assumptions: Vec<String>,
    /// All warnings of the result, one sentence each.
    pub warnings: Vec<String>,
    /// Warnings that can make the study's answer wrong, each in one line for the top of the printed
    /// result.
    pub overturning: Vec<String>,
    /// Sentence on the memory that the processes need together, and on how much the device has.
    pub memory: String,
    /// Number of `warnings`, from the first on, that the lines of `overturning` replace at the top
    /// of the printed result.
    #[serde(skip)]
    pub in_brief: usize,
    /// Names of the recipes (sets of policies) under which some launches never ended; the figures
    /// of these recipes leave such launches out.
    pub stuck: Vec<String>,
    /// Recipes whose simulations ended with an error, and the errors; they have no figures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) failures: Vec<FailedCase>,
    /// Launches that can run under none of the recipes (sets of policies), in words; `None` where
    /// there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) never_ran: Option<String>,
    /// Ways of sharing the device that people ask about and that were not tried, with the reasons,
    /// one clause each. Empty where the user named the ways, or where recipes are compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_tried: Vec<String>,
    /// True if the user named what is compared: recipes (sets of scheduling policies), or ways of
    /// sharing the device.
    #[serde(skip)]
    pub by_name: bool,
    /// True if the driver of the device offers one of the recipes that were asked for, so that it
    /// is one of those that has to meet the goals.
    #[serde(skip)]
    by_driver: bool,
    /// Figures of the processes under all recipes (sets of policies), and the recommendation.
    pub answer: PolicyFigures,
    /// Recommended recipe that the driver of the device does not offer, with what it offers that is
    /// most similar; `None` where it offers the recipe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_driver: Option<NotOffered>,
    /// Highest load (rate of requests) at which all goals are met; `None` where it was not
    /// searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_limit: Option<LoadLimit>,
    /// Reason why the load limit (the highest load at which all goals are met) was not searched
    /// although there are goals and a rate; else `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_limit_left_out: Option<LoadLimitLeftOut>,
    /// Way of sharing the device that the commands in `setup` set up, and why it is that one;
    /// `None` where recipes are compared and not the ways that drivers offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setup_of: Option<WayToSetUp>,
    /// Commands that set up the recommended way of sharing the device, one line each; empty where
    /// recipes are compared and not the ways that drivers offer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<String>,
    /// Commands that undo `setup`, one line each; empty where there is nothing to undo.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub setup_undo: Vec<String>,
    /// Files that the commands of `setup` need.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub setup_files: Vec<SetUpFile>,
    /// Results of the recipes (sets of policies), one each, in the order in which the recipes were
    /// replayed.
    pub recipes: Vec<RecipeResult>,
}

/// Result of the replays under one recipe (set of policies).
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RecipeResult {
    /// Name of the recipe (set of policies), as results show it.
    pub name: String,
    /// Policies of the recipe for launch path, turn, allocate and preempt, with their settings.
    pub recipe: Recipe,
    /// Path of the decision log within the folder of results; `None` where none was written.
    pub log: Option<String>,
    /// Size of the decision log in bytes; `None` where none was written.
    pub log_bytes: Option<u64>,
    /// Timeline of the replay; `None` where none was drawn.
    pub timeline: Option<DrawnTimeline>,
    /// Timeline of the period in which the slowest request ran, on every compute unit; `None` where
    /// none was drawn.
    pub slowest_timeline: Option<DrawnTimeline>,
    /// Figures of the replay of all processes together under the recipe (set of policies).
    pub summary: Summary,
    /// Part of the device that each process got; empty with one process.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub got: Vec<TenantGot>,
    /// Launches of the first repetition of each process that can never run, one entry for each
    /// kernel and reason.
    pub refusals: Vec<RefusedLaunches>,
    /// Number of launches of later repetitions of the processes that can never run.
    pub refused_again: u64,
    /// Launches that had not ended when the replay came to a standstill, one entry for each kernel.
    pub stuck: Vec<StuckLaunches>,
    /// Reason why launches never ended; `None` where all ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) never_ended: Option<NeverEnded>,
}

impl RecipeResult {
    fn new(replay: &Replay<'_>, run: &RecipeRun, alone: &[&Outcome]) -> Self {
        let together = &run.together;
        let summary = Summary::new(replay.workload, together, alone);
        let shares: Vec<u32> = replay.workload.processes.iter().map(|plan| plan.share).collect();
        Self {
            got: got::got(&summary, (&shares, replay.target.vendor), run),
            name: run.name.clone(),
            recipe: run.recipe.clone(),
            log: run.log_bytes.map(|_| format!("{}/{LOG}", run.name)),
            log_bytes: run.log_bytes,
            timeline: run.timeline.clone(),
            slowest_timeline: None,
            summary,
            refusals: refusals(replay, run),
            refused_again: together.refused_again,
            stuck: stuck(together, &replay.profiles),
            never_ended: NeverEnded::new(&run.recipe, together),
        }
    }

    /// Returns the slowest request of all processes; `None` where there are no requests.
    pub(super) fn slowest(&self) -> Option<&SlowRequest> {
        let requests = self.summary.processes.iter().filter_map(|of| of.requests.as_ref());
        requests.filter_map(|of| of.slowest.first()).max_by_key(|slow| slow.latency_ns)
    }

    /// Counts the launches of a process that never ended.
    #[must_use]
    pub fn stuck_of(&self, process: &str) -> u64 {
        let own = self.stuck.iter().filter(|stuck| stuck.profile == process);
        own.map(|stuck| stuck.launches).sum()
    }
}

/// Returns the warnings that more requests arrive than are served, for the recipes that the verdict
/// names and for the device's default. Other recipes need none: the interval of their figures has
/// no upper end, which says enough. Where no recipe serves them, the verdict says so.
fn overloads(
    workload: &Workload,
    answer: &mut PolicyFigures,
    recipes: &[RecipeResult],
) -> Vec<Overturning> {
    if none_serves(workload, answer, recipes) {
        answer.of_too_many_requests();
    }
    let named = [answer.verdict.recipe.as_ref(), answer.verdict.or.as_ref()];
    let today = answer.rows.get(answer.baseline).map(|row| &row.recipe);
    let decides = |it: &&RecipeResult| named.contains(&Some(&it.name)) || today == Some(&it.name);
    let deciding = recipes.iter().filter(decides);
    deciding.filter_map(|it| overloaded(&it.name, workload, &it.summary)).collect()
}

/// Returns whether requests surely arrive faster than they are served under every compared recipe
/// that may be recommended.
fn none_serves(workload: &Workload, answer: &PolicyFigures, recipes: &[RecipeResult]) -> bool {
    let is_ranked = |it: &&RecipeResult| {
        let row = answer.rows.iter().find(|row| row.recipe == it.name);
        row.is_some_and(PolicyRow::is_ranked)
    };
    let mut ranked = recipes.iter().filter(is_ranked).peekable();
    ranked.peek().is_some() && ranked.all(|it| serves_too_few(workload, &it.summary))
}

impl ReplayResult {
    /// Makes the result of a replay from its simulations.
    #[must_use]
    pub fn new(replay: &Replay<'_>, profiles: Vec<ProfileFacts>, runs: &[RecipeRun]) -> Self {
        // The only process runs alone anyway, in the same way under the first recipe as under any.
        let alone: Vec<&Outcome> = match replay.alone {
            [] => runs.first().map(|run| &run.together).into_iter().collect(),
            alone => alone.iter().collect(),
        };
        let recipes: Vec<RecipeResult> =
            runs.iter().map(|run| RecipeResult::new(replay, run, &alone)).collect();
        let mut answer = answer(replay, &profiles, runs, &recipes, &alone);
        let mut found = of_profiles(
            &profiles,
            &replay.device,
            (replay.rules.communication, replay.rules.queued),
            replay.rules.scaling,
        );
        let under = |run: &RecipeRun| lost_in(&replay.profiles, &run.together);
        let under: Vec<_> = runs.iter().map(|run| (&*run.name, under(run))).collect();
        let lost = never_ran(&replay.profiles, &under);
        let never_ran = lost.tell(&mut answer);
        found.extend(lost.overturning);
        found.extend(replay.rules.overturning.iter().cloned());
        found.extend(overloads(replay.workload, &mut answer, &recipes));
        found.extend(recipes.iter().filter_map(|recipe| {
            refused_resets(&recipe.name, recipe.summary.preemption.as_ref()?)
        }));
        let (lines, brief): (Vec<String>, Vec<Vec<String>>) =
            found.into_iter().map(|Overturning { line, warnings }| (line, warnings)).unzip();
        let overturning = unknown_kernels(&profiles).chain(lines).collect();
        let mut warnings = brief.concat();
        let in_brief = warnings.len();
        warnings.extend(lost.warnings);
        warnings.extend(named_for(&profiles, &replay.device));
        warnings.extend(answer.doubts());
        warnings.extend(stuck_under(&recipes));
        warnings.extend(replay.rules.warnings.iter().cloned());
        Self {
            schema: SCHEMA,
            command: replay.command.to_vec(),
            raddle: env!("CARGO_PKG_VERSION"),
            device: replay.device.clone(),
            assumptions: cost_model(&profiles, replay.rules, replay.workload.repeat),
            warnings,
            overturning,
            memory: replay.rules.memory.clone(),
            in_brief,
            stuck: stuck_recipes(&recipes).map(|result| result.name.clone()).collect(),
            failures: Vec::new(),
            never_ran,
            not_tried: replay.rules.not_tried.clone(),
            by_name: replay.rules.by_name,
            by_driver: replay.rules.by_driver,
            no_driver: no_driver(replay, &answer, runs),
            answer,
            load_limit: None,
            load_limit_left_out: None,
            setup_of: None,
            setup: Vec::new(),
            setup_undo: Vec::new(),
            setup_files: Vec::new(),
            recipes,
            profiles,
        }
    }

    /// Adds the recipes (sets of policies) whose simulations ended with an error; the answer then
    /// compares only the other recipes.
    pub fn fail(&mut self, broken: &[FailedCase]) {
        if broken.is_empty() {
            return;
        }
        let told = broken.iter().map(|of| {
            let FailedCase { case, error } = of;
            (case.as_str(), format!("{case} broke off: {error}"))
        });
        let them = them(broken.len() as u64);
        let found = Overturning::of(told, |names| {
            format!("{names} broke off, so nothing is said of {them}")
        });
        if let Some(Overturning { line, warnings }) = found {
            self.overturning.insert(0, line);
            self.in_brief += warnings.len();
            self.warnings.splice(0..0, warnings);
        }
        self.answer.of_those_that_ran();
        self.failures = broken.to_vec();
    }

    /// Says how many recipes (sets of policies) ended with an error, and why; `None` where none
    /// did.
    #[must_use]
    pub fn failed(&self) -> Option<String> {
        let (failed, all) = (self.failures.len(), self.failures.len() + self.recipes.len());
        let of = counted(all as u64, "policy", "policies");
        let why = FailedCase::told(&self.failures).join("; ");
        (failed > 0).then(|| format!("{failed} of {of} failed: {why}"))
    }

    /// Adds sentences, without full stops, to the verdict (recommendation), each of which gives a
    /// reason why it is less certain.
    pub(crate) fn rest_on(&mut self, sentences: impl Iterator<Item = String>) {
        self.answer.verdict.trust.extend(sentences);
    }

    /// Sets the load limit: the highest load (rate of requests) at which all goals are met.
    pub fn limit_load(&mut self, limit: LoadLimit) {
        self.load_limit = Some(limit);
    }

    /// Sets the reason why the highest load (rate of requests) at which all goals are met was not
    /// searched.
    pub fn leave_out_load_limit(&mut self, why: LoadLimitLeftOut) {
        self.load_limit_left_out = Some(why);
    }

    /// Returns the warnings that can make the study's answer wrong, one line each.
    #[must_use]
    pub fn overturning(&self) -> &[String] {
        &self.overturning
    }

    /// Sets the commands that set up a way of sharing the device, those that undo it, and the files
    /// that they need.
    pub fn set_up(&mut self, of: WayToSetUp, by: SetUp) {
        self.setup_of = Some(of);
        (self.setup, self.setup_undo, self.setup_files) = (by.lines, by.undo, by.files);
    }

    /// Returns the files that set up the recommended way of sharing the device.
    #[must_use]
    pub fn setup_files(&self) -> &[SetUpFile] {
        &self.setup_files
    }

    /// Returns the figures of the processes under the recipes (sets of policies), and the
    /// recommendation.
    #[must_use]
    pub const fn answer(&self) -> &PolicyFigures {
        &self.answer
    }

    /// Returns the indices of the recipes that are compared in detail: the baseline and, where it
    /// is another one, the recipe that the verdict recommends.
    #[must_use]
    pub fn compared(&self) -> Vec<usize> {
        let answer = &self.answer;
        let best = answer.verdict.recipe.as_ref();
        let best = best.and_then(|name| self.recipes.iter().position(|of| of.name == *name));
        let mut compared = vec![answer.baseline];
        compared.extend(best.filter(|best| *best != answer.baseline));
        compared
    }

    /// Returns whether a timeline was drawn of the recipe (set of policies) with this index.
    #[must_use]
    pub fn is_drawn(&self, recipe: usize) -> bool {
        self.recipes.get(recipe).is_some_and(|of| of.timeline.is_some())
    }

    /// Returns the (arrival, end) of the slowest request in ns, under the recipe with the index
    /// `recipe`; `None` where it has no requests.
    #[must_use]
    pub fn slowest_request(&self, recipe: usize) -> Option<(u64, u64)> {
        let slow = self.recipes.get(recipe)?.slowest()?;
        Some((slow.arrival_ns, slow.end_ns))
    }

    /// Adds a timeline to the result of the recipe (set of policies) with this name; does nothing
    /// where no recipe has it.
    pub fn draw(&mut self, recipe: &str, drawn: DrawnTimeline) {
        if let Some(of) = self.recipes.iter_mut().find(|of| of.name == recipe) {
            let slowest = drawn.file.ends_with(SLOWEST);
            let place = if slowest { &mut of.slowest_timeline } else { &mut of.timeline };
            *place = Some(drawn);
        }
    }

    /// Returns the text that says why no recipe (set of policies) meets all goals, or none that the
    /// driver of the device offers; `None` where one does, or there are no goals. Where the driver
    /// offers none of the recipes that were asked for, any of them counts.
    #[must_use]
    pub fn missed_goals(&self) -> Option<String> {
        let missed = self.answer.missed_goals().map(str::to_owned);
        let offered = || self.answer.goals_met_by_no_driver();
        missed.or_else(|| self.by_driver.then(offered).flatten())
    }

    /// Says under which recipes (sets of policies) how many launches never ended, and why; `None`
    /// where all launches ended.
    #[must_use]
    pub fn stuck_launches(&self) -> Option<String> {
        stuck_under(&self.recipes)
    }

    /// Returns the launches that can run under none of the recipes (sets of policies), in words;
    /// `None` where there are none.
    #[must_use]
    pub fn never_ran(&self) -> Option<&str> {
        self.never_ran.as_deref()
    }

    /// Returns whether some launches never ended by a fault of raddle itself.
    #[must_use]
    pub fn has_fault(&self) -> bool {
        let mut why = self.recipes.iter().filter_map(|recipe| recipe.never_ended.as_ref());
        why.any(|it| it.fault)
    }
}

/// Returns the recommended recipe and what a driver offers that is most similar, if no driver
/// offers the recipe itself; else `None`.
fn no_driver(
    replay: &Replay<'_>,
    answer: &PolicyFigures,
    runs: &[RecipeRun],
) -> Option<NotOffered> {
    let (name, vendor) = (answer.recommended()?, replay.target.vendor);
    let run = runs.iter().find(|run| run.name == name)?;
    let mut of = NotOffered::of((name, run.offered), &run.recipe, (vendor, replay.profiles.len()))?;
    of.best = answer.best_offered().map(|row| answer.rows[row].recipe.clone());
    Some(of)
}

/// Judges the processes under all recipes (sets of policies), and draws the conclusion: ranks,
/// goals met and the recommendation.
fn answer(
    replay: &Replay<'_>,
    profiles: &[ProfileFacts],
    runs: &[RecipeRun],
    recipes: &[RecipeResult],
    alone: &[&Outcome],
) -> PolicyFigures {
    let judged = profiles.iter().zip(alone).enumerate();
    let judged = judged
        .map(|(at, (facts, alone))| facts.judge(JudgedProcess::new(replay.workload, at, alone)))
        .map(|of| JudgedProcess { gaps_closed: of.issue_unknown && replay.rules.queued, ..of });
    let judged: Vec<JudgedProcess> = judged.collect();
    let row = |(it, run): (&RecipeResult, &RecipeRun)| {
        let seeds = std::iter::once(&it.summary).chain(&run.seeds);
        let row = |of: &Summary| PolicyRow::new(&it.name, &judged, of);
        // A part of the bounds would pass for all of them.
        let bounds = run.bounds.iter().chain(&run.queued).filter(|_| !run.out_of_reach);
        let bounds: Vec<PolicyRow> = bounds.map(row).collect();
        let queued = run.queued.as_ref().map(row);
        let row = PolicyRow::over_seeds(seeds.map(row).collect())?.between(&bounds, &judged);
        let RecipeRun { offered, asked, out_of_reach, .. } = *run;
        let row = row.queued(queued.as_ref()).offered_by(offered);
        Some(PolicyRow { asked, out_of_reach, ..row })
    };
    let rows = recipes.iter().zip(runs).filter_map(row).collect();
    let today = today(replay.target, judged.len());
    let mut answer = PolicyFigures::new(today, judged, rows, replay.goals.to_vec());
    answer.tell_errors_measured(&replay.target.id);
    let contention = replay.rules.contention.iter();
    answer.verdict.trust.extend(contention.map(|clause| format!("Costs: {clause}")));
    answer
}

/// Writes one line for each profile that has kernels without a shape.
fn unknown_kernels(profiles: &[ProfileFacts]) -> impl Iterator<Item = String> {
    profiles.iter().filter_map(|profile| {
        let told = profile.unknown_kernels.as_ref()?.told();
        Some(format!("{}: {told}", plain(&profile.name, NAME)))
    })
}

/// Returns the results of the recipes (sets of policies) under which some launches never ended.
fn stuck_recipes(recipes: &[RecipeResult]) -> impl Iterator<Item = &RecipeResult> {
    recipes.iter().filter(|result| result.summary.stuck > 0)
}

/// Says under which recipes (sets of policies) how many launches never ended, and why; `None` where
/// all launches ended.
fn stuck_under(recipes: &[RecipeResult]) -> Option<String> {
    let told: Vec<String> = stuck_recipes(recipes)
        .map(|result| {
            let launches = counted(result.summary.stuck, "launch", "launches");
            let why = result.never_ended.as_ref().map(|it| format!(": {}", it.why));
            format!("{launches} under {} never ended{}", result.name, why.unwrap_or_default())
        })
        .collect();
    (!told.is_empty()).then(|| told.join("; "))
}
