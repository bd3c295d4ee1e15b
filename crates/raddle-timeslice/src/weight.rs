//! How much time on the device does a process deserve (seed 004, claims 3 and 4)?
//!
//! weight = share x alive time / run time, both times at least one smallest slice t0 (reading D2):
//! so no weight is 0 and none is infinite. Weights are compared as exact fractions; slices are
//! computed from weights as fixed-point numbers with 32 bits behind the point.

use core::cmp::Ordering;

/// Exact weight of a process, as a fraction: share x alive time / run time. The alive time is the
/// time since the process joined, or for which it was runnable.
///
/// ```
/// use raddle_timeslice::Weight;
/// // Alive 60 minutes: one ran 3 of them, the other 10.
/// let (three, ten) = (Weight::new(1, 60, 3, 1), Weight::new(1, 60, 10, 1));
/// assert!(three > ten);
/// assert_eq!((three.fixed(), ten.fixed()), (Some(20 << 32), Some(6 << 32)));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Weight {
    over: u128,
    under: u64,
}

impl Weight {
    /// Returns the weight of a process whose alive time is `alive` ticks and whose run time is
    /// `ran` ticks; times below `t0` count as `t0`. A `share` or `t0` of 0 counts as 1.
    #[must_use]
    #[inline]
    pub const fn new(share: u64, alive: u64, ran: u64, t0: u64) -> Self {
        let t0 = if t0 == 0 { 1 } else { t0 };
        let share = if share == 0 { 1 } else { share };
        let alive = if alive < t0 { t0 } else { alive };
        let under = if ran < t0 { t0 } else { ran };
        Self { over: share as u128 * alive as u128, under }
    }

    /// Returns the weight multiplied by `share`, of which 0 counts as 1; the numerator saturates at
    /// 128 bits.
    #[must_use]
    pub const fn times_share(self, share: u64) -> Self {
        let share = if share == 0 { 1 } else { share };
        Self { over: self.over.saturating_mul(share as u128), ..self }
    }

    /// Returns the numerator of the weight, which is share x alive time, in ticks.
    #[must_use]
    #[inline]
    pub const fn over(&self) -> u128 {
        self.over
    }

    /// Returns the denominator of the weight, which is the run time, in ticks.
    #[must_use]
    #[inline]
    pub const fn under(&self) -> u64 {
        self.under
    }

    /// Returns the weight as a fixed-point number with 32 fractional bits, rounded down, but never
    /// to 0; `None` where it is too large for 128 bits.
    #[must_use]
    #[inline]
    pub fn fixed(&self) -> Option<u128> {
        if let Ok(over) = u64::try_from(self.over) {
            return Some(((u128::from(over) << 32) / u128::from(self.under)).max(1));
        }
        let over = self.over.checked_mul(1 << 32)?;
        Some((over / u128::from(self.under)).max(1))
    }

    /// Returns 1 / weight as a fixed-point number with 64 fractional bits, rounded down.
    #[must_use]
    #[inline]
    pub(crate) const fn inverse(&self) -> u128 {
        ((self.under as u128) << 64) / self.over
    }

    /// Returns the product of `over` and `by`, up to 192 bits, as (bits above the lowest 64, lowest
    /// 64 bits).
    const fn times(over: u128, by: u64) -> (u128, u64) {
        let low = (over as u64 as u128) * by as u128;
        let high = (over >> 64) * by as u128 + (low >> 64);
        (high, low as u64)
    }
}

impl Ord for Weight {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        let (one, two) = (u64::try_from(self.over), u64::try_from(other.over));
        if let (Ok(one), Ok(two)) = (one, two) {
            let left = u128::from(one) * u128::from(other.under);
            return left.cmp(&(u128::from(two) * u128::from(self.under)));
        }
        Self::times(self.over, other.under).cmp(&Self::times(other.over, self.under))
    }
}

impl PartialOrd for Weight {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Weight {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Weight {}
