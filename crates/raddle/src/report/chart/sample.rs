//! Which of many values must be drawn so that the picture is the same?

use super::scale::Scale;

/// Steps nearer to each other than this are one, in hundredths of a unit.
const NEAR: i64 = 200;

/// Each distinct value of a rising list and how many values do not exceed it.
pub(crate) fn cumulative(rising: &[u64]) -> impl Iterator<Item = (u64, usize)> {
    let mut seen = 0;
    rising.chunk_by(|a, b| a == b).map(move |equal| {
        seen += equal.len();
        (equal[0], seen)
    })
}

/// The places of rising values on a scale: of those that fall together the last one, and always the
/// very first and the very last. The rest goes along.
pub(crate) fn thinned<T: Copy>(
    along: &Scale,
    values: impl Iterator<Item = (u64, T)>,
) -> Vec<(i64, T)> {
    let mut kept: Vec<(i64, T)> = Vec::new();
    for (value, rest) in values {
        let at = along.at(value.into());
        match kept.as_mut_slice() {
            // The first stays, whatever follows it.
            [_, .., last] if at / NEAR == last.0 / NEAR => *last = (at, rest),
            _ => kept.push((at, rest)),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_one_step() {
        let steps: Vec<_> = cumulative(&[0, 0, 5, 7, 7]).collect();
        assert_eq!(steps, [(0, 2), (5, 3), (7, 5)]);
        assert_eq!(cumulative(&[]).count(), 0);
    }

    #[test]
    fn many_values_make_few_places_and_the_extremes_stay() {
        let scale = Scale::linear(1_000_000, 0, 40_000);
        let values: Vec<u64> = (17..=999_983).step_by(7).collect();
        let kept = thinned(&scale, cumulative(&values));
        assert!(kept.len() <= 40_000 / 200 + 2, "{}", kept.len());
        assert_eq!(kept[0], (scale.at(17), 1));
        assert_eq!(kept[kept.len() - 1], (scale.at(999_981), values.len()));
        assert!(kept.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 < pair[1].1));
        // No place is farther from the value it stands for than two steps are from each other.
        let far = |&(at, seen): &(i64, usize)| (at - scale.at(values[seen - 1].into())).abs();
        assert!(kept.iter().map(far).all(|off| off <= NEAR));
    }
}
