//! Within which bounds do the figures of the best candidate, and of the recipe of today, lie?

use super::{Tuning, base_of};
use crate::answer::PolicyRow;
use crate::error::StudyError;
use crate::sweep::CaseBounds;

impl Tuning<'_, '_> {
    /// Adds the bounds of a candidate's figures to its row, where they were computed; `None` stands for
    /// the recipe of today (the device's default).
    pub(super) fn with_bounds(&self, candidate: Option<usize>, row: PolicyRow) -> PolicyRow {
        let own = self.bounded.iter().find(|(of, _)| *of == candidate);
        let Some((_, bounded)) = own else { return row };
        let mut bounds: Vec<PolicyRow> = vec![row.clone(); 2];
        for (at, between) in bounded.processes.iter().map(|it| it.between_ns).enumerate() {
            for (end, bound) in bounds.iter_mut().enumerate() {
                bound.processes[at].decisive_ns = between.map(|between| between[end]);
            }
        }
        row.between(&bounds, &self.judged)
    }

    /// Runs the best candidate and the recipe of today (the device's default) with the least and the
    /// most that is unknown, by the first seed.
    pub(super) fn bound(&mut self, best: usize) -> Result<(), StudyError> {
        let study = self.bench.cases().get(best * self.seeds)?.study;
        let today = self.bench.judged_run(&base_of(&study), self.today, CaseBounds::Run)?;
        let own = self.bench.judged_run(&study, self.today, CaseBounds::Run)?;
        self.bounded = vec![(None, today.row), (Some(best), own.row)];
        Ok(())
    }
}
