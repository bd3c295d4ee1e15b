//! What happens under each recipe, to all processes together, by each seed, and to each process
//! alone?
//!
//! Runs are independent, so they go in parallel; results are collected by position, so they do not
//! depend on how many go at a time.

mod job;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use raddle_device::Device;
use raddle_dispatch::Registry;
use raddle_dispatch::log::{Detail, LogWriter};
use raddle_sim::{
    Contention, EnergyModel, Outcome, ProcessDemand, ProcessPlan, Repetition, Summary, Workload,
};

use crate::answer::{Goal, ORDINARY, today};
use crate::arrivals::SeedDraw;
use crate::error::StudyError;
use crate::fault;
use crate::files::Leavings;
use crate::lent::Lent;
use crate::open_load::OpenLoad;
use crate::parallel::Workers;
use crate::recipes::{self, NamedRecipe};
use crate::result::{DrawnTimeline, LOG, RecipeRun, ReplayResult};
use crate::sweep::FailedCase;
use crate::timelines::{Missing, Wanted};
use crate::watcher::Watcher;

/// The costs of neighbours, by process: those that recordings taught, or the demand of launches. An
/// empty list leaves a workload as it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Charges {
    /// By process and task.
    pub(crate) learnt: Vec<Vec<Contention>>,
    pub(crate) demand: Vec<Option<ProcessDemand>>,
}

impl Charges {
    /// Charges the processes of a workload.
    pub(crate) fn give(&self, workload: &mut Workload) {
        for (plan, own) in workload.processes.iter_mut().zip(&self.learnt) {
            plan.contention.clone_from(own);
        }
        for (plan, own) in workload.processes.iter_mut().zip(&self.demand) {
            plan.demand.clone_from(own);
        }
    }
}

/// The inputs of runs.
pub(crate) struct RunPlan<'p> {
    pub(crate) workload: &'p Workload,
    pub(crate) recipes: &'p [NamedRecipe],
    /// The charges for contention at least and at most, by process; empty: contention is not
    /// charged.
    pub(crate) bounds: &'p [Charges],
    /// True if recipes with an assumed price also run under the least and the most of it.
    pub(crate) priced: bool,
    /// The requests of further seeds.
    pub(crate) draws: &'p [SeedDraw],
    /// The requests without an end, of which each run draws as many as it needs.
    pub(crate) open: &'p OpenLoad,
    /// The goals of which each ends a run of a further seed as soon as it cannot be met any more.
    pub(crate) goals: &'p [Goal],
    pub(crate) target: &'p Device,
    /// The energy that work costs.
    pub(crate) energy: EnergyModel,
    /// The content of decision logs; `None`: there are none.
    pub(crate) detail: Option<Detail>,
    /// The receiver of decision logs and timelines; `None` for none.
    pub(crate) leavings: Option<&'p dyn Leavings>,
    /// The timelines that are drawn; `None`: none.
    pub(crate) timeline: Option<&'p Wanted>,
    /// The number of runs at a time; `None`: one a core.
    pub(crate) jobs: Option<u16>,
    /// The watcher, which is told the progress of runs.
    pub(crate) watcher: &'p dyn Watcher,
}

/// One run: a recipe, and the work under it.
#[derive(Clone, Copy, Debug)]
struct RunJob<'p> {
    named: &'p NamedRecipe,
    of: RunOf<'p>,
}

/// The work of a run.
#[derive(Clone, Copy, Debug)]
enum RunOf<'p> {
    /// All processes together.
    Together,
    /// One process, once.
    Alone(usize),
    /// All processes, with the requests of a further seed.
    Seed(usize),
    /// All processes once more, to draw what is missing of an earlier run with this outcome.
    Again(Missing, &'p Outcome),
    /// All processes, with the least or the most that contention may cost.
    Bound(usize),
    /// All processes, under a recipe with the least or the most that its assumed price may be.
    Priced,
}

/// The rule for the decision log of a run of all processes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Log {
    Kept,
    Not,
}

/// The result of one run.
enum RunDone {
    Ran(Box<Outcome>, Vec<DrawnTimeline>, Option<Vec<u128>>),
    Summed(Summary),
    Bounded(Summary),
    /// The run broke off.
    Broke(StudyError),
}

/// The results of all runs.
#[derive(Debug)]
pub(crate) struct AllRuns {
    /// One entry a recipe, in their order.
    pub(crate) recipes: Vec<RecipeRun>,
    /// Each process alone and once under `leftover`; empty if there is only one process, which runs
    /// once.
    pub(crate) alone: Vec<Outcome>,
    /// The recipes that have no entry, as a run of theirs broke off, and why.
    pub(crate) broken: Vec<FailedCase>,
}

/// Runs a plan, on threads of its own.
pub(crate) struct Runner<'p> {
    plan: RunPlan<'p>,
}

impl<'p> Runner<'p> {
    /// Takes a plan whose recipes the device can use.
    ///
    /// # Errors
    /// When a recipe cannot be used on the device.
    pub(crate) fn new(plan: RunPlan<'p>) -> Result<Self, StudyError> {
        for named in plan.recipes {
            named.builder(&named.on(plan.target), plan.target)?;
        }
        Ok(Self { plan })
    }

    /// Runs all processes together under one recipe, on this thread.
    pub(crate) fn together(&self, named: &NamedRecipe) -> Result<Outcome, StudyError> {
        Ok(self.settled(RunJob { named, of: RunOf::Together })?.0)
    }

    /// Runs all recipes by further seeds. Returns the summaries by recipe.
    pub(crate) fn seeds(&self, seeds: Range<usize>) -> Result<Vec<Vec<Summary>>, StudyError> {
        let of = |named| seeds.clone().map(move |seed| RunJob { named, of: RunOf::Seed(seed) });
        let jobs: Vec<RunJob<'_>> = self.plan.recipes.iter().flat_map(of).collect();
        let mut all = vec![Vec::new(); self.plan.recipes.len()];
        for (job, done) in self.run(&jobs)?.into_iter().enumerate() {
            match done {
                RunDone::Summed(summary) => all[job / seeds.len()].push(summary),
                RunDone::Broke(error) => return Err(error),
                _ => {}
            }
        }
        Ok(all)
    }

    /// Runs one process alone and once under a recipe, on this thread.
    pub(crate) fn alone(&self, named: &NamedRecipe, process: usize) -> Result<Outcome, StudyError> {
        let of = RunOf::Alone(process);
        let job = RunJob { named, of };
        self.simulate((job, Log::Not), &self.workload(job), &mut None::<Lent>)
    }

    /// Runs each recipe, each process alone, and each recipe by each further seed.
    pub(crate) fn all(&self) -> Result<AllRuns, StudyError> {
        let plan = &self.plan;
        let processes = &plan.workload.processes;
        let has_requests = |process: &ProcessPlan| process.repetition != Repetition::BackToBack;
        let apart = processes.len() > 1 || processes.iter().any(has_requests);
        let each = |of| plan.recipes.iter().map(move |named| RunJob { named, of });
        // All recipes have one measure: each process alone on the ordinary path, wherever there is
        // room.
        let ordinary = [recipes::bundled(ORDINARY, &Registry::bundled())?];
        let alike = if apart { alike(processes) } else { Vec::new() };
        let alone = ordinary.iter().flat_map(|named| {
            let firsts = alike.iter().enumerate().filter(|&(process, &like)| process == like);
            firsts.map(move |(process, _)| RunJob { named, of: RunOf::Alone(process) })
        });
        let seeds = (0..plan.draws.len()).flat_map(|seed| each(RunOf::Seed(seed)));
        let prices: Vec<Vec<NamedRecipe>> = match plan.priced && processes.len() > 1 {
            true => plan
                .recipes
                .iter()
                .map(|named| named.priced(plan.target))
                .collect::<Result<_, _>>()?,
            false => vec![Vec::new(); plan.recipes.len()],
        };
        let priced = prices.iter().flatten().map(|named| RunJob { named, of: RunOf::Priced });
        // Under time slices, which have a price, no process has a neighbour.
        let beside = plan.recipes.iter().zip(&prices).filter(|(_, own)| own.is_empty());
        let beside = beside.map(|(named, _)| named);
        let bounds = (0..plan.bounds.len())
            .flat_map(|at| beside.clone().map(move |named| RunJob { named, of: RunOf::Bound(at) }));
        let (alike_bounds, bounds): (Vec<_>, Vec<_>) =
            bounds.partition(|&job| self.is_as_together(job));
        // The long runs come first.
        let jobs: Vec<RunJob<'_>> =
            each(RunOf::Together).chain(bounds).chain(priced).chain(seeds).chain(alone).collect();
        let mut all = AllRuns { recipes: Vec::new(), alone: Vec::new(), broken: Vec::new() };
        for (job, done) in jobs.iter().zip(self.run(&jobs)?) {
            match (job.of, done) {
                (_, RunDone::Broke(error)) => all.break_off(job.named, error, plan)?,
                (RunOf::Alone(_), RunDone::Ran(outcome, ..)) => all.alone.push(*outcome),
                (_, RunDone::Ran(outcome, drawn, lent)) => {
                    all.recipes.push(self.recipe_run(job.named, *outcome, drawn, lent));
                }
                (_, RunDone::Summed(summary)) => {
                    let own = all.recipes.iter_mut().find(|run| run.name == job.named.name);
                    own.into_iter().for_each(|run| run.seeds.push(summary.clone()));
                }
                (_, RunDone::Bounded(summary)) => {
                    let own = all.recipes.iter_mut().find(|run| run.name == job.named.name);
                    own.into_iter().for_each(|run| run.bounds.push(summary.clone()));
                }
            }
        }
        for job in alike_bounds {
            let own = all.recipes.iter_mut().find(|run| run.name == job.named.name);
            own.into_iter().for_each(|run| {
                run.bounds.push(Summary::new(plan.workload, &run.together, &[]));
            });
        }
        let is_broken = |run: &RecipeRun| all.broken.iter().any(|of| of.case == run.name);
        all.recipes.retain(|run| !is_broken(run));
        all.alone = of_each(all.alone, &alike);
        Ok(all)
    }

    /// Returns whether the run of a bound would be that of all processes together: what neighbours
    /// cost is the same, as where each process has memory of its own.
    fn is_as_together(&self, job: RunJob<'_>) -> bool {
        let (own, together) =
            (self.workload(job), self.workload(RunJob { of: RunOf::Together, ..job }));
        let mut processes = own.processes.iter().zip(&together.processes);
        processes.all(|(own, it)| (&own.contention, &own.demand) == (&it.contention, &it.demand))
    }

    /// Draws the timelines that a result of these runs lacks: of the wanted recipes, and of the
    /// slowest requests.
    pub(crate) fn draw(
        &self,
        result: &mut ReplayResult,
        runs: &[RecipeRun],
    ) -> Result<(), StudyError> {
        let Some(wanted) = self.plan.timeline else { return Ok(()) };
        let jobs = self.plan.recipes.iter().enumerate().filter_map(|(at, named)| {
            let missing = wanted.missing(result, at)?;
            Some(RunJob { named, of: RunOf::Again(missing, &runs.get(at)?.together) })
        });
        let jobs: Vec<RunJob<'_>> = jobs.collect();
        for (job, done) in jobs.iter().zip(self.run(&jobs)?) {
            match done {
                RunDone::Ran(_, drawn, _) => {
                    drawn.into_iter().for_each(|drawn| result.draw(&job.named.name, drawn));
                }
                RunDone::Broke(error) => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Runs jobs in parallel.
    fn run(&self, jobs: &[RunJob<'_>]) -> Result<Vec<RunDone>, StudyError> {
        let plan = &self.plan;
        let launches = jobs.iter().map(|job| match job.of {
            RunOf::Alone(process) => plan.workload.processes[process].tasks.len() as u64,
            _ => plan.workload.leading(),
        });
        plan.watcher.begin(launches.sum());
        let begun = AtomicU64::new(0);
        let run = |job: &RunJob<'_>| {
            let name = &job.named.name;
            match job.of {
                RunOf::Together => {
                    let number = begun.fetch_add(1, Ordering::Relaxed) + 1;
                    let of = plan.recipes.len();
                    plan.watcher.say(&format!("recipe {number} of {of}: {name}"));
                }
                RunOf::Again(..) => plan.watcher.say(&format!("drawing {name}")),
                _ => {}
            }
            match self.one(*job) {
                // A run that breaks off fails its recipe alone, unless it is a measure of all recipes.
                Err(error @ StudyError::Sim { .. }) if !matches!(job.of, RunOf::Alone(_)) => {
                    Ok(RunDone::Broke(error))
                }
                done => done,
            }
        };
        let done = Workers::new(plan.jobs)?.map(jobs, run);
        plan.watcher.done();
        done
    }

    fn recipe_run(
        &self,
        named: &NamedRecipe,
        together: Outcome,
        drawn: Vec<DrawnTimeline>,
        lent: Option<Vec<u128>>,
    ) -> RecipeRun {
        let log = self.plan.detail.and(self.plan.leavings);
        let log_bytes = log.and_then(|leavings| leavings.log_bytes(&log_name(&named.name)));
        RecipeRun {
            name: named.name.clone(),
            recipe: named.recipe.clone(),
            offered: named.offered,
            together,
            seeds: Vec::new(),
            bounds: Vec::new(),
            lent,
            log_bytes,
            timeline: drawn.into_iter().next(),
        }
    }
}

impl AllRuns {
    /// Notes that a run of a recipe broke off.
    ///
    /// # Errors
    /// The error of the run, if it was of the only recipe or of the one that others are compared
    /// with.
    fn break_off(
        &mut self,
        named: &NamedRecipe,
        error: StudyError,
        plan: &RunPlan<'_>,
    ) -> Result<(), StudyError> {
        let (name, known) = (&named.name, self.broken.iter().map(|of| &of.case));
        if known.clone().any(|known| known == name) {
            return Ok(());
        }
        let base = today(plan.target, plan.workload.processes.len());
        if name == base || known.count() + 1 == plan.recipes.len() {
            return Err(error);
        }
        let why = match &error {
            StudyError::Sim { what, error, .. } => format!("{what}, {error}"),
            other => other.to_string(),
        };
        self.broken.push(FailedCase { case: name.clone(), error: why });
        Ok(())
    }
}

/// Returns, by process, the first process that is like it, so that the same happens when either
/// runs alone.
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

/// Returns an outcome for each process, from those of the first process of each kind.
fn of_each(firsts: Vec<Outcome>, alike: &[usize]) -> Vec<Outcome> {
    let mut firsts = firsts.into_iter();
    let mut all: Vec<Outcome> = Vec::with_capacity(alike.len());
    for (process, &like) in alike.iter().enumerate() {
        let own = if process == like { firsts.next() } else { all.get(like).cloned() };
        all.extend(own);
    }
    all
}

fn log(
    plan: &RunPlan<'_>,
    name: &str,
    recipe: &raddle_dispatch::Recipe,
    (leavings, detail): (&dyn Leavings, Detail),
) -> Result<LogWriter, StudyError> {
    let what = log_name(name);
    let file = leavings.log(&what).map_err(StudyError::writing(&what))?;
    let header = fault::log_header(plan.target, recipe, detail);
    Ok(header.short_writer(file))
}

/// Returns the name of the decision log of a recipe, within results.
fn log_name(recipe: &str) -> String {
    format!("{recipe}/{LOG}")
}
