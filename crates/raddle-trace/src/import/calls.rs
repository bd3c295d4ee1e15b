//! Which calls of the host launched work, and how are they sorted and searched?

use crate::report::{ImportReport, Quirk};

/// Sorts launch calls, and of calls with equal `key` keeps only the earliest. The key contains the
/// correlation number, which a call shares with the op that it launched. The import report gets the
/// number of calls that were dropped.
pub(super) fn sort_calls<C: Ord, K: PartialEq>(
    calls: &mut Vec<C>,
    key: impl Fn(&C) -> K,
    report: &mut ImportReport,
) {
    let all = calls.len();
    calls.sort_unstable();
    calls.dedup_by_key(|call| key(call));
    report.add(Quirk::RepeatedCorrelation, (all - calls.len()) as u64);
}

/// Returns the number of items for which `before` is true; all of them must come first in `items`.
/// The search begins at the index `near`, the result of the search before: results mostly rise from
/// one search to the next.
pub(super) fn count_before<T>(items: &[T], near: usize, before: impl Fn(&T) -> bool) -> usize {
    let is_before = |at: usize| items.get(at).is_some_and(&before);
    let is_behind = near.checked_sub(1).is_some_and(is_before);
    let (mut from, mut until, mut step) = (if is_behind { near } else { 0 }, near, 1);
    while is_before(until) {
        (from, until) = (until, until + step);
        step *= 2;
    }
    from + items[from..until.min(items.len())].partition_point(before)
}

#[cfg(test)]
mod tests {
    use super::count_before;

    #[test]
    fn the_place_is_the_same_from_wherever_the_one_before_was() {
        let all: Vec<u32> = (0..40).map(|at| 3 * (at / 2) + at % 3).collect();
        let mut sorted = all.clone();
        sorted.sort_unstable();
        for len in 0..sorted.len() {
            let items = &sorted[..len];
            for wanted in 0..70 {
                let naive = items.iter().filter(|&&item| item < wanted).count();
                for near in 0..=len {
                    assert_eq!(count_before(items, near, |&item| item < wanted), naive);
                }
            }
        }
    }
}
