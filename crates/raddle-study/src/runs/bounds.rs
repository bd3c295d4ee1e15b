//! Which simulations give the bounds of the figures of processes under a recipe?

use raddle_sim::Summary;

use super::{RunDone, RunJob, RunOf, Runner, RunsPlan};
use crate::error::StudyError;
use crate::recipes::NamedRecipe;

impl Runner<'_> {
    /// Returns the simulations of the workload [`RunsPlan::queued`], one for each recipe; none where
    /// there is no such workload.
    pub(super) fn reads(&self) -> Vec<RunJob<'_>> {
        let RunsPlan { recipes, queued, .. } = &self.plan;
        let read = |named| RunJob { named, of: RunOf::Read, queued: true };
        queued.iter().flat_map(|_| recipes.iter().map(read)).collect()
    }

    /// Returns the simulations that give the bounds of figures, as (those that need not be made, as
    /// they would equal the simulation with expected costs; all others). `prices` is the result of
    /// [`Self::prices`].
    pub(super) fn bounded<'j>(
        &'j self,
        prices: &'j [Vec<NamedRecipe>],
    ) -> (Vec<RunJob<'j>>, Vec<RunJob<'j>>) {
        let plan = &self.plan;
        let run = |named, of| RunJob { named, of, queued: false };
        let priced = prices.iter().flatten().map(|named| run(named, RunOf::Priced));
        // Under time slices no process has a neighbour, so contention bounds nothing.
        let beside = plan.recipes.iter().filter(|named| !named.is_time_sliced());
        let bounds = (0..plan.bounds.len())
            .flat_map(|at| beside.clone().map(move |named| run(named, RunOf::Bound(at))));
        let (alike, bounds): (Vec<_>, Vec<_>) = bounds.partition(|&job| self.is_as_together(job));
        let bounds: Vec<RunJob<'_>> = bounds.into_iter().chain(priced).collect();
        // The other reading of the recordings has bounds of its own.
        let read = plan.queued.into_iter().flat_map(|_| bounds.clone());
        let read: Vec<RunJob<'_>> = read.map(|job| RunJob { queued: true, ..job }).collect();
        (alike, bounds.into_iter().chain(read).collect())
    }

    /// Makes the simulations that give the bounds of the figures of all processes together, on the
    /// caller's thread. Returns (their summaries; summary for the workload [`RunsPlan::queued`],
    /// `None` where there is none).
    pub(crate) fn bounds(&self) -> Result<(Vec<Summary>, Option<Summary>), StudyError> {
        let prices = self.prices()?;
        let (_, bounds) = self.bounded(&prices);
        let (mut all, mut queued) = (Vec::with_capacity(bounds.len()), None);
        for job in self.reads().into_iter().chain(bounds) {
            match (job.of, self.one(job)?) {
                (RunOf::Read, RunDone::Bounded(summary)) => queued = Some(summary),
                (_, RunDone::Bounded(summary)) => all.push(summary),
                _ => {}
            }
        }
        Ok((all, queued))
    }

    /// Returns for each recipe the copies in which its assumed times, such as the length of a turn,
    /// have the smallest or the largest possible value. A recipe has no copies where such
    /// simulations are not wanted, or where a single process takes no turns.
    pub(super) fn prices(&self) -> Result<Vec<Vec<NamedRecipe>>, StudyError> {
        let RunsPlan { workload, recipes, target, priced, .. } = &self.plan;
        let priced = *priced && workload.processes.len() > 1;
        recipes.iter().map(|it| if priced { it.priced(target) } else { Ok(Vec::new()) }).collect()
    }

    /// Returns whether a simulation with a bound of the cost of contention would equal that with
    /// the expected cost, as where each process has memory of its own.
    fn is_as_together(&self, job: RunJob<'_>) -> bool {
        let (own, together) =
            (self.workload(job), self.workload(RunJob { of: RunOf::Together, ..job }));
        let mut processes = own.processes.iter().zip(&together.processes);
        processes.all(|(own, it)| (&own.contention, &own.demand) == (&it.contention, &it.demand))
    }
}
