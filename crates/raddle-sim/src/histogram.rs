//! How are many times summarised by few figures?

use serde::{Deserialize, Serialize};

/// A histogram of times in ns, in buckets whose width is at most an eighth of the times in them;
/// empty buckets are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LatencyHistogram {
    /// The buckets, ascending: (greatest value of the bucket in ns, number of values in it).
    pub buckets: Vec<(u64, u64)>,
}

impl LatencyHistogram {
    /// Returns the histogram of the times `sorted`, in ns and ascending.
    #[must_use]
    pub fn of(sorted: &[u64]) -> Self {
        let mut buckets: Vec<(u64, u64)> = Vec::new();
        for &value in sorted {
            let last = bucket_end(value);
            match buckets.last_mut() {
                Some((end, count)) if *end == last => *count += 1,
                _ => buckets.push((last, 1)),
            }
        }
        Self { buckets }
    }
}

/// Returns the greatest value of the bucket into which `value` falls. The leading bit of the value
/// and the three bits below it determine the bucket.
const fn bucket_end(value: u64) -> u64 {
    let low = (63 - (value | 1).leading_zeros()).saturating_sub(3);
    value | ((1 << low) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_narrow_and_hold_everything() {
        let values: Vec<u64> = (0..64).flat_map(|bit| [1u64 << bit, (1 << bit) | 1]).collect();
        let mut values = [values, (0..1000).collect()].concat();
        values.sort_unstable();
        let LatencyHistogram { buckets } = LatencyHistogram::of(&values);
        assert!(buckets.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(buckets.iter().map(|&(_, count)| count).sum::<u64>(), values.len() as u64);
        for &value in &values {
            let end = bucket_end(value);
            assert!(end >= value && end - value <= value / 8, "{value} {end}");
        }
        assert_eq!(LatencyHistogram::of(&[15, 16, 17, 18]).buckets, [(15, 1), (17, 2), (19, 1)]);
    }
}
