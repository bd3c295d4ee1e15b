//! Which simulations does a study make, and for which recipes are the bounds of unknown costs
//! simulated too?

use super::Prepared;
use crate::error::StudyError;
use crate::result::RecipeRun;
use crate::runs::{AllRuns, Runner};
use crate::study::Ways;

impl Prepared {
    /// Makes the simulations of the study. Recipes far behind the best one are not simulated at the
    /// bounds of unknown costs, unless the user named recipes or ways of sharing.
    pub(super) fn simulated(&self, runner: &Runner<'_>) -> Result<AllRuns, StudyError> {
        // Users who compare recipes, or name ways of sharing, want all that can be said of them.
        if self.asked.ways != Ways::Modes || self.rules.by_name {
            return runner.all();
        }
        let mut all = runner.without_bounds()?;
        let answer =
            |all: &AllRuns| self.result(&self.rules, &all.recipes, &all.alone).answer().clone();
        let far = answer(&all).out_of_reach();
        all.recipes.iter_mut().for_each(|run| run.out_of_reach = far.contains(&run.name));
        runner.bound(&mut all, |run| !run.out_of_reach)?;
        // With its bounds the best way may be no better than one that seemed out of reach, of which
        // the verdict then says so.
        loop {
            let is_far = |run: &RecipeRun, name: &str| run.out_of_reach && run.name == name;
            let other = answer(&all).verdict.or;
            let other = other.filter(|name| all.recipes.iter().any(|run| is_far(run, name)));
            let Some(other) = other else { return Ok(all) };
            runner.bound(&mut all, |run| is_far(run, &other))?;
        }
    }
}
