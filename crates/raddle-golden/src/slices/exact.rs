//! How are weights and slices written as exact fractions of any size?
//!
//! Sums of fractions with unlike denominators grow without bound, so numerators and denominators
//! are natural numbers of any size. One side of every common divisor has at most 128 bits, so that
//! no step is slow.

use num_bigint::BigUint;
use raddle_timeslice::{LoadedProcess, SliceRule};

/// A positive fraction in lowest terms, of any size, for weights and lengths of slices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fraction {
    over: BigUint,
    under: BigUint,
}

impl std::fmt::Display for Fraction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.over, self.under)
    }
}

/// Returns the greatest common divisor of `a` and `b`; it is `b` where `a` is 0.
const fn common(mut a: u128, mut b: u128) -> u128 {
    while a != 0 {
        (a, b) = (b % a, a);
    }
    b
}

/// Returns the greatest common divisor of a number of any size and a number of 128 bits that is not
/// 0.
fn common_with(wide: &BigUint, narrow: u128) -> u128 {
    // The remainder of a division by 128 bits has at most 128 bits.
    common(u128::try_from(wide % narrow).unwrap_or(0), narrow)
}

impl Fraction {
    /// Makes the fraction `over` / `under`; both are not 0.
    pub(super) fn new(over: u128, under: u128) -> Self {
        let by = common(over, under);
        Self { over: (over / by).into(), under: (under / by).into() }
    }

    /// Multiplies the fraction by `over` / `under`; both are not 0.
    fn times(self, over: u128, under: u128) -> Self {
        let by = common(over, under);
        let (over, under) = (over / by, under / by);
        let (one, two) = (common_with(&self.under, over), common_with(&self.over, under));
        Self { over: self.over / two * (over / one), under: self.under / one * (under / two) }
    }

    /// Adds `over` / `under` to the fraction; both are not 0.
    fn plus(self, over: u128, under: u128) -> Self {
        let by = common(over, under);
        let (over, under) = (over / by, under / by);
        let shared = common_with(&self.under, under);
        let rest = self.under / shared;
        let sum = self.over * (under / shared) + &rest * over;
        // Only what the denominators share can be common to the sum and their product.
        let again = common_with(&sum, shared);
        Self { over: sum / again, under: rest * (under / again) }
    }

    fn inverted(self) -> Self {
        Self { over: self.under, under: self.over }
    }

    /// Returns the smaller one of this fraction and the number `whole`.
    fn at_most(self, whole: u64) -> Self {
        if self.over > &self.under * whole { Self::new(whole.into(), 1) } else { self }
    }
}

/// Returns the exact weight of a task that was chosen to run, as a fraction.
pub(super) fn weight(loaded: &LoadedProcess) -> Fraction {
    let (over, under) = parts(loaded);
    Fraction::new(over, under)
}

fn parts(loaded: &LoadedProcess) -> (u128, u128) {
    (loaded.weight().over(), loaded.weight().under().into())
}

/// Returns the exact slices, in ticks, of the tasks that were chosen to run, by the formulas of the
/// patent (seed 004), in the order of `loaded`. `t0` is the base slice in ticks; `longest` is the
/// most ticks of a slice, `None` for no limit.
pub(super) fn slices(
    rule: SliceRule,
    t0: u64,
    longest: Option<u64>,
    loaded: &[LoadedProcess],
) -> Vec<Fraction> {
    let t0 = u128::from(t0);
    let weights: Vec<(u128, u128)> = loaded.iter().map(parts).collect();
    let sum = total(weights.iter().copied());
    let inverses = total(weights.iter().map(|&(over, under)| (under, over)));
    let least = loaded.iter().map(|loaded| loaded.weight()).min();
    let (least_over, least_under) = least.map_or((1, 1), |w| (w.over(), w.under().into()));
    let of = |&(over, under): &(u128, u128)| match rule {
        SliceRule::Claim => sum.clone().times(under, over).times(t0, 1),
        SliceRule::Equal => Fraction::new(t0, 1),
        SliceRule::Mean => {
            let each = sum.clone().inverted().times(over, under);
            each.times(t0, 1).times(weights.len() as u128, 1)
        }
        SliceRule::Inverse => inverses.clone().times(over, under).times(t0, 1),
        SliceRule::MinOne => Fraction::new(over, under).times(least_under, least_over).times(t0, 1),
    };
    let capped = |slice: Fraction| match longest {
        Some(longest) => slice.at_most(longest),
        None => slice,
    };
    weights.iter().map(of).map(capped).collect()
}

/// Returns the sum of positive fractions, each as (numerator, denominator). For no fractions it
/// returns 1, which callers never use.
pub(super) fn total(fractions: impl Iterator<Item = (u128, u128)>) -> Fraction {
    let mut fractions = fractions;
    let first = fractions.next().map_or_else(|| Fraction::new(1, 1), |(a, b)| Fraction::new(a, b));
    fractions.fold(first, |sum, (over, under)| sum.plus(over, under))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(fraction: Fraction) -> String {
        fraction.to_string()
    }

    #[test]
    fn fractions_are_in_lowest_terms() {
        assert_eq!(text(Fraction::new(120, 90)), "4/3");
        assert_eq!(text(Fraction::new(4, 3).times(9, 8)), "3/2");
        assert_eq!(text(Fraction::new(1, 6).plus(1, 3)), "1/2");
        assert_eq!(text(Fraction::new(1, 6).plus(1, 10)), "4/15");
        assert_eq!(text(Fraction::new(5, 6).plus(7, 6)), "2/1");
        assert_eq!(text(Fraction::new(5, 6).inverted().at_most(1)), "1/1");
        assert_eq!(text(Fraction::new(6, 6).at_most(1)), "1/1");
        assert_eq!(text(Fraction::new(5, 6).at_most(1)), "5/6");
    }

    #[test]
    fn sums_grow_beyond_every_width() {
        // One over each prime below 200: the denominator is their product.
        let prime = |n: &u128| (2..*n).all(|d| !n.is_multiple_of(d));
        let primes: Vec<u128> = (2..200).filter(prime).collect();
        let sum = total(primes.iter().map(|&p| (1, p)));
        let product = primes.iter().fold(BigUint::from(1_u8), |product, &p| product * p);
        assert_eq!(sum.under, product);
        assert!(product.bits() > 256);
        // Taken off again, one by one, nothing is left but a half.
        let half = primes[1..].iter().map(|&p| &product / p).sum::<BigUint>();
        assert_eq!(sum.over - half, &product / 2_u8);
    }

    #[test]
    fn the_widest_parts_are_exact() {
        let wide = Fraction::new(u128::MAX, u128::MAX - 1);
        assert_eq!(wide.clone().times(u128::MAX - 1, u128::MAX), Fraction::new(1, 1));
        let square = wide.times(u128::MAX, u128::MAX - 1);
        let max = BigUint::from(u128::MAX);
        assert_eq!(square.over, &max * &max);
    }
}
