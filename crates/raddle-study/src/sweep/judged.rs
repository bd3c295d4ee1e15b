//! Which figures do the processes of one case of a sweep have, and within which bounds?

use super::bench::Bench;
use super::figures::CaseBounds;
use crate::answer::{JudgedProcess, PolicyRow};
use crate::error::StudyError;
use crate::result::LostLaunches;
use crate::study::Study;

/// Result of the replay of a study that has one recipe (set of policies).
pub(crate) struct JudgedRun {
    /// Processes of the study, each with the kind of figure (p99, step or end) by which it is
    /// judged.
    pub(crate) judged: Vec<JudgedProcess>,
    /// Figures of the processes under the recipe (set of policies).
    pub(crate) row: PolicyRow,
    /// Launches of each process that never ran.
    pub(crate) lost: LostLaunches,
}

impl Bench<'_> {
    /// Runs a study that has one recipe (set of scheduling policies) and judges its processes. The
    /// recipe gets the name `name` in the figures.
    pub(crate) fn judged_run(
        &self,
        study: &Study,
        name: &str,
        bounds: CaseBounds,
    ) -> Result<JudgedRun, StudyError> {
        let run = self.run_of(study, bounds)?;
        let (judged, row) = run.judged(name);
        Ok(JudgedRun { judged, row, lost: run.lost })
    }
}
