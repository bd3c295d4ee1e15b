//! With how many requests, which costs of contention and which watchers is one simulation made?

use std::borrow::Cow;
use std::iter::repeat;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use raddle_dispatch::log::LogWriter;
use raddle_policy::Tick;
use raddle_sim::{
    Costs, Outcome, ProcessPlan, Repetition, SimConfig, SimError, Summary, Watch, Workload,
};

use super::{Log, RunDone, RunJob, RunOf, Runner, RunsPlan, log};
use crate::error::StudyError;
use crate::fault;
use crate::files::Leavings;
use crate::late::LateRequests;
use crate::lent::Lent;
use crate::timelines::{Missing, Recorders, Wanted};

impl Runner<'_> {
    pub(super) fn one(&self, job: RunJob<'_>) -> Result<RunDone, StudyError> {
        let plan = &self.plan;
        let drawn = plan.timeline.zip(plan.leavings).and_then(|(wanted, leavings)| {
            let recorders = match job.of {
                RunOf::Together if self.is_last() && wanted.at_once(&job.named.name) => {
                    wanted.recorders(plan.workload, Missing::WHOLE, None)
                }
                RunOf::Again(missing, came) => wanted.recorders(plan.workload, missing, Some(came)),
                _ => return None,
            };
            Some((wanted, leavings, recorders))
        });
        if let Some(drawn) = drawn {
            return self.drawn(job, drawn);
        }
        Ok(match job.of {
            RunOf::Seed(_) => {
                let workload = self.workload(job);
                let mut late = LateRequests::of(plan.goals, &workload);
                let outcome = self.simulate((job, Log::Not), &workload, &mut late)?;
                RunDone::Summed(Summary::new(&workload, &outcome, &[]))
            }
            RunOf::Bound(_) | RunOf::Priced | RunOf::Read => {
                let (outcome, _) = self.settled(job)?;
                RunDone::Bounded(Summary::new(self.read(job), &outcome, &[]))
            }
            RunOf::Together => {
                let (outcome, lent) = self.settled(job)?;
                RunDone::Ran(Box::new(outcome), Vec::new(), lent.map(Lent::into_wave_ns))
            }
            RunOf::Alone(_) | RunOf::Again(..) => {
                let workload = self.workload(job);
                let outcome = self.simulate((job, Log::Not), &workload, &mut None::<Lent>)?;
                RunDone::Ran(Box::new(outcome), Vec::new(), None)
            }
        })
    }

    /// Returns whether the next simulation of all processes is surely the last: the number of
    /// requests cannot grow after it.
    fn is_last(&self) -> bool {
        let RunsPlan { workload, open, .. } = &self.plan;
        !open.can_grow(workload, open.first(workload))
    }

    /// Makes a simulation, draws its timelines, and writes them.
    fn drawn(
        &self,
        job: RunJob<'_>,
        (wanted, leavings, recorders): (&Wanted, &dyn Leavings, Recorders),
    ) -> Result<RunDone, StudyError> {
        let plan = &self.plan;
        let lent = match job.of {
            RunOf::Together => Lent::of(job.named, plan.workload, plan.target),
            _ => None,
        };
        let mut watch = (lent, recorders);
        let outcome = self.simulate((job, Log::Kept), &self.workload(job), &mut watch)?;
        let (lent, recorders) = watch;
        // A repeated run may have ended early, so the outcome of the earlier run counts.
        let came = if let RunOf::Again(_, came) = job.of { came } else { &outcome };
        let drawn = wanted.write(recorders, plan.workload, came, (leavings, &job.named.name))?;
        Ok(RunDone::Ran(Box::new(outcome), drawn, lent.map(Lent::into_wave_ns)))
    }

    /// Simulates a job, again and again with more requests until its percentiles are known well
    /// enough. Returns (outcome, use of lent compute units); the second is `None` where no units
    /// are lent, or not all processes run together. Only the last simulation writes a decision log;
    /// where its being the last shows only at its end, it is run again for the log.
    pub(super) fn settled(&self, job: RunJob<'_>) -> Result<(Outcome, Option<Lent>), StudyError> {
        let plan = &self.plan;
        let mut workload = self.workload(job);
        let mut count = plan.open.first(&workload);
        let has_log = plan.detail.is_some() && matches!(job.of, RunOf::Together);
        loop {
            let is_last = !plan.open.can_grow(&workload, count);
            let run = |is_logged: bool| {
                let mut lent = match job.of {
                    RunOf::Together => Lent::of(job.named, &workload, plan.target),
                    _ => None,
                };
                let log = if is_logged { Log::Kept } else { Log::Not };
                let outcome = self.simulate((job, log), &workload, &mut lent)?;
                Ok((outcome, lent))
            };
            let (outcome, lent) = run(is_last)?;
            let more = match is_last {
                true => None,
                false => plan.open.more(&workload, &outcome, count),
            };
            match more {
                Some(more) => {
                    count = more;
                    plan.open.give(workload.to_mut(), count);
                    plan.watcher.begin_more(workload.leading());
                }
                None if is_last || !has_log => return Ok((outcome, lent)),
                None => {
                    plan.watcher.begin_more(workload.leading());
                    return run(true);
                }
            }
        }
    }

    /// Returns the workload that a job simulates. Where each process has memory of its own, the
    /// costs of contention with neighbours are left out.
    pub(super) fn workload(&self, job: RunJob<'_>) -> Cow<'_, Workload> {
        let all = self.read(job);
        let is_charged = |plan: &ProcessPlan| !plan.contention.is_empty() || plan.demand.is_some();
        if !job.named.memory_eighths.is_empty() && all.processes.iter().any(is_charged) {
            let mut drawn = self.charged(job).into_owned();
            let eighths = job.named.memory_eighths.iter().copied();
            for (plan, eighths) in drawn.processes.iter_mut().zip(eighths.chain(repeat(8))) {
                plan.contention.clear();
                plan.demand = plan.demand.take().map(|of| of.in_instance(eighths));
            }
            return Cow::Owned(drawn);
        }
        self.charged(job)
    }

    fn read(&self, job: RunJob<'_>) -> &Workload {
        let other = self.plan.queued.filter(|_| job.queued);
        other.unwrap_or(self.plan.workload)
    }

    fn charged(&self, job: RunJob<'_>) -> Cow<'_, Workload> {
        let all = self.read(job);
        match job.of {
            RunOf::Bound(at) => {
                let mut bound = all.clone();
                self.plan.bounds[at].give(&mut bound);
                Cow::Owned(bound)
            }
            RunOf::Alone(process) => {
                let repetition = Repetition::BackToBack;
                let alone = ProcessPlan { repetition, ..all.processes[process].clone() };
                Cow::Owned(Workload { processes: vec![alone], repeat: false })
            }
            RunOf::Seed(seed) => {
                let mut drawn = all.clone();
                for (process, repetition, warm_up) in &self.plan.draws[seed] {
                    drawn.processes[*process].repetition = repetition.clone();
                    drawn.processes[*process].warm_up = *warm_up;
                }
                Cow::Owned(drawn)
            }
            RunOf::Again(_, came) if !self.plan.open.is_empty() => {
                let mut again = all.clone();
                self.plan.open.again(&mut again, came);
                Cow::Owned(again)
            }
            RunOf::Together | RunOf::Again(..) | RunOf::Priced | RunOf::Read => Cow::Borrowed(all),
        }
    }

    pub(super) fn simulate(
        &self,
        (job, log_rule): (RunJob<'_>, Log),
        workload: &Workload,
        watch: &mut impl Watch,
    ) -> Result<Outcome, StudyError> {
        let plan = &self.plan;
        let recipe = &job.named.on(plan.target);
        let log = match (job.of, plan.leavings, plan.detail.filter(|_| log_rule == Log::Kept)) {
            (RunOf::Together, Some(leavings), Some(detail)) => {
                log(plan, &job.named.name, recipe, (leavings, detail))?
            }
            _ => LogWriter::off(),
        };
        let what = match job.of {
            RunOf::Alone(process) => format!("{} alone", plan.workload.processes[process].name),
            _ => "all processes together".to_owned(),
        };
        let stopped =
            |error| StudyError::Sim { recipe: job.named.name.clone(), what: what.clone(), error };
        let built = job.named.builder(recipe, plan.target)?.log(log).build();
        let mut dispatcher =
            built.map_err(|error| stopped(SimError::Dispatch { at: Tick::ZERO, error }))?;
        let options = SimConfig {
            shape: plan.target.shape,
            cus: plan.target.cus,
            costs: Costs::of(plan.target).under(recipe),
            energy: plan.energy,
        };
        let seen = AtomicU64::new(0);
        let mut advance = |at: raddle_sim::Progress| {
            let before = seen.swap(at.ended, Ordering::Relaxed);
            if job.of.is_counted() {
                plan.watcher.add(at.ended.saturating_sub(before));
            }
            match plan.watcher.is_cancelled() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let outcome =
            raddle_sim::run_watched(workload, &mut dispatcher, &options, watch, &mut advance);
        outcome.map_err(|error| match error {
            SimError::Cancelled { .. } => StudyError::Cancelled,
            error if error.is_fault() => {
                let log = fault::keep_log(plan.target, job.named, |dispatcher| {
                    raddle_sim::run(workload, dispatcher, &options, &mut |_| {})
                });
                let (recipe, what) = (job.named.name.clone(), what.clone());
                StudyError::Fault { recipe, what, error: Box::new(error), log }
            }
            error => stopped(error),
        })
    }
}
