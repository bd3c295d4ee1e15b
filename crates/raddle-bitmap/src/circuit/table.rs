//! Which answer belongs to which sequence under test?
//!
//! The seed's first to fourth map table. A sequence is 1..10..0, so of 2^n keys only n + 1 can
//! appear, and the table is the same for either polarity and direction.

use alloc::vec::Vec;

use super::Bits;
use crate::{Error, Grouped, Sampled, Shared};

/// A look-up table from sequences under test to answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapTable {
    /// Ascending in the number of ones.
    entries: Vec<(Bits, u32)>,
}

impl MapTable {
    /// The first map table, of the full search on N blocks (d431).
    ///
    /// # Errors
    /// Above [`MOST_BLOCKS`](super::MOST_BLOCKS).
    pub fn full(blocks: u32) -> Result<Self, Error> {
        super::traceable(blocks)?;
        Ok(Self::of((0..=blocks).collect()))
    }

    /// The second, of the grouped search (e3333).
    ///
    /// # Errors
    /// Above [`MOST_BLOCKS`](super::MOST_BLOCKS) groups.
    pub fn grouped(search: &Grouped) -> Result<Self, Error> {
        super::traceable(search.groups())?;
        Ok(Self::of((0..=search.groups()).map(|groups| groups * search.size()).collect()))
    }

    /// The third, of the sampled search (f431).
    ///
    /// # Errors
    /// Above [`MOST_BLOCKS`](super::MOST_BLOCKS) samples.
    pub fn sampled(search: &Sampled) -> Result<Self, Error> {
        let amounts = search.amounts();
        super::traceable(u32::try_from(amounts.len()).unwrap_or(u32::MAX))?;
        let mut answers = Vec::with_capacity(amounts.len() + 1);
        answers.push(0);
        answers.extend_from_slice(amounts);
        Ok(Self::of(answers))
    }

    /// The fourth, of a shared finder (g3434): keys of its whole width, also for narrower slots.
    ///
    /// # Errors
    /// Above [`MOST_BLOCKS`](super::MOST_BLOCKS) positions.
    pub fn shared(search: &Shared) -> Result<Self, Error> {
        Self::full(search.width())
    }

    fn of(answers: Vec<u32>) -> Self {
        let digits = answers.len() - 1;
        let key = |ones: usize| Bits::of((0..digits).map(|place| place < ones));
        Self { entries: answers.into_iter().enumerate().map(|(n, it)| (key(n), it)).collect() }
    }

    /// The entries that can be met, fewest ones first.
    #[must_use]
    pub fn entries(&self) -> &[(Bits, u32)] {
        &self.entries
    }

    /// The answer to a sequence; `None` for one that no circuit makes.
    #[must_use]
    pub fn look_up(&self, sequence: &Bits) -> Option<u32> {
        let found = self.entries.iter().find(|(key, _)| key == sequence);
        found.map(|&(_, answer)| answer)
    }
}
