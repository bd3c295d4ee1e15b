//! Do the reads and writes of a kernel in the memory of one argument lie apart at a launch?
//!
//! An address is an expression over arguments that are numbers, the ids of work-items and
//! workgroups, and the counters of loops. The arguments and sizes of a launch make it a sum
//! `constant + factor * n + ...`, with each `n` from 0 to its own largest value. Two such sums are
//! never equal if they are unequal modulo some number: the two halves of each row of a matrix, for
//! instance, modulo the length of a row. Any other operation makes an expression unknown, and
//! unknown addresses count as equal.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::spirv::BuiltIn;

/// Numbers of work-items of a launch in each dimension, 1 (and the offset 0) for dimensions that
/// the launch does not have.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LaunchSizes {
    /// First global id in each dimension.
    pub offset: [u64; 3],
    /// Number of work-items of the whole launch.
    pub global: [u64; 3],
    /// Number of work-items of one workgroup; `None` where the runtime chooses it.
    pub local: Option<[u64; 3]>,
}

/// Pairs of a read and a write in the memory of one argument, whose addresses must be shown to
/// differ from the arguments and sizes of a launch.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Places {
    /// Expressions that the pairs use, each after its operands.
    pub(crate) expressions: Vec<Expression>,
    pub(crate) pairs: Vec<PlacePair>,
}

/// Read and write in the memory of one argument (by index) that must not overlap.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct PlacePair {
    pub(crate) argument: u32,
    pub(crate) read: PlacedBytes,
    pub(crate) write: PlacedBytes,
}

/// Bytes at an address, as (index of the expression, offset in bytes from it, number of bytes).
pub(crate) type PlacedBytes = (usize, i64, u32);

/// Expression (formula) for a number at a launch. Operands are indices of expressions. The result
/// is right modulo 2 to the power of the bits of its integer type, unless it is unknown.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Expression {
    Int(i64),
    /// Beginning of the memory of the argument with this index.
    Memory(u32),
    /// Argument by value, as (index of the argument, number of its bits).
    Argument(u32, u32),
    /// SPIR-V built-in, such as the global id, as (number of the built-in, dimension from 0).
    BuiltIn(u32, usize),
    /// Sum of a constant and of products, each given as (operand, factor).
    Sum(Vec<(usize, i64)>, i64),
    Multiply(usize, usize),
    /// Shift of the first operand to the left by the second.
    Shift(usize, usize),
    Divide(usize, usize, Width),
    Remainder(usize, usize, Width),
    /// Operand converted from an integer type of this width to a type that may be wider.
    Convert(usize, Width),
    /// Number that begins with `first` and grows by `step` in each round of the loop `rounds`.
    Counter {
        first: usize,
        step: usize,
        rounds: Rounds,
        /// True for the number within a round of the loop, false at the loop's test or behind it.
        within: bool,
    },
}

/// Width of an integer type, and how its bits are read.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Width {
    pub(crate) bits: u32,
    pub(crate) signed: bool,
}

/// Loop that goes on while a counter, which begins with `first` and grows by `step`, is less than
/// `bound`, or equal to it if `inclusive`. All three are indices of expressions.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Rounds {
    pub(crate) first: usize,
    pub(crate) step: usize,
    pub(crate) bound: usize,
    pub(crate) inclusive: bool,
    pub(crate) width: Width,
}

/// Set of numbers `constant + factor * n + ...`, each `n` any integer from 0 to its own maximum.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct Linear {
    /// Argument (by index) in whose memory the numbers are byte offsets; `None` for plain numbers.
    memory: Option<u32>,
    constant: i128,
    /// Pairs (factor, maximum of its `n`), both above 0.
    terms: Vec<(i128, i128)>,
}

/// Number of made-up launches at which a condition is tried, to see whether it can hold at all.
const TRIED: u32 = 256;

/// Most terms of a sum; a sum with more counts as unknown.
const MOST_TERMS: usize = 48;

/// Bound for numbers and byte offsets: those of this size or more count as unknown, so that no sum
/// wraps around the addresses.
const LARGEST: i128 = 1 << 62;

impl Places {
    /// Returns the condition that the read and the write of each pair lie apart, with those of
    /// `expressions` that the pairs use.
    pub(crate) fn new(expressions: &[Expression], pairs: BTreeSet<PlacePair>) -> Self {
        let mut used = vec![false; expressions.len()];
        for index in pairs.iter().flat_map(|pair| [pair.read.0, pair.write.0]) {
            used[index] = true;
        }
        // Operands stand before what uses them.
        for index in (0..expressions.len()).rev() {
            if used[index] {
                expressions[index].clone().operands().into_iter().for_each(|of| used[*of] = true);
            }
        }
        let mut kept = Self::default();
        let mut to = vec![0; expressions.len()];
        for (index, expression) in expressions.iter().enumerate().filter(|(index, _)| used[*index])
        {
            let mut expression = expression.clone();
            expression.operands().into_iter().for_each(|of| *of = to[*of]);
            to[index] = kept.expressions.len();
            kept.expressions.push(expression);
        }
        let place = |(index, offset, size): PlacedBytes| (to[index], offset, size);
        let moved = pairs.into_iter().map(|PlacePair { argument, read, write }| PlacePair {
            argument,
            read: place(read),
            write: place(write),
        });
        kept.pairs = moved.collect();
        kept
    }

    /// Returns whether there are no pairs, so that the condition always holds.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Returns the indices of the arguments whose memory the pairs access, in ascending order.
    #[must_use]
    pub fn arguments(&self) -> Vec<u32> {
        let all: BTreeSet<u32> = self.pairs.iter().map(|pair| pair.argument).collect();
        all.into_iter().collect()
    }

    /// Returns whether the condition holds at any of some made-up launches of one work-item, whose
    /// arguments are powers of two. A condition that holds at none of them is taken to hold never.
    pub(crate) fn may_hold(&self) -> bool {
        let one = LaunchSizes { offset: [0; 3], global: [1; 3], local: Some([1; 3]) };
        let mut state = 1_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (1_u64 << ((state >> 33) % 13)).to_le_bytes()
        };
        (0..TRIED).any(|_| {
            let mut numbers: BTreeMap<u32, [u8; 8]> = BTreeMap::new();
            let mut widths: BTreeMap<u32, usize> = BTreeMap::new();
            for expression in &self.expressions {
                if let Expression::Argument(index, bits) = *expression {
                    numbers.insert(index, draw());
                    widths.insert(index, bits as usize / 8);
                }
            }
            let bytes = |index: u32| numbers.get(&index)?.get(..*widths.get(&index)?);
            self.lie_apart(bytes, &one)
        })
    }

    /// Returns whether each read lies apart from its write at a launch of these sizes. `bytes` gets
    /// the index of an argument and returns its bytes; `None` where it is not passed by value.
    pub(crate) fn lie_apart<'b>(
        &self,
        bytes: impl Fn(u32) -> Option<&'b [u8]>,
        sizes: &LaunchSizes,
    ) -> bool {
        if self.is_empty() {
            return true;
        }
        let mut found: Vec<Option<Linear>> = Vec::with_capacity(self.expressions.len());
        for expression in &self.expressions {
            let value = expression.value(&found, &bytes, sizes);
            found.push(value.filter(Linear::is_small));
        }
        let at = |(index, offset, size): PlacedBytes| {
            let place = found.get(index)?.as_ref()?;
            Some((place.plus(&Linear::number(offset.into()), 1)?, i128::from(size)))
        };
        self.pairs.iter().all(|pair| {
            at(pair.read).zip(at(pair.write)).is_some_and(|((read, reads), (write, writes))| {
                let own = Some(pair.argument);
                (read.memory, write.memory) == (own, own) && apart((read, reads), (write, writes))
            })
        })
    }
}

impl Expression {
    /// Returns the operands of this expression, each the index of another one.
    fn operands(&mut self) -> Vec<&mut usize> {
        match self {
            Self::Int(_) | Self::Memory(_) | Self::Argument(..) | Self::BuiltIn(..) => Vec::new(),
            Self::Sum(parts, _) => parts.iter_mut().map(|(of, _)| of).collect(),
            Self::Multiply(a, b)
            | Self::Shift(a, b)
            | Self::Divide(a, b, _)
            | Self::Remainder(a, b, _) => vec![a, b],
            Self::Convert(of, _) => vec![of],
            Self::Counter { first, step, rounds, .. } => {
                vec![first, step, &mut rounds.first, &mut rounds.step, &mut rounds.bound]
            }
        }
    }

    fn value<'b>(
        &self,
        found: &[Option<Linear>],
        bytes: impl Fn(u32) -> Option<&'b [u8]>,
        sizes: &LaunchSizes,
    ) -> Option<Linear> {
        let of = |index: usize| found.get(index)?.as_ref();
        match self {
            Self::Int(int) => Some(Linear::number((*int).into())),
            Self::Memory(argument) => Some(Linear { memory: Some(*argument), ..Linear::default() }),
            Self::Argument(index, bits) => number(bytes(*index)?, *bits).map(Linear::number),
            Self::BuiltIn(number, dimension) => built_in(*number, *dimension, sizes),
            Self::Sum(parts, constant) => {
                parts.iter().try_fold(Linear::number((*constant).into()), |sum, (part, factor)| {
                    sum.plus(of(*part)?, (*factor).into())
                })
            }
            Self::Multiply(a, b) => of(*a)?.times(of(*b)?),
            Self::Shift(a, by) => {
                let by = of(*by)?.only().filter(|by| (0..=31).contains(by))?;
                Linear::default().plus(of(*a)?, 1 << by)
            }
            Self::Divide(a, b, width) => of(*a)?.divided(of(*b)?, *width, false),
            Self::Remainder(a, b, width) => of(*a)?.divided(of(*b)?, *width, true),
            Self::Convert(a, width) => of(*a).filter(|a| a.fits(*width)).cloned(),
            Self::Counter { first, step, rounds, within } => {
                let most = rounds.most(of)?;
                let most = if *within { (most - 1).max(0) } else { most };
                let (first, step) = (of(*first)?, of(*step)?);
                let rounds = Linear::between(0, most);
                first.plus(&step.times(&rounds)?, 1)
            }
        }
    }
}

impl Rounds {
    /// Returns the largest number of rounds of the loop; `None` where it is not known. `of` returns
    /// the numbers of the expression with an index.
    fn most<'f>(&self, of: impl Fn(usize) -> Option<&'f Linear>) -> Option<i128> {
        let (first, bound) = (of(self.first)?, of(self.bound)?);
        let step = of(self.step)?.only().filter(|step| *step > 0)?;
        let end = bound.ends().1 + i128::from(self.inclusive);
        // The last value of the counter does not wrap around.
        let last = Linear::number(end + step);
        (first.fits(self.width) && bound.fits(self.width) && last.fits(self.width))
            .then(|| ((end - first.ends().0).max(0) + step - 1) / step)
    }
}

impl Linear {
    fn number(constant: i128) -> Self {
        Self { constant, ..Self::default() }
    }

    fn between(first: i128, last: i128) -> Self {
        let terms = if last > first { vec![(1, last - first)] } else { Vec::new() };
        Self { memory: None, constant: first, terms }
    }

    /// Returns the only number of the set; `None` where there are several, or they are byte
    /// offsets.
    fn only(&self) -> Option<i128> {
        (self.terms.is_empty() && self.memory.is_none()).then_some(self.constant)
    }

    /// Returns (least, largest) number of the set.
    fn ends(&self) -> (i128, i128) {
        let most = |sum: i128, &(factor, most): &(i128, i128)| {
            sum.saturating_add(factor.saturating_mul(most))
        };
        (self.constant, self.terms.iter().fold(self.constant, most))
    }

    fn is_small(&self) -> bool {
        let (least, most) = self.ends();
        least > -LARGEST && most < LARGEST && self.terms.len() <= MOST_TERMS
    }

    /// Returns whether an integer type of this width can hold every number of the set.
    fn fits(&self, width: Width) -> bool {
        let (least, most) = self.ends();
        let bits = width.bits.min(64);
        let (from, to) = match width.signed {
            true => (-(1_i128 << (bits - 1)), 1_i128 << (bits - 1)),
            false => (0, 1_i128 << bits),
        };
        self.memory.is_none() && from <= least && most < to
    }

    /// Returns all numbers `self + factor * other`; `None` where they are too large or too many.
    fn plus(&self, other: &Self, factor: i128) -> Option<Self> {
        let mut sum = self.clone();
        sum.memory = match (self.memory, other.memory) {
            (memory, None) => memory,
            (None, memory) if factor == 1 => memory,
            _ => return None,
        };
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for &(each, most) in &other.terms {
            let each = each.checked_mul(factor)?;
            if each < 0 {
                // Counted from its other end, a term has the same numbers.
                sum.constant = sum.constant.checked_add(each.checked_mul(most)?)?;
            }
            if each != 0 {
                sum.terms.push((each.checked_abs()?, most));
            }
        }
        sum.is_small().then_some(sum)
    }

    fn times(&self, other: &Self) -> Option<Self> {
        if self.memory.or(other.memory).is_some() {
            return None;
        }
        if let Some(factor) = self.only() {
            return Self::default().plus(other, factor);
        }
        if let Some(factor) = other.only() {
            return Self::default().plus(self, factor);
        }
        let (a, b) = (self.ends(), other.ends());
        let products = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
        Some(Self::between(*products.iter().min()?, *products.iter().max()?))
    }

    /// Returns the numbers divided by `by`, rounded down, or the remainders if `remainder` is true;
    /// `None` unless `by` is one number above 0 and no number is negative.
    fn divided(&self, by: &Self, width: Width, remainder: bool) -> Option<Self> {
        let by_one = by.only().filter(|by_one| *by_one > 0 && by.fits(width))?;
        let (least, most) = self.ends();
        if !self.fits(width) || least < 0 {
            return None;
        }
        Some(match remainder {
            true if least / by_one == most / by_one => {
                self.plus(&Self::number(least / by_one * by_one), -1)?
            }
            true => Self::between(0, by_one - 1),
            false => Self::between(least / by_one, most / by_one),
        })
    }
}

/// Returns the signed number in the bytes of an argument; `None` unless they are `bits` bits.
fn number(bytes: &[u8], bits: u32) -> Option<i128> {
    let fits = matches!(bytes.len(), 1 | 2 | 4 | 8) && bytes.len() * 8 == bits as usize;
    let sign = bytes.last().filter(|_| fits)? >> 7;
    let mut all = [if sign == 1 { 0xff } else { 0 }; 16];
    all.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(i128::from_le_bytes(all))
}

fn built_in(number: u32, dimension: usize, sizes: &LaunchSizes) -> Option<Linear> {
    let global = i128::from(*sizes.global.get(dimension)?);
    let offset = i128::from(*sizes.offset.get(dimension)?);
    let local = sizes.local.map(|local| i128::from(local[dimension])).filter(|local| *local > 0);
    let groups = local.map(|local| global / local);
    let is = |one: BuiltIn| number == one as u32;
    if is(BuiltIn::GlobalInvocationId) {
        Some(Linear::between(offset, offset + global - 1))
    } else if is(BuiltIn::LocalInvocationId) {
        Some(Linear::between(0, local.unwrap_or(global) - 1))
    } else if is(BuiltIn::WorkgroupId) {
        Some(Linear::between(0, groups.unwrap_or(global) - 1))
    } else if is(BuiltIn::WorkgroupSize) || is(BuiltIn::EnqueuedWorkgroupSize) {
        local.map(Linear::number)
    } else if is(BuiltIn::NumWorkgroups) {
        groups.map(Linear::number)
    } else if is(BuiltIn::GlobalSize) {
        Some(Linear::number(global))
    } else if is(BuiltIn::GlobalOffset) {
        Some(Linear::number(offset))
    } else {
        None
    }
}

/// Returns whether the bytes of a read certainly never overlap those of a write in the same memory;
/// both are given as (possible addresses, number of bytes).
fn apart((read, reads): (Linear, i128), (write, writes): (Linear, i128)) -> bool {
    let plain = |of: Linear| Linear { memory: None, ..of };
    let Some(distance) = plain(write).plus(&plain(read), -1) else { return false };
    // Both overlap where the distance is more than `-writes` and less than `reads`.
    let window = writes + reads - 2;
    let (least, most) = distance.ends();
    if least >= reads || most <= -writes {
        return true;
    }
    let mut terms = distance.terms.clone();
    terms.sort_unstable_by_key(|term| std::cmp::Reverse(*term));
    let mut common = 0;
    terms.iter().any(|&(factor, _)| {
        common = gcd(common, factor);
        [common, factor].into_iter().any(|modulus| {
            // Terms that are no multiple of the modulus move the distance within it.
            let rest = terms.iter().filter(|(factor, _)| factor % modulus != 0);
            let moves = rest.fold(0_i128, |sum, (factor, most)| {
                sum.saturating_add(factor.saturating_mul(*most))
            });
            let begin = (least + writes - 1).rem_euclid(modulus);
            begin > window && begin.saturating_add(moves) < modulus
        })
    })
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Generator of pseudo-random numbers for tests, equal in each run.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, below: i128) -> i128 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            i128::from(self.0 >> 33) % below
        }

        fn linear(&mut self) -> Linear {
            const FACTORS: [i128; 10] = [1, 2, 3, 4, 8, 12, 16, 24, 32, 40];
            let terms = (0..self.below(4)).map(|_| {
                (FACTORS[usize::try_from(self.below(10)).expect("small")], 1 + self.below(4))
            });
            let terms = terms.collect();
            Linear { memory: None, constant: self.below(80) - 20, terms }
        }
    }

    fn all(of: &Linear) -> BTreeSet<i128> {
        of.terms.iter().fold(BTreeSet::from([of.constant]), |all, &(factor, most)| {
            all.iter().flat_map(|one| (0..=most).map(move |n| one + factor * n)).collect()
        })
    }

    #[test]
    fn what_is_told_apart_never_overlaps() {
        let (mut dice, mut told, mut truly) = (Dice(7), 0, 0);
        for _ in 0..40_000 {
            let (read, write) = (dice.linear(), dice.linear());
            let (reads, writes) = (1 << dice.below(4), 1 << dice.below(4));
            let overlap = all(&read)
                .iter()
                .any(|r| all(&write).iter().any(|w| r - writes < *w && *w < r + reads));
            let found = apart((read.clone(), reads), (write.clone(), writes));
            assert!(!found || !overlap, "{read:?} {reads} {write:?} {writes}");
            told += i32::from(found);
            truly += i32::from(!overlap);
        }
        assert!(4 * told > 3 * truly && told > 1000, "{told} of {truly}");
    }

    #[test]
    fn arithmetic_has_every_result() {
        let mut dice = Dice(3);
        let width = Width { bits: 8, signed: true };
        for _ in 0..10_000 {
            let (a, b) = (dice.linear(), dice.linear());
            let factor = dice.below(9) - 4;
            let sum = all(&a.plus(&b, factor).expect("small"));
            let product = all(&a.times(&b).expect("small"));
            for (x, y) in all(&a).into_iter().flat_map(|x| all(&b).into_iter().map(move |y| (x, y)))
            {
                assert!(sum.contains(&(x + factor * y)) && product.contains(&(x * y)));
            }
            let by = Linear::number(dice.below(12));
            let of = |remainder| a.divided(&by, width, remainder).map(|found| all(&found));
            let (quotients, remainders) = (of(false), of(true));
            assert_eq!(quotients.is_some(), by.constant > 0 && a.constant >= 0 && a.fits(width));
            for x in all(&a) {
                if let Some((quotients, remainders)) = quotients.as_ref().zip(remainders.as_ref()) {
                    assert!(quotients.contains(&(x / by.constant)));
                    assert!(remainders.contains(&(x % by.constant)));
                }
            }
        }
    }

    #[test]
    fn numbers_are_read_with_their_sign() {
        assert_eq!(number(&[0xff, 0xff], 16), Some(-1));
        assert_eq!(number(&[4, 0, 0, 0], 32), Some(4));
        assert_eq!(number(&[4, 0, 0, 0], 16), None);
        assert_eq!(number(&[0; 16], 128), None);
    }

    #[test]
    fn a_loop_whose_counter_may_wrap_around_is_unknown() {
        let width = Width { bits: 8, signed: false };
        let rounds = |bound, step| {
            let of = [Linear::number(0), Linear::number(step), Linear::number(bound)];
            let rounds = Rounds { first: 0, step: 1, bound: 2, inclusive: false, width };
            rounds.most(|index| of.get(index))
        };
        assert_eq!(rounds(10, 3), Some(4));
        assert_eq!(rounds(250, 5), Some(50));
        assert_eq!(rounds(251, 5), None);
        assert_eq!(rounds(10, 0), None);
        assert_eq!(rounds(10, -1), None);
        assert_eq!(rounds(-3, 1), None);
    }
}
