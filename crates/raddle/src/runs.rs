//! What happens under each recipe: all processes together, and each alone?
//!
//! Runs are independent, so they go in parallel; results are collected by position, so they do not
//! depend on how many go at a time.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use raddle_device::Device;
use raddle_dispatch::log::{Detail, LogHeader, LogWriter};
use raddle_report::replay::{DrawnTimeline, LOG, RecipeRun};
use raddle_sim::{
    BASELINE, Costs, EnergyModel, Options, Outcome, ProcessPlan, Repetition, Workload,
};
use rayon::prelude::*;

use crate::error::CliError;
use crate::progress::Progress;
use crate::recipes::{self, NamedRecipe};
use crate::timelines::Wanted;

/// What is run.
#[derive(Debug)]
pub(crate) struct RunPlan<'p> {
    pub(crate) workload: &'p Workload,
    pub(crate) recipes: &'p [NamedRecipe],
    pub(crate) target: &'p Device,
    /// What decision logs hold; `None`: there are none.
    pub(crate) detail: Option<Detail>,
    /// Where a folder a recipe is made; `None`: no files.
    pub(crate) folder: Option<&'p Path>,
    /// What is drawn of each recipe; `None`: nothing.
    pub(crate) timeline: Option<&'p Wanted>,
    /// Runs at a time; `None`: one a core.
    pub(crate) jobs: Option<u16>,
    pub(crate) progress: bool,
}

/// One run: a recipe, and the process that runs alone or all of them.
#[derive(Clone, Copy, Debug)]
struct RunJob<'p> {
    named: &'p NamedRecipe,
    alone: Option<usize>,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct AllRuns {
    /// One entry a recipe, in their order.
    pub(crate) recipes: Vec<RecipeRun>,
    /// Each process alone and once under `leftover`; empty where there is only one, which runs once.
    pub(crate) alone: Vec<Outcome>,
}

/// Runs everything.
pub(crate) fn all(plan: &RunPlan<'_>) -> Result<AllRuns, CliError> {
    // Before any of them runs.
    for named in plan.recipes {
        named.builder(&named.on(plan.target), plan.target)?;
    }
    let processes = plan.workload.processes.len();
    let has_requests = |process: &ProcessPlan| process.repetition != Repetition::BackToBack;
    let apart = processes > 1 || plan.workload.processes.iter().any(has_requests);
    let single: Vec<Workload> =
        if apart { plan.workload.processes.iter().map(alone).collect() } else { Vec::new() };
    // The long ones first.
    let together = plan.recipes.iter().map(|named| RunJob { named, alone: None });
    // One measure for all recipes: the ordinary path, and whatever has room.
    let ordinary = recipes::choose(&[BASELINE.to_owned()])?;
    let apart = ordinary.iter().flat_map(|named| {
        (0..single.len()).map(move |process| RunJob { named, alone: Some(process) })
    });
    let jobs: Vec<RunJob<'_>> = together.chain(apart).collect();
    let progress = Progress::runs(plan.progress, launches(plan.workload, &jobs));
    let drawing = progress.drawing();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(plan.jobs.map_or(0, usize::from))
        .build()
        .map_err(|error| {
            CliError::Refused(format!("threads cannot be started ({error}): give a smaller --jobs"))
        })?;
    let begun = AtomicU64::new(0);
    let run = |job: &RunJob<'_>| {
        if job.alone.is_none() {
            let number = begun.fetch_add(1, Ordering::Relaxed) + 1;
            let name = &job.named.name;
            progress.say(format!("recipe {number} of {}: {name}", plan.recipes.len()));
        }
        let workload = job.alone.map_or(plan.workload, |process| &single[process]);
        one(plan, *job, workload, (&progress, &drawing))
    };
    let done: Vec<Result<(Outcome, Option<DrawnTimeline>), CliError>> =
        pool.install(|| jobs.par_iter().with_max_len(1).map(run).collect());
    progress.done();
    drawing.done();
    let mut outcomes = done.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter();
    let together: Vec<_> = outcomes.by_ref().take(plan.recipes.len()).collect();
    let runs = plan.recipes.iter().zip(together).map(|(named, (together, timeline))| {
        let log = |folder: &Path| fs::metadata(folder.join(&named.name).join(LOG)).ok();
        RecipeRun {
            name: named.name.clone(),
            recipe: named.recipe.clone(),
            together,
            log_bytes: plan.folder.and_then(log).map(|file| file.len()),
            timeline,
        }
    });
    let recipes = runs.collect();
    Ok(AllRuns { recipes, alone: outcomes.map(|(outcome, _)| outcome).collect() })
}

/// One process alone, once: no requests, no repetition.
fn alone(process: &ProcessPlan) -> Workload {
    let alone = ProcessPlan { repetition: Repetition::BackToBack, ..process.clone() };
    Workload { processes: vec![alone], repeat: false }
}

/// What the progress of these runs counts up to.
fn launches(workload: &Workload, jobs: &[RunJob<'_>]) -> u64 {
    let tasks = |process: usize| workload.processes[process].tasks.len() as u64;
    jobs.iter().map(|job| job.alone.map_or_else(|| workload.leading(), tasks)).sum()
}

fn one(
    plan: &RunPlan<'_>,
    job: RunJob<'_>,
    workload: &Workload,
    (progress, drawing): (&Progress, &Progress),
) -> Result<(Outcome, Option<DrawnTimeline>), CliError> {
    let named = job.named;
    let (name, recipe) = (&named.name, &named.on(plan.target));
    let (shape, cus) = (plan.target.shape, plan.target.cus);
    let log = match (job.alone, plan.folder, plan.detail) {
        (None, Some(folder), Some(detail)) => log(plan, name, recipe, (folder, detail))?,
        _ => LogWriter::off(),
    };
    let mut dispatcher = named.builder(recipe, plan.target)?.log(log).build();
    let options = Options {
        shape,
        cus,
        costs: Costs::of(plan.target).under(recipe),
        energy: EnergyModel::ASSUMED,
    };
    let seen = AtomicU64::new(0);
    let advance = |ended: u64| {
        let before = seen.swap(ended, Ordering::Relaxed);
        progress.add(ended.saturating_sub(before));
    };
    let mut advance = |at: raddle_sim::Progress| advance(at.ended);
    let failed = |error| CliError::Sim {
        recipe: name.clone(),
        what: match job.alone {
            Some(process) => format!("{} alone", plan.workload.processes[process].name),
            None => "all processes together".to_owned(),
        },
        error,
    };
    if let (None, Some(folder), Some(wanted)) = (job.alone, plan.folder, plan.timeline) {
        let mut recorder = wanted.recorder(cus, workload);
        let (to, watch) = (&mut dispatcher, &mut recorder);
        let outcome = raddle_sim::run_watched(workload, to, &options, watch, &mut advance);
        let outcome = outcome.map_err(failed)?;
        let drawn = wanted.write(recorder, workload, &outcome, (folder, name), drawing)?;
        return Ok((outcome, Some(drawn)));
    }
    let outcome = raddle_sim::run(workload, &mut dispatcher, &options, &mut advance);
    Ok((outcome.map_err(failed)?, None))
}

fn log(
    plan: &RunPlan<'_>,
    name: &str,
    recipe: &raddle_dispatch::Recipe,
    (folder, detail): (&Path, Detail),
) -> Result<LogWriter, CliError> {
    let folder = folder.join(name);
    let what = format!("{name}/{LOG}");
    fs::create_dir_all(&folder).map_err(CliError::writing(&what))?;
    let file = File::create(folder.join(LOG)).map_err(CliError::writing(&what))?;
    let header = LogHeader {
        raddle_log: 1,
        detail,
        device: plan.target.id.clone(),
        cus: plan.target.cus,
        shape: plan.target.shape,
        recipe: recipe.clone(),
    };
    Ok(header.writer(Box::new(BufWriter::with_capacity(1 << 16, file))))
}
