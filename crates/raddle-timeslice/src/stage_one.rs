//! Stage one: which processes go into the cache (seed 004, S10 to S14)?
//!
//! The candidates are all processes of the most urgent level present. If they fit, all are loaded,
//! in pool order; else the `capacity` of them that are owed most, by weight, ties in pool order.
//! One pass over the pool, no allocation once the list has its size. What is surely below the last
//! of those loaded so far is passed over after one product; every decision is of exact fractions.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Ordering;

use raddle_policy::{Level, Ticks};

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
/// use raddle_policy::{Level, Ticks};
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
struct Last {
    /// One over the weight with 64 bits behind the point, rounded down; the greatest there is if it
    /// does not fit. It decides most comparisons.
    inverse: u64,
    loaded: Loaded,
}

impl Last {
    fn new(loaded: Loaded) -> Self {
        Self { inverse: u64::try_from(loaded.weight.inverse()).unwrap_or(u64::MAX), loaded }
    }
}

impl Ord for Last {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        let (one, two) = (&self.loaded, &other.loaded);
        let exactly = || two.weight.cmp(&one.weight).then(one.index.cmp(&two.index));
        self.inverse.cmp(&other.inverse).then_with(exactly)
    }
}

impl PartialOrd for Last {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The last of a full cache, as something that others are surely not owed more than.
#[derive(Clone, Copy, Debug)]
struct Bar {
    /// One over its weight, from above, with 64 bits behind the point.
    inverse: u64,
    /// Whether that fits, as it does for weights above 1.
    known: bool,
    /// Its alive time and run time, if its share is 1 and ties are excluded.
    one: Option<(u64, u64)>,
}

impl Bar {
    /// Excludes nothing.
    const NONE: Self = Self { inverse: u64::MAX, known: false, one: None };

    fn of(last: &Last) -> Self {
        let Loaded { weight, share, .. } = last.loaded;
        let inverse = last.inverse.checked_add(1);
        let alive = u64::try_from(weight.over()).ok().filter(|_| share <= 1);
        Self {
            inverse: inverse.unwrap_or(u64::MAX),
            known: inverse.is_some(),
            one: alive.map(|alive| (alive, weight.under())),
        }
    }

    /// Whether a process is surely not owed more: one product shows it of most.
    #[inline]
    fn excludes(&self, entry: &Entry, t0: u64) -> bool {
        let ran = entry.ran.0.max(t0);
        let over = match entry.share {
            // Where alive time counts as t0, a weight of share 1 is 1 at most: below the bar.
            0 | 1 => Some(entry.alive.0),
            share => entry.alive.0.max(t0).checked_mul(share),
        };
        let Some(over) = over else { return false };
        let product = u128::from(over) * u128::from(self.inverse);
        if self.known && ran > (product >> 64) as u64 {
            return true;
        }
        // Of many that are equal, all but the first.
        let no_older = |(alive, least)| entry.alive.0 <= alive && ran >= least;
        entry.share <= 1 && self.one.is_some_and(no_older)
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
        self.heap.clear();
        loaded.clear();
        // The level of the candidates so far; none has this one.
        let (mut best, mut count) = (u16::MAX, 0);
        let (mut bar, t0) = (Bar::NONE, self.t0.0);
        for (index, entry) in pool.into_iter().enumerate() {
            // S11, S12: a more urgent level makes all before it no candidates.
            let level = u16::from(entry.level.0);
            if level > best {
                continue;
            }
            if level < best {
                self.heap.clear();
                (best, bar, count) = (level, Bar::NONE, 0);
            }
            count += 1;
            // S14: one that is owed more takes the place of the last. Most are not, and that is seen
            // without their exact weight.
            if bar.excludes(&entry, t0) {
                continue;
            }
            if self.take(index, &entry) {
                bar = self.bar();
            }
        }
        let level = Level(u8::try_from(best).ok()?);
        self.unload(count, loaded);
        Some(Candidates { level, count })
    }

    /// What one has to be owed more than; of a full cache.
    fn bar(&self) -> Bar {
        self.heap.peek().filter(|_| self.is_full()).map_or(Bar::NONE, Bar::of)
    }

    fn is_full(&self) -> bool {
        self.heap.len() >= self.capacity
    }

    /// Takes it, in the place of the last if there is no room; whether anything has changed.
    fn take(&mut self, index: usize, entry: &Entry) -> bool {
        let Entry { share, alive, ran, .. } = *entry;
        let new = Loaded { index, weight: Weight::new(share, alive.0, ran.0, self.t0.0), share };
        if self.heap.len() < self.capacity {
            self.heap.push(Last::new(new));
            return true;
        }
        match self.heap.peek_mut() {
            Some(mut last) => {
                let taken = match new.weight.cmp(&last.loaded.weight) {
                    Ordering::Greater => true,
                    Ordering::Equal => index < last.loaded.index,
                    Ordering::Less => false,
                };
                if taken {
                    *last = Last::new(new);
                }
                taken
            }
            None => false,
        }
    }

    fn unload(&mut self, candidates: usize, loaded: &mut Vec<Loaded>) {
        loaded.clear();
        loaded.extend(self.heap.drain().map(|last| last.loaded));
        if candidates <= self.capacity {
            // S13: all fit, in pool order.
            loaded.sort_unstable_by_key(|loaded| loaded.index);
        } else {
            loaded.sort_unstable_by(|one, two| {
                two.weight.cmp(&one.weight).then(one.index.cmp(&two.index))
            });
        }
    }
}
