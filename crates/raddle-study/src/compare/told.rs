//! How is the comparison of results of replays told in a sentence?

use super::limits;
use super::rows::{ChangeVerdict, Comparison, NOT_THE_CAUSE};
use crate::units::count;

impl Comparison {
    /// Returns the answer in one sentence: whether the limits hold, or without limits how many
    /// figures changed for better or worse.
    #[must_use]
    pub fn sentence(&self) -> String {
        if !self.limits.is_empty() {
            let beside = match (&self.beside_the_program, self.failures().is_empty()) {
                (None, _) => String::new(),
                (Some(beside), true) => format!("; {beside}"),
                (Some(beside), false) => format!("; {beside}, {NOT_THE_CAUSE}"),
            };
            return format!("{}{beside}.", limits::told(&self.limits));
        }
        let differ = self.inputs_that_differ.join(", ");
        let changed = self.advised(&self.changed());
        let is_judged = self.number(ChangeVerdict::Better) + self.number(ChangeVerdict::Worse) > 0;
        match (differ.is_empty(), is_judged) {
            (false, false) => format!(
                "{changed}; the inputs differ ({differ}), so figures stand side by side and nothing is called better or worse."
            ),
            (false, true) => {
                format!("{changed}: {}; the inputs of some differ ({differ}).", self.counts())
            }
            (true, _) if self.counts().is_empty() => format!("{changed}."),
            (true, _) => format!("{changed}: {}.", self.counts()),
        }
    }

    /// Says how many compared figures changed from the first result in any later one.
    #[must_use]
    pub fn changed(&self) -> String {
        if self.figures == 0 {
            let names = "`A#RECIPE B#RECIPE` compares one of each";
            return format!("No recipe is in both, so no figure is compared: {names}");
        }
        let figures = count(self.figures as u64);
        let own = self.rows.iter().filter(|row| row.is_compared);
        match own.filter(|row| row.is_changed()).count() as u64 {
            0 => format!("None of {figures} figures changed"),
            changed => format!("{} of {figures} figures changed", count(changed)),
        }
    }

    fn advised(&self, clause: &str) -> String {
        self.advice
            .as_ref()
            .map_or_else(|| clause.to_owned(), |advice| format!("{advice}. {clause}"))
    }

    fn number(&self, verdict: ChangeVerdict) -> usize {
        self.verdicts.get(&verdict).copied().unwrap_or_default()
    }

    /// Writes how many changes got each judgement, such as "3 worse", without those that are equal.
    /// A figure that more than two results have counts once for each later result.
    fn counts(&self) -> String {
        let told = |verdict: ChangeVerdict| match verdict {
            ChangeVerdict::Other => "neither better nor worse",
            other => other.told(),
        };
        let verdicts = ChangeVerdict::ALL.into_iter().filter(|it| *it != ChangeVerdict::Equal);
        let counts = verdicts.filter(|&it| self.number(it) > 0);
        let counts = counts.map(|it| format!("{} {}", count(self.number(it) as u64), told(it)));
        let counts = counts.collect::<Vec<String>>().join(", ");
        match self.results.len() > 2 && !counts.is_empty() {
            true => format!("of the changes in {} results {counts}", self.results.len() - 1),
            false => counts,
        }
    }
}
