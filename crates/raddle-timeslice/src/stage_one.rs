//! Stage one: which processes go into the cache (seed 004, S10 to S14)?
//!
//! The candidates are all processes of the most urgent level present. If they fit, all are loaded,
//! in pool order; else the `capacity` of them that are owed most, by weight, ties in pool order.
//! One pass over the pool, no allocation once the list has its size.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Ordering;

use raddle_types::{Level, Ticks};

use crate::{Error, Weight};

/// A process of the pool, as stage one sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// How urgent it is.
    pub level: Level,
    /// Its share, 1 or more; 0 counts as 1.
    pub share: u64,
    /// For how long it is alive.
    pub alive: Ticks,
    /// For how long it has run.
    pub ran: Ticks,
}

/// A process in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Its position in the pool.
    pub index: usize,
    /// Its weight as of the load.
    pub weight: Weight,
    /// Its share, which the weight contains.
    pub share: u64,
}

/// What was chosen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidates {
    /// The most urgent level present.
    pub level: Level,
    /// How many are of it.
    pub count: usize,
}

/// Stage one.
///
/// ```
/// use raddle_timeslice::{Entry, StageOne};
/// use raddle_types::{Level, Ticks};
/// let entry = |level, ran| {
///     Entry { level: Level(level), share: 1, alive: Ticks(60), ran: Ticks(ran) }
/// };
/// let pool = [entry(2, 3), entry(4, 1), entry(2, 10), entry(2, 5)];
/// let mut loaded = Vec::new();
/// let found = StageOne::new(Ticks(1), 2)?.load(pool, &mut loaded);
/// assert_eq!(found.map(|found| (found.level, found.count)), Some((Level(2), 3)));
/// let indices: Vec<usize> = loaded.iter().map(|loaded| loaded.index).collect();
/// assert_eq!(indices, [0, 3], "those that ran least");
/// # Ok::<(), raddle_timeslice::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct StageOne {
    t0: Ticks,
    capacity: usize,
    /// Those loaded so far; the first to go on top.
    heap: BinaryHeap<Last>,
}

/// A loaded process among others: what is owed least, and of those what came last, is the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Last(Loaded);

impl Ord for Last {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        let (one, two) = (&self.0, &other.0);
        two.weight.cmp(&one.weight).then(one.index.cmp(&two.index))
    }
}

impl PartialOrd for Last {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A weight from below: `factor` / 2^`shift` is not above it. What does not reach it is no
/// candidate for its place, and that takes one product to see.
#[derive(Clone, Copy, Debug, Default)]
struct Bar {
    factor: u64,
    shift: u32,
}

impl Bar {
    fn below(weight: &Weight) -> Self {
        let Ok(over) = u64::try_from(weight.over()) else {
            return Self::default();
        };
        let whole = over / weight.under();
        // As many bits behind the point as 64 bits have room for.
        let shift = (whole.leading_zeros().saturating_sub(1)).min(63);
        let factor = (u128::from(over) << shift) / u128::from(weight.under());
        Self { factor: u64::try_from(factor).unwrap_or(u64::MAX), shift }
    }

    /// Whether `over` / `under` is surely not above the weight.
    #[inline]
    fn holds(self, over: u64, under: u64) -> bool {
        u128::from(over) <= (u128::from(under) * u128::from(self.factor)) >> self.shift
    }
}

impl StageOne {
    /// With a smallest slice and room for `capacity` processes.
    ///
    /// # Errors
    /// [`Error::ZeroSlice`], [`Error::ZeroCapacity`].
    pub fn new(t0: Ticks, capacity: usize) -> Result<Self, Error> {
        if t0 == Ticks::ZERO {
            return Err(Error::ZeroSlice);
        }
        if capacity == 0 {
            return Err(Error::ZeroCapacity);
        }
        Ok(Self { t0, capacity, heap: BinaryHeap::new() })
    }

    /// How many fit.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// Loads from a pool: `loaded` is cleared and filled in load order. `None` for an empty pool.
    pub fn load(
        &mut self,
        pool: impl IntoIterator<Item = Entry>,
        loaded: &mut Vec<Loaded>,
    ) -> Option<Candidates> {
        loaded.clear();
        self.heap.clear();
        let mut found: Option<Candidates> = None;
        let mut bar = Bar::default();
        for (index, entry) in pool.into_iter().enumerate() {
            // S11, S12: a more urgent level makes all before it no candidates.
            let count = match &mut found {
                Some(found) if found.level.outranks(entry.level) => continue,
                Some(found) if !entry.level.outranks(found.level) => {
                    found.count += 1;
                    found.count
                }
                _ => {
                    self.heap.clear();
                    found = Some(Candidates { level: entry.level, count: 1 });
                    1
                }
            };
            let weight = Weight::new(entry.share, entry.alive.0, entry.ran.0, self.t0.0);
            let loaded = Loaded { index, weight, share: entry.share };
            if count <= self.capacity {
                self.heap.push(Last(loaded));
                if count == self.capacity {
                    bar = self.bar();
                }
                continue;
            }
            // S14: one that is owed more takes the place of the last.
            let low = u64::try_from(weight.over());
            if low.is_ok_and(|over| bar.holds(over, weight.under())) {
                continue;
            }
            if self.replace(loaded) {
                bar = self.bar();
            }
        }
        self.unload(found?.count, loaded);
        found
    }

    fn bar(&self) -> Bar {
        self.heap.peek().map_or_else(Bar::default, |last| Bar::below(&last.0.weight))
    }

    /// Puts it in the place of the last, if it is owed more.
    fn replace(&mut self, new: Loaded) -> bool {
        match self.heap.peek_mut() {
            Some(mut last) if new.weight > last.0.weight => {
                *last = Last(new);
                true
            }
            _ => false,
        }
    }

    fn unload(&mut self, candidates: usize, loaded: &mut Vec<Loaded>) {
        loaded.extend(self.heap.drain().map(|last| last.0));
        if candidates <= self.capacity {
            // S13: all fit, in pool order.
            loaded.sort_unstable_by_key(|loaded| loaded.index);
        } else {
            loaded.sort_unstable_by(|one, two| Last(*one).cmp(&Last(*two)));
        }
    }
}
