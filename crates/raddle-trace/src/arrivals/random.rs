//! Which random numbers does a seed give, the same on every machine?
//!
//! Random bits come from SplitMix64: a counter that grows by the golden ratio times 2^64, mixed.
//! Exponential numbers are `-ln(u)` of random bits `u`, the logarithm bit by bit in integers: no
//! floating point, so no digit depends on a machine or a library.

/// Step of the counter of SplitMix64: the golden ratio times 2^64, made odd.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
/// Natural logarithm of 2, times 2^32.
const LN_2: u128 = 2_977_044_472;
/// Number of binary digits behind the binary point to which a logarithm is computed.
const BITS: u32 = 40;

/// A generator of random numbers (SplitMix64) that gives equal numbers on every machine.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Builds the generator of random numbers for the task with the index `task`; other seeds and
    /// other tasks give other numbers.
    #[must_use]
    pub fn new(seed: u64, task: u32) -> Self {
        Self(mix(seed.wrapping_add(STEP)) ^ mix(u64::from(task)))
    }

    /// Returns 64 random bits, each 0 or 1 equally often.
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// Returns a random whole number from 0 to `width` - 1; `width` must not be 0. All numbers are
    /// equally likely, up to a relative error of `width` / 2^64.
    pub fn below(&mut self, width: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(width)) >> 64) as u64
    }

    /// Returns an exponentially distributed random number of mean 1, times 2^32; at most 46 times
    /// 2^32.
    pub(super) fn exponential(&mut self) -> u64 {
        minus_ln(self.bits())
    }
}

fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Returns `-ln((2 x + 1) / 2^65)`, times 2^32: an exponentially distributed number where `x` is 64
/// random bits.
fn minus_ln(x: u64) -> u64 {
    let odd = 2 * u128::from(x) + 1;
    let whole = 127 - odd.leading_zeros();
    // The number as 1.xxx times 2^whole, with 63 bits behind the point. What does not fit, the
    // last bit of the largest numbers, is cut off.
    let mut m = if whole > 63 { odd >> (whole - 63) } else { odd << (63 - whole) };
    let mut log = u128::from(whole);
    for _ in 0..BITS {
        m = (m * m) >> 63;
        log <<= 1;
        if m >> 64 != 0 {
            m >>= 1;
            log |= 1;
        }
    }
    let minus_log2 = (65 << BITS) - log;
    ((minus_log2 * LN_2) >> BITS) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_splitmix64() {
        // The first numbers of SplitMix64 from state 1234567, as published with the generator.
        let mut random = SplitMix64(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(
            first,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn the_logarithm_is_that_of_floating_point() {
        let mut random = SplitMix64::new(0, 0);
        let some = (0..1000).map(|_| random.bits()).chain([0, 1, u64::MAX, u64::MAX / 2]);
        for x in some {
            let u = (2.0 * x as f64 + 1.0) / 2f64.powi(65);
            let ours = minus_ln(x) as f64 / 2f64.powi(32);
            assert!((ours + u.ln()).abs() < 1e-8, "{x}: {ours} {}", -u.ln());
        }
        assert_eq!(minus_ln(u64::MAX), 0);
    }

    #[test]
    fn numbers_have_the_moments_that_they_should() {
        let mut random = SplitMix64::new(7, 3);
        let n = 20_000;
        let some: Vec<f64> = (0..n).map(|_| random.exponential() as f64 / 2f64.powi(32)).collect();
        let mean = some.iter().sum::<f64>() / f64::from(n);
        let square = some.iter().map(|x| x * x).sum::<f64>() / f64::from(n);
        assert!((mean - 1.0).abs() < 0.03 && (square - 2.0).abs() < 0.15, "{mean} {square}");
        assert!((0..1000).all(|_| random.below(10) < 10));
        let low = (0..10_000).filter(|_| random.below(10) < 3).count();
        assert!((2_800..3_200).contains(&low), "{low}");
    }

    #[test]
    fn tasks_and_seeds_have_numbers_of_their_own() {
        let first = |seed, task| SplitMix64::new(seed, task).bits();
        let mut seen: Vec<u64> = (0..10).flat_map(|s| (0..10).map(move |t| first(s, t))).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 100);
    }
}
