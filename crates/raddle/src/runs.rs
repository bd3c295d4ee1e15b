//! What happens under each recipe: all processes together, by each seed, and each process alone?
//!
//! Runs are independent, so they go in parallel; results are collected by position, so they do not
//! depend on how many go at a time.

use std::borrow::Cow;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use raddle_device::Device;
use raddle_dispatch::Registry;
use raddle_dispatch::log::{Detail, LOG_VERSION, LogHeader, LogWriter};
use raddle_policy::Tick;
use raddle_report::replay::{DrawnTimeline, LOG, RecipeRun, ReplayResult};
use raddle_sim::{
    BASELINE, Costs, EnergyModel, Options, Outcome, ProcessPlan, Repetition, SimError, Summary,
    Watch, Workload,
};
use rayon::prelude::*;

use crate::arrivals::SeedDraw;
use crate::error::CliError;
use crate::log_file::LogFile;
use crate::progress::Progress;
use crate::recipes::{self, NamedRecipe};
use crate::timelines::Wanted;

/// What is run.
#[derive(Debug)]
pub(crate) struct RunPlan<'p> {
    pub(crate) workload: &'p Workload,
    pub(crate) recipes: &'p [NamedRecipe],
    /// The requests of further seeds.
    pub(crate) draws: &'p [SeedDraw],
    pub(crate) target: &'p Device,
    /// What decision logs hold; `None`: there are none.
    pub(crate) detail: Option<Detail>,
    /// Where a folder a recipe is made; `None`: no files.
    pub(crate) folder: Option<&'p Path>,
    /// Which timelines are drawn; `None`: none.
    pub(crate) timeline: Option<&'p Wanted>,
    /// Runs at a time; `None`: one a core.
    pub(crate) jobs: Option<u16>,
    pub(crate) progress: bool,
}

/// One run.
#[derive(Clone, Copy, Debug)]
struct RunJob<'p> {
    named: &'p NamedRecipe,
    of: RunOf,
}

/// What runs.
#[derive(Clone, Copy, Debug)]
enum RunOf {
    /// All processes.
    Together,
    /// One process, once.
    Alone(usize),
    /// All processes, with the requests of a further seed.
    Seed(usize),
    /// All processes once more, to draw the whole run if so, and a part of it if there is one.
    Again(bool, Option<(u64, u64)>),
}

/// What came of one.
enum RunDone {
    Ran(Outcome, Vec<DrawnTimeline>),
    Summed(Summary),
}

/// What came of all.
#[derive(Debug)]
pub(crate) struct AllRuns {
    /// One entry a recipe, in their order.
    pub(crate) recipes: Vec<RecipeRun>,
    /// Each process alone and once under `leftover`; empty where there is only one, which runs once.
    pub(crate) alone: Vec<Outcome>,
}

/// Runs a plan, on threads of its own.
#[derive(Debug)]
pub(crate) struct Runner<'p> {
    plan: RunPlan<'p>,
    pool: rayon::ThreadPool,
}

impl<'p> Runner<'p> {
    /// # Errors
    /// When a recipe cannot be used on the device, or threads cannot be started.
    pub(crate) fn new(plan: RunPlan<'p>) -> Result<Self, CliError> {
        for named in plan.recipes {
            named.builder(&named.on(plan.target), plan.target)?;
        }
        let threads = plan.jobs.map_or(0, usize::from);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| {
            CliError::Refused(format!("threads cannot be started ({error}): give a smaller --jobs"))
        })?;
        Ok(Self { plan, pool })
    }

    /// Runs each recipe, each process alone, and each recipe by each further seed.
    pub(crate) fn all(&self) -> Result<AllRuns, CliError> {
        let plan = &self.plan;
        let processes = &plan.workload.processes;
        let has_requests = |process: &ProcessPlan| process.repetition != Repetition::BackToBack;
        let apart = processes.len() > 1 || processes.iter().any(has_requests);
        let each = |of| plan.recipes.iter().map(move |named| RunJob { named, of });
        // One measure for all recipes: the ordinary path, and whatever has room.
        let ordinary = recipes::choose(&[BASELINE.to_owned()], &Registry::bundled())?;
        let alike = if apart { alike(processes) } else { Vec::new() };
        let alone = ordinary.iter().flat_map(|named| {
            let firsts = alike.iter().enumerate().filter(|&(process, &like)| process == like);
            firsts.map(move |(process, _)| RunJob { named, of: RunOf::Alone(process) })
        });
        let seeds = (0..plan.draws.len()).flat_map(|seed| each(RunOf::Seed(seed)));
        // The long ones first.
        let jobs: Vec<RunJob<'_>> = each(RunOf::Together).chain(seeds).chain(alone).collect();
        let mut all = AllRuns { recipes: Vec::new(), alone: Vec::new() };
        for (job, done) in jobs.iter().zip(self.run(&jobs)?) {
            match (job.of, done) {
                (RunOf::Alone(_), RunDone::Ran(outcome, _)) => all.alone.push(outcome),
                (_, RunDone::Ran(outcome, drawn)) => {
                    all.recipes.push(self.recipe_run(job.named, outcome, drawn));
                }
                (_, RunDone::Summed(summary)) => {
                    let own = all.recipes.iter_mut().find(|run| run.name == job.named.name);
                    own.into_iter().for_each(|run| run.seeds.push(summary.clone()));
                }
            }
        }
        let mut firsts = std::mem::take(&mut all.alone).into_iter();
        for (process, &like) in alike.iter().enumerate() {
            let own = if process == like { firsts.next() } else { all.alone.get(like).cloned() };
            all.alone.extend(own);
        }
        Ok(all)
    }

    /// Draws what a result compares: the rest of its timelines, and its slowest requests.
    pub(crate) fn draw(&self, result: &mut ReplayResult) -> Result<(), CliError> {
        let Some(wanted) = self.plan.timeline else { return Ok(()) };
        let compared = result.compared().into_iter();
        let jobs = compared.filter_map(|at| {
            let named = self.plan.recipes.get(at)?;
            let (whole, part) = wanted.missing(result, at)?;
            Some(RunJob { named, of: RunOf::Again(whole, part) })
        });
        let jobs: Vec<RunJob<'_>> = jobs.collect();
        for (job, done) in jobs.iter().zip(self.run(&jobs)?) {
            if let RunDone::Ran(_, drawn) = done {
                drawn.into_iter().for_each(|drawn| result.draw(&job.named.name, drawn));
            }
        }
        Ok(())
    }

    /// Runs jobs in parallel.
    fn run(&self, jobs: &[RunJob<'_>]) -> Result<Vec<RunDone>, CliError> {
        let plan = &self.plan;
        let launches = jobs.iter().map(|job| match job.of {
            RunOf::Alone(process) => plan.workload.processes[process].tasks.len() as u64,
            _ => plan.workload.leading(),
        });
        let progress = Progress::runs(plan.progress, launches.sum());
        let begun = AtomicU64::new(0);
        let run = |job: &RunJob<'_>| {
            let name = &job.named.name;
            match job.of {
                RunOf::Together => {
                    let number = begun.fetch_add(1, Ordering::Relaxed) + 1;
                    progress.say(format!("recipe {number} of {}: {name}", plan.recipes.len()));
                }
                RunOf::Again(..) => progress.say(format!("drawing {name}")),
                _ => {}
            }
            self.one(*job, &progress)
        };
        let done = self.pool.install(|| jobs.par_iter().with_max_len(1).map(run).collect());
        progress.done();
        done
    }

    fn one(&self, job: RunJob<'_>, progress: &Progress) -> Result<RunDone, CliError> {
        let plan = &self.plan;
        let name = &job.named.name;
        let drawn = plan.timeline.zip(plan.folder).and_then(|(wanted, folder)| {
            let recorders = match job.of {
                RunOf::Together if wanted.at_once(name) => {
                    wanted.recorders(plan.workload, true, None)
                }
                RunOf::Again(whole, part) => wanted.recorders(plan.workload, whole, part),
                _ => return None,
            };
            Some((wanted, folder, recorders))
        });
        if let Some((wanted, folder, mut recorders)) = drawn {
            let outcome = self.simulate(job, plan.workload, &mut recorders, progress)?;
            let to = (folder, name.as_str());
            let drawn = wanted.write(recorders, plan.workload, &outcome, to)?;
            return Ok(RunDone::Ran(outcome, drawn));
        }
        let workload = self.workload(job.of);
        let outcome = self.simulate(job, &workload, &mut (), progress)?;
        Ok(match job.of {
            RunOf::Seed(_) => RunDone::Summed(Summary::new(&workload, &outcome, &[])),
            _ => RunDone::Ran(outcome, Vec::new()),
        })
    }

    fn workload(&self, of: RunOf) -> Cow<'_, Workload> {
        let all = self.plan.workload;
        match of {
            RunOf::Alone(process) => {
                let repetition = Repetition::BackToBack;
                let alone = ProcessPlan { repetition, ..all.processes[process].clone() };
                Cow::Owned(Workload { processes: vec![alone], repeat: false })
            }
            RunOf::Seed(seed) => {
                let mut drawn = all.clone();
                for (process, repetition) in &self.plan.draws[seed] {
                    drawn.processes[*process].repetition = repetition.clone();
                }
                Cow::Owned(drawn)
            }
            RunOf::Together | RunOf::Again(..) => Cow::Borrowed(all),
        }
    }

    fn simulate(
        &self,
        job: RunJob<'_>,
        workload: &Workload,
        watch: &mut impl Watch,
        progress: &Progress,
    ) -> Result<Outcome, CliError> {
        let plan = &self.plan;
        let recipe = &job.named.on(plan.target);
        let log = match (job.of, plan.folder, plan.detail) {
            (RunOf::Together, Some(folder), Some(detail)) => {
                log(plan, &job.named.name, recipe, (folder, detail))?
            }
            _ => LogWriter::off(),
        };
        let fault = |error| CliError::Sim {
            recipe: job.named.name.clone(),
            what: match job.of {
                RunOf::Alone(process) => format!("{} alone", plan.workload.processes[process].name),
                _ => "all processes together".to_owned(),
            },
            error,
        };
        let built = job.named.builder(recipe, plan.target)?.log(log).build();
        let mut dispatcher =
            built.map_err(|error| fault(SimError::Dispatch { at: Tick::ZERO, error }))?;
        let options = Options {
            shape: plan.target.shape,
            cus: plan.target.cus,
            costs: Costs::of(plan.target).under(recipe),
            energy: EnergyModel::ASSUMED,
        };
        let seen = AtomicU64::new(0);
        let mut advance = |at: raddle_sim::Progress| {
            let before = seen.swap(at.ended, Ordering::Relaxed);
            progress.add(at.ended.saturating_sub(before));
        };
        let outcome =
            raddle_sim::run_watched(workload, &mut dispatcher, &options, watch, &mut advance);
        outcome.map_err(fault)
    }

    fn recipe_run(
        &self,
        named: &NamedRecipe,
        together: Outcome,
        drawn: Vec<DrawnTimeline>,
    ) -> RecipeRun {
        let log = |folder: &Path| fs::metadata(folder.join(&named.name).join(LOG)).ok();
        RecipeRun {
            name: named.name.clone(),
            recipe: named.recipe.clone(),
            together,
            seeds: Vec::new(),
            log_bytes: self.plan.folder.and_then(log).map(|file| file.len()),
            timeline: drawn.into_iter().next(),
        }
    }
}

/// By process: the first that is like it, so that what happens when it runs alone is the same.
fn alike(processes: &[ProcessPlan]) -> Vec<usize> {
    let mut firsts: Vec<usize> = Vec::new();
    let like = |(process, plan): (usize, &ProcessPlan)| {
        let known = firsts.iter().copied().find(|&first| processes[first].is_like(plan));
        known.unwrap_or_else(|| {
            firsts.push(process);
            process
        })
    };
    processes.iter().enumerate().map(like).collect()
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
    let file = LogFile::create(&folder.join(LOG)).map_err(CliError::writing(&what))?;
    let header = LogHeader {
        raddle_log: LOG_VERSION,
        detail,
        device: plan.target.id.clone(),
        cus: plan.target.cus,
        shape: plan.target.shape,
        recipe: recipe.clone(),
    };
    Ok(header.short_writer(Box::new(file)))
}
