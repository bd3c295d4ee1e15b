//! What happens under each recipe, to all processes together, with each random seed, and to each
//! process alone?
//!
//! Simulations are independent, so they run in parallel; results are collected by position, so they
//! do not depend on how many run at a time.

mod bounds;
mod first;
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
use crate::driver;
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

/// Times that contention with neighbours costs the processes of a workload: learnt from recordings,
/// or computed from the memory bandwidth that launches need. An empty list changes nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Charges {
    /// Costs that were learnt from recordings: for each process a list with one entry for each of
    /// its launches, copies and fills.
    pub(crate) learnt: Vec<Vec<Contention>>,
    pub(crate) demand: Vec<Option<ProcessDemand>>,
}

impl Charges {
    /// Replaces the contention costs of the processes of a workload by those of `self`.
    pub(crate) fn give(&self, workload: &mut Workload) {
        for (plan, own) in workload.processes.iter_mut().zip(&self.learnt) {
            plan.contention.clone_from(own);
        }
        for (plan, own) in workload.processes.iter_mut().zip(&self.demand) {
            plan.demand.clone_from(own);
        }
    }
}

/// Inputs of all simulations of a study: workload, recipes, random seeds, bounds of costs, and the
/// choice of files to write.
pub(crate) struct RunsPlan<'p> {
    pub(crate) workload: &'p Workload,
    pub(crate) recipes: &'p [NamedRecipe],
    /// Times that contention costs the processes, as two entries: the lower bound, then the upper
    /// bound. Empty where contention is not charged.
    pub(crate) bounds: &'p [Charges],
    /// True if recipes with assumed times, such as the length of a turn, are also simulated with
    /// the smallest and the largest times that are possible.
    pub(crate) priced: bool,
    /// Alternative workload for profiles whose file does not say when work was issued: hosts issue
    /// that work early, without the recorded gaps. `None` where every file says it, or no such
    /// simulation is wanted.
    pub(crate) queued: Option<&'p Workload>,
    /// Random requests of each process, one entry for every random seed after the first.
    pub(crate) draws: &'p [SeedDraw],
    /// Requests of unlimited number; each simulation draws as many as its percentiles need.
    pub(crate) open: &'p OpenLoad,
    /// Goals of the user; a simulation with a later random seed ends early once it cannot meet one
    /// of them.
    pub(crate) goals: &'p [Goal],
    pub(crate) target: &'p Device,
    /// Weights by which the energy that work costs is counted.
    pub(crate) energy: EnergyModel,
    /// Detail of the decision logs; `None` writes none.
    pub(crate) detail: Option<Detail>,
    /// Receiver of decision logs and timelines; `None` where none are wanted.
    pub(crate) leavings: Option<&'p dyn Leavings>,
    /// Timelines to draw of the simulations; `None` draws none.
    pub(crate) timeline: Option<&'p Wanted>,
    /// Number of simulations at the same time; `None` means one for each processor core.
    pub(crate) jobs: Option<u16>,
    /// Receiver of the progress of simulations, which may also end them.
    pub(crate) watcher: &'p dyn Watcher,
}

/// One simulation to make: its recipe (set of policies), and which processes run with which
/// requests.
#[derive(Clone, Copy, Debug)]
struct RunJob<'p> {
    named: &'p NamedRecipe,
    of: RunOf<'p>,
    /// True if hosts issue work early in the simulation: it is of the workload [`RunsPlan::queued`]
    /// and not of [`RunsPlan::workload`].
    queued: bool,
}

/// Kind of simulation that a job makes: which processes run, and with which requests or costs.
#[derive(Clone, Copy, Debug)]
enum RunOf<'p> {
    /// All processes run together, with the requests of the first random seed.
    Together,
    /// One repetition of the process with this index runs alone.
    Alone(usize),
    /// All processes run with the requests of a random seed after the first; the number is the
    /// index in [`RunsPlan::draws`].
    Seed(usize),
    /// All processes run once more, to draw the timelines that an earlier simulation with this
    /// outcome lacks.
    Again(Missing, &'p Outcome),
    /// All processes run with the least or the most that contention may cost; the number is the
    /// index in [`RunsPlan::bounds`].
    Bound(usize),
    /// All processes run under a recipe whose assumed times have the least or the largest value.
    Priced,
    /// All processes run once more on the workload [`RunsPlan::queued`], in which hosts issue work
    /// early.
    Read,
}

impl RunOf<'_> {
    /// Returns whether the launches of the simulation count for the progress bar. Simulations of
    /// one process alone do not count, as they are short.
    const fn is_counted(self) -> bool {
        !matches!(self, Self::Alone(_))
    }
}

/// Choice of whether a simulation of all processes together writes its decision log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Log {
    Kept,
    Not,
}

/// Result of one simulation: the full outcome, with timelines and the time on lent compute units;
/// only a summary for a later random seed, or for bounds of costs.
enum RunDone {
    Ran(Box<Outcome>, Vec<DrawnTimeline>, Option<Vec<u128>>),
    Summed(Summary),
    Bounded(Summary),
    /// The simulation ended with an error.
    Broke(StudyError),
}

/// Results of all simulations of a study.
#[derive(Debug)]
pub(crate) struct AllRuns {
    /// Simulations of the recipes, one entry each, in the order of the recipes.
    pub(crate) recipes: Vec<RecipeRun>,
    /// Simulation of one repetition of each process alone under the recipe `leftover`; empty for a
    /// single process without requests, which runs alone anyway.
    pub(crate) alone: Vec<Outcome>,
    /// Recipes that are missing in `recipes` because one of their simulations ended with an error,
    /// each with that error.
    pub(crate) broken: Vec<FailedCase>,
}

/// Runs the simulations of a study in parallel, on its own threads.
pub(crate) struct Runner<'p> {
    plan: RunsPlan<'p>,
}

impl<'p> Runner<'p> {
    /// Makes the runner for the simulations of `plan`, after a check that the device can use each
    /// recipe.
    ///
    /// # Errors
    ///
    /// When a recipe cannot be used on the device.
    pub(crate) fn new(plan: RunsPlan<'p>) -> Result<Self, StudyError> {
        for named in plan.recipes {
            named.builder(&named.on(plan.target), plan.target)?;
        }
        Ok(Self { plan })
    }

    /// Simulates all processes together under one recipe (set of policies), on the caller's thread.
    pub(crate) fn together(&self, named: &NamedRecipe) -> Result<Outcome, StudyError> {
        Ok(self.settled(RunJob { named, of: RunOf::Together, queued: false })?.0)
    }

    /// Simulates all recipes with several random seeds, a range of indices in [`RunsPlan::draws`].
    /// Returns for each recipe a list of summaries, one for each seed.
    pub(crate) fn seeds(&self, seeds: Range<usize>) -> Result<Vec<Vec<Summary>>, StudyError> {
        let of = |named| {
            let job = move |seed| RunJob { named, of: RunOf::Seed(seed), queued: false };
            seeds.clone().map(job)
        };
        let jobs: Vec<RunJob<'_>> = self.plan.recipes.iter().flat_map(of).collect();
        let mut all = vec![Vec::new(); self.plan.recipes.len()];
        for (job, done) in self.run(&jobs, 0)?.into_iter().enumerate() {
            match done {
                RunDone::Summed(summary) => all[job / seeds.len()].push(summary),
                RunDone::Broke(error) => return Err(error),
                _ => {}
            }
        }
        Ok(all)
    }

    /// Simulates one repetition of one process alone under a recipe, on the caller's thread.
    pub(crate) fn alone(&self, named: &NamedRecipe, process: usize) -> Result<Outcome, StudyError> {
        let job = RunJob { named, of: RunOf::Alone(process), queued: false };
        self.simulate((job, Log::Not), &self.workload(job), &mut None::<Lent>)
    }

    /// Makes all simulations of the plan: each process alone, and all together under each recipe
    /// with each random seed; with the first seed also at the bounds of unknown costs.
    pub(crate) fn all(&self) -> Result<AllRuns, StudyError> {
        self.made(true)
    }

    /// Makes all simulations of the plan but those at the bounds of unknown costs, which
    /// [`Self::bound`] makes.
    pub(crate) fn without_bounds(&self) -> Result<AllRuns, StudyError> {
        self.made(false)
    }

    fn made(&self, with_bounds: bool) -> Result<AllRuns, StudyError> {
        let plan = &self.plan;
        let processes = &plan.workload.processes;
        let has_requests = |process: &ProcessPlan| process.repetition != Repetition::BackToBack;
        let apart = processes.len() > 1 || processes.iter().any(has_requests);
        let run = |named, of| RunJob { named, of, queued: false };
        let each = |of| plan.recipes.iter().map(move |named| run(named, of));
        // All recipes are measured by the same runs: each process alone under `leftover`.
        let ordinary = [recipes::bundled(ORDINARY, &Registry::bundled())?];
        let alike = if apart { alike(processes) } else { Vec::new() };
        let alone = ordinary.iter().flat_map(|named| {
            let firsts = alike.iter().enumerate().filter(|&(process, &like)| process == like);
            firsts.map(move |(process, _)| run(named, RunOf::Alone(process)))
        });
        let seeds = (0..plan.draws.len()).flat_map(|seed| each(RunOf::Seed(seed)));
        let prices = self.prices()?;
        let (as_together, bounds) = self.bounded(&prices);
        // Time that is left is rather told too long: nobody knows yet which bounds are left out.
        let later = if with_bounds { 0 } else { bounds.len() };
        let bounds = bounds.into_iter().filter(|_| with_bounds);
        // The long runs come first, so that no thread is left with one at the end.
        let long = each(RunOf::Together).chain(self.reads()).chain(bounds);
        let jobs: Vec<RunJob<'_>> = long.chain(seeds).chain(alone).collect();
        let mut all = AllRuns { recipes: Vec::new(), alone: Vec::new(), broken: Vec::new() };
        all.gather(self, &jobs, later)?;
        if with_bounds {
            all.equal(&as_together, plan.workload);
        }
        all.alone = of_each(all.alone, &alike);
        Ok(all)
    }

    /// Makes the simulations at the bounds of unknown costs for the recipes for which `is_near`
    /// returns true. These recipes no longer count as too far behind the best one.
    pub(crate) fn bound(
        &self,
        all: &mut AllRuns,
        is_near: impl Fn(&RecipeRun) -> bool,
    ) -> Result<(), StudyError> {
        let near = all.recipes.iter().filter(|&run| is_near(run)).map(|run| run.name.clone());
        let near: Vec<String> = near.collect();
        let prices = self.prices()?;
        let (mut as_together, mut bounds) = self.bounded(&prices);
        let is_wanted = |job: &RunJob<'_>| near.contains(&job.named.name);
        as_together.retain(is_wanted);
        bounds.retain(is_wanted);
        all.gather(self, &bounds, 0)?;
        all.equal(&as_together, self.plan.workload);
        for run in &mut all.recipes {
            run.out_of_reach &= !near.contains(&run.name);
        }
        Ok(())
    }

    /// Draws the timelines that `result` does not have yet: those of the recipes that the user
    /// wants drawn, and those of the slowest requests.
    pub(crate) fn draw(
        &self,
        result: &mut ReplayResult,
        runs: &[RecipeRun],
    ) -> Result<(), StudyError> {
        let Some(wanted) = self.plan.timeline else { return Ok(()) };
        let jobs = self.plan.recipes.iter().enumerate().filter_map(|(at, named)| {
            let missing = wanted.missing(result, at)?;
            let of = RunOf::Again(missing, &runs.get(at)?.together);
            Some(RunJob { named, of, queued: false })
        });
        let jobs: Vec<RunJob<'_>> = jobs.collect();
        for (job, done) in jobs.iter().zip(self.run(&jobs, 0)?) {
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

    /// Makes simulations in parallel and returns their results in the order of `jobs`; `later` is
    /// the number of further simulations that the progress bar allows for.
    fn run(&self, jobs: &[RunJob<'_>], later: usize) -> Result<Vec<RunDone>, StudyError> {
        let plan = &self.plan;
        let counted = (jobs.iter().filter(|job| job.of.is_counted()).count() + later) as u64;
        plan.watcher.begin(counted.saturating_mul(plan.workload.leading()));
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
            let done = self.one(*job);
            if let (RunOf::Together, Ok(RunDone::Ran(outcome, ..))) = (job.of, &done) {
                plan.watcher.found(name, &|| self.first_figures(name, outcome));
            }
            match done {
                // A run that ends with an error fails its recipe alone, unless it is a process
                // alone, which measures all recipes.
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
            offered: driver::offered(&named.recipe, self.plan.target),
            asked: named.asked,
            together,
            seeds: Vec::new(),
            bounds: Vec::new(),
            out_of_reach: false,
            queued: None,
            lent,
            log_bytes,
            timeline: drawn.into_iter().next(),
        }
    }
}

impl AllRuns {
    /// Makes simulations and adds their results; removes recipes of which one ended with an error.
    /// `later` is the number of further simulations that the progress bar allows for.
    fn gather(
        &mut self,
        runner: &Runner<'_>,
        jobs: &[RunJob<'_>],
        later: usize,
    ) -> Result<(), StudyError> {
        for (job, done) in jobs.iter().zip(runner.run(jobs, later)?) {
            match (job.of, done) {
                (_, RunDone::Broke(error)) => self.break_off(job.named, error, &runner.plan)?,
                (RunOf::Alone(_), RunDone::Ran(outcome, ..)) => self.alone.push(*outcome),
                (_, RunDone::Ran(outcome, drawn, lent)) => {
                    self.recipes.push(runner.recipe_run(job.named, *outcome, drawn, lent));
                }
                (_, RunDone::Summed(summary)) => {
                    self.of(job.named).into_iter().for_each(|run| run.seeds.push(summary.clone()));
                }
                (RunOf::Read, RunDone::Bounded(summary)) => {
                    let own = self.of(job.named);
                    own.into_iter().for_each(|run| run.queued = Some(summary.clone()));
                }
                (_, RunDone::Bounded(summary)) => {
                    self.of(job.named).into_iter().for_each(|run| run.bounds.push(summary.clone()));
                }
            }
        }
        let broken = &self.broken;
        self.recipes.retain(|run| broken.iter().all(|of| of.case != run.name));
        Ok(())
    }

    /// Adds to recipes, as results at a bound of the cost of contention, their plain simulations
    /// where a simulation at that bound would equal them.
    fn equal(&mut self, as_together: &[RunJob<'_>], workload: &Workload) {
        for job in as_together {
            self.of(job.named).into_iter().for_each(|run| {
                run.bounds.push(Summary::new(workload, &run.together, &[]));
            });
        }
    }

    fn of(&mut self, named: &NamedRecipe) -> Option<&mut RecipeRun> {
        self.recipes.iter_mut().find(|run| run.name == named.name)
    }

    /// Notes that a simulation of a recipe ended with an error.
    ///
    /// # Errors
    ///
    /// Returns that error if no other recipe is left, or the recipe is the device's default.
    fn break_off(
        &mut self,
        named: &NamedRecipe,
        error: StudyError,
        plan: &RunsPlan<'_>,
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

/// Returns, for each process, the index of the first process with equal work. A simulation of
/// either alone gives the same result.
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

/// Returns an outcome for each process, where [`alike`] returned `alike`. `firsts` has, in order,
/// the outcomes of those processes whose work equals that of no earlier process.
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
    plan: &RunsPlan<'_>,
    name: &str,
    recipe: &raddle_dispatch::Recipe,
    (leavings, detail): (&dyn Leavings, Detail),
) -> Result<LogWriter, StudyError> {
    let what = log_name(name);
    let file = leavings.log(&what).map_err(StudyError::writing(&what))?;
    let header = fault::log_header(plan.target, recipe, detail);
    Ok(header.short_writer(file))
}

fn log_name(recipe: &str) -> String {
    format!("{recipe}/{LOG}")
}
