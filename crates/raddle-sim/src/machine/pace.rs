//! How much work of a workgroup is left, where the pace (slowdown beside neighbours) changes?
//!
//! Work is counted in parts of a nanosecond of its time alone, so that a change of the pace and
//! back, at one moment, leaves the work as it was, and the errors of a million changes add up to
//! less than a nanosecond for a front. Time alone is a whole number of parts, so work that nobody
//! slows down ends at the same nanosecond as if no work had a pace.

use raddle_policy::Ticks;

use crate::contention::ALONE;

/// The number of binary digits after the point in an amount of work: the unit of [`WorkLeft`] is a
/// nanosecond divided by 2 to the power of this number.
const PART_BITS: u32 = 16;

/// The factor by which neighbours stretch the time of work, at least 1: the fraction `takes` /
/// `instead_of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MemoryPace {
    pub(super) takes: u64,
    pub(super) instead_of: u64,
}

impl Default for MemoryPace {
    fn default() -> Self {
        Self::ALONE
    }
}

impl MemoryPace {
    /// The pace of work that no neighbour slows down: the factor 1.
    pub(super) const ALONE: Self = Self { takes: 1, instead_of: 1 };

    /// Returns the pace of work that neighbours stretch to `permille` thousandths of the time that
    /// it would take without them.
    pub(super) fn of_permille(permille: u32) -> Self {
        if permille == ALONE {
            return Self::ALONE;
        }
        Self { takes: permille.max(1).into(), instead_of: ALONE.into() }
    }
}

/// The work that a workgroup still has to do: the time that it would take without neighbours, in
/// units of 2 to the power of -16 nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WorkLeft(u128);

impl WorkLeft {
    /// Returns the work that takes `alone` ticks where no neighbour slows it down.
    pub(super) const fn of(alone: Ticks) -> Self {
        Self((alone.0 as u128) << PART_BITS)
    }

    /// Returns the work that is left after this work has run for `ran` ticks at the pace `pace`
    /// (the factor by which neighbours stretch its time).
    pub(super) fn after(self, ran: Ticks, pace: MemoryPace) -> Self {
        let MemoryPace { takes, instead_of } = pace;
        let ran = u128::from(ran.0) << PART_BITS;
        let done = if takes == instead_of { ran } else { portion(ran, instead_of, takes) };
        Self(self.0.saturating_sub(done))
    }

    /// Returns how long this work lasts at the pace `pace` (the factor by which neighbours stretch
    /// its time), to the nearest nanosecond; 0 for no work, else at least 1.
    pub(super) fn lasts(self, pace: MemoryPace) -> Ticks {
        let MemoryPace { takes, instead_of } = pace;
        let parts = if takes == instead_of { self.0 } else { portion(self.0, takes, instead_of) };
        let ns = parts.saturating_add(1 << (PART_BITS - 1)) >> PART_BITS;
        Ticks(u64::try_from(ns).unwrap_or(u64::MAX).max(u64::from(self.0 > 0)))
    }
}

/// Returns `parts * by / over`, rounded down. `by` and `over` must be below 2 to the power of 40,
/// which no bandwidth in bytes a microsecond reaches.
fn portion(parts: u128, by: u64, over: u64) -> u128 {
    let product = parts.saturating_mul(by.into());
    // Division of 128 bits is slow, and hardly ever needed.
    match u64::try_from(product) {
        Ok(product) => (product / over.max(1)).into(),
        Err(_) => product / u128::from(over.max(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW: MemoryPace = MemoryPace { takes: 4_800_000, instead_of: 4_080_000 };

    #[test]
    fn work_that_nobody_slows_down_is_exact() {
        let work = WorkLeft::of(Ticks(12_345));
        assert_eq!(work.lasts(MemoryPace::ALONE), Ticks(12_345));
        assert_eq!(
            work.after(Ticks(345), MemoryPace::ALONE).lasts(MemoryPace::ALONE),
            Ticks(12_000)
        );
        assert_eq!(work.after(Ticks(20_000), MemoryPace::ALONE).lasts(MemoryPace::ALONE), Ticks(0));
        assert_eq!(WorkLeft::of(Ticks(u64::MAX)).lasts(SLOW), Ticks(u64::MAX));
    }

    #[test]
    fn a_change_there_and_back_changes_nothing() {
        let mut work = WorkLeft::of(Ticks(12_345));
        for _ in 0..1_500_000 {
            work = work.after(Ticks(0), SLOW).after(Ticks(0), MemoryPace::ALONE);
        }
        assert_eq!(work, WorkLeft::of(Ticks(12_345)));
    }

    #[test]
    fn many_small_steps_take_as_long_as_one() {
        let whole = WorkLeft::of(Ticks(1_000_000));
        let lasts = whole.lasts(SLOW).0;
        assert_eq!(lasts, 1_176_471);
        let (mut left, mut ran) = (whole, 0u64);
        while left.lasts(SLOW).0 > 0 {
            left = left.after(Ticks(7), SLOW);
            ran += 7;
        }
        assert!(ran.abs_diff(lasts) <= 7 + 3, "{ran} for {lasts}");
    }
}
