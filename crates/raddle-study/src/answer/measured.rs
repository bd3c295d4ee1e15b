//! By how much do replays of a way of sharing differ from a device that ran two programs in that
//! way?

use serde::{Deserialize, Serialize};

use super::{JudgedBy, PolicyFigures};

/// Device on which the errors in [`MEASURED`] were measured, with one program that serves requests
/// beside one that repeats steps.
const DEVICE: &str = "h200";
const ON: &str = "one pair on one H200";
const JUDGED: [JudgedBy; 2] = [JudgedBy::Requests, JudgedBy::Steps];

/// Measurement of the errors that replays of ways of sharing make: its programs and its device, and
/// how the present comparison differs from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ErrorsMeasured {
    /// Words for the programs and the device on which the errors of replays were measured.
    pub on: String,
    /// Differences of this comparison from the measured one, such as the device `v100`, or `no
    /// requests`; empty where device and kinds of programs are the same.
    pub unlike: Vec<String>,
}

impl PolicyFigures {
    /// Adds to the verdict the programs and the device with which the errors that it allows for
    /// were measured. `device` is the device of this comparison. Adds nothing where one process
    /// runs alone.
    pub(crate) fn tell_errors_measured(&mut self, device: &str) {
        if self.processes.len() < 2 {
            return;
        }
        let mut unlike = Vec::new();
        if device != DEVICE {
            unlike.push(device.to_owned());
        }
        if self.processes.len() != JUDGED.len() {
            unlike.push(format!("{} programs", self.processes.len()));
        }
        for (judged, none) in JUDGED.iter().zip(["no requests", "no steps"]) {
            if self.processes.iter().all(|it| it.judged != *judged) {
                unlike.push(none.to_owned());
            }
        }
        let measured = ErrorsMeasured { on: ON.to_owned(), unlike };
        self.verdict.trust.push(measured.told());
        self.errors_measured = Some(measured);
    }
}

impl ErrorsMeasured {
    /// Writes on which programs and device the errors of replays were measured, as a sentence
    /// without its full stop.
    pub(super) fn told(&self) -> String {
        format!("Judged by {}{}", self.on, self.here())
    }

    fn here(&self) -> String {
        let here = self.unlike.join(", ");
        if here.is_empty() { here } else { format!(" (here {here})") }
    }
}

/// Error of replays of one way of sharing, measured on a real device that ran two programs in that
/// way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredError {
    /// Largest error of a 99th percentile over the measured loads, |replayed / measured - 1|, as a
    /// fraction rounded up to hundredths.
    pub worst: f64,
    /// Number of loads (request rates) that were measured, none more than the device could serve.
    pub cases: u32,
}

/// Ways of sharing that were measured, each as (begin of the names of its recipes, its error): a
/// decoder beside training on an H200 (`docs/judged.md`; a test compares that page with these
/// figures). Of partitions, only percentages of 30 and 70 were measured.
const MEASURED: [(&str, MeasuredError); 4] = [
    ("time-slice", MeasuredError { worst: 0.09, cases: 3 }),
    ("mps-priority", MeasuredError { worst: 0.04, cases: 4 }),
    ("mps", MeasuredError { worst: 0.09, cases: 4 }),
    ("partition", MeasuredError { worst: 0.04, cases: 2 }),
];

/// Error that is assumed for replays of a recipe which was measured on no device, as a fraction:
/// the largest error in [`MEASURED`].
pub(super) const UNMEASURED: f64 = 0.09;

/// Returns the measured error of the way of sharing that a recipe's name begins with; `None` where
/// that way was measured on no device.
#[must_use]
pub fn measured_error(recipe: &str) -> Option<MeasuredError> {
    let own = |name: &str| {
        recipe.strip_prefix(name).is_some_and(|it| it.is_empty() || it.starts_with('-'))
    };
    MEASURED.iter().find(|(name, _)| own(name)).map(|(_, error)| *error)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{row, serve_and_train};
    use super::*;
    use crate::answer::JudgedProcess;

    fn told(processes: Vec<JudgedProcess>, device: &str) -> Option<(Vec<String>, String)> {
        let figures = vec![30.0; processes.len()];
        let rows = vec![row("mps", &figures, 1.0), row("time-slice", &figures, 1.0)];
        let mut answer = PolicyFigures::new("time-slice", processes, rows, Vec::new());
        answer.tell_errors_measured(device);
        let measured = answer.errors_measured.clone()?;
        let brief = answer.trust_in_brief();
        assert!(brief.contains(&measured.told()), "{brief:?}");
        Some((measured.unlike, answer.verdict.trust.last()?.clone()))
    }

    #[test]
    fn a_verdict_says_how_far_it_is_from_what_was_measured() {
        let begin = "Judged by one pair on one H200";
        let same = told(serve_and_train(), "h200");
        assert_eq!(same, Some((Vec::new(), begin.to_owned())));
        let [serve, train] = serve_and_train().try_into().expect("two");
        let of = |processes, device| told(processes, device).expect("it is told").1;
        let train_three = vec![train.clone(), train.clone(), train.clone()];
        assert_eq!(
            of(train_three, "v100"),
            format!("{begin} (here v100, 3 programs, no requests)")
        );
        assert_eq!(of(vec![serve.clone(), serve], "h200"), format!("{begin} (here no steps)"));
        assert_eq!(told(vec![train], "v100"), None, "it has no neighbour");
    }
}
