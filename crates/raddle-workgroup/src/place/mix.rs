//! Which compute unit is best where free resources and recent power both count (seed 000, E9 with
//! E10)?
//!
//! Units: scores; shares are plain numbers.

use core::cmp::Ordering;

use super::first_best;
use crate::Error;
use crate::error::Reason;

/// A rule that takes the compute unit with the largest a * TA / max TA - b * TB / max TB, computed
/// exactly: a mix of much free resources and little recent power.
///
/// TA is a score of [`MostFree`](super::MostFree), TB a score of [`LeastPower`](super::LeastPower).
/// The maxima are over the units among which the rule chooses, and a maximum of 0 counts as 1.
/// Without fractions this is the largest a * TA * max(max TB, 1) - b * TB * max(max TA, 1).
///
/// Laws:
/// 1. No candidate is better than the one that is taken, and none before it is as good.
/// 2. With b = 0 the rule takes what [`MostFree`](super::MostFree) takes, with a = 0 what
///    [`LeastPower`](super::LeastPower) takes.
/// 3. Multiplying both factors, all TA, or all TB, by the same number above 0 changes no choice.
///
/// ```
/// use raddle_workgroup::place::Mix;
///
/// let mix = Mix::new(1, 1)?;
/// assert_eq!(mix.pick(&[130, 131, 126], &[2218, 2672, 2205])?, Some(0));
/// # Ok::<(), raddle_workgroup::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    free: u64,
    power: u64,
}

impl Mix {
    /// Returns the rule with the factors a for free resources and b for recent power.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) where both are 0.
    pub const fn new(a: u64, b: u64) -> Result<Self, Error> {
        if a == 0 && b == 0 {
            return Err(Error(Reason::NoShare));
        }
        Ok(Self { free: a, power: b })
    }

    /// Returns the index of the compute unit that is taken, given the scores of all: TA in `free`
    /// (more is better) and TB in `power` (less is better), combined as the type says. Of equal
    /// units the lowest index is taken; `None` for empty lists.
    ///
    /// # Errors
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) where the two lists differ in length.
    pub fn pick(&self, free: &[u64], power: &[u64]) -> Result<Option<usize>, Error> {
        if free.len() != power.len() {
            return Err(Error(Reason::RowCount { free: free.len(), power: power.len() }));
        }
        let largest = |scores: &[u64]| scores.iter().copied().max().unwrap_or_default();
        let order = self.order([largest(free), largest(power)]);
        let scores = free.iter().zip(power).map(|(&free, &power)| [free, power]);
        Ok(first_best(scores, |&score, &best| order(score, best) == Ordering::Greater))
    }

    /// Returns a comparison of two compute units by their scores [TA of free resources, TB of
    /// power], given the largest TA and the largest TB of all units; the better unit is `Greater`.
    pub(crate) fn order(
        &self,
        [free, power]: [u64; 2],
    ) -> impl Fn([u64; 2], [u64; 2]) -> Ordering + use<> {
        // `up` is the worth of one more of TA, `down` of one more of TB: a product of two u64 fits
        // a u128.
        let up = u128::from(self.free) * u128::from(power.max(1));
        let down = u128::from(self.power) * u128::from(free.max(1));
        move |one, other| compare(up, down, one, other)
    }
}

/// Returns `Greater` where the first of two compute units, given by their scores [TA, TB], is the
/// better one: `up` times its lead in TA exceeds `down` times its excess in TB. The result is
/// exact.
fn compare(
    up: u128,
    down: u128,
    [free, power]: [u64; 2],
    [other, other_power]: [u64; 2],
) -> Ordering {
    let gain = product(up, free.abs_diff(other));
    let loss = product(down, power.abs_diff(other_power));
    match (free >= other, power >= other_power) {
        (true, true) => gain.cmp(&loss),
        (true, false) => gain.max(loss).cmp(&(0, 0)),
        (false, true) => (0, 0).cmp(&gain.max(loss)),
        (false, false) => loss.cmp(&gain),
    }
}

/// Returns the product of two factors as (high 128 bits, low 128 bits).
fn product(factor: u128, distance: u64) -> (u128, u128) {
    let (halves, distance) = (factor >> 64, u128::from(distance));
    let low = (factor & u128::from(u64::MAX)) * distance;
    // The sum is at most (2^64 - 1)^2 + 2^64 - 1, which is below 2^128.
    let high = halves * distance + (low >> 64);
    (high >> 64, high << 64 | low & u128::from(u64::MAX))
}
