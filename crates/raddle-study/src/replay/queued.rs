//! Which workload would run if hosts had issued work without the recorded gaps, where profiles do
//! not say when it was issued?

use raddle_sim::Workload;

use crate::arrivals::Load;
use crate::devices::Chosen;
use crate::error::StudyError;
use crate::profiles::Loaded;
use crate::result::is_issue_unknown;
use crate::study::Study;

impl Study {
    /// Plans the processes again where profiles do not say when work was issued: the host now
    /// issues that work early, without the recorded gaps that `workload` keeps. The truth lies
    /// between the two plans. `None` where every profile says when its work was issued, or where
    /// `workload` already leaves the gaps out.
    ///
    /// # Errors
    /// The errors of [`Study::workload`].
    pub(crate) fn queued(
        &self,
        profiles: &[Loaded],
        target: &Chosen,
        workload: &Workload,
    ) -> Result<Option<Workload>, StudyError> {
        let is_unknown = |loaded: &Loaded| is_issue_unknown(&loaded.profile);
        if self.load.queued || !profiles.iter().any(is_unknown) {
            return Ok(None);
        }
        let load = Load { queued: true, ..self.load.clone() };
        let (mut queued, _) = Self { load, ..self.clone() }.workload(profiles, target)?;
        for (plan, own) in queued.processes.iter_mut().zip(&workload.processes) {
            plan.contention.clone_from(&own.contention);
            plan.demand.clone_from(&own.demand);
        }
        Ok(Some(queued))
    }
}
