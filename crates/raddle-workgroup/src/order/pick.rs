//! Which of several equally good channels is taken, where patent 000 says "at random"?

/// A rule that chooses one of several equal channels, where patent 000 says "at random".
///
/// Any `FnMut(usize) -> usize` is such a rule: it gets the number of channels, 2 or more, and
/// answers with an index, which is taken modulo that number.
pub trait Pick {
    /// Returns the index of the chosen channel, below `choices`, the number of channels, which is 2
    /// or more.
    fn pick(&mut self, choices: usize) -> usize;
}

impl<F: FnMut(usize) -> usize> Pick for F {
    fn pick(&mut self, choices: usize) -> usize {
        self(choices)
    }
}

/// The rule that always takes the first of several equally good channels: the default, and the rule
/// of the reference models in raddle-golden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lowest;

impl Pick for Lowest {
    fn pick(&mut self, _choices: usize) -> usize {
        0
    }
}

/// A rule that chooses one of several equally good channels by pseudo-random numbers from a seed:
/// equal everywhere for equal seeds.
///
/// ```
/// use raddle_workgroup::order::{Pick, Seeded};
///
/// let draw = |seed| {
///     let mut pick = Seeded::new(seed);
///     (0..8).map(|_| pick.pick(5)).collect::<Vec<_>>()
/// };
/// assert_eq!(draw(7), draw(7));
/// assert_ne!(draw(7), draw(8));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeded {
    state: u64,
}

impl Seeded {
    /// Returns the rule with this seed; every value is valid.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns the next pseudo-random number: adds an odd constant to the state, and mixes the bits
    /// of the sum. Each of the 2^64 states comes once before any comes again.
    pub(crate) const fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.state;
        x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        x ^ (x >> 32)
    }
}

impl Pick for Seeded {
    fn pick(&mut self, choices: usize) -> usize {
        // The high half of the product is below `choices`.
        let scaled = u128::from(self.next()) * choices as u128;
        (scaled >> 64) as usize
    }
}
