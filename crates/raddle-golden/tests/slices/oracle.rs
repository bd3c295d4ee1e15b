//! A second model of the same decisions, slow and obviously right, and written apart.
//!
//! Weights are compared and slices computed with schoolbook digits, so that nothing is shared with
//! the crate, not even the width of its integers.

/// A natural number of any size: its digits of base 2^16 from the lowest on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Big(Vec<u16>);

impl Big {
    pub(crate) fn of(mut n: u128) -> Self {
        let mut digits = Vec::new();
        while n > 0 {
            digits.push(n as u16);
            n >>= 16;
        }
        Self(digits)
    }

    fn trimmed(mut self) -> Self {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        let (mut out, mut carry) = (Vec::new(), 0_u32);
        for i in 0..=self.0.len().max(other.0.len()) {
            let digit = |big: &Self| u32::from(big.0.get(i).copied().unwrap_or(0));
            let sum = digit(self) + digit(other) + carry;
            out.push(sum as u16);
            carry = sum >> 16;
        }
        Self(out).trimmed()
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut out = Self(Vec::new());
        for (i, &digit) in other.0.iter().enumerate() {
            let (mut row, mut carry) = (vec![0; i], 0_u32);
            for &own in &self.0 {
                let product = u32::from(own) * u32::from(digit) + carry;
                row.push(product as u16);
                carry = product >> 16;
            }
            row.push(carry as u16);
            out = out.plus(&Self(row));
        }
        out.trimmed()
    }

    pub(crate) fn below(&self, other: &Self) -> bool {
        let key = |big: &Self| (big.0.len(), big.0.iter().rev().copied().collect::<Vec<_>>());
        key(self) < key(other)
    }

    /// Divides by another number, bit by bit; the quotient is rounded down.
    pub(crate) fn over(&self, by: &Self) -> Self {
        let (mut quotient, mut rest) = (Self(Vec::new()), Self(Vec::new()));
        let two = Self::of(2);
        for bit in (0..self.0.len() * 16).rev() {
            let set = self.0[bit / 16] >> (bit % 16) & 1;
            rest = rest.times(&two).plus(&Self::of(set.into()));
            quotient = quotient.times(&two);
            if !rest.below(by) {
                quotient = quotient.plus(&Self::of(1));
                rest = rest.minus(by);
            }
        }
        quotient
    }

    fn minus(&self, other: &Self) -> Self {
        let (mut out, mut borrow) = (Vec::new(), 0_i32);
        for (i, &own) in self.0.iter().enumerate() {
            let mut digit =
                i32::from(own) - i32::from(other.0.get(i).copied().unwrap_or(0)) - borrow;
            borrow = i32::from(digit < 0);
            digit += borrow << 16;
            out.push(digit as u16);
        }
        Self(out).trimmed()
    }

    pub(crate) fn small(&self) -> Option<u128> {
        self.0
            .iter()
            .rev()
            .try_fold(0_u128, |value, &digit| Some(value.checked_mul(1 << 16)? + u128::from(digit)))
    }
}

/// A process, as (level, share, ticks alive, ticks run).
pub(crate) type Process = (u8, u64, u64, u64);

/// Returns the weight of a process as a fraction: (share x ticks alive, ticks run), both ticks at
/// least t0.
fn parts(process: Process, t0: u64) -> (Big, Big) {
    let (_, share, alive, ran) = process;
    let big = |n: u64| Big::of(n.into());
    (big(share).times(&big(alive.max(t0))), big(ran.max(t0)))
}

/// Returns whether the process `one` has a larger weight than `two`.
pub(crate) fn more(one: Process, two: Process, t0: u64) -> bool {
    let ((a, b), (c, d)) = (parts(one, t0), parts(two, t0));
    c.times(&b).below(&a.times(&d))
}

/// Returns the positions of the processes that are chosen to run, by sorting all of them.
pub(crate) fn load(pool: &[Process], t0: u64, capacity: usize) -> Vec<usize> {
    let best = pool.iter().map(|process| process.0).min();
    let mut candidates: Vec<usize> = (0..pool.len()).filter(|&i| Some(pool[i].0) == best).collect();
    if candidates.len() <= capacity {
        return candidates;
    }
    // A stable exchange sort.
    for end in (1..candidates.len()).rev() {
        for i in 0..end {
            if more(pool[candidates[i + 1]], pool[candidates[i]], t0) {
                candidates.swap(i, i + 1);
            }
        }
    }
    candidates.truncate(capacity);
    candidates
}

/// Returns the positions of the processes that are chosen to run of many, by a stable sort over
/// cross products of 192 bits, in two halves.
pub(crate) fn load_sorted(pool: &[Process], t0: u64, capacity: usize) -> Vec<usize> {
    let best = pool.iter().map(|process| process.0).min();
    let mut candidates: Vec<usize> = (0..pool.len()).filter(|&i| Some(pool[i].0) == best).collect();
    if candidates.len() <= capacity {
        return candidates;
    }
    // a x b x c, as what is above the lowest 64 bits and those.
    let product = |a: u64, b: u64, c: u64| {
        let (a, b, c) = (u128::from(a), u128::from(b), u128::from(c));
        let low = ((a * b) & u128::from(u64::MAX)) * c;
        (((a * b) >> 64) * c + (low >> 64), low as u64)
    };
    candidates.sort_by(|&one, &two| {
        let ((_, s1, a1, r1), (_, s2, a2, r2)) = (pool[one], pool[two]);
        product(s2, a2.max(t0), r1.max(t0)).cmp(&product(s1, a1.max(t0), r2.max(t0)))
    });
    candidates.truncate(capacity);
    candidates
}

/// Computes the slices in ticks as docs/golden.md says, in fixed point; `None` where a figure is
/// beyond 128 bits.
pub(crate) fn slices(rule: &str, loaded: &[Process], t0: u64) -> Option<Vec<u128>> {
    let one = Big::of(1);
    let (low, high) = (Big::of(1 << 32), Big::of(1 << 64));
    let fits = |big: Big| big.small().map(|_| big);
    let max1 = |big: Big| if big.below(&one) { one.clone() } else { big };
    let mut weights = Vec::new();
    let (mut sum, mut inverses) = (Big::of(0), Big::of(0));
    for &process in loaded {
        let (over, under) = parts(process, t0);
        let weight = max1(fits(over.times(&low))?.over(&under));
        sum = sum.plus(&weight);
        inverses = inverses.plus(&under.times(&high).over(&over));
        weights.push(weight);
    }
    let least = weights.iter().cloned().reduce(|a, b| if b.below(&a) { b } else { a })?;
    let t0 = Big::of(t0.into());
    let n = Big::of(loaded.len() as u128);
    let half_up = |over: Big, under: &Big| {
        let two = Big::of(2);
        over.times(&two).plus(under).over(&under.times(&two))
    };
    let slice = |weight: &Big| {
        let slice = match rule {
            "claim" => half_up(fits(t0.times(&fits(sum.clone())?))?, weight),
            "equal" => t0.clone(),
            "mean" => half_up(fits(t0.times(&n).times(weight))?, &fits(sum.clone())?),
            "inverse" => {
                let slices = fits(weight.times(&fits(inverses.clone())?))?.over(&low);
                half_up(fits(slices.times(&t0))?, &high)
            }
            _ => half_up(fits(t0.times(weight))?, &least),
        };
        max1(slice).small()
    };
    weights.iter().map(slice).collect()
}

#[test]
fn both_ways_of_loading_agree() {
    let many = [1, 2, 3, 7, 1 << 40, u64::MAX - 1, u64::MAX];
    let pool: Vec<Process> =
        (0..60).map(|i| (0, many[i % 3], many[i / 2 % 7], many[i * 5 / 3 % 7])).collect();
    for t0 in [1, 2, 1 << 41] {
        assert_eq!(load(&pool, t0, 20), load_sorted(&pool, t0, 20));
    }
}

#[test]
fn digits_calculate() {
    let big = |n: u128| Big::of(n);
    let a = 0x1_0000_0000_ffff_ffff_u128;
    let b = 0xffff_0001_u128;
    assert_eq!(big(a).times(&big(b)).small(), Some(a * b));
    assert_eq!(big(a).over(&big(b)).small(), Some(a / b));
    assert_eq!(big(a).plus(&big(b)).small(), Some(a + b));
    assert_eq!(big(a).minus(&big(b)).small(), Some(a - b));
    assert!(big(b).below(&big(a)) && !big(a).below(&big(a)));
    assert_eq!(big(u128::MAX).times(&big(2)).small(), None);
}
