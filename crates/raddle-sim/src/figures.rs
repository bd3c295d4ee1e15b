//! How are percentiles, fairness indices and rounded figures of results computed?

/// Returns the smallest of the values that is no less than `percent` percent of them (the nearest
/// rank); 0 for an empty list. `sorted` is ascending.
///
/// ```
/// assert_eq!(raddle_sim::percentile(&[10, 20, 30, 40], 50), 20);
/// assert_eq!(raddle_sim::percentile(&[10, 20, 30, 40], 99), 40);
/// ```
#[must_use]
pub fn percentile(sorted: &[u64], percent: u64) -> u64 {
    let rank = (sorted.len() as u64).saturating_mul(percent.min(100)).div_ceil(100).max(1);
    let at = usize::try_from(rank - 1).unwrap_or(usize::MAX);
    sorted.get(at).copied().unwrap_or(0)
}

/// Returns Jain's fairness index (1 is equal) of the values; `None` for fewer than two values, or
/// if no value is above 0.
pub(crate) fn jain(used: impl ExactSizeIterator<Item = f64> + Clone) -> Option<f64> {
    let count = used.len();
    let total: f64 = used.clone().sum();
    let squares: f64 = used.map(|x| x * x).sum();
    (count > 1 && total > 0.0).then(|| total * total / (count as f64 * squares))
}

pub(crate) fn ratio(part: u128, whole: u128) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Rounds a figure to four decimals, the precision of all printed figures.
pub(crate) fn round(x: f64) -> f64 {
    (x * 10_000.0).round() / 10_000.0
}
