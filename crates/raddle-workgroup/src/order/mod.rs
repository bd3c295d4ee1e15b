//! Which level is best now, and which channel goes first among those of one level?
//!
//! Levels count from 0, the best one first; they are plain indices here, and each order knows how
//! many there are. [`Fixed`] keeps them as they are, [`Windows`] lets each be best for a while
//! (seed 000, E2). [`Marks`] chooses among channels whose heads have the same level (E1, a41 and
//! a42), by a [`Pick`].
//!
//! Units: ticks; indices of levels and channels.

mod fixed;
mod marks;
mod pick;
mod windows;

pub use fixed::Fixed;
pub use marks::Marks;
pub use pick::{Lowest, Pick, Seeded};
pub use windows::Windows;

use alloc::vec::Vec;

use crate::Error;

/// An order of levels of urgency that may change with time.
///
/// Laws:
/// 1. At every tick, the ranks of the levels `0..levels` are `0..levels`, each once; 0 is best.
/// 2. The answer depends on the arguments alone.
/// 3. A level out of range is refused, whatever the tick.
pub trait Order {
    /// Returns the number of levels that the order ranks, 1 or more.
    fn levels(&self) -> usize;

    /// Returns the rank of a level in the order at tick `now`, 0 for the best.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for a level out of range.
    fn rank(&self, level: usize, now: u64) -> Result<usize, Error>;

    /// Returns the best level of some heads (next workgroups of channels) at tick `now`, and writes
    /// the channels of that level into `tied`, in the order of `heads`. Without heads it returns
    /// `None`, and `tied` is empty.
    ///
    /// `heads` are pairs (channel, level). `tied` is cleared first; after an error it is empty.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for a head whose level is out of range.
    ///
    /// ```
    /// use raddle_workgroup::order::{Order, Windows};
    ///
    /// let order = Windows::new(&[8, 4, 3, 1])?;
    /// let heads = [(0, 0), (1, 1), (2, 3), (5, 1)];
    /// let mut tied = Vec::new();
    /// assert_eq!(order.best(heads, 9, &mut tied)?, Some(1));
    /// assert_eq!(tied, [1, 5]);
    /// # Ok::<(), raddle_workgroup::Error>(())
    /// ```
    fn best(
        &self,
        heads: impl IntoIterator<Item = (usize, usize)>,
        now: u64,
        tied: &mut Vec<usize>,
    ) -> Result<Option<usize>, Error> {
        tied.clear();
        let mut best: Option<(usize, usize)> = None;
        for (channel, level) in heads {
            let rank = self.rank(level, now).inspect_err(|_| tied.clear())?;
            if best.is_none_or(|(so_far, _)| rank < so_far) {
                best = Some((rank, level));
                tied.clear();
            }
            if best == Some((rank, level)) {
                tied.push(channel);
            }
        }
        Ok(best.map(|(_, level)| level))
    }
}
