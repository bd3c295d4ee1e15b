//! Which ways of sharing a device (such as MPS) are worth a full replay, and with which values of
//! their parameters?

use raddle_policy::Idempotence;

use crate::answer::{PolicyFigures, PolicyRow};
use crate::result::Rules;
use crate::sweep::FailedCase;

use super::{Prepared, Surroundings};
use crate::error::StudyError;
use crate::open_load::OpenLoad;
use crate::recipes::NamedRecipe;
use crate::runs::{AllRuns, Runner, RunsPlan};
use crate::search;
use crate::share::{self, ShareCandidate, Tenants};

/// (number of the kind, candidate). A kind is a way of sharing the device, such as MPS; a candidate
/// has values for all of its parameters.
type KindOf = (usize, ShareCandidate);

/// Number of requests in the simulations that choose the parameters of a way of sharing the device,
/// where the user did not limit the number of requests.
const SEARCHED: u32 = 100;
/// Fractions of a goal's limit that a figure from [`SEARCHED`] requests should keep: above the
/// first one it may miss the goal with more requests, above the second one where neighbours cost
/// more than expected.
const MARGINS: [f64; 2] = [0.8, 0.5];
/// Fraction by which the best candidate may lead over the next one of its kind with [`SEARCHED`]
/// requests, and yet be the worse one with more requests.
const CLOSE: f64 = 0.05;

impl Prepared {
    /// Chooses the ways of sharing the device that are compared, each with its best parameters, and
    /// returns their recipes. `reference` is the recipe to which a goal is relative, if there is
    /// one.
    pub(super) fn choose_modes(
        &mut self,
        reference: Option<NamedRecipe>,
        around: &Surroundings<'_>,
    ) -> Result<Vec<NamedRecipe>, StudyError> {
        let shared = !self.asked.shares.is_empty();
        let tenants = Tenants::of(&self.profiles, &self.priorities, shared);
        let mut wanted = self.asked.recipes.clone();
        if wanted.is_empty() {
            self.rules.not_tried = share::not_tried(&self.target.device, &tenants);
        } else {
            wanted.extend(reference.map(|named| named.name).filter(|it| !wanted.contains(it)));
        }
        (self.modes, self.broken) = self.candidates(&wanted, &tenants, around)?;
        Ok(self.modes.iter().map(|mode| mode.recipe.clone()).collect())
    }

    /// Returns the ways of sharing the device that are compared, each with the best parameters that
    /// a search found, and the candidates whose simulations ended with an error. A candidate is a
    /// way with values for its parameters. If `wanted` names ways, only those are searched.
    fn candidates(
        &self,
        wanted: &[String],
        tenants: &Tenants,
        around: &Surroundings<'_>,
    ) -> Result<(Vec<ShareCandidate>, Vec<FailedCase>), StudyError> {
        let device = &self.target.device;
        let candidates = share::candidates(device, tenants, around.registry)?;
        let ops = self.profiles.iter().flat_map(|loaded| &loaded.profile.ops);
        let kills = ops.map(|op| op.idempotent).any(Idempotence::may_be_killed);
        let candidates =
            share::only(candidates, wanted, (device, tenants), (kills, around.registry))?;
        let (searched, alone) = self.with_rivals(&candidates, &share::kinds(&candidates), wanted);
        let (mut best, broken) = match searched.is_empty() {
            true => (Vec::new(), Vec::new()),
            false => self.search(&searched, around)?,
        };
        best.extend(alone);
        best.sort_by_key(|&(kind, _)| kind);
        Ok((best.into_iter().map(|(_, candidate)| candidate).collect(), broken))
    }

    /// Splits candidates into (those among which a search chooses; those that are kept in any
    /// case). A candidate is kept if it is the only one of its kind, or if the user named it with
    /// its parameters. The baseline is always in the first list, unless that list is empty.
    fn with_rivals(
        &self,
        candidates: &[ShareCandidate],
        kinds: &[usize],
        wanted: &[String],
    ) -> (Vec<KindOf>, Vec<KindOf>) {
        let today = candidates.iter().position(|of| of.recipe.name == self.today());
        let base = today.unwrap_or(0);
        let is_rival = |&at: &usize| {
            let of_kind = kinds.iter().filter(|&&it| it == kinds[at]).count();
            of_kind > 1 && !candidates[at].is_named_in(wanted)
        };
        let any_rival = (0..kinds.len()).any(|at| is_rival(&at));
        let is_searched = |at: &usize| any_rival && *at == base || is_rival(at);
        let (searched, alone): (Vec<usize>, Vec<usize>) = (0..kinds.len()).partition(is_searched);
        let with_kinds =
            |of: Vec<usize>| of.into_iter().map(|at| (kinds[at], candidates[at].clone())).collect();
        (with_kinds(searched), with_kinds(alone))
    }

    /// Finds the best candidates of each kind (way of sharing the device, such as MPS) by
    /// simulations. Returns (best candidates, candidates whose simulations ended with an error).
    fn search(
        &self,
        candidates: &[KindOf],
        around: &Surroundings<'_>,
    ) -> Result<(Vec<KindOf>, Vec<FailedCase>), StudyError> {
        let kinds: Vec<usize> = candidates.iter().map(|&(kind, _)| kind).collect();
        let recipe = |at: usize| &candidates[at].1.recipe;
        let (mut judged, mut rows) = (Vec::new(), vec![Vec::new(); candidates.len()]);
        let mut broken = Vec::new();
        let mut tightest = vec![f64::INFINITY; candidates.len()];
        let mut behind = vec![f64::INFINITY; candidates.len()];
        let ranking = search::halve(&kinds, 1 + self.draws.len(), |left, more| {
            let recipes: Vec<NamedRecipe> = left.iter().map(|&at| recipe(at).clone()).collect();
            if more.start == 0 {
                let (answer, failed) = self.first_round(&recipes, around)?;
                judged = answer.processes.clone();
                for &at in left {
                    let own = |row: &&PolicyRow| row.recipe == recipe(at).name;
                    rows[at].extend(answer.rows.iter().find(own).cloned());
                }
                broken = failed;
            } else {
                let plan = RunsPlan { recipes: &recipes, ..self.plan(around) };
                // The first seed is that of the study itself, and `draws` holds the seeds behind
                // it.
                let found = Runner::new(plan)?.seeds(more.start - 1..more.end - 1)?;
                for (&at, summaries) in left.iter().zip(found) {
                    let name = &recipe(at).name;
                    let new = summaries.iter().map(|one| PolicyRow::new(name, &judged, one));
                    rows[at].extend(new);
                }
            }
            let left: Vec<usize> =
                left.iter().copied().filter(|&at| !rows[at].is_empty()).collect();
            let means = left.iter().filter_map(|&at| PolicyRow::over_seeds(rows[at].clone()));
            let figures = PolicyFigures::of_search(
                None,
                self.today(),
                judged.clone(),
                means.collect(),
                self.goals.clone(),
            );
            for (place, &at) in left.iter().enumerate() {
                tightest[at] = figures.tightest(place);
                behind[at] = figures.behind(place, figures.ranking[0]);
            }
            Ok(figures.ranking.iter().map(|&place| left[place]).collect())
        })?;
        let mut best = search::best_of_kinds(&kinds, &ranking);
        let safer = safer(&best, &ranking, (&kinds, &tightest));
        best.extend(safer);
        // More requests than were searched may order candidates otherwise.
        let close = close(&ranking, &kinds, (&tightest, &behind));
        best.extend(close.filter(|own| !self.open.is_empty() && !best.contains(own)));
        best.sort_by_key(|&own| (kinds[own], own));
        Ok((best.into_iter().map(|at| candidates[at].clone()).collect(), broken))
    }

    /// Simulates recipes (sets of policies) with the first random seed only. Returns (their
    /// comparison, recipes whose simulations ended with an error).
    fn first_round(
        &self,
        recipes: &[NamedRecipe],
        around: &Surroundings<'_>,
    ) -> Result<(PolicyFigures, Vec<FailedCase>), StudyError> {
        let mut searched = self.workload.clone();
        self.open.give(&mut searched, SEARCHED);
        let plan = RunsPlan {
            workload: &searched,
            recipes,
            bounds: &[],
            priced: false,
            queued: None,
            draws: &[],
            open: &OpenLoad::default(),
            ..self.plan(around)
        };
        let AllRuns { recipes: runs, alone, broken } = Runner::new(plan)?.all()?;
        let rules = Rules { warnings: Vec::new(), ..self.rules.clone() };
        Ok((self.result(&rules, &runs, &alone).answer().clone(), broken))
    }
}

/// Returns the candidates to keep beside the `best` one of each kind, as indices, as the best one
/// may miss a goal with more requests. For each of the [`MARGINS`] that its figures exceed, the
/// highest ranked candidate of its kind within that margin is kept too; where there is none, the
/// one whose figures lie farthest below the limits of the goals.
fn safer(best: &[usize], ranking: &[usize], (kinds, tightest): (&[usize], &[f64])) -> Vec<usize> {
    let mut all = Vec::new();
    for &own in best {
        let rivals = || ranking.iter().copied().filter(|&it| kinds[it] == kinds[own]);
        let farthest = rivals().min_by(|&a, &b| tightest[a].total_cmp(&tightest[b]));
        let kept = MARGINS.into_iter().filter(|&margin| tightest[own] > margin);
        let kept =
            kept.filter_map(|margin| rivals().find(|&it| tightest[it] <= margin).or(farthest));
        all.extend(kept.filter(|&it| it != own));
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the index of the candidate that ranks next to the best one, if both are of one kind and
/// the next one may be the better with more requests: it is `behind` by a fraction below [`CLOSE`],
/// and meets the goals if the best one does. Else `None`.
fn close(
    ranking: &[usize],
    kinds: &[usize],
    (tightest, behind): (&[f64], &[f64]),
) -> Option<usize> {
    let &first = ranking.first()?;
    let next = ranking[1..].iter().copied().find(|&it| kinds[it] == kinds[first])?;
    (behind[next] < CLOSE && tightest[next] <= tightest[first].max(1.0)).then_some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_of_the_kind_is_kept_where_it_is_close_to_the_best() {
        let (kinds, ranking) = ([0, 1, 1, 1], [2, 0, 1, 3]);
        let close = |behind: f64, goal: f64| {
            close(&ranking, &kinds, (&[0.0, goal, 0.9, 0.5], &[0.01, behind, 0.0, 0.02]))
        };
        assert_eq!(close(0.049, 0.0), Some(1));
        assert_eq!(close(0.05, 0.0), None);
        assert_eq!((close(0.01, 1.0), close(0.01, 1.1)), (Some(1), None), "it misses a goal");
        assert_eq!(super::close(&[0, 1, 2], &kinds, (&[0.0; 4], &[0.0; 4])), None, "one of a kind");
        assert_eq!(super::close(&[], &[], (&[], &[])), None);
    }

    #[test]
    fn of_a_kind_that_comes_near_a_goal_those_with_margin_are_kept_too() {
        let (kinds, ranking) = ([0, 1, 1, 1, 1, 2, 2], [2, 1, 3, 4, 5, 6, 0]);
        let best = search::best_of_kinds(&kinds, &ranking);
        assert_eq!(best, [0, 2, 5]);
        let safer = |tightest: [f64; 7]| safer(&best, &ranking, (&kinds, &tightest));
        // The kind without parameters has no rival, and the figures of the last kind are far below
        // the limit. Of the other one, the best ranked that keeps each margin is taken, not the one
        // that is farthest below the limit at the most cost.
        assert_eq!(safer([1.4, 0.7, 0.9, 0.4, 0.1, 0.3, 0.2]), [1, 3]);
        assert_eq!(safer([1.4, 0.95, 0.9, 0.5, 0.1, 0.3, 0.2]), [3], "one keeps both");
        assert_eq!(safer([1.4, 0.95, 0.9, 0.85, 0.84, 0.3, 0.2]), [4], "none keeps either");
        assert_eq!(
            safer([1.4, 0.95, 0.8, 0.5, 0.1, 0.3, 0.2]),
            [3],
            "it keeps a fifth, not a half"
        );
        assert_eq!(safer([1.4, 0.95, 0.5, 0.4, 0.1, 0.3, 0.2]), [0; 0]);
        assert_eq!(safer([0.0; 7]), [0; 0], "without goals nothing is near");
        assert_eq!(safer([2.0, 1.2, 1.1, 1.3, 1.4, 1.5, 1.7]), [0; 0], "the best is the nearest");
    }
}
