//! Which calls of the host launched work?

use crate::report::{ImportReport, Quirk};

/// Orders launch calls by their key, which begins their order, and keeps the earliest of equal ones.
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
