//! How far were replays of a way of sharing off where a device was measured under it, with another
//! program beside?

/// The errors of a way of sharing beside another program: largest error of a 99th percentile, as a
/// share, over so many loads that the device could serve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredError {
    /// The largest |replayed / measured - 1|, rounded up to hundredths.
    pub worst: f64,
    /// The number of loads.
    pub cases: u32,
}

/// The ways that were measured, by the beginning of their recipes' names: a decoder beside training
/// on an H200 (`docs/judged.md`; the test of that page holds these figures). Of percentages 30 and 70 were measured.
const MEASURED: [(&str, MeasuredError); 4] = [
    ("time-slice", MeasuredError { worst: 0.11, cases: 3 }),
    ("mps-priority", MeasuredError { worst: 0.04, cases: 4 }),
    ("mps", MeasuredError { worst: 0.09, cases: 4 }),
    ("partition", MeasuredError { worst: 0.04, cases: 2 }),
];

/// Returns the error of a way of sharing; `None` where no device was measured under it.
#[must_use]
pub fn measured_error(recipe: &str) -> Option<MeasuredError> {
    let own = |name: &str| {
        recipe.strip_prefix(name).is_some_and(|it| it.is_empty() || it.starts_with('-'))
    };
    MEASURED.iter().find(|(name, _)| own(name)).map(|(_, error)| *error)
}
