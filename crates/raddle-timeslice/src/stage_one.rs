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

/// One over a weight, from above, with 64 bits behind the point. What lies on the far side of it is
/// surely not above the weight, and one product shows that.
#[derive(Clone, Copy, Debug)]
struct Bar(u64);

impl Bar {
    /// Nothing is on its far side.
    const NONE: Self = Self(u64::MAX);

    fn of(weight: &Weight) -> Self {
        // One over a weight of 1 or less does not fit: every weight is then looked at exactly.
        u64::try_from(weight.inverse() + 1).map_or(Self::NONE, Self)
    }

    /// Whether the weight of an entry is surely not above.
    #[inline]
    fn holds(self, entry: &Entry, t0: u64) -> bool {
        let (alive, under) = (entry.alive.0.max(t0), entry.ran.0.max(t0));
        let over = match entry.share {
            0 | 1 => Some(alive),
            share => alive.checked_mul(share),
        };
        let Some(over) = over else { return false };
        let product = u128::from(over) * u128::from(self.0);
        self.0 != Self::NONE.0 && u128::from(under) > product >> 64
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
        // The level of the candidates so far; none has this one.
        let (mut best, mut count) = (u16::MAX, 0_usize);
        let (mut bar, t0) = (Bar::NONE, self.t0.0);
        for (index, entry) in pool.into_iter().enumerate() {
            // S11, S12: a more urgent level makes all before it no candidates.
            let level = u16::from(entry.level.0);
            if level > best {
                continue;
            }
            if level < best {
                self.heap.clear();
                (best, count) = (level, 0);
            }
            count += 1;
            // S14: one that is owed more takes the place of the last. Most are not, and that is seen
            // without their exact weight.
            if count > self.capacity && bar.holds(&entry, t0) {
                continue;
            }
            let weight = Weight::new(entry.share, entry.alive.0, entry.ran.0, t0);
            if self.take(Loaded { index, weight, share: entry.share }) {
                bar = self.bar();
            }
        }
        let level = Level(u8::try_from(best).ok()?);
        self.unload(count, loaded);
        Some(Candidates { level, count })
    }

    fn bar(&self) -> Bar {
        self.heap.peek().map_or(Bar::NONE, |last| Bar::of(&last.0.weight))
    }

    /// Takes it, in the place of the last if there is no room; whether anything has changed.
    #[inline(never)]
    fn take(&mut self, new: Loaded) -> bool {
        if self.heap.len() < self.capacity {
            self.heap.push(Last(new));
            // Only a full cache has a last one that stands to be replaced.
            return self.heap.len() == self.capacity;
        }
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
            loaded.sort_unstable_by_key(|loaded| Last(*loaded));
        }
    }
}
