//! Which ways of sharing are worth a full replay, and with which parameters?

use raddle_policy::Idempotence;

use crate::answer::{PolicyFigures, PolicyRow};
use crate::result::Rules;
use crate::sweep::FailedCase;

use super::{Prepared, Surroundings};
use crate::error::StudyError;
use crate::open_load::OpenLoad;
use crate::recipes::NamedRecipe;
use crate::runs::{AllRuns, RunPlan, Runner};
use crate::search;
use crate::share::{self, ShareCandidate};

/// The number of requests by which parameters are searched, where they have no end.
const SEARCHED: u32 = 100;

impl Prepared {
    /// Returns the ways of sharing that the device offers, each with its best parameters, searched
    /// by the seeds that there are, and the candidates whose runs broke off. If `wanted` names ways
    /// of sharing, only those are searched.
    pub(super) fn candidates(
        &self,
        wanted: &[String],
        around: &Surroundings<'_>,
    ) -> Result<(Vec<ShareCandidate>, Vec<FailedCase>), StudyError> {
        let device = &self.target.device;
        let by_level = !self.priorities.is_empty()
            || self.profiles.iter().any(|loaded| loaded.requests.is_some());
        let tenants = self.profiles.len();
        let memory: Vec<u64> = self.profiles.iter().map(|it| it.memory().unwrap_or(0)).collect();
        let candidates = share::candidates(device, &memory, by_level, around.registry)?;
        let ops = self.profiles.iter().flat_map(|loaded| &loaded.profile.ops);
        let kills = ops.map(|op| op.idempotent).any(Idempotence::may_be_killed);
        let candidates = share::only(candidates, wanted, (device, tenants), kills)?;
        let kinds = share::kinds(&candidates);
        let (mut judged, mut rows) = (Vec::new(), vec![Vec::new(); candidates.len()]);
        let mut broken = Vec::new();
        let ranking = search::halve(&kinds, 1 + self.draws.len(), |left, more| {
            let recipes: Vec<NamedRecipe> =
                left.iter().map(|&at| candidates[at].recipe.clone()).collect();
            if more.start == 0 {
                let (answer, failed) = self.first_round(&recipes, around)?;
                judged = answer.processes.clone();
                for &at in left {
                    let own = |row: &&PolicyRow| row.recipe == candidates[at].recipe.name;
                    rows[at].extend(answer.rows.iter().find(own).cloned());
                }
                broken = failed;
            } else {
                let plan = RunPlan { recipes: &recipes, ..self.plan(around) };
                // The first seed is that of the study itself, and `draws` holds the seeds after it.
                let found = Runner::new(plan)?.seeds(more.start - 1..more.end - 1)?;
                for (&at, summaries) in left.iter().zip(found) {
                    let name = &candidates[at].recipe.name;
                    let new = summaries.iter().map(|one| PolicyRow::new(name, &judged, one));
                    rows[at].extend(new);
                }
            }
            let left: Vec<usize> =
                left.iter().copied().filter(|&at| !rows[at].is_empty()).collect();
            let means = left.iter().filter_map(|&at| PolicyRow::over_seeds(rows[at].clone()));
            let figures = PolicyFigures::new(
                self.today(),
                judged.clone(),
                means.collect(),
                self.goals.clone(),
            );
            Ok(figures.ranking.iter().map(|&place| left[place]).collect())
        })?;
        let best = search::best_of_kinds(&kinds, &ranking);
        Ok((best.into_iter().map(|at| candidates[at].clone()).collect(), broken))
    }

    /// Runs recipes by the seed of the study alone, and compares them. Returns also those whose
    /// runs broke off.
    fn first_round(
        &self,
        recipes: &[NamedRecipe],
        around: &Surroundings<'_>,
    ) -> Result<(PolicyFigures, Vec<FailedCase>), StudyError> {
        let mut searched = self.workload.clone();
        self.open.give(&mut searched, SEARCHED);
        let plan = RunPlan {
            workload: &searched,
            recipes,
            bounds: &[],
            draws: &[],
            open: &OpenLoad::default(),
            ..self.plan(around)
        };
        let AllRuns { recipes: runs, alone, broken } = Runner::new(plan)?.all()?;
        let rules = Rules { warnings: Vec::new(), ..self.rules.clone() };
        Ok((self.result(&rules, &runs, &alone).answer().clone(), broken))
    }
}
