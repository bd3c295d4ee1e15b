//! Up to which load are all goals met?

use serde::Serialize;

use crate::document::Block;
use crate::units::{count, plain, quoted};

/// Up to which load the recommended recipe meets all goals, everything else as it was asked. Requests that
/// arrive at a rate arrive faster or slower, all by the same factor.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LoadLimit {
    /// The name of the recipe.
    pub recipe: String,
    /// Percent of the load asked for: the most that was replayed with all goals met, below the least with one
    /// missed; `None`: one was missed at every load.
    pub met_percent: Option<u32>,
    /// The least that was replayed with a goal missed; `None`: all were met at every load.
    pub missed_percent: Option<u32>,
    /// The processes whose requests arrive at a rate.
    pub processes: Vec<RatedProcess>,
}

/// Why no such load was looked for, and what finds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LoadLimitLeftOut {
    /// The workgroups that a run starts, which would be run again for each load.
    pub workgroups: u64,
    /// The most for which loads are tried.
    pub most: u64,
    /// The command that finds it, its files by their names.
    pub command: Vec<String>,
    /// The same with files as they were given.
    #[serde(skip)]
    pub given: Vec<String>,
}

impl LoadLimitLeftOut {
    /// In a sentence without its full stop.
    pub(super) fn text(&self) -> String {
        format!(
            "up to which load was not searched, as a run starts {} workgroups (at most {}): the command below finds it",
            count(self.workgroups),
            count(self.most)
        )
    }

    /// The command as a shell takes it, with files as they were given or by their names.
    pub(super) fn commands(&self, given: bool) -> Block {
        let words = if given { &self.given } else { &self.command };
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        Block::Commands { label: "Up to which load", commands: vec![words.join(" ")] }
    }
}

/// A process whose requests arrive at a rate.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RatedProcess {
    /// Its name.
    pub name: String,
    /// Requests a second as asked for.
    pub per_s: f64,
}

impl LoadLimit {
    /// In a sentence without its full stop; in brief of whatever is recommended.
    pub(super) fn text(&self, brief: bool) -> String {
        let of = match (brief, self.processes.as_slice()) {
            (true, _) | (_, []) => String::new(),
            (_, [only]) => {
                format!(" of {} under {}", plain(&only.name, 40), plain(&self.recipe, 40))
            }
            _ => format!(" under {}", plain(&self.recipe, 40)),
        };
        let unit = if self.processes.len() == 1 { "requests/s" } else { "% of the load" };
        match (
            self.met_percent.map(|it| self.load(it)),
            self.missed_percent.map(|it| self.load(it)),
        ) {
            (Some(met), Some(missed)) => format!("goals hold at {met} {unit}{of}, not at {missed}"),
            (Some(met), None) => format!("goals hold even at {met} {unit}{of}"),
            (None, Some(missed)) => format!("goals are missed even at {missed} {unit}{of}"),
            (None, None) => format!("goals could be judged at no load{of}"),
        }
    }

    /// The load at a percentage of that asked for: of one process in requests a second, to a tenth.
    fn load(&self, percent: u32) -> f64 {
        match self.processes.as_slice() {
            [only] => (only.per_s * f64::from(percent) / 10.0).round() / 10.0,
            _ => percent.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(met_percent: Option<u32>, missed_percent: Option<u32>, rates: &[f64]) -> [String; 2] {
        let rates = rates.iter().map(|&per_s| RatedProcess { name: "serve".to_owned(), per_s });
        let recipe = "spatial".to_owned();
        let processes = rates.collect();
        let limit = LoadLimit { recipe, met_percent, missed_percent, processes };
        [limit.text(true), limit.text(false)]
    }

    #[test]
    fn a_limit_is_told_in_requests_or_in_percent() {
        let [brief, one] = said(Some(133), Some(166), &[40.0]);
        assert_eq!(brief, "goals hold at 53.2 requests/s, not at 66.4");
        assert_eq!(one, "goals hold at 53.2 requests/s of serve under spatial, not at 66.4");
        let [_, two] = said(Some(133), Some(166), &[40.0, 1.0]);
        assert_eq!(two, "goals hold at 133 % of the load under spatial, not at 166");
        let [all, _] = said(Some(400), None, &[0.5]);
        assert_eq!(all, "goals hold even at 2 requests/s");
        let [none, _] = said(None, Some(25), &[40.0]);
        assert_eq!(none, "goals are missed even at 10 requests/s");
    }
}
