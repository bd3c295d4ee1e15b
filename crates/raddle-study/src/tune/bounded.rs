//! Within which bounds do the figures of the best candidates (combinations of values), and of the
//! device's default recipe, lie?

use super::{Tuning, base_of};
use crate::answer::PolicyRow;
use crate::error::StudyError;
use crate::study::Study;
use crate::sweep::CaseBounds;

/// Largest number of best candidates whose figures get lower and upper bounds. The table of results
/// shows as many candidates.
const MOST_BOUNDED: usize = 8;

impl Tuning<'_, '_> {
    /// Adds to `row`, the figures of a candidate, the results of [`Self::bound`]: lower and upper
    /// bounds of the figures, and the figures where hosts issue work early, without the pauses of
    /// the recording. Returns `row` unchanged where the candidate was not bounded. `candidate` is
    /// `None` for the device's default recipe (set of policies).
    pub(super) fn with_bounds(&self, candidate: Option<usize>, row: PolicyRow) -> PolicyRow {
        let own = self.bounded.iter().find(|(of, _)| *of == candidate);
        let Some((_, bounded)) = own else { return row };
        let mut bounds: Vec<PolicyRow> = vec![row.clone(); 2];
        for (at, between) in bounded.processes.iter().map(|it| it.between_ns).enumerate() {
            for (end, bound) in bounds.iter_mut().enumerate() {
                bound.processes[at].decisive_ns = between.map(|between| between[end]);
                bound.processes[at].from_issue = None;
            }
        }
        let mut row = row.between(&bounds, &self.judged);
        for (own, bounded) in row.processes.iter_mut().zip(&bounded.processes) {
            own.queued_ns = bounded.queued_ns;
        }
        row
    }

    /// Simulates the best candidates and the device's default recipe (set of policies) once more,
    /// also with the lower and the upper bounds of unknown costs. All of these simulations use the
    /// first random seed. `ranking` has the candidates, the best first.
    pub(super) fn bound(&mut self, ranking: &[usize]) -> Result<(), StudyError> {
        let study = |candidate: usize| {
            self.bench.cases().get(candidate * self.seeds).map(|case| case.study)
        };
        let bounded = |of: Option<usize>, study: Study| {
            let run = self.bench.judged_run(&study, self.today, CaseBounds::Run)?;
            Ok::<_, StudyError>((of, run.row))
        };
        let mut rows = vec![bounded(None, base_of(&study(ranking[0])?))?];
        for &at in ranking.iter().take(MOST_BOUNDED) {
            rows.push(bounded(Some(at), study(at)?)?);
        }
        self.bounded = rows;
        Ok(())
    }
}
