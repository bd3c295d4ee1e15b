//! How many instructions of each kind did a compute unit issue in its latest cycles (seed 000,
//! E10)?
//!
//! Units: cycles, which count up and may skip; instructions, by kind.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use super::Weights;
use crate::Error;
use crate::error::Reason;

/// An exact sliding window over the instructions of a compute unit: at a cycle it counts those that
/// were issued in the NX cycles (the length of the window) before that cycle.
///
/// The cycle itself does not count yet, and the window is shorter in the first cycles. Cycles
/// without instructions need not be reported and take no memory. The other cycles are stored in a
/// ring; it grows only when a window has more of them than any window before, so nothing is
/// allocated in steady state.
///
/// Laws:
/// 1. The counts at a cycle are those of a recount over the cycles from NX before it to the one
///    before it.
/// 2. NX cycles without instructions leave 0.
/// 3. A refused call changes nothing.
///
/// ```
/// use raddle_workgroup::place::{History, Weights};
///
/// let mut history = History::new(4, 2)?;
/// history.issue(0, &[1, 0])?;
/// history.issue(1, &[2, 1])?;
/// assert_eq!(history.counts(1)?, [1, 0], "cycle 1 is not over");
/// assert_eq!(history.counts(2)?, [3, 1]);
/// assert_eq!(history.power(5, &Weights::new(&[2, 5])?)?, 9, "cycle 0 has left");
/// # Ok::<(), raddle_workgroup::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct History {
    cycles: u64,
    /// The latest cycle that a call has named; the field `current` has the numbers of instructions
    /// issued in that cycle so far, by kind.
    latest: u64,
    current: Vec<u64>,
    /// The sums of instructions, by kind, over the cycles in `kept`; 128 bits are enough for 2^64
    /// cycles of 2^64 instructions each.
    sums: Vec<u128>,
    /// The cycles in the window, before the latest cycle, in which instructions were issued,
    /// ascending; `cells` holds the number of instructions in each of these cycles, by kind.
    kept: VecDeque<u64>,
    cells: VecDeque<u64>,
}

impl History {
    /// Returns an empty window of `cycles` cycles (NX in patent 000, which prefers 1,024)
    /// over `kinds` kinds of instructions.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for a window of 0 cycles.
    pub fn new(cycles: u64, kinds: usize) -> Result<Self, Error> {
        if cycles == 0 {
            return Err(Error(Reason::NoCycles));
        }
        Ok(Self {
            cycles,
            latest: 0,
            current: vec![0; kinds],
            sums: vec![0; kinds],
            kept: VecDeque::new(),
            cells: VecDeque::new(),
        })
    }

    /// Adds instructions, by kind, that are issued in a cycle; a cycle may be named more than once.
    ///
    /// # Errors
    /// [`State`](crate::ErrorKind::State) for a cycle before the latest,
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) for another number of kinds,
    /// [`Overflow`](crate::ErrorKind::Overflow) where a number of instructions in a cycle is beyond
    /// u64.
    pub fn issue(&mut self, cycle: u64, issued: &[u64]) -> Result<(), Error> {
        let (amounts, weights) = (issued.len(), self.current.len());
        if amounts != weights {
            return Err(Error(Reason::RowLength { row: 0, amounts, weights }));
        }
        if cycle == self.latest {
            let beyond = |(now, more): (&u64, &u64)| now.checked_add(*more).is_none();
            if let Some(kind) = self.current.iter().zip(issued).position(beyond) {
                return Err(Error(Reason::Issues { kind }));
            }
        }
        self.advance(cycle)?;
        for (now, more) in self.current.iter_mut().zip(issued) {
            *now = now.saturating_add(*more);
        }
        Ok(())
    }

    /// Returns the number of instructions that were issued in the window before this cycle, by
    /// kind.
    ///
    /// # Errors
    /// [`State`](crate::ErrorKind::State) for a cycle before the latest.
    pub fn counts(&mut self, cycle: u64) -> Result<&[u128], Error> {
        self.advance(cycle)?;
        Ok(&self.sums)
    }

    /// Returns the power score of the window before this cycle (TB in step j3 of patent
    /// 000): the number of its instructions of each kind times the weight of the kind, summed up.
    ///
    /// # Errors
    /// [`State`](crate::ErrorKind::State) for a cycle before the latest;
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) for another number of weights than of
    /// kinds, [`Overflow`](crate::ErrorKind::Overflow) for a score beyond u64.
    pub fn power(&mut self, cycle: u64, weights: &Weights) -> Result<u64, Error> {
        let counts = self.counts(cycle)?;
        weights.of(counts.len(), counts.iter().copied())
    }

    /// Makes a cycle the latest: stores the counts of instructions of the cycle that was the latest
    /// before, and drops cycles that have left the window.
    ///
    /// # Errors
    /// [`State`](crate::ErrorKind::State) for a cycle before the latest.
    fn advance(&mut self, cycle: u64) -> Result<(), Error> {
        let latest = self.latest;
        if cycle < latest {
            return Err(Error(Reason::CycleBefore { cycle, latest }));
        }
        if cycle > latest {
            if self.current.iter().any(|&count| count > 0) {
                self.kept.push_back(latest);
                self.cells.extend(&self.current);
                for (sum, count) in self.sums.iter_mut().zip(&mut self.current) {
                    *sum = sum.saturating_add(u128::from(*count));
                    *count = 0;
                }
            }
            self.latest = cycle;
            self.forget();
        }
        Ok(())
    }

    fn forget(&mut self) {
        let Self { cycles, latest, .. } = *self;
        while self.kept.front().is_some_and(|&kept| latest - kept > cycles) {
            self.kept.pop_front();
            for sum in &mut self.sums {
                let left = self.cells.pop_front().unwrap_or_default();
                *sum -= u128::from(left);
            }
        }
    }
}
