//! Which recipe does a case of a sweep name, and who offers what it simulates?

use super::bench::Bench;
use crate::answer::{Offered, today};
use crate::driver;
use crate::error::StudyError;
use crate::recipes::NamedRecipe;
use crate::result::NotOffered;
use crate::study::Study;

impl Bench<'_> {
    /// Returns the first recipe of a study as TOML, and what a driver offers that is most similar;
    /// the latter is `None` where a driver offers the recipe itself.
    pub(crate) fn recipe_text(
        &self,
        study: &Study,
    ) -> Result<(String, Option<NotOffered>), StudyError> {
        let (device, processes) = self.target(study)?;
        let Some((named, offered)) = self.recipe(study)? else { return Ok((String::new(), None)) };
        let place = (device.vendor, processes);
        let not_offered = NotOffered::of((&named.name, offered), &named.recipe, place);
        Ok((named.text().to_owned(), not_offered))
    }

    /// Returns the first recipe (set of policies) of a study, and who offers what it simulates;
    /// `None` where the study has none.
    pub(crate) fn recipe(
        &self,
        study: &Study,
    ) -> Result<Option<(NamedRecipe, Offered)>, StudyError> {
        let (device, processes) = self.target(study)?;
        let first = study.recipes((&device, processes), &self.around())?.into_iter().next();
        Ok(first.map(|named| (named.clone(), driver::offered(&named.recipe, &device))))
    }

    /// Returns the name of the recipe by which the device of a study shares itself by default.
    pub(crate) fn today(&self, study: &Study) -> Result<&'static str, StudyError> {
        let (device, processes) = self.target(study)?;
        Ok(today(&device, processes))
    }
}
