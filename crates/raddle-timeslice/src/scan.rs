//! Stage one over a whole pool: which of its processes are loaded, without a look at most?
//!
//! The same answer as [`StageOne::load`] over the entries of the pool. A sample of the pool gives a
//! bar that enough processes reach; the columns then show which may reach it, and those are looked at
//! exactly, in pool order. The sample jumps about, so that no natural order of the pool (by age, by
//! run time) has every process take the place of the one before.

use alloc::vec::Vec;

use raddle_types::{Tick, Ticks};

use crate::coarse::{BLOCK, Coarse};
use crate::stage_one::Bar;
use crate::{Candidates, Entry, Loaded, StageOne, Task};

/// One of so many processes is in the sample.
const SAMPLED: usize = 32;
/// By how many places the sample goes on: odd, so that it comes to each.
const JUMP: usize = 0x9e37_79b9;

/// A pool, as a scan sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scanned<'p> {
    pub(crate) tasks: &'p [Task],
    pub(crate) columns: &'p Coarse,
    pub(crate) now: Tick,
    /// Of the most urgent level present.
    pub(crate) candidates: Candidates,
}

impl Scanned<'_> {
    /// A candidate.
    #[inline]
    fn entry(&self, index: usize) -> Option<Entry> {
        let task = self.tasks.get(index)?;
        (task.level == self.candidates.level).then(|| task.entry(self.now))
    }
}

impl Task {
    /// As stage one sees it.
    #[inline]
    pub(crate) fn entry(&self, now: Tick) -> Entry {
        let alive: Ticks = now.since(self.created);
        Entry { level: self.level, share: self.share, alive, ran: self.ran }
    }
}

impl StageOne {
    /// Loads from a pool; `loaded` is cleared and filled in load order.
    pub(crate) fn scan(&mut self, pool: &Scanned<'_>, loaded: &mut Vec<Loaded>) {
        let count = pool.candidates.count;
        self.heap.clear();
        if count > self.capacity {
            self.sample(pool);
            self.scan_above(pool);
        } else {
            let all = 0..pool.tasks.len();
            all.filter_map(|index| Some((index, pool.entry(index)?))).for_each(|(index, entry)| {
                self.take(index, entry);
            });
        }
        self.unload(count, loaded);
    }

    /// Loads from a part of the pool.
    fn sample(&mut self, pool: &Scanned<'_>) {
        let part = match pool.tasks.len() / SAMPLED {
            0 => return,
            part => 1_usize << part.ilog2(),
        };
        // Few more than are loaded would show a bar that most of the pool reaches.
        if part / 4 < self.capacity {
            return;
        }
        let (stride, mut bar) = (pool.tasks.len() / part, Bar::NONE);
        for step in 0..part {
            let index = (step.wrapping_mul(JUMP) & (part - 1)) * stride;
            let Some(entry) = pool.entry(index) else { continue };
            if !bar.excludes(&entry, self.t0.0) && self.take(index, entry) {
                bar = self.bar();
            }
        }
    }

    /// Loads all that reach what the sample has loaded.
    fn scan_above(&mut self, pool: &Scanned<'_>) {
        let (level, t0, now) = (pool.candidates.level, self.t0.0, pool.now.0);
        let filter = |bar: &Bar| pool.columns.filter(level, bar.inverse()?, t0, now);
        // Who is owed as much as the last of the sample may come before it in the pool.
        let mut bar = self.bar().with_ties();
        let mut above = filter(&bar);
        self.heap.clear();
        for (number, block) in pool.columns.blocks().iter().enumerate() {
            let mut left = above.as_ref().map_or(u32::MAX, |above| above.places(block));
            let mut changed = false;
            while left != 0 {
                let index = number * BLOCK + left.trailing_zeros() as usize;
                left &= left - 1;
                let Some(entry) = pool.entry(index) else { continue };
                if !bar.excludes(&entry, t0) && self.take(index, entry) && self.is_full() {
                    bar = self.bar();
                    changed = true;
                }
            }
            if changed {
                above = filter(&bar);
            }
        }
    }
}
