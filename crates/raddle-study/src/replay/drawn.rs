//! Which timelines of a study are drawn, and which of them only after its simulations?

use super::{Kept, Prepared, Studied, Surroundings};
use crate::error::StudyError;
use crate::runs::{Runner, RunsPlan};
use crate::timeline::TimelineNames;
use crate::timelines::Wanted;

impl Prepared {
    /// Returns the timelines to draw; `None` where none are wanted.
    pub(super) fn wanted(&self, kept: Option<&Kept<'_>>) -> Option<Wanted> {
        let wish = kept?.timelines.as_ref()?;
        let profiles = self.profiles.iter().map(|loaded| &*loaded.profile);
        let names = TimelineNames::of(&self.target.facts().to_string(), profiles);
        Wanted::of(wish, (self.today(), self.recipes()), (self.target.device.cus, names))
    }
}

impl Studied {
    /// Draws the timelines that were not drawn in the runs of the study, which takes further
    /// simulations, and writes them to `kept`. No figure of the result changes, so an answer can be
    /// shown before.
    ///
    /// # Errors
    /// When a simulation is cancelled, or a file cannot be written.
    pub fn draw(&mut self, around: &Surroundings<'_>, kept: &Kept<'_>) -> Result<(), StudyError> {
        let timeline = self.prepared.wanted(Some(kept));
        let (leavings, timeline) = (Some(kept.leavings), timeline.as_ref());
        let plan = RunsPlan { leavings, timeline, ..self.prepared.plan(around) };
        let runs = std::mem::take(&mut self.runs);
        Runner::new(plan)?.draw(&mut self.result, &runs)
    }
}
