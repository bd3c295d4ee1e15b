//! Which level of urgency is best at a tick, if each level is best for a while in turn (seed 000,
//! E2)?
//!
//! Units: ticks.

use alloc::vec::Vec;

use super::Order;
use crate::Error;
use crate::error::Reason;

/// An order of levels in which each level is the best for its window of time; the windows follow
/// each other and begin again.
///
/// The other levels keep their own order. A window includes its first tick and excludes the first
/// tick of the next window. Any lengths are allowed; strictly falling ones give better levels
/// longer windows, as in the patent.
///
/// Laws, beside those of [`Order`]:
/// 1. In every turn (all windows once), each level is best for exactly the length of its window,
///    without a break.
/// 2. Without the best one, the order ascends.
/// 3. With one window, the order is the [`Fixed`](super::Fixed) order of one level.
///
/// ```
/// use raddle_workgroup::order::Windows;
///
/// let windows = Windows::new(&[8, 4, 3, 1])?;
/// assert_eq!(windows.top(7), 0);
/// assert_eq!(windows.top(8), 1);
/// assert!(windows.order(12).eq([2, 0, 1, 3]));
/// # Ok::<(), raddle_workgroup::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Windows {
    /// The end of each window in ticks from the beginning of a turn (all windows once), exclusive
    /// and ascending; at least one entry. The numbers have 128 bits, as the sum of windows may be
    /// beyond u64.
    ends: Vec<u128>,
    /// The number of ticks of all windows together; `None` where it is too large for a u64.
    turn: Option<u64>,
}

impl Windows {
    /// Returns the order with one window of time for each level, from the lengths of the windows in
    /// ticks.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for an empty list or a length of 0.
    pub fn new(lengths: &[u64]) -> Result<Self, Error> {
        let mut ends = Vec::with_capacity(lengths.len());
        let mut end = 0_u128;
        for (at, &length) in lengths.iter().enumerate() {
            if length == 0 {
                return Err(Error(Reason::ZeroWindow { at }));
            }
            // 2^64 windows of less than 2^64 ticks each cannot fill 128 bits.
            end += u128::from(length);
            ends.push(end);
        }
        if ends.is_empty() {
            return Err(Error(Reason::NoWindows));
        }
        Ok(Self { ends, turn: u64::try_from(end).ok() })
    }

    /// Returns the number of ticks from the beginning of the present turn (all windows once) to
    /// `now` (the counter of step b3 of patent 000).
    #[must_use]
    pub const fn counter(&self, now: u64) -> u64 {
        match self.turn {
            // A turn has at least one window of at least one tick, so it is not 0.
            Some(turn) => now % turn,
            None => now,
        }
    }

    /// Returns the level in whose window `now` lies, which is the best at that tick.
    #[must_use]
    pub fn top(&self, now: u64) -> usize {
        let counter = u128::from(self.counter(now));
        self.ends.partition_point(|&end| end <= counter)
    }

    /// Returns all levels, the best one at `now` first. Allocates no memory.
    pub fn order(&self, now: u64) -> impl Iterator<Item = usize> + Clone + use<> {
        let top = self.top(now);
        core::iter::once(top).chain((0..self.ends.len()).filter(move |&level| level != top))
    }

    /// Returns the range of counters ([`Windows::counter`], in ticks) in which a level is best;
    /// `None` for a level out of range.
    #[must_use]
    pub fn window(&self, level: usize) -> Option<core::ops::Range<u128>> {
        let end = *self.ends.get(level)?;
        let start = level.checked_sub(1).and_then(|before| self.ends.get(before));
        Some(start.copied().unwrap_or_default()..end)
    }
}

impl Order for Windows {
    fn levels(&self) -> usize {
        self.ends.len()
    }

    fn rank(&self, level: usize, now: u64) -> Result<usize, Error> {
        let levels = self.levels();
        if level >= levels {
            return Err(Error(Reason::LevelOutside { level, levels }));
        }
        let top = self.top(now);
        Ok(match level {
            _ if level == top => 0,
            _ if level < top => level + 1,
            _ => level,
        })
    }
}
