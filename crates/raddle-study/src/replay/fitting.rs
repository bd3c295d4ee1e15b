//! How are launch latency and workgroup times fitted to the profiles of a study, for each file
//! once?

use crate::error::StudyError;
use crate::files::Files;
use crate::fitted::FitRules;
use crate::profiles::Loaded;
use crate::study::{Latency, Study};
use crate::watcher::Watcher;
use crate::{parallel, self_replay};

impl Study {
    /// Fits launch latency and workgroup times to each profile by replays of that profile alone on
    /// the device of its recording, or takes the fit that an earlier command stored. A file is
    /// fitted once, however many processes run it.
    pub(crate) fn fit(
        &self,
        profiles: &mut [Loaded],
        files: &dyn Files,
        watcher: &dyn Watcher,
    ) -> Result<(), StudyError> {
        let latency = self.launch_latency == Latency::Fitted;
        let rules = FitRules { waits: self.waits, latency, queues: self.queues };
        let like = |at: usize| profiles.iter().position(|other| other.given == profiles[at].given);
        let firsts: Vec<usize> = (0..profiles.len()).map(|at| like(at).unwrap_or(at)).collect();
        let all: Vec<(usize, &Loaded)> = profiles.iter().enumerate().collect();
        let found = parallel::map(&all, |&(at, loaded)| {
            let first = at == firsts[at];
            Ok(first.then(|| self_replay::judged(loaded, rules, files, watcher)))
        })?;
        for (loaded, first) in profiles.iter_mut().zip(firsts) {
            if let Some((fitted, error)) = &found[first] {
                (loaded.fitted, loaded.self_replay) = (fitted.clone(), *error);
            }
        }
        if watcher.is_cancelled() { Err(StudyError::Cancelled) } else { Ok(()) }
    }
}
