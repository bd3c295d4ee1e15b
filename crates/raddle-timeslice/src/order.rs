//! In which order do the processes run that were chosen together (stage two of seed 004, S22)?
//!
//! The seed names the order in which they were written into the cache (claim 9), and a random
//! order. The random order comes from a generator with a seed number: equal numbers give equal
//! orders.

/// Order in which processes that were chosen to run together get their slices of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum LoadOrder {
    /// The processes run in the order in which they were chosen.
    #[default]
    Fifo,
    /// The processes run in a random order, drawn by a generator with the seed `seed`.
    Random {
        /// Seed with which the pseudo-random generator begins.
        seed: u64,
    },
}

/// Puts processes that were chosen to run together in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Arranger {
    order: LoadOrder,
    state: u64,
}

impl Arranger {
    /// Returns an arranger that orders processes by the rule `order`.
    #[must_use]
    pub const fn new(order: LoadOrder) -> Self {
        let state = match order {
            LoadOrder::Fifo => 0,
            LoadOrder::Random { seed } => seed,
        };
        Self { order, state }
    }

    /// Sorts `load`, the processes that were chosen to run together, into the order in which they
    /// run.
    ///
    /// ```
    /// use raddle_timeslice::{Arranger, LoadOrder};
    /// let (mut one, mut two) = ([0, 1, 2, 3], [0, 1, 2, 3]);
    /// Arranger::new(LoadOrder::Random { seed: 7 }).arrange(&mut one);
    /// Arranger::new(LoadOrder::Random { seed: 7 }).arrange(&mut two);
    /// assert_eq!(one, two);
    /// ```
    pub fn arrange<T>(&mut self, load: &mut [T]) {
        if self.order == LoadOrder::Fifo {
            return;
        }
        // Each place, from the last on, gets one of the items that have no place yet.
        for left in (2..=load.len()).rev() {
            load.swap(left - 1, self.below(left));
        }
    }

    fn below(&mut self, limit: usize) -> usize {
        let scaled = u128::from(self.random()) * limit as u128;
        // The upper half of a product with `limit` is below it.
        (scaled >> 64) as usize
    }

    /// Returns the next pseudo-random number of the generator "splitmix64".
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
