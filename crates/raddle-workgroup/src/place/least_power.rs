//! Which compute unit drew least power lately, by the instructions that it issued (seed 000, E10)?
//!
//! Units: instructions of the latest cycles, as the weights count them.

use super::Weights;
use crate::Error;

/// A rule that takes the compute unit with the smallest weighted sum of recent instructions (patent
/// 000, steps j3 and j4).
///
/// A row has the numbers of instructions that a compute unit issued in its latest cycles, by
/// instruction or by kind: [`History`](super::History) counts them. A unit that is full of waiting
/// waves scores 0, so the caller must leave out the units on which the workgroup does not fit.
///
/// Law: no candidate has a smaller score than the one that is taken, and none before it has an
/// equal score.
///
/// ```
/// use raddle_workgroup::place::{LeastPower, Weights};
///
/// let rule = LeastPower::new(Weights::new(&[4, 64])?);
/// assert_eq!(rule.pick([[300, 2], [100, 28], [500, 0]])?, Some(0));
/// # Ok::<(), raddle_workgroup::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeastPower {
    weights: Weights,
}

impl LeastPower {
    /// Returns the rule with these weights, one for each kind of instruction.
    #[must_use]
    pub const fn new(weights: Weights) -> Self {
        Self { weights }
    }

    /// Returns the power score of a compute unit (TB in step j3 of patent 000): its recent
    /// instructions of each kind times the weight of the kind, summed up.
    ///
    /// # Errors
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) for another number of kinds than of
    /// weights, [`Overflow`](crate::ErrorKind::Overflow) for a score beyond u64.
    pub fn score(&self, issued: &[u64]) -> Result<u64, Error> {
        self.weights.score(issued)
    }

    /// Returns the index of the row (the recent instructions of one compute unit, by kind) with the
    /// smallest score, of equal scores the first (patent 000, step j4); `None` for an
    /// empty list.
    ///
    /// # Errors
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) or [`Overflow`](crate::ErrorKind::Overflow)
    /// for the first row that has another length than the weights, or a score beyond u64.
    pub fn pick<R: AsRef<[u64]>>(
        &self,
        rows: impl IntoIterator<Item = R>,
    ) -> Result<Option<usize>, Error> {
        self.weights.pick(rows, |score, best| score < best)
    }
}
