//! How is a probability represented, so that it is the same on every machine?

use std::fmt;

use crate::ModelError;

/// Number of binary digits behind the point of a [`Chance`]; with one digit before the point, 64
/// bits can also hold the chance 1.
const BITS: u32 = 63;
const ONE: u64 = 1 << BITS;

/// A probability, 0 to 1, in steps of 2^-63 (about 1.1e-19). Products are rounded to the nearest
/// step.
///
/// A chance is shown with three significant digits, or as many as the precision says (`{:.6}`), at
/// most 9; below 0.0001 as `8.89e-7`. A value below half a step is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Chance(u64);

impl Chance {
    /// The chance 0, of an event that never happens.
    pub const NEVER: Self = Self(0);
    /// The chance 1, of an event that always happens.
    pub const ALWAYS: Self = Self(ONE);

    /// Returns the chance `numerator / denominator`, rounded to the nearest step.
    ///
    /// # Errors
    /// [`ModelError::Share`] where the numerator is above the denominator, or the denominator is 0.
    pub const fn new(numerator: u64, denominator: u64) -> Result<Self, ModelError> {
        if denominator == 0 || numerator > denominator {
            return Err(ModelError::Share { numerator, denominator });
        }
        let scaled = ((numerator as u128) << BITS) + denominator as u128 / 2;
        // The quotient is at most `ONE`, which fits.
        Ok(Self((scaled / denominator as u128) as u64))
    }

    /// Returns the chance that the event does not happen, 1 minus this chance.
    #[must_use]
    pub const fn not(self) -> Self {
        Self(ONE - self.0)
    }

    /// Returns the chance that this event and another, independent one both happen.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        let product = self.0 as u128 * other.0 as u128;
        // The product is at most `ONE` again.
        Self(((product + (ONE as u128 / 2)) >> BITS) as u64)
    }

    /// Returns the chance that the event happens in all of `n` independent cases.
    #[must_use]
    pub const fn all_of(self, n: u32) -> Self {
        let (mut result, mut base, mut left) = (Self::ALWAYS, self, n);
        while left > 0 {
            if left & 1 == 1 {
                result = result.and(base);
            }
            base = base.and(base);
            left >>= 1;
        }
        result
    }

    /// Returns the chance that the event happens in at least one of `n` independent cases.
    #[must_use]
    pub const fn any_of(self, n: u32) -> Self {
        self.not().all_of(n).not()
    }

    /// Returns this chance minus `other`; 0 where `other` is larger.
    #[must_use]
    pub const fn less(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Chance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 || self.0 == ONE {
            return f.write_str(if self.0 == 0 { "0" } else { "1" });
        }
        let behind = f.precision().unwrap_or(3).clamp(1, 9) - 1;
        let value = self.0 as f64 / ONE as f64;
        let short = format!("{value:.behind$e}");
        // A value that rounds to 1 has no minus in its exponent.
        let place = short.split_once("e-").and_then(|(_, place)| place.parse::<usize>().ok());
        match place.unwrap_or(0) {
            place @ 0..=4 => write!(f, "{value:.0$}", place + behind),
            _ => f.write_str(&short),
        }
    }
}
