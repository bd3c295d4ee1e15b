//! Which compute unit has the most free resources, each weighted by the power that it costs (seed
//! 000, E9)?
//!
//! Units: granules or slots free, as the weights count them.

use super::Weights;
use crate::Error;
use crate::error::Reason;

/// A rule that takes the compute unit with the largest weighted sum of free resources (patent 000,
/// steps i3 and i4).
///
/// A row has the free amount of each resource of a compute unit, summed over the SIMDs. For
/// resources that must be contiguous, it may have the largest run instead. The caller leaves out
/// the units on which the workgroup does not fit.
///
/// Laws:
/// 1. No candidate has a larger score than the one that is taken, and none before it has an equal
///    score.
/// 2. A dispatch lowers the score of its compute unit by the weighted demand of the workgroup; the
///    release of the workgroup raises it again by the same amount.
///
/// ```
/// use raddle_workgroup::place::{MostFree, Weights};
///
/// let rule = MostFree::new(Weights::new(&[2, 6, 1, 3])?);
/// let rows = [[20, 10, 6, 8], [12, 12, 8, 9], [26, 6, 2, 12]];
/// assert_eq!(rule.score(&rows[1])?, 131);
/// assert_eq!(rule.pick(&rows)?, Some(1));
/// # Ok::<(), raddle_workgroup::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MostFree {
    weights: Weights,
}

impl MostFree {
    /// Returns the rule with these weights, one for each resource.
    #[must_use]
    pub const fn new(weights: Weights) -> Self {
        Self { weights }
    }

    /// Returns the score of a compute unit for its free resources (TA in step i3 of patent
    /// 000): its free amounts, each times its weight, summed up.
    ///
    /// # Errors
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) for another number of resources than of
    /// weights, [`Overflow`](crate::ErrorKind::Overflow) for a score beyond u64.
    pub fn score(&self, free: &[u64]) -> Result<u64, Error> {
        self.weights.score(free)
    }

    /// Returns the index of the row (the free amounts of one compute unit) with the largest score,
    /// of equal scores the first (patent 000, step i4); `None` for an empty list.
    ///
    /// # Errors
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) or [`Overflow`](crate::ErrorKind::Overflow)
    /// for the first row that has another length than the weights, or a score beyond u64.
    pub fn pick<R: AsRef<[u64]>>(
        &self,
        rows: impl IntoIterator<Item = R>,
    ) -> Result<Option<usize>, Error> {
        self.weights.pick(rows, |score, best| score > best)
    }
}

/// A counter of the free amount of one resource of one compute unit (patent 000, label
/// i21), in slots or granules: it begins at the total, and stays between 0 and the total.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    total: u64,
    free: u64,
}

impl Counter {
    /// Returns a counter for a resource of `total` slots or granules, all of them free.
    #[must_use]
    pub const fn new(total: u64) -> Self {
        Self { total, free: total }
    }

    /// Returns the free amount of the resource, in slots or granules.
    #[must_use]
    pub const fn free(&self) -> u64 {
        self.free
    }

    /// Takes `wanted` slots or granules from the free amount of the resource.
    ///
    /// # Errors
    /// [`State`](crate::ErrorKind::State) where less is free.
    pub const fn take(&mut self, wanted: u64) -> Result<(), Error> {
        match self.free.checked_sub(wanted) {
            Some(left) => {
                self.free = left;
                Ok(())
            }
            None => Err(Error(Reason::TakeBeyond { wanted, free: self.free })),
        }
    }

    /// Gives back `given` slots or granules that were taken: adds them to the free amount.
    ///
    /// # Errors
    /// [`State`](crate::ErrorKind::State) where less is taken.
    pub const fn give(&mut self, given: u64) -> Result<(), Error> {
        let taken = self.total - self.free;
        if given > taken {
            return Err(Error(Reason::GiveBeyond { given, taken }));
        }
        self.free += given;
        Ok(())
    }
}
