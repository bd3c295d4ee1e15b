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
    /// True if the goals are met at the highest load that met them (`met_percent`) even if each
    /// figure is as bad as its error bounds allow.
    pub met_surely: bool,
    /// Lowest replayed load (rate of requests) that missed a goal, in percent of the load asked
    /// for; `None` where every replayed load met all goals.
    pub missed_percent: Option<u32>,
    /// True if a goal is missed at the lowest load that missed one (`missed_percent`) even if each
    /// figure is as good as its error bounds allow.
    pub missed_surely: bool,
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
    /// Requests per second of the process as the user set them.
    pub per_s: f64,
}

impl LoadLimit {
    /// Writes the load limit as a sentence without its full stop.
    #[must_use]
    pub fn text(&self) -> String {
        let of = match self.processes.as_slice() {
            [] => String::new(),
            [only] => {
                format!(" of {} under {}", plain(&only.name, 40), plain(&self.recipe, 40))
            }
            _ => format!(" under {}", plain(&self.recipe, 40)),
        };
        let unit = if self.processes.len() == 1 { "requests/s" } else { "% of the load" };
        let [met, missed] = [self.met_percent, self.missed_percent].map(|it| Some(self.load(it?)));
        // A limit that only the figures tell, and not their intervals, is not told as a fact.
        let (told, doubt) = match (met, missed) {
            (Some(met), Some(missed)) => {
                let hold = if self.met_surely { "surely hold" } else { "hold" };
                let not = if self.missed_surely { "surely not from" } else { "not at" };
                let doubt = match (self.met_surely, self.missed_surely) {
                    (true, true) => "",
                    (true, false) => "; the latter is not sure",
                    (false, true) => "; the former is not sure",
                    (false, false) => "; neither is sure",
                };
                (format!("goals {hold} up to {met} {unit}{of}, {not} {missed}"), doubt)
            }
            (Some(met), None) => {
                let hold = if self.met_surely { "surely hold" } else { "may hold" };
                (format!("goals {hold} even at {met} {unit}{of}"), "")
            }
            (None, Some(missed)) => {
                let are = if self.missed_surely { "are surely" } else { "may be" };
                (format!("goals {are} missed even at {missed} {unit}{of}"), "")
            }
            (None, None) => (format!("goals could be judged at no load{of}"), ""),
        };
        match (self.until_ns, self.met_percent) {
            (Some(until), Some(_)) => format!("{told}, for {} of requests{doubt}", duration(until)),
            _ => told + doubt,
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

    /// Returns the text of a load limit: the highest load that met the goals and the lowest that
    /// missed one, each as (percent of the load, true if sure).
    fn said([met, missed]: [Option<(u32, bool)>; 2], rates: &[f64]) -> String {
        let rates = rates.iter().map(|&per_s| RatedProcess { name: "serve".to_owned(), per_s });
        let is_sure = |of: Option<(u32, bool)>| of.is_some_and(|(_, sure)| sure);
        let limit = LoadLimit {
            recipe: "spatial".to_owned(),
            met_percent: met.map(|(load, _)| load),
            met_surely: is_sure(met),
            missed_percent: missed.map(|(load, _)| load),
            missed_surely: is_sure(missed),
            processes: rates.collect(),
            until_ns: None,
        };
        limit.text()
    }

    #[test]
    fn a_limit_is_told_in_requests_or_in_percent() {
        let sure = |load: u32| Some((load, true));
        let one = said([sure(133), sure(166)], &[40.0]);
        let own = "53.2 requests/s of serve under spatial, surely not from 66.4";
        assert_eq!(one, format!("goals surely hold up to {own}"));
        let two = said([sure(133), sure(166)], &[40.0, 1.0]);
        let own = "133 % of the load under spatial, surely not from 166";
        assert_eq!(two, format!("goals surely hold up to {own}"));
        let all = said([sure(400), None], &[0.5]);
        assert_eq!(all, "goals surely hold even at 2 requests/s of serve under spatial");
        let none = said([None, sure(25)], &[40.0]);
        assert_eq!(none, "goals are surely missed even at 10 requests/s of serve under spatial");
    }

    /// Checks that a load at which goals hold or fail by a figure alone, but not by its whole
    /// interval, is told as unsure.
    #[test]
    fn what_an_interval_leaves_open_is_not_told_as_a_fact() {
        let told = |met, missed| said([Some((100, met)), Some((150, missed))], &[40.0]);
        assert_eq!(
            [told(false, false), told(false, true), told(true, false)],
            [
                "goals hold up to 40 requests/s of serve under spatial, not at 60; neither is sure",
                "goals hold up to 40 requests/s of serve under spatial, surely not from 60; the former is not sure",
                "goals surely hold up to 40 requests/s of serve under spatial, not at 60; the latter is not sure",
            ]
        );
        let even = |met, missed| said([met, missed], &[40.0]);
        let open = Some((100, false));
        assert_eq!(even(open, None), "goals may hold even at 40 requests/s of serve under spatial");
        assert_eq!(
            even(None, open),
            "goals may be missed even at 40 requests/s of serve under spatial"
        );
    }
}
