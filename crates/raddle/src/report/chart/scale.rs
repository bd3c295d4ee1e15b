//! Where does a value stand on an axis?
//!
//! Values are whole numbers, places hundredths of a unit. Logarithms are computed in whole numbers
//! too, so that they are the same everywhere.

/// Fractions of a logarithm: 2^-16.
const LOG_BITS: u32 = 16;
/// The room that a logarithmic axis leaves between 0 and its first decade, in hundredths.
const ZERO_ROOM: i64 = 3000;

/// From values to places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    from: i64,
    to: i64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// From 0 to this value.
    Linear(u128),
    /// 0, then from one power of ten to another.
    Log(u32, u32),
    /// Shares of so many things, stretched towards all of them.
    Nines(u64),
}

impl Scale {
    /// From 0 at `from` to `most` at `to`.
    pub(crate) fn linear(most: u128, from: i64, to: i64) -> Self {
        Self { from, to, kind: Kind::Linear(most.max(1)) }
    }

    /// By powers of ten, for values of which `least` is the smallest above 0 and `most` the
    /// largest; 0 has a place of its own, before them.
    pub(crate) fn log(least: u64, most: u64, from: i64, to: i64) -> Self {
        let low = least.max(1).ilog10();
        let above = |power: u32| 10u64.checked_pow(power).is_some_and(|value| value < most);
        let mut high = low + 1;
        while above(high) {
            high += 1;
        }
        Self { from, to, kind: Kind::Log(low, high) }
    }

    /// Shares of 0 to 1 of `most` things: as far from 90% to 99% as from 99% to 99.9%, and all of
    /// them half as far beyond all but one.
    pub(crate) fn nines(most: u64, from: i64, to: i64) -> Self {
        Self { from, to, kind: Kind::Nines(most.max(2)) }
    }

    /// Where the share `part` of `whole` stands.
    pub(crate) fn share(&self, part: u128, whole: u128) -> i64 {
        let Kind::Nines(most) = self.kind else {
            return self.within(self.from, part.min(whole), whole.max(1));
        };
        let [rest, whole] =
            [whole.saturating_sub(part), whole].map(|n| u64::try_from(n).unwrap_or(u64::MAX));
        if rest == 0 {
            return self.to;
        }
        let length = log2(most) + log2(10) / 2;
        let far = log2(whole).saturating_sub(log2(rest));
        self.within(self.from, far.min(length).into(), length.into())
    }

    /// Where a value stands; what is too large stands at the end. Not for shares.
    pub(crate) fn at(&self, value: u128) -> i64 {
        match self.kind {
            Kind::Linear(most) => self.within(self.from, value.min(most), most),
            Kind::Nines(most) => self.share(value, most.into()),
            Kind::Log(..) if value == 0 => self.from,
            Kind::Log(low, high) => {
                let value = u64::try_from(value).unwrap_or(u64::MAX);
                let begin = log2(10u64.saturating_pow(low));
                let whole = (log2_of_ten(high)).saturating_sub(begin).max(1);
                let part = log2(value).saturating_sub(begin).min(whole);
                self.within(self.decades(), part.into(), whole.into())
            }
        }
    }

    /// Where the first power of ten stands.
    pub(crate) fn decades(&self) -> i64 {
        self.from + if self.to < self.from { -ZERO_ROOM } else { ZERO_ROOM }
    }

    /// The first place and the last one.
    pub(crate) const fn ends(&self) -> (i64, i64) {
        (self.from, self.to)
    }

    /// Round values to write beside a linear axis, at most `count` above 0; of a logarithmic one 0
    /// and each power of ten; of shares, of how many one is left at 90%, 99% and so on.
    pub(crate) fn ticks(&self, count: u128) -> Vec<u128> {
        match self.kind {
            Kind::Linear(most) => {
                let step = round_up(most.div_ceil(count.max(1)));
                let values = (0..).map_while(|n: u128| step.checked_mul(n));
                values.take_while(|&value| value <= most).collect()
            }
            Kind::Log(low, high) => {
                [0].into_iter().chain((low..=high).map(|power| 10u128.pow(power))).collect()
            }
            Kind::Nines(most) => {
                let powers = (1..).map_while(|power| 10u64.checked_pow(power));
                powers.take_while(|&power| power <= most).map(u128::from).collect()
            }
        }
    }

    fn within(&self, from: i64, part: u128, whole: u128) -> i64 {
        let length = u128::from(self.to.abs_diff(from));
        // Both are scaled down where their product would not fit.
        let shift = 128u32.saturating_sub(part.leading_zeros() + 64).min(64);
        let moved = (part >> shift) * length / (whole >> shift).max(1);
        let moved = i64::try_from(moved.min(length)).unwrap_or(0);
        if self.to < from { from - moved } else { from + moved }
    }
}

/// The smallest of 1, 2, 5, 10, 20, 50, ... that is not below a value.
pub(crate) fn round_up(value: u128) -> u128 {
    let power = 10u128.pow(value.max(1).ilog10());
    [1, 2, 5, 10]
        .into_iter()
        .map(|n| power.saturating_mul(n))
        .find(|&round| round >= value)
        .unwrap_or(value)
}

/// log2 of a power of ten that may be too large to write down.
fn log2_of_ten(power: u32) -> u64 {
    let one = log2(10);
    10u64.checked_pow(power).map_or(u64::from(power) * one, log2)
}

/// log2 in 2^-16, rounded down; 0 of 0.
fn log2(value: u64) -> u64 {
    let whole = u64::from(value.max(1).ilog2());
    // The mantissa, 1 to 2, in 2^-31; each squaring gives one more binary digit.
    let mut mantissa =
        if whole > 31 { value >> (whole - 31) } else { value.max(1) << (31 - whole) };
    let mut log = whole;
    for _ in 0..LOG_BITS {
        mantissa = (mantissa * mantissa) >> 31;
        let digit = mantissa >> 32;
        mantissa >>= digit;
        log = (log << 1) | digit;
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right() {
        assert_eq!(log2(0), 0);
        assert_eq!(log2(1), 0);
        assert_eq!(log2(2), 1 << 16);
        assert_eq!(log2(1 << 40), 40 << 16);
        // 3.32193, 63.99999..
        assert_eq!(log2(10), 217_705);
        assert_eq!(log2(u64::MAX), (64 << 16) - 1);
        assert!((1..10_000u64).all(|x| log2(x) <= log2(x + 1)));
    }

    #[test]
    fn decades_are_equally_far_apart_and_zero_has_its_place() {
        let scale = Scale::log(320, 251_000, 5000, 48_000);
        assert_eq!(scale.ticks(0), [0, 100, 1000, 10_000, 100_000, 1_000_000]);
        let places: Vec<i64> = scale.ticks(0).into_iter().map(|tick| scale.at(tick)).collect();
        assert_eq!(places, [5000, 8000, 18_000, 28_000, 38_000, 48_000]);
        assert_eq!(scale.at(u128::MAX), 48_000);
    }

    #[test]
    fn extreme_values_stay_within() {
        let scale = Scale::log(1, u64::MAX, 0, 40_000);
        assert_eq!(scale.at(u64::MAX.into()), 38_642);
        assert_eq!(scale.ticks(0).len(), 22);
        let scale = Scale::linear(u128::MAX, 20_000, 1000);
        assert_eq!([0, u128::MAX / 2, u128::MAX].map(|x| scale.at(x)), [20_000, 10_501, 1000]);
        assert_eq!(Scale::linear(0, 0, 100).at(0), 0);
        let scale = Scale::log(0, 0, 0, 100);
        assert_eq!(scale.ticks(0), [0, 1, 10]);
    }

    #[test]
    fn shares_are_stretched_towards_all() {
        let scale = Scale::nines(1000, 0, 35_000);
        let places = [(0, 1), (1, 2), (9, 10), (99, 100), (999, 1000), (1, 1)];
        let places = places.map(|(part, whole)| scale.share(part, whole));
        assert_eq!(places, [0, 3010, 9_999, 20_000, 30_000, 35_000]);
        assert_eq!(scale.ticks(0), [10, 100, 1000]);
        assert_eq!(Scale::nines(1, 0, 100).share(1, 1), 100);
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(Scale::linear(84_500_000, 0, 1).ticks(4), [0, 50_000_000]);
        assert_eq!(Scale::linear(100, 0, 1).ticks(4), [0, 50, 100]);
        assert_eq!(Scale::linear(7, 0, 1).ticks(4), [0, 2, 4, 6]);
        assert_eq!([0, 1, 3, 11, 50, 51].map(round_up), [1, 1, 5, 20, 50, 100]);
    }
}
