//! How far were replays of a way of sharing off where a device was measured under it, with another
//! program beside?

/// Error of replays of one way of sharing, as measured on a real device that ran a program under
/// that way beside another program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredError {
    /// Largest |replayed / measured - 1| of a 99th percentile over the measured loads, a fraction
    /// rounded up to hundredths.
    pub worst: f64,
    /// Number of loads that were measured, each of which the device could serve.
    pub cases: u32,
}

/// Ways of sharing that were measured, each as (beginning of the names of its recipes, its error):
/// a decoder beside training on an H200 (`docs/judged.md`; the test of that page holds these
/// figures). Of partitions, only percentages of 30 and 70 were measured.
const MEASURED: [(&str, MeasuredError); 4] = [
    ("time-slice", MeasuredError { worst: 0.09, cases: 3 }),
    ("mps-priority", MeasuredError { worst: 0.04, cases: 4 }),
    ("mps", MeasuredError { worst: 0.09, cases: 4 }),
    ("partition", MeasuredError { worst: 0.04, cases: 2 }),
];

/// Error that replays of a policy are taken to have that runs programs beside each other and was
/// measured on no device: the largest of those that were.
pub(super) const UNMEASURED: f64 = 0.09;

/// Returns the measured error of the way of sharing of a recipe; `None` where no device was
/// measured under that way.
#[must_use]
pub fn measured_error(recipe: &str) -> Option<MeasuredError> {
    let own = |name: &str| {
        recipe.strip_prefix(name).is_some_and(|it| it.is_empty() || it.starts_with('-'))
    };
    MEASURED.iter().find(|(name, _)| own(name)).map(|(_, error)| *error)
}
