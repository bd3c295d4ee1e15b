//! Stage one: which processes are chosen to run next (seed 004, S10 to S14)?
//!
//! The candidates are all processes of the most urgent level present. If the capacity (the GPU's
//! cache in the seed) has room for all, all are chosen, in the order of the pool; else the
//! `capacity` of them with the largest weight, ties in that order. A list with room for all
//! candidates never grows.

use alloc::vec::Vec;

use raddle_policy::{Level, Ticks};

use crate::error::Reason;
use crate::error::SliceError;
use crate::weight::Weight;

/// Process that can run, as stage one (which chooses the processes that run next) sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolEntry {
    /// Urgency of the process; level 0 is the most urgent.
    pub level: Level,
    /// Share of the process, a factor of its weight, 1 or more; 0 counts as 1.
    pub share: u64,
    /// Alive time of the process in ticks, which raises its weight. It is the time since the
    /// process joined, or only the part in which it was runnable.
    pub alive: Ticks,
    /// Run time of the process so far in ticks, which lowers its weight.
    pub ran: Ticks,
}

/// A process that stage one has chosen to run next, with its weight and share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadedProcess {
    /// Index of the process in the pool (the list of runnable processes) from which it was chosen.
    pub(crate) index: usize,
    /// Weight of the process at the moment at which it was chosen.
    pub(crate) weight: Weight,
    /// Share of the process; its weight already contains the share as a factor.
    pub(crate) share: u64,
}

impl LoadedProcess {
    /// Returns the process with this index in the pool (the list of runnable processes), whose
    /// weight already contains its share as a factor.
    #[must_use]
    pub const fn new(index: usize, weight: Weight, share: u64) -> Self {
        Self { index, weight, share }
    }

    /// Returns the index of the process in the pool (the list of runnable processes) from which it
    /// was chosen.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Returns the weight of the process at the moment at which it was chosen.
    #[must_use]
    pub const fn weight(&self) -> Weight {
        self.weight
    }

    /// Returns the share of the process; its weight already contains the share as a factor.
    #[must_use]
    pub const fn share(&self) -> u64 {
        self.share
    }
}

/// Stage one of time slicing, which chooses from the pool (all runnable processes) those that run
/// next.
///
/// ```
/// use raddle_timeslice::{PoolEntry, StageOne};
/// use raddle_policy::{Level, Ticks};
/// let entry = |level, ran| {
///     PoolEntry { level: Level(level), share: 1, alive: Ticks(60), ran: Ticks(ran) }
/// };
/// let pool = [entry(2, 3), entry(4, 1), entry(2, 10), entry(2, 5)];
/// let mut loaded = Vec::new();
/// let found = StageOne::new(Ticks(1), 2)?.load(pool, &mut loaded);
/// assert_eq!(found, Some(Level(2)));
/// let indices: Vec<usize> = loaded.iter().map(|loaded| loaded.index()).collect();
/// assert_eq!(indices, [0, 3], "those that ran least");
/// # Ok::<(), raddle_timeslice::SliceError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageOne {
    t0: Ticks,
    capacity: usize,
}

impl StageOne {
    /// Returns a stage one that chooses up to `capacity` processes. `t0` is the length of the
    /// smallest slice in ticks; in weights, a shorter alive time or run time counts as `t0`.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) where `t0` or `capacity` is 0.
    pub const fn new(t0: Ticks, capacity: usize) -> Result<Self, SliceError> {
        if t0.0 == 0 {
            return Err(SliceError(Reason::ZeroSlice));
        }
        if capacity == 0 {
            return Err(SliceError(Reason::ZeroCapacity));
        }
        Ok(Self { t0, capacity })
    }

    /// Chooses the processes of a pool that run next, and puts them into `loaded`, which is cleared
    /// first. Returns the most urgent level in the pool, that of the processes that it chose from;
    /// `None` for an empty pool.
    pub fn load(
        &self,
        pool: impl IntoIterator<Item = PoolEntry>,
        loaded: &mut Vec<LoadedProcess>,
    ) -> Option<Level> {
        loaded.clear();
        let mut best: Option<Level> = None;
        for (index, entry) in pool.into_iter().enumerate() {
            let PoolEntry { level, share, alive, ran } = entry;
            // S11, S12: only the most urgent level so far has candidates.
            if best.is_some_and(|best| best.outranks(level)) {
                continue;
            }
            if best != Some(level) {
                loaded.clear();
                best = Some(level);
            }
            let weight = Weight::new(share, alive.0, ran.0, self.t0.0);
            loaded.push(LoadedProcess { index, weight, share });
        }
        if loaded.len() > self.capacity {
            // S14: those of the largest weight, that one first.
            let order = |one: &LoadedProcess, two: &LoadedProcess| {
                two.weight.cmp(&one.weight).then(one.index.cmp(&two.index))
            };
            loaded.select_nth_unstable_by(self.capacity, order);
            loaded.truncate(self.capacity);
            loaded.sort_unstable_by(order);
        }
        best
    }
}
