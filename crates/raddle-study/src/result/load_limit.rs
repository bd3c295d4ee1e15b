//! Up to which load are all goals met?

use serde::Serialize;

use crate::units::{count, duration, plain};

/// Highest load at which the recommended recipe meets all goals of the user. The load is changed by
/// making all requests that arrive at a rate come faster or slower by one factor.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LoadLimit {
    /// Name of the recommended recipe (set of policies), for which the load limit holds.
    pub recipe: String,
    /// Highest load (rate of requests) up to which all replays met all goals, in percent of the
    /// load that the user asked for; `None` where every replayed load missed a goal.
    pub met_percent: Option<u32>,
    /// True if the goals are met at the load `met_percent` even if each figure is as bad as its
    /// error bounds allow.
    pub met_surely: bool,
    /// Lowest replayed load (rate of requests) that missed a goal, in percent of the load asked
    /// for; `None` where every replayed load met all goals.
    pub missed_percent: Option<u32>,
    /// Processes whose requests arrive at a rate.
    pub processes: Vec<RatedProcess>,
    /// Time in the replay, in nanoseconds, from which on no request arrives, as the user asked;
    /// `None` where the user set no end. A queue that still grows at that time may not show in the
    /// result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until_ns: Option<u64>,
}

/// Reason why the highest load (rate of requests) at which all goals are met was not searched, and
/// the command that finds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LoadLimitLeftOut {
    /// Number of decisions that one replay makes; the search would make about as many again for each
    /// load that it tries.
    pub decisions: u64,
    /// Largest number of decisions in one replay for which raddle searches the load limit.
    pub most: u64,
    /// Command that finds the highest load (rate of requests) at which all goals are met, as a list
    /// of words, with files named without folders.
    pub command: Vec<String>,
    /// Command that finds the highest load (rate of requests) at which all goals are met, as a list
    /// of words, with files as the user gave them.
    #[serde(skip)]
    pub given: Vec<String>,
}

impl LoadLimitLeftOut {
    /// Returns the reason why the load limit was not searched for, as a sentence without its full
    /// stop.
    #[must_use]
    pub fn text(&self) -> String {
        format!(
            "up to which load was not searched, as a run makes {} decisions (at most {}): the command below finds it",
            count(self.decisions),
            count(self.most)
        )
    }
}

/// A process whose requests arrive at a rate.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RatedProcess {
    /// Name of the process, as results show it.
    pub name: String,
    /// Requests per second as the user set them.
    pub per_s: f64,
}

impl LoadLimit {
    /// Writes the load limit as a sentence without its full stop; with `brief` the sentence does
    /// not name the process or the recipe.
    #[must_use]
    pub fn text(&self, brief: bool) -> String {
        let of = match (brief, self.processes.as_slice()) {
            (true, _) | (_, []) => String::new(),
            (_, [only]) => {
                format!(" of {} under {}", plain(&only.name, 40), plain(&self.recipe, 40))
            }
            _ => format!(" under {}", plain(&self.recipe, 40)),
        };
        let unit = if self.processes.len() == 1 { "requests/s" } else { "% of the load" };
        // As a sweep says: "surely", "perhaps".
        let hold = if self.met_surely { "hold" } else { "seem to hold" };
        let told = match (
            self.met_percent.map(|it| self.load(it)),
            self.missed_percent.map(|it| self.load(it)),
        ) {
            (Some(met), Some(missed)) => {
                format!("goals {hold} at {met} {unit}{of}, not at {missed}")
            }
            (Some(met), None) => format!("goals {hold} even at {met} {unit}{of}"),
            (None, Some(missed)) => format!("goals are missed even at {missed} {unit}{of}"),
            (None, None) => format!("goals could be judged at no load{of}"),
        };
        match (self.until_ns, self.met_percent) {
            (Some(until), Some(_)) => format!("{told}, for {} of requests", duration(until)),
            _ => told,
        }
    }

    /// Converts a load (rate of requests) to the unit of the sentence. `percent` is relative to the
    /// load that the user asked for. The unit is requests per second, rounded to a tenth, with a
    /// single process; else percent.
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
        let mut limit = LoadLimit {
            recipe,
            met_percent,
            met_surely: false,
            missed_percent,
            processes,
            until_ns: None,
        };
        let unsure = limit.text(true);
        limit.met_surely = true;
        assert_eq!(unsure.replace("seem to hold", "hold"), limit.text(true));
        assert_eq!(unsure.contains("seem to hold"), met_percent.is_some());
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
