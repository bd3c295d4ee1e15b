//! Which candidate is best where free amounts and recent power both count (seed 000, E9 with E10)?
//!
//! Units: scores; shares are plain numbers.

use super::first_best;
use crate::Error;

/// Takes the candidate with the largest a * TA / max TA - b * TB / max TB, exactly.
///
/// TA is a score of [`MostFree`](super::MostFree), TB one of [`LeastPower`](super::LeastPower), the
/// maxima are those of the candidates, and a maximum of 0 counts as 1. Without fractions: the
/// largest a * TA * max(max TB, 1) - b * TB * max(max TA, 1).
///
/// Laws:
/// 1. No candidate is better than the one that is taken, none before it as good.
/// 2. With b = 0 it takes what most free takes, with a = 0 what least power takes.
/// 3. Multiplying both shares, all TA, or all TB, by the same number above 0 changes no choice.
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
    /// With these shares: a for free amounts, b for power.
    ///
    /// # Errors
    /// [`Error::NoShare`] where both are 0.
    pub const fn new(a: u64, b: u64) -> Result<Self, Error> {
        if a == 0 && b == 0 {
            return Err(Error::NoShare);
        }
        Ok(Self { free: a, power: b })
    }

    /// The candidate that is taken, by its scores; `None` of none.
    ///
    /// # Errors
    /// [`Error::RowCount`] for another number of the one than of the other.
    pub fn pick(&self, free: &[u64], power: &[u64]) -> Result<Option<usize>, Error> {
        if free.len() != power.len() {
            return Err(Error::RowCount { free: free.len(), power: power.len() });
        }
        let largest = |scores: &[u64]| scores.iter().copied().max().unwrap_or_default().max(1);
        // What one more of TA, and of TB, is worth: two u64 multiplied fit a u128.
        let up = u128::from(self.free) * u128::from(largest(power));
        let down = u128::from(self.power) * u128::from(largest(free));
        let scores = free.iter().copied().zip(power.iter().copied());
        Ok(first_best(scores, |&score, &best| better(up, down, score, best)))
    }
}

/// Whether up * (TA - TA of the other) > down * (TB - TB of the other).
fn better(
    up: u128,
    down: u128,
    (free, power): (u64, u64),
    (other, other_power): (u64, u64),
) -> bool {
    let gain = product(up, free.abs_diff(other));
    let loss = product(down, power.abs_diff(other_power));
    match (free >= other, power >= other_power) {
        (true, true) => gain > loss,
        (true, false) => gain.max(loss) > (0, 0),
        (false, true) => false,
        (false, false) => gain < loss,
    }
}

/// The high 128 and the low 128 bits of a product.
fn product(factor: u128, distance: u64) -> (u128, u128) {
    let (low, high) = factor.carrying_mul(distance.into(), 0);
    (high, low)
}
