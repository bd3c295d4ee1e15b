//! Which of several compute units on which a workgroup fits takes it?
//!
//! Each rule gets the candidates, one row each, and answers with an index into them: never a
//! compute unit outside the list. Ties go to the lowest index, of an empty list none is taken.
//!
//! | rule | takes the candidate with | seed 000 |
//! |---|---|---|
//! | [`MostFree`] | the largest sum of free amounts times weights | E9 |
//! | [`LeastPower`] | the smallest sum of recent instructions times weights | E10 |
//! | [`Mix`] | both, each in proportion to its largest | E9 with E10 |
//!
//! [`Counter`] counts what is free, [`History`] the instructions of the latest cycles, and
//! `calibrate` makes weights of measured power.
//!
//! Units: weights are plain numbers, a score is amounts times weights; every score is exact or
//! refused. Indices count from 0.

mod calibrate;
mod history;
mod least_power;
mod mix;
mod most_free;

pub use calibrate::{Meter, calibrate};
pub use history::History;
pub use least_power::LeastPower;
pub use mix::Mix;
pub use most_free::{Counter, MostFree};

use alloc::vec::Vec;

use crate::Error;
use crate::error::Reason;

/// The weights of one unit of each resource, or of one instruction of each kind. At least one
/// weight is above 0.
///
/// Multiplying all weights by the same number changes no choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    each: Vec<u64>,
}

impl Weights {
    /// Returns weights, one for each resource or kind of instruction.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) where no weight is above 0.
    pub fn new(each: &[u64]) -> Result<Self, Error> {
        if each.iter().all(|&weight| weight == 0) {
            return Err(Error(Reason::NoWeight));
        }
        Ok(Self { each: each.to_vec() })
    }

    /// Returns the weight of each resource or kind of instruction, in the order given to
    /// [`Weights::new`].
    #[must_use]
    pub fn as_slice(&self) -> &[u64] {
        &self.each
    }

    /// Returns the score of `amounts` (of free resources, or of instructions by kind): their sum,
    /// each times its weight.
    ///
    /// # Errors
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) for another number of amounts than of
    /// weights, [`Overflow`](crate::ErrorKind::Overflow) for a sum beyond u64.
    pub fn score(&self, amounts: &[u64]) -> Result<u64, Error> {
        self.of(amounts.len(), amounts.iter().map(|&amount| amount.into()))
    }

    /// Returns the score of `len` amounts (of free resources, or of instructions by kind): their
    /// sum, each times its weight. The errors are those of [`Weights::score`].
    fn of(&self, len: usize, amounts: impl Iterator<Item = u128>) -> Result<u64, Error> {
        let weights = self.each.len();
        if len != weights {
            return Err(Error(Reason::RowLength { row: 0, amounts: len, weights }));
        }
        let mut sum = 0_u64;
        for (amount, &weight) in amounts.zip(&self.each) {
            // A weight of 0 counts nothing, however large the amount.
            let product = amount.checked_mul(weight.into());
            let product = product.and_then(|product| u64::try_from(product).ok());
            let with = product.and_then(|product| sum.checked_add(product));
            sum = with.ok_or(Error(Reason::Score { row: 0 }))?;
        }
        Ok(sum)
    }

    /// Returns the score (weighted sum) of the amounts of one compute unit; an error names `row`,
    /// the index of the unit among those that are compared.
    fn score_of(&self, row: usize, amounts: &[u64]) -> Result<u64, Error> {
        self.score(amounts).map_err(|error| match error {
            Error(Reason::RowLength { amounts, weights, .. }) => {
                Error(Reason::RowLength { row, amounts, weights })
            }
            Error(Reason::Score { .. }) => Error(Reason::Score { row }),
            other => other,
        })
    }

    /// Returns the index of the first row (the amounts of one compute unit) whose score no other
    /// row beats, where `better(a, b)` says whether score a beats b; `None` without rows. The error
    /// is that of the first row whose score cannot be computed.
    fn pick<R: AsRef<[u64]>>(
        &self,
        rows: impl IntoIterator<Item = R>,
        better: fn(u64, u64) -> bool,
    ) -> Result<Option<usize>, Error> {
        let mut best: Option<(usize, u64)> = None;
        for (row, amounts) in rows.into_iter().enumerate() {
            let score = self.score_of(row, amounts.as_ref())?;
            if best.is_none_or(|(_, so_far)| better(score, so_far)) {
                best = Some((row, score));
            }
        }
        Ok(best.map(|(row, _)| row))
    }
}

/// Returns the index of the best score, where `better(a, b)` says whether score a is better than b,
/// ties to the first; `None` without scores.
pub(crate) fn first_best<T>(
    scores: impl IntoIterator<Item = T>,
    better: impl Fn(&T, &T) -> bool,
) -> Option<usize> {
    let mut best: Option<(usize, T)> = None;
    for (at, score) in scores.into_iter().enumerate() {
        if best.as_ref().is_none_or(|(_, so_far)| better(&score, so_far)) {
            best = Some((at, score));
        }
    }
    best.map(|(at, _)| at)
}
