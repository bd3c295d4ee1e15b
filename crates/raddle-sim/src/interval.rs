//! Between which bounds does a figure of a run lie, as the run is only one sample?
//!
//! Times of requests that follow each other are alike, since they meet the same queue, so a run of
//! a thousand requests may say no more than fifty independent ones. Batch means tell how many
//! independent requests a run is worth, by the variance of the means of 5, 10 and 20 batches in the
//! order of arrival over the variance that independent requests would show, enlarged by the
//! correlation of neighbouring batches. The largest of the three ratios counts. With that number,
//! Wilson's interval of a share gives the ranks between which a percentile lies. Beyond the slowest
//! requests the times are taken to fall as fast as they do beyond the ninetieth percentile
//! (exponentially).

use serde::{Deserialize, Serialize};

use crate::figures::percentile;

/// The 97.5th percentile of the standard normal distribution, which bounds an interval of 95 %.
const Z: f64 = 1.96;
/// The choices of dividing measured values into batches: (number of batches, 97.5th percentile of
/// Student's t with that number less one degrees of freedom).
const BATCHES: [(usize, f64); 3] = [(5, 2.776), (10, 2.262), (20, 2.093)];
/// The fewest values that each batch of measured values may have.
const FEWEST_IN_BATCH: usize = 2;
/// The number of independent values below which the 95 % confidence interval of any percentile is
/// left without an upper bound.
const FEWEST: f64 = 25.0;
/// The percentiles (median and 90th) at which the correlation of neighbouring values is measured:
/// values count as alike if they lie on the same side of the percentile.
const LEVELS: [u64; 2] = [50, 90];
/// The largest correlation of neighbouring batches that the interval takes into account; a greater
/// correlation counts as this one.
const MOST_CORRELATED: f64 = 0.9;

/// A range that contains a time with 95 % confidence, although the run is only one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Interval {
    /// The lower bound, in nanoseconds, of the range that contains the true time with 95 %
    /// confidence.
    pub least_ns: u64,
    /// The upper bound, in nanoseconds, of the range that contains the true time with 95 %
    /// confidence; `None` where the run is too short to give one.
    pub most_ns: Option<u64>,
}

impl Interval {
    /// Returns the 95 % confidence interval of a percentile of values in ns, which are in the order
    /// in which they were measured; `None` for fewer than ten values.
    ///
    /// ```
    /// let falling: Vec<u64> = (0..1000u64).map(|n| 1_000 + n * 7919 % 1000).collect();
    /// let found = raddle_sim::Interval::of_percentile(&falling, 50).unwrap();
    /// assert!(found.least_ns < 1_500 && found.most_ns > Some(1_500));
    /// ```
    #[must_use]
    pub fn of_percentile(values: &[u64], percent: u64) -> Option<Self> {
        batches(values.len()).next()?;
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        let count = values.len() as f64;
        let levels = LEVELS.into_iter().chain([percent]);
        let alike = levels.filter_map(|percent| inflation(values, percentile(&sorted, percent)));
        // Values of which none is above the others need no more samples.
        let independent = alike.max_by(f64::total_cmp).map_or(f64::INFINITY, |times| count / times);
        let share = percent.min(99) as f64 / 100.0;
        let (low, high) = wilson(share, independent);
        let rank = |share: f64| (libm::ceil(share * count) as usize).clamp(1, sorted.len()) - 1;
        let most = sorted[rank(high)].max(beyond(&sorted, share, high));
        Some(Self { least_ns: sorted[rank(low)], most_ns: (independent >= FEWEST).then_some(most) })
    }

    /// Returns the 95 % confidence interval of the mean of values in ns, which are in the order in
    /// which they were measured; `None` for fewer than ten values.
    #[must_use]
    pub fn of_mean(values: &[u64]) -> Option<Self> {
        let mean = mean(values);
        let value = |&value: &u64| value as f64;
        let widths = batches(values.len()).map(|(batches, t)| {
            let found = Spread::of(values, batches, value);
            t * libm::sqrt(found.variance / batches as f64)
        });
        let within = widths.max_by(f64::total_cmp)?;
        Some(Self {
            least_ns: libm::round((mean - within).max(0.0)) as u64,
            most_ns: Some(libm::round(mean + within) as u64),
        })
    }

    /// Returns the width of the interval as a fraction of `figure`, a time in ns; `None` where the
    /// interval has no upper bound.
    #[must_use]
    pub fn width(&self, figure: u64) -> Option<f64> {
        let most = self.most_ns?;
        Some(most.saturating_sub(self.least_ns) as f64 / figure.max(1) as f64)
    }
}

/// Returns the mean of measured values in ns; 0 for an empty list.
pub(crate) fn mean(values: &[u64]) -> f64 {
    let sum: u128 = values.iter().map(|&value| u128::from(value)).sum();
    sum as f64 / values.len().max(1) as f64
}

/// Returns the entries of [`BATCHES`] that suit this number of values, so that each batch has at
/// least [`FEWEST_IN_BATCH`] values.
fn batches(values: usize) -> impl Iterator<Item = (usize, f64)> {
    BATCHES.into_iter().filter(move |&(batches, _)| values / batches >= FEWEST_IN_BATCH)
}

/// Returns how many times more values are needed, because neighbouring values correlate, to
/// estimate the fraction of values above `bound` as well as from independent values. `None` where
/// no value is above `bound`.
fn inflation(values: &[u64], bound: u64) -> Option<f64> {
    let above = values.iter().filter(|&&value| value > bound).count();
    if above == 0 {
        return None;
    }
    let share = above as f64 / values.len() as f64;
    let of = |(number, t): (usize, f64)| {
        let found = Spread::of(values, number, |&value| f64::from(u8::from(value > bound)));
        let alone = share * (1.0 - share) / found.size;
        let correlated = (found.correlation + 1.0 / number as f64).clamp(0.0, MOST_CORRELATED);
        let times = found.variance / alone * (1.0 + correlated) / (1.0 - correlated);
        times.max(1.0) * (t / Z) * (t / Z)
    };
    batches(values.len()).map(of).max_by(f64::total_cmp)
}

/// The spread of the means of batches: consecutive values of a run, divided into groups of equal
/// size.
struct Spread {
    /// The number of values in a batch.
    size: f64,
    variance: f64,
    /// The correlation of the means of consecutive batches, -1 to 1.
    correlation: f64,
}

impl Spread {
    /// Divides the values, each turned into a number by `figure`, into batches of equal size, and
    /// returns the spread of the batches' means. The first values are left out where the number of
    /// values is no multiple of `batches`.
    fn of(values: &[u64], batches: usize, figure: impl Fn(&u64) -> f64) -> Self {
        let size = values.len() / batches;
        let counted = &values[values.len() - size * batches..];
        let mean = |batch: &[u64]| batch.iter().map(&figure).sum::<f64>() / size as f64;
        let means: Vec<f64> = counted.chunks_exact(size).map(mean).collect();
        let all = means.iter().sum::<f64>() / batches as f64;
        let squares: f64 = means.iter().map(|it| (it - all) * (it - all)).sum();
        let pairs: f64 = means.windows(2).map(|it| (it[0] - all) * (it[1] - all)).sum();
        Self {
            size: size as f64,
            variance: squares / (batches as f64 - 1.0),
            correlation: if squares > 0.0 { pairs / squares } else { 0.0 },
        }
    }
}

/// Returns Wilson's 95 % interval (low, high) of a fraction that was measured on `values`
/// independent values.
fn wilson(share: f64, values: f64) -> (f64, f64) {
    let square = Z * Z / values;
    let middle = (share + square / 2.0) / (1.0 + square);
    let spread = share * (1.0 - share) / values + square / (4.0 * values);
    let half = Z * libm::sqrt(spread) / (1.0 + square);
    (middle - half, middle + half)
}

/// Estimates an upper bound, far in the tail: the value below which the fraction `high` of all
/// values lies. From the measured value at the fraction `share` on, the tail is taken to be
/// exponential, with the mean excess over the ninetieth percentile as its mean. Returns 0 where
/// `share` is below 0.9, or where twenty values or more lie above the fraction `high`: then no
/// estimate is needed.
fn beyond(sorted: &[u64], share: f64, high: f64) -> u64 {
    let count = sorted.len() as f64;
    let tail = &sorted[(sorted.len() * 9).div_ceil(10)..];
    if share < 0.9 || count * (1.0 - high) >= 20.0 || tail.is_empty() {
        return 0;
    }
    let from = percentile(sorted, 90);
    let excess = mean(&tail.iter().map(|value| value - from).collect::<Vec<_>>());
    let own = percentile(sorted, libm::round(share * 100.0) as u64);
    own.saturating_add(libm::round(excess * libm::log((1.0 - share) / (1.0 - high))) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the times that `requests` requests spend in a simulated queue with one server, which
    /// takes 1,000 units of time for each; requests arrive at random, with a load of
    /// `load_per_mille` thousandths.
    fn queue(load_per_mille: u64, requests: usize, mut seed: u64) -> Vec<u64> {
        let mut draw = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut left = 0;
        let times = (0..requests).map(|_| {
            let gap = -libm::log(1.0 - draw()) * 1e6 / load_per_mille as f64;
            left = (left + 1_000u64).saturating_sub(gap as u64);
            left.max(1) + 1_000
        });
        times.collect()
    }

    /// Erlang's and Crommelin's values: (load in thousandths, 99th percentile of the time in the
    /// queue M/D/1, in service times).
    const TRUTH: [(u64, f64); 3] = [(500, 4.33), (700, 7.48), (900, 22.2)];

    #[test]
    fn a_queue_lies_within_its_interval() {
        for (load, truth) in TRUTH {
            let inside = (1..=100u64).filter(|seed| {
                // The first tenth is of a queue that was empty.
                let times = queue(load, 44_000, seed * 7_919);
                let found = Interval::of_percentile(&times[4_400..], 99).expect("many");
                let truth = (truth * 1_000.0) as u64;
                found.least_ns <= truth && found.most_ns.is_none_or(|most| truth <= most)
            });
            let inside = inside.count();
            assert!(inside >= 93, "{load}: {inside} of 100");
        }
    }

    #[test]
    fn independent_values_have_the_interval_of_their_number() {
        // 97.5 % of medians of 1,000 values of 0 to 1 lie between 0.469 and 0.531; batches of few
        // values make it wider.
        let mut seed = 5_u64;
        let values = (0..1000).map(|_| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            seed >> 44
        });
        let values: Vec<u64> = values.collect();
        let found = Interval::of_percentile(&values, 50).expect("many");
        let most = found.most_ns.expect("independent");
        let full = 1u64 << 20;
        assert!(found.least_ns < full / 2 && full / 2 < most, "{found:?}");
        assert!((full / 25..full / 6).contains(&(most - found.least_ns)), "{found:?}");
        let mean = Interval::of_mean(&values).expect("many");
        assert!(mean.least_ns < full / 2 && mean.most_ns > Some(full / 2), "{mean:?}");
    }

    #[test]
    fn too_few_values_have_no_interval() {
        assert_eq!(Interval::of_percentile(&[], 99), None);
        assert_eq!(Interval::of_percentile(&[7; 9], 99), None);
        assert_eq!(Interval::of_mean(&[7; 9]), None);
        let alike = Interval::of_mean(&[7; 100]);
        assert_eq!(alike, Some(Interval { least_ns: 7, most_ns: Some(7) }));
        // A figure that grows all the time has no upper bound.
        let growing: Vec<u64> = (0..1000).collect();
        assert_eq!(Interval::of_percentile(&growing, 99).and_then(|it| it.most_ns), None);
    }
}
